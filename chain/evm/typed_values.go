package evm

import (
	"encoding/hex"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/railkit/railkit/chain"
)

// typedReader hashes values and writes them down for people.
type typedReader struct {
	types  typedTypes
	hashes map[string][32]byte // of types
	fields []string
	values map[string]string // by path
}

func (r *typedReader) show(path, value string) error {
	if len(r.fields) >= maxTypedValues {
		return badTyped("it has too many values")
	}
	r.fields, r.values[path] = append(r.fields, path+": "+value), value
	return nil
}

// structure is EIP-712's hashStruct. The object has the type's members, all of
// them and no others.
func (r *typedReader) structure(name string, v jsontext.Value, path string, depth int) (hash [32]byte, err error) {
	if depth >= maxTypedDepth {
		return hash, badTyped("it is nested too deep")
	}
	var object map[string]jsontext.Value
	if v.Kind() != '{' || json.Unmarshal(v, &object) != nil {
		return hash, badTyped("there is no object where a struct or the domain is expected")
	}
	fields := r.types[name]
	if len(object) != len(fields) {
		return hash, badTyped("an object has other members than its type")
	}
	if len(fields) == 0 {
		err = r.show(path, "{}")
	}
	encoded := r.typeHash(name)
	for _, f := range fields {
		inner, ok := object[f.name]
		if !ok || err != nil {
			return hash, orBad(err, "an object has other members than its type")
		}
		var word [32]byte
		if word, err = r.value(f.of, inner, join(path, f.name), depth+1); err != nil {
			return hash, err
		}
		encoded = append(encoded, word[:]...)
	}
	return Keccak256(encoded), err
}

func orBad(err error, why string) error {
	if err != nil {
		return err
	}
	return badTyped(why)
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (r *typedReader) typeHash(name string) []byte {
	hash, ok := r.hashes[name]
	if !ok {
		hash = Keccak256([]byte(r.types.form(name)))
		if r.hashes == nil {
			r.hashes = map[string][32]byte{}
		}
		r.hashes[name] = hash
	}
	return hash[:]
}

// value is EIP-712's encodeData of one member.
func (r *typedReader) value(t typedType, v jsontext.Value, path string, depth int) (word [32]byte, err error) {
	if n := len(t.sizes); n > 0 {
		return r.array(typedType{t.base, t.sizes[:n-1]}, t.sizes[n-1], v, path, depth)
	}
	if r.types[t.base] != nil {
		return r.structure(t.base, v, path, depth)
	}
	word, text, ok := atom(t.base, v)
	if !ok {
		return word, badTyped("a value does not have the form of its type")
	}
	return word, r.show(path, text)
}

func (r *typedReader) array(
	of typedType, size int, v jsontext.Value, path string, depth int,
) (hash [32]byte, err error) {
	if depth >= maxTypedDepth {
		return hash, badTyped("it is nested too deep")
	}
	var items []jsontext.Value
	if v.Kind() != '[' || json.Unmarshal(v, &items) != nil || size >= 0 && len(items) != size {
		return hash, badTyped("there is no array where one is expected, or one of another length")
	}
	if len(items) == 0 {
		err = r.show(path, "[]")
	}
	var encoded []byte
	for i, item := range items {
		var word [32]byte
		if word, err = r.value(of, item, path+"["+strconv.Itoa(i)+"]", depth+1); err != nil {
			return hash, err
		}
		encoded = append(encoded, word[:]...)
	}
	return Keccak256(encoded), err
}

// atom reads a value of a type that has no parts.
func atom(kind string, v jsontext.Value) (word [32]byte, text string, ok bool) {
	switch {
	case strings.HasPrefix(kind, "uint"), strings.HasPrefix(kind, "int"):
		return integer(kind, v)
	case kind == "bool":
		if ok = v.Kind() == 't' || v.Kind() == 'f'; v.Kind() == 't' {
			word[31] = 1
		}
		return word, string(v), ok
	}
	var s string
	if v.Kind() != '"' || json.Unmarshal(v, &s) != nil {
		return word, "", false
	}
	switch kind {
	case "string":
		return Keccak256([]byte(s)), strconv.Quote(s), true
	case "address":
		a, err := ParseAddress(s)
		copy(word[12:], a[:])
		return word, a.String(), err == nil
	}
	raw, err := hex.DecodeString(strings.TrimPrefix(s, "0x"))
	if err != nil || !strings.HasPrefix(s, "0x") {
		return word, "", false
	}
	if kind == "bytes" {
		return Keccak256(raw), chain.Hex(raw), true
	}
	copy(word[:], raw)
	return word, chain.Hex(raw), kind == "bytes"+strconv.Itoa(len(raw))
}

// isInteger matches a decimal in one form, and hex, which some libraries write. More digits than it takes are more than
// 256 bits.
var isInteger = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(0|-?[1-9][0-9]{0,77}|0x[0-9a-fA-F]{1,64})$`)
})

// integer takes a number only where every reader of JSON takes the same one.
func integer(kind string, v jsontext.Value) (word [32]byte, text string, ok bool) {
	switch v.Kind() {
	case '"':
		if json.Unmarshal(v, &text) != nil {
			return word, "", false
		}
	case '0':
		text = string(v)
	}
	if !isInteger().MatchString(text) {
		return word, "", false
	}
	n, _ := new(big.Int).SetString(text, 0)
	digits, signed := strings.CutPrefix(kind, "int")
	bits, _ := strconv.Atoi(strings.TrimPrefix(digits, "uint"))
	if v.Kind() == '0' && !(n.IsInt64() && n.Int64() <= maxSafeNumber && n.Int64() >= -maxSafeNumber) ||
		!fits(n, bits, signed) {
		return word, "", false
	}
	text = n.String()
	if n.Sign() < 0 {
		n.Add(n, new(big.Int).Lsh(big.NewInt(1), 256))
	}
	n.FillBytes(word[:])
	return word, text, true
}

func fits(n *big.Int, bits int, signed bool) bool {
	if !signed {
		return n.Sign() >= 0 && n.BitLen() <= bits
	}
	if n.Sign() < 0 {
		n = new(big.Int).Not(n) // the lowest number is one further from zero
	}
	return n.BitLen() < bits
}
