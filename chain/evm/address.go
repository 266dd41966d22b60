package evm

import (
	"encoding/hex"
	"errors"
	"strings"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

// Address is an account or a contract.
type Address [20]byte

// The ways in which the text of an address or the bytes of a public key are wrong.
var (
	ErrAddress   = errors.New("not an address of 0x and 40 hex digits")
	ErrChecksum  = errors.New("address with a wrong EIP-55 checksum")
	ErrPublicKey = errors.New("not a secp256k1 public key")
)

// ParseAddress reads an address in one case or in EIP-55's mixed case. A wrong
// checksum is a typing error that would cost the money, so it is refused.
func ParseAddress(text string) (Address, error) {
	var a Address
	digits, ok := strings.CutPrefix(text, "0x")
	if !ok || len(digits) != 2*len(a) {
		return Address{}, ErrAddress
	}
	if _, err := hex.Decode(a[:], []byte(digits)); err != nil {
		return Address{}, ErrAddress
	}
	oneCase := digits == strings.ToLower(digits) || digits == strings.ToUpper(digits)
	if !oneCase && a.String() != text {
		return Address{}, ErrChecksum
	}
	return a, nil
}

// mustParse reads an address of our own tables.
func mustParse(text string) Address {
	a, err := ParseAddress(text)
	if err != nil {
		panic("evm: " + text)
	}
	return a
}

// String is the address in EIP-55's mixed case.
func (a Address) String() string {
	digits := hex.AppendEncode(make([]byte, 0, 2*len(a)), a[:])
	sum := Keccak256(digits)
	for i, c := range digits {
		nibble := sum[i/2] >> (4 * (1 - i%2)) & 0xf
		if c >= 'a' && nibble >= 8 {
			digits[i] = c - 'a' + 'A'
		}
	}
	return "0x" + string(digits)
}

// AddressOf is the address of a public key in SEC1's compressed (33 bytes) or
// uncompressed (65 bytes) form.
func AddressOf(publicKey []byte) (Address, error) {
	hybrid := len(publicKey) == 65 && publicKey[0] != 4
	key, err := secp256k1.ParsePubKey(publicKey)
	if err != nil || hybrid {
		return Address{}, ErrPublicKey
	}
	return addressOf(key), nil
}

func addressOf(key *secp256k1.PublicKey) Address {
	point := key.SerializeUncompressed()
	sum := Keccak256(point[1:]) // without SEC1's format byte
	return Address(sum[12:])
}
