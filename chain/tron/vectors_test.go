package tron_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/railkit/railkit/chain/tron"
)

// vector is a transaction that somebody else signed. Refused is the field by which it is refused here.
type vector struct{ Origin, Raw, Signature, ID, To, Asset, Amount, Refused string }

func vectors(t testing.TB) (all []vector) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "signed.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Transactions []vector }
	if err := json.Unmarshal(text, &file); err != nil || len(file.Transactions) == 0 {
		t.Fatalf("%d vectors: %v", len(file.Transactions), err)
	}
	return file.Transactions
}

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	raw, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// What others have signed is read, written again, named and told; what is not signed here is refused.
func TestVectors(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t) {
		raw, signature := unhex(t, v.Raw), unhex(t, v.Signature)
		tx, err := tron.Decode(raw)
		if v.Refused != "" {
			var refused tron.FieldError
			if !errors.As(err, &refused) || refused.Field != v.Refused {
				t.Errorf("%s: %v, want one of %s", v.Origin, err, v.Refused)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", v.Origin, err)
			continue
		}
		again, err := tx.Encode()
		if err != nil || !bytes.Equal(again, raw) || tx.ID() != v.ID {
			t.Errorf("%s: written as %x, with the id %s: %v", v.Origin, again, tx.ID(), err)
		}
		signed, err := tron.Signed{Raw: tx, Signature: [65]byte(signature)}.Encode()
		if id := (tron.Family{}).ID(signed); err != nil || id != v.ID {
			t.Errorf("%s: signed with the id %q: %v", v.Origin, id, err)
		}
		told(t, v, raw)
	}
}

func told(t *testing.T, v vector, raw []byte) {
	t.Helper()
	tx, err := tron.Family{}.DecodeUnsigned(raw)
	if err != nil {
		t.Fatal(err)
	}
	got := (tron.Family{}).Effects(mainnet, tx.Signers[0], tx.Call)
	if len(got) != 1 || got[0].Symbol == "" || got[0].To != v.To || got[0].Asset != v.Asset ||
		got[0].Amount != v.Amount {
		t.Errorf("%s: %+v", v.Origin, got)
	}
}

// Texts that Trust Wallet's core signs in tests/chains/Tron/TronMessageSignerTests.cpp at
// 5295dc4fe299c527b7984611afb597ba003f6ce2.
func TestVectors_Messages(t *testing.T) {
	t.Parallel()
	secret := secretOf(t, "75065f100e38d3f3b4c5c4235834ba8216de62272a4f03532c44b31a5734360a")
	for text, want := range map[string]string{
		"Hello World": "bc0753c070cc55693097df11bc11e1a7c4bd5e1a40b9dc94c75568e59bcc9d6b" +
			"50a7873ef25b469e494490a54de37327b4bc7fc825c81a377b555e34fb7261ba1c",
		"A much longer message to test the signing and verification process": "93aee5f753cf889e0749c74dd0c5996cce88" +
			"9883ae079e09ede462e16d65d06a4f43d1ed2745e9f3c1690695628269bd58f057a4a93953cc50e66b4a05bc0f451b",
	} {
		m, err := tron.Family{}.ReadMessage(nil, addressOf(t, secret).String(), "EIP191_TEXT", text)
		if err != nil {
			t.Fatal(err)
		}
		if got := (tron.Family{}).EncodeSignature(sign(secret, m.Payload)); got != "0x"+want {
			t.Errorf("%q: %s", text, got)
		}
	}
}
