package chaintest

import (
	"bytes"
	"crypto/ed25519"
	"math/big"
	"slices"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

// key signs as the signer's keystore does.
type key struct {
	public []byte
	sign   func(payload []byte) []byte
	twin   func(signature []byte) []byte // the other spelling for which the curve's equation holds too
}

func newKey(t *testing.T, curve string, number byte) key {
	t.Helper()
	seed := bytes.Repeat([]byte{number}, 32)
	switch curve {
	case "CURVE_SECP256K1":
		secret := secp256k1.PrivKeyFromBytes(seed)
		return key{secret.PubKey().SerializeCompressed(), func(digest []byte) []byte {
			compact := ecdsa.SignCompact(secret, digest, false)
			return append(compact[1:], compact[0]-27)
		}, negated}
	case "CURVE_ED25519":
		secret := ed25519.NewKeyFromSeed(seed)
		return key{secret[32:], func(message []byte) []byte { return ed25519.Sign(secret, message) }, raised}
	}
	t.Fatalf("no key is on the curve %q", curve)
	return key{}
}

// negated has s in the upper half of the order.
func negated(signature []byte) []byte {
	var s secp256k1.ModNScalar
	s.SetByteSlice(signature[32:64])
	high := s.Negate().Bytes()
	return append(append(bytes.Clone(signature[:32]), high[:]...), signature[64]^1)
}

// raised has s with the order added to it, which is 2^252 and a number of 125 bits.
func raised(signature []byte) []byte {
	order, _ := new(big.Int).SetString("27742317777372353535851937790883648493", 10)
	order.Add(order, new(big.Int).Lsh(big.NewInt(1), 252))
	little := bytes.Clone(signature[32:])
	slices.Reverse(little)
	s := new(big.Int).SetBytes(little)
	little = s.Add(s, order).FillBytes(little)
	slices.Reverse(little)
	return append(bytes.Clone(signature[:32]), little...)
}
