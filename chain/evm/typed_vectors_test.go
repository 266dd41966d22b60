package evm

import (
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

type typedVector struct {
	Origin, Digest, Form string
	Fields               []string
	Domain               string
	Data                 json.RawMessage
	Secret, Address      string
	R, S                 string
	V                    byte
}

func TestTypedDataVectors(t *testing.T) {
	var file struct{ Messages []typedVector }
	load(t, "typed.json", &file)
	for _, v := range file.Messages {
		d, err := ParseTypedData(v.Data)
		if err != nil {
			t.Fatalf("%s: %v", v.Origin, err)
		}
		if hex.EncodeToString(d.Digest[:]) != v.Digest || d.form != v.Form || d.Domain != v.Domain ||
			!slices.Equal(d.Fields, v.Fields) {
			t.Errorf("%s: %x %s %s %q", v.Origin, d.Digest, d.form, d.Domain, d.Fields)
		}
		if v.R == "" {
			continue
		}
		sig, err := Sign(unhex(t, v.Secret), d.Digest)
		if err != nil || hex.EncodeToString(sig.R[:]) != v.R || hex.EncodeToString(sig.S[:]) != v.S || sig.V+27 != v.V {
			t.Errorf("%s: signed %x %x %d, %v", v.Origin, sig.R, sig.S, sig.V, err)
		}
		if by, err := RecoverAddress(d.Digest, sig); err != nil || by != mustAddress(t, v.Address) {
			t.Errorf("%s: signed by %v, %v", v.Origin, by, err)
		}
	}
}

// The documents that ethers and viem hand to a wallet are read as they are read there.
func TestTypedDataOfLibraries(t *testing.T) {
	var file struct {
		Messages []struct{ Origin, Digest, Data string }
	}
	load(t, "typed_libraries.json", &file)
	if len(file.Messages) < 12 {
		t.Fatal("there are too few vectors")
	}
	for _, v := range file.Messages {
		d, err := ParseTypedData([]byte(v.Data))
		if err != nil || hex.EncodeToString(d.Digest[:]) != v.Digest || d.ChainID != 84532 ||
			!strings.Contains(d.Domain, "chainId: 84532") {
			t.Errorf("%s: %x of chain %d, want %s: %v", v.Origin, d.Digest, d.ChainID, v.Digest, err)
		}
	}
}
