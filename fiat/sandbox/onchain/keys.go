package onchain

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
)

// The branches of the partner's keys below its seed. Only hardened children are
// made: nobody needs addresses without their keys, and ed25519 has no others.
const (
	Treasury uint32 = iota
	Liquidation
	Wallet
)

const hardened = 1 << 31

// Seed is the secret of which all keys are made.
type Seed []byte

// key is one of the partner's.
type key struct {
	curve
	secret  []byte
	address string
}

// curve is how keys are derived and sign.
type curve struct {
	salt   string // of the key at the root, as SLIP-10 has it
	child  func(parent, sum []byte) ([]byte, error)
	public func(secret []byte) []byte
	sign   func(secret, payload []byte) ([]byte, error)
}

// curves are BIP-32's own, and SLIP-10's second one.
var curves = map[string]curve{
	"CURVE_SECP256K1": {"Bitcoin seed", addScalars, func(secret []byte) []byte {
		return secp256k1.PrivKeyFromBytes(secret).PubKey().SerializeCompressed()
	}, func(secret, digest []byte) ([]byte, error) {
		if len(digest) != 32 {
			return nil, errDigest
		}
		s, err := evm.Sign(secret, [32]byte(digest))
		return s.Bytes(), err
	}},
	"CURVE_ED25519": {"ed25519 seed", takeSum, func(secret []byte) []byte {
		return ed25519.NewKeyFromSeed(secret).Public().(ed25519.PublicKey)
	}, func(secret, message []byte) ([]byte, error) {
		return ed25519.Sign(ed25519.NewKeyFromSeed(secret), message), nil
	}},
}

var (
	errDigest = errors.New("what is to be signed is no digest")
	errChild  = errors.New("no key at this index")
	errCurve  = errors.New("no such curve")
)

// key is the one at m/44'/coin'/branch'/index', with the coin that the family's own accounts have.
func (s Seed) key(f chain.Family, branch, index uint32) (k key, err error) {
	form := f.Form()
	var coin uint32
	if _, err := fmt.Sscanf(form.Path, "m/44'/%d'", &coin); err != nil {
		return k, fmt.Errorf("the path of a family's accounts: %w", err)
	}
	c, known := curves[form.Curve]
	if !known {
		return k, errCurve
	}
	secret, err := c.walk(s, 44, coin, branch, index)
	if err != nil {
		return k, err
	}
	address, err := f.AddressOf(c.public(secret))
	return key{c, secret, address}, err
}

func (k key) sign(payload []byte) ([]byte, error) { return k.curve.sign(k.secret, payload) }

// walk goes from the seed down hardened steps.
func (c curve) walk(seed []byte, steps ...uint32) ([]byte, error) {
	secret, code := split(hmac512([]byte(c.salt), seed))
	for _, step := range steps {
		sum, next := split(hmac512(code, []byte{0}, secret, binary.BigEndian.AppendUint32(nil, step|hardened)))
		child, err := c.child(secret, sum)
		if err != nil {
			return nil, err
		}
		secret, code = child, next
	}
	return secret, nil
}

func split(sum []byte) (left, right []byte) { return sum[:32], sum[32:] }

func takeSum(_, sum []byte) ([]byte, error) { return sum, nil }

func addScalars(parent, sum []byte) ([]byte, error) {
	var a, b secp256k1.ModNScalar
	if a.SetByteSlice(sum) || b.SetByteSlice(parent) || a.Add(&b).IsZero() {
		return nil, errChild
	}
	child := a.Bytes()
	return child[:], nil
}

func hmac512(key []byte, parts ...[]byte) []byte {
	h := hmac.New(sha512.New, key)
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}
