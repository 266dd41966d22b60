package evm

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"pgregory.net/rapid"
)

func TestAddressChecksumVectors(t *testing.T) {
	var file struct{ Addresses []string }
	load(t, "eip55.json", &file)
	for _, text := range file.Addresses {
		lower, upper := strings.ToLower(text), "0x"+strings.ToUpper(text[2:])
		for _, spelling := range []string{text, lower, upper} {
			a, err := ParseAddress(spelling)
			if err != nil || a.String() != text {
				t.Errorf("%s: %v %v", spelling, a, err)
			}
		}
	}
}

func TestAddressRefused(t *testing.T) {
	good := "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	for name, text := range map[string]string{
		"empty": "", "no 0x": good[2:], "0X": "0X" + good[2:], "short": good[:41], "long": good + "0",
		"not hex": good[:41] + "g", "a name": "vitalik.eth", "space": " " + good, "newline": good + "\n",
		"wide digit": good[:39] + "０",
	} {
		if _, err := ParseAddress(text); !errors.Is(err, ErrAddress) {
			t.Errorf("%s: %v", name, err)
		}
	}
	swapped := strings.Replace(good, "aA", "Aa", 1)
	if _, err := ParseAddress(swapped); !errors.Is(err, ErrChecksum) {
		t.Errorf("wrong checksum: %v", err)
	}
}

func TestAddressAgreesWithGoEthereum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Address(rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(t, "address"))
		if got, want := a.String(), common.Address(a).Hex(); got != want {
			t.Fatalf("%s, go-ethereum %s", got, want)
		}
		if back, err := ParseAddress(a.String()); err != nil || back != a {
			t.Fatalf("%v %v", back, err)
		}
	})
}

func TestAddressOfPublicKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key, err := crypto.ToECDSA(drawSecret(t))
		if err != nil {
			t.Fatal(err)
		}
		want := Address(crypto.PubkeyToAddress(key.PublicKey))
		full, short := crypto.FromECDSAPub(&key.PublicKey), crypto.CompressPubkey(&key.PublicKey)
		for _, form := range [][]byte{full, short} {
			if got, err := AddressOf(form); err != nil || got != want {
				t.Fatalf("%v %v, want %v", got, err, want)
			}
		}
		hybrid := bytes.Clone(full)
		hybrid[0] = 6 + full[64]&1
		for _, form := range [][]byte{nil, full[1:], short[1:], hybrid, make([]byte, 33), make([]byte, 65)} {
			if _, err := AddressOf(form); !errors.Is(err, ErrPublicKey) {
				t.Fatalf("a public key of %d bytes: %v", len(form), err)
			}
		}
	})
}
