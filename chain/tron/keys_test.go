package tron_test

import (
	"encoding/hex"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"github.com/railkit/railkit/chain/tron"
)

func secretOf(t testing.TB, text string) *secp256k1.PrivateKey {
	t.Helper()
	raw, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return secp256k1.PrivKeyFromBytes(raw)
}

func addressOf(t testing.TB, secret *secp256k1.PrivateKey) tron.Address {
	t.Helper()
	a, err := tron.AddressOf(secret.PubKey().SerializeCompressed())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// sign gives r, s and the parity, as the signer's keystore does.
func sign(secret *secp256k1.PrivateKey, digest []byte) []byte {
	compact := ecdsa.SignCompact(secret, digest, false)
	return append(compact[1:], compact[0]-27)
}
