package tron

import (
	"bytes"
	"crypto/sha256"
	"errors"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
)

// Address is an account or a contract: the 20 bytes that EVM has for the same key.
type Address [20]byte

// ErrAddress refuses text that is no address.
var ErrAddress = errors.New("not an address in base58check that begins with T")

const (
	prefix       = 0x41 // stands before an address wherever there are bytes of one, but for the words of a call
	wireSize     = 1 + len(Address{})
	checksumSize = 4
)

// ParseAddress reads base58check: 0x41, the address, and the first bytes of a double SHA-256 of both, which find a
// typing error. The hex of the 21 bytes, which nodes take as well, has no such sum and is refused.
func ParseAddress(text string) (Address, error) {
	b, err := chain.ParseBase58(text, wireSize+checksumSize)
	if err != nil || b[0] != prefix || !bytes.Equal(b[wireSize:], checksum(b[:wireSize])) {
		return Address{}, ErrAddress
	}
	return Address(b[1:wireSize]), nil
}

func checksum(b []byte) []byte {
	once := sha256.Sum256(b)
	twice := sha256.Sum256(once[:])
	return twice[:checksumSize]
}

// mustParse reads an address of our own tables.
func mustParse(text string) Address {
	a, err := ParseAddress(text)
	if err != nil {
		panic("tron: " + text)
	}
	return a
}

// String is the address in base58check.
func (a Address) String() string { return chain.Base58(append(a.Bytes(), checksum(a.Bytes())...)) }

// Bytes are the 21 that transactions have.
func (a Address) Bytes() []byte { return append([]byte{prefix}, a[:]...) }

// AddressOf is the address of a public key in SEC1's compressed or uncompressed form.
func AddressOf(publicKey []byte) (Address, error) {
	a, err := evm.AddressOf(publicKey)
	return Address(a), err
}

// nobody are addresses of which nobody has the key, by what a sentence calls them.
var nobody = map[Address]string{
	{}: "is the zero address",
	mustParse("TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy"): "is the black hole, which burns what it gets",
}
