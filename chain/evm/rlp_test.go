package evm

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/rlp"
)

// tree reads one value and everything in it, strings as []byte and lists as []any.
func tree(r *rlpReader) any {
	payload, list := r.next()
	if !list {
		return bytes.Clone(payload)
	}
	items := []any{}
	inner := rlpReader{rest: payload}
	for inner.more() {
		items = append(items, tree(&inner))
	}
	if inner.err != nil {
		r.fail(inner.err)
	}
	return items
}

func readTree(b []byte) (any, error) {
	r := rlpReader{rest: b}
	value := tree(&r)
	return value, r.end()
}

func appendTree(dst []byte, value any) []byte {
	items, list := value.([]any)
	if !list {
		return appendBytes(dst, value.([]byte))
	}
	var inner []byte
	for _, item := range items {
		inner = appendTree(inner, item)
	}
	return appendList(dst, inner)
}

// vectorTree turns the vectors' notation into a tree.
func vectorTree(t *testing.T, raw any) any {
	switch v := raw.(type) {
	case string:
		return unhex(t, v)
	case []any:
		items := []any{}
		for _, item := range v {
			items = append(items, vectorTree(t, item))
		}
		return items
	}
	t.Fatalf("unexpected %T", raw)
	return nil
}

func TestRLPVectors(t *testing.T) {
	var file struct {
		Values []struct {
			Name string
			In   any
			Out  string
		}
	}
	load(t, "rlp.json", &file)
	for _, v := range file.Values {
		in, out := vectorTree(t, v.In), unhex(t, v.Out)
		if got := appendTree(nil, in); !bytes.Equal(got, out) {
			t.Errorf("%s: wrote %x", v.Name, got)
		}
		got, err := readTree(out)
		if err != nil {
			t.Errorf("%s: %v", v.Name, err)
			continue
		}
		if !bytes.Equal(appendTree(nil, got), out) {
			t.Errorf("%s: read %v", v.Name, got)
		}
	}
}

func TestSigning_E11_RLPVectorsRefused(t *testing.T) {
	var file struct {
		Values []struct{ Name, Out string }
	}
	load(t, "rlp_invalid.json", &file)
	for _, v := range file.Values {
		if _, err := readTree(unhex(t, v.Out)); !errors.Is(err, ErrEncoding) {
			t.Errorf("%s: %v", v.Name, err)
		}
	}
}

func TestSigning_E11_Numbers(t *testing.T) {
	refused := map[string]string{
		"zero as a byte":         "00",
		"leading zero":           "820001",
		"nine bytes":             "89010000000000000000",
		"a list":                 "c0",
		"a header for one byte":  "8105",
		"two numbers, one asked": "0101",
		"nothing":                "",
	}
	for name, text := range refused {
		r := rlpReader{rest: unhex(t, text)}
		if r.uint64(); r.end() == nil {
			t.Errorf("%s was read", name)
		}
	}
	large := rlpReader{rest: unhex(t, "a1"+"01"+strings.Repeat("00", 32))}
	if large.big(); large.end() == nil {
		t.Error("a number of 257 bits was read")
	}
	most := rlpReader{rest: unhex(t, "a0"+strings.Repeat("ff", 32))}
	if n := most.big(); most.end() != nil ||
		n.Cmp(new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))) != 0 {
		t.Error("2^256-1 was not read")
	}
}

func FuzzRLP(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) {
		value, err := readTree(input)
		var oracle any
		oracleErr := rlp.DecodeBytes(input, &oracle)
		if (err == nil) != (oracleErr == nil) {
			t.Fatalf("read: %v, go-ethereum: %v", err, oracleErr)
		}
		if err != nil {
			return
		}
		if !bytes.Equal(appendTree(nil, value), input) {
			t.Fatal("a second encoding of the same value")
		}
		ours, _ := json.Marshal(value)
		theirs, _ := json.Marshal(oracle)
		if !bytes.Equal(ours, theirs) {
			t.Fatalf("read %s, go-ethereum %s", ours, theirs)
		}
	})
}
