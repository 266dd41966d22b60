package evm

import (
	"errors"
	"math/big"
	"strconv"
	"strings"
)

// selector is the first four bytes of a call: which function it is.
type selector [4]byte

const wordSize = 32

// abiKind is what a type is made of.
type abiKind byte

const (
	abiWord    abiKind = iota // bytes32: any word
	abiUint                   // of bits bits
	abiAddress                // 160 bits
	abiBool                   // 0 or 1
	abiBytes                  // also string
	abiArray                  // of elems[0], any number
	abiTuple                  // of elems
)

type abiType struct {
	kind  abiKind
	bits  int
	elems []abiType
}

// parseSignature reads "name(type,...)" of our own tables: nobody else's text
// comes here, so one that cannot be read is a mistake that no test would miss.
func parseSignature(text string) []abiType {
	list, rest := parseTuple(text[strings.IndexByte(text, '('):])
	if rest != "" {
		panic("evm: signature " + text)
	}
	return list.elems
}

// parseTuple reads "(type,...)" and gives what comes after it.
func parseTuple(text string) (t abiType, rest string) {
	t.kind = abiTuple
	for text = text[1:]; text[0] != ')'; text = strings.TrimPrefix(text, ",") {
		var elem abiType
		elem, text = parseType(text)
		t.elems = append(t.elems, elem)
	}
	return t, text[1:]
}

func parseType(text string) (t abiType, rest string) {
	if text[0] == '(' {
		t, rest = parseTuple(text)
	} else {
		end := strings.IndexAny(text, ",)[")
		t, rest = plainType(text[:end]), text[end:]
	}
	for strings.HasPrefix(rest, "[]") {
		t, rest = abiType{kind: abiArray, elems: []abiType{t}}, rest[2:]
	}
	return t, rest
}

func plainType(name string) abiType {
	switch name {
	case "address":
		return abiType{kind: abiAddress, bits: 160}
	case "bool":
		return abiType{kind: abiBool, bits: 1}
	case "bytes", "string":
		return abiType{kind: abiBytes}
	case "bytes32":
		return abiType{kind: abiWord, bits: 256}
	}
	bits, err := strconv.Atoi(strings.TrimPrefix(name, "uint"))
	if err != nil {
		panic("evm: type " + name)
	}
	return abiType{kind: abiUint, bits: bits}
}

// dynamic reports whether a value stands behind an offset.
func (t abiType) dynamic() bool {
	switch t.kind {
	case abiBytes, abiArray:
		return true
	case abiTuple:
		for _, e := range t.elems {
			if e.dynamic() {
				return true
			}
		}
	}
	return false
}

// head is how many bytes a value takes where it is named.
func (t abiType) head() (n int) {
	if t.kind != abiTuple || t.dynamic() {
		return wordSize
	}
	for _, e := range t.elems {
		n += e.head()
	}
	return n
}

// abiValue is a decoded value: a word, bytes, or the items of an array or a tuple.
type abiValue struct {
	raw   []byte
	items []abiValue
}

func (v abiValue) number() *big.Int { return new(big.Int).SetBytes(v.raw) }
func (v abiValue) address() Address { return Address(v.raw[12:]) }
func (v abiValue) isZero() bool     { return v.number().Sign() == 0 }

// decodeABI reads arguments in the one form that encoders write: no bit above a
// type's width, everything behind offsets in order and without a gap, zeros as
// padding, nothing after the end. Contracts take other forms as well; a reader
// that took them could be shown one call and sign another.
func decodeABI(types []abiType, data []byte) ([]abiValue, bool) {
	values, used, ok := decodeTuple(types, data)
	return values, ok && used == len(data)
}

// decodeTuple reads values whose offsets count from the start of data, and tells
// how many bytes they take.
func decodeTuple(types []abiType, data []byte) (values []abiValue, used int, ok bool) {
	for _, t := range types {
		used += t.head()
	}
	if used > len(data) {
		return nil, 0, false
	}
	values, at := make([]abiValue, len(types)), 0
	for i, t := range types {
		if !t.dynamic() {
			values[i], ok = decodeStatic(t, data[at:at+t.head()])
		} else if ok = small(data[at:], used); ok {
			var n int
			values[i], n, ok = decodeDynamic(t, data[used:])
			used += n
		}
		if !ok {
			return nil, 0, false
		}
		at += t.head()
	}
	return values, used, true
}

// small reports whether the word at the start of data is n.
func small(data []byte, n int) bool {
	got, ok := length(data)
	return ok && got == n
}

// length reads a word that counts bytes or items.
func length(data []byte) (int, bool) {
	if len(data) < wordSize {
		return 0, false
	}
	n := new(big.Int).SetBytes(data[:wordSize])
	return int(n.Int64()), n.BitLen() < 31
}

func decodeStatic(t abiType, data []byte) (abiValue, bool) {
	if t.kind != abiTuple {
		return abiValue{raw: data}, new(big.Int).SetBytes(data).BitLen() <= t.bits
	}
	items, _, ok := decodeTuple(t.elems, data)
	return abiValue{items: items}, ok
}

func decodeDynamic(t abiType, data []byte) (v abiValue, used int, ok bool) {
	if t.kind == abiTuple {
		v.items, used, ok = decodeTuple(t.elems, data)
		return v, used, ok
	}
	n, ok := length(data)
	if !ok {
		return v, 0, false
	}
	data = data[wordSize:]
	if t.kind == abiBytes {
		v.raw, used, ok = decodeBytes(n, data)
		return v, used + wordSize, ok
	}
	if n > len(data)/t.elems[0].head() {
		return v, 0, false
	}
	types := make([]abiType, n)
	for i := range types {
		types[i] = t.elems[0]
	}
	v.items, used, ok = decodeTuple(types, data)
	return v, used + wordSize, ok
}

// decodeBytes wants zeros up to the next whole word.
func decodeBytes(n int, data []byte) (raw []byte, used int, ok bool) {
	used = (n + wordSize - 1) / wordSize * wordSize
	if used > len(data) {
		return nil, 0, false
	}
	for _, c := range data[n:used] {
		if c != 0 {
			return nil, 0, false
		}
	}
	return data[:n], used, true
}

// The functions that are written here, too.
var (
	transferCall  = selector{0xa9, 0x05, 0x9c, 0xbb} // transfer(address,uint256)
	balanceOfCall = selector{0x70, 0xa0, 0x82, 0x31} // balanceOf(address)
)

// ErrCallAmount is an amount that a call cannot carry.
var ErrCallAmount = errors.New("amount is negative or over 256 bits")

// EncodeTransfer is the calldata that moves a token.
func EncodeTransfer(to Address, amount *big.Int) ([]byte, error) {
	if amount == nil || amount.Sign() < 0 || amount.BitLen() > 256 {
		return nil, ErrCallAmount
	}
	data := appendAddress(transferCall[:], to)
	return append(data, amount.FillBytes(make([]byte, 32))...), nil
}

// EncodeApprove is the calldata that lets a spender take up to an amount of a token.
func EncodeApprove(spender Address, amount *big.Int) ([]byte, error) {
	if amount == nil || amount.Sign() < 0 || amount.BitLen() > 256 {
		return nil, ErrCallAmount
	}
	return callOf("approve(address,uint256)", new(big.Int).SetBytes(spender[:]), amount), nil
}

// EncodeAllowance is the calldata that asks a token what a spender may take of an owner's.
func EncodeAllowance(owner, spender Address) []byte {
	return callOf("allowance(address,address)", new(big.Int).SetBytes(owner[:]), new(big.Int).SetBytes(spender[:]))
}

// EncodeBalanceOf is the calldata that asks a token for a balance.
func EncodeBalanceOf(owner Address) []byte { return appendAddress(balanceOfCall[:], owner) }

// appendAddress writes after a copy of dst.
func appendAddress(dst []byte, a Address) []byte {
	out := make([]byte, 0, 4+3*32)
	out = append(out, dst...)
	out = append(out, make([]byte, 12)...)
	return append(out, a[:]...)
}
