package evm

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"pgregory.net/rapid"
)

// method is a function as go-ethereum reads its signature: the oracle of ours.
func method(t testing.TB, signature string) abi.Method {
	t.Helper()
	one, err := abi.ParseSelector(signature)
	if err != nil {
		t.Fatalf("%s: %v", signature, err)
	}
	raw, err := json.Marshal([]any{one})
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := abi.JSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("%s: %v", signature, err)
	}
	return parsed.Methods[one.Name]
}

// list is a tuple or an array in the arguments of encode.
type list = []any

// encode is calldata as go-ethereum writes it.
func encode(t testing.TB, signature string, args ...any) []byte {
	t.Helper()
	m := method(t, signature)
	values := make([]any, len(args))
	for i, a := range args {
		v := reflect.New(m.Inputs[i].Type.GetType()).Elem()
		fill(t, v, a)
		values[i] = v.Interface()
	}
	data, err := m.Inputs.Pack(values...)
	if err != nil {
		t.Fatalf("%s: %v", signature, err)
	}
	return append(bytes.Clone(m.ID), data...)
}

// fill puts a value into a place of go-ethereum's type for it.
func fill(t testing.TB, v reflect.Value, a any) {
	t.Helper()
	switch a := a.(type) {
	case Address:
		v.Set(reflect.ValueOf(common.Address(a)))
	case int:
		if v.CanUint() {
			v.SetUint(uint64(a))
		} else {
			v.Set(reflect.ValueOf(big.NewInt(int64(a))))
		}
	case list:
		if v.Kind() == reflect.Slice {
			v.Set(reflect.MakeSlice(v.Type(), len(a), len(a)))
		}
		for i := range a {
			if v.Kind() == reflect.Slice {
				fill(t, v.Index(i), a[i])
			} else {
				fill(t, v.Field(i), a[i])
			}
		}
	default:
		v.Set(reflect.ValueOf(a))
	}
}

// drawValue is any value of go-ethereum's type for it.
func drawValue(t *rapid.T, of abi.Type, v reflect.Value) {
	switch of.T {
	case abi.AddressTy:
		v.Set(reflect.ValueOf(common.Address(rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(t, "address"))))
	case abi.UintTy:
		n := drawBig(t, of.Size/8, "uint")
		if v.CanUint() {
			v.SetUint(n.Uint64())
		} else {
			v.Set(reflect.ValueOf(n))
		}
	case abi.BoolTy:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case abi.BytesTy:
		v.SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 70).Draw(t, "bytes"))
	case abi.StringTy:
		v.SetString(rapid.StringN(0, 40, 70).Draw(t, "string"))
	case abi.FixedBytesTy:
		v.Set(reflect.ValueOf([32]byte(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "word"))))
	case abi.SliceTy:
		n := rapid.IntRange(0, 3).Draw(t, "items")
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			drawValue(t, *of.Elem, v.Index(i))
		}
	case abi.TupleTy:
		for i, e := range of.TupleElems {
			drawValue(t, *e, v.Field(i))
		}
	default:
		t.Fatalf("no value of %s", of)
	}
}

// sameValue compares what was read here with go-ethereum's value.
func sameValue(t *rapid.T, of abi.Type, v reflect.Value, got abiValue) {
	switch of.T {
	case abi.SliceTy, abi.TupleTy:
		n, at := len(of.TupleElems), func(i int) (abi.Type, reflect.Value) { return *of.TupleElems[i], v.Field(i) }
		if of.T == abi.SliceTy {
			n, at = v.Len(), func(i int) (abi.Type, reflect.Value) { return *of.Elem, v.Index(i) }
		}
		if len(got.items) != n {
			t.Fatalf("%d items of %d", len(got.items), n)
		}
		for i, item := range got.items {
			inner, value := at(i)
			sameValue(t, inner, value, item)
		}
	case abi.BytesTy:
		if !bytes.Equal(got.raw, v.Bytes()) {
			t.Fatalf("bytes %x", got.raw)
		}
	case abi.StringTy:
		if string(got.raw) != v.String() {
			t.Fatalf("string %q", got.raw)
		}
	default:
		want, err := abi.Arguments{{Type: of}}.Pack(v.Interface())
		if err != nil || !bytes.Equal(want, got.raw) {
			t.Fatalf("%x, go-ethereum %x, %v", got.raw, want, err)
		}
	}
}

// signatures are those of every function that is understood.
func signatures() []string {
	var all []string
	for _, table := range tables {
		all = slices.AppendSeq(all, maps.Keys(table.calls))
	}
	slices.Sort(all)
	return all
}

func TestCalldataIsReadAsGoEthereumWritesIt(t *testing.T) {
	for _, signature := range signatures() {
		m, f := method(t, signature), functions()[selectorOf(signature)]
		rapid.Check(t, func(rt *rapid.T) {
			values := make([]any, len(m.Inputs))
			for i, in := range m.Inputs {
				v := reflect.New(in.Type.GetType()).Elem()
				drawValue(rt, in.Type, v)
				values[i] = v.Interface()
			}
			data, err := m.Inputs.Pack(values...)
			if err != nil {
				rt.Fatal(err)
			}
			got, ok := decodeABI(f.args, data)
			if !ok {
				rt.Fatalf("%s: refused %x", signature, data)
			}
			for i, in := range m.Inputs {
				sameValue(rt, in.Type, reflect.ValueOf(values[i]), got[i])
			}
		})
	}
}

// readOnce holds what was read against go-ethereum: it reads it too, and writes
// the same bytes of it, so there is no second way to write the same call.
func readOnce(t testing.TB, m abi.Method, data []byte) {
	t.Helper()
	values, err := m.Inputs.Unpack(data)
	if err != nil {
		t.Fatalf("%s: read what go-ethereum refuses: %v", m.Sig, err)
	}
	again, err := m.Inputs.Pack(values...)
	if err != nil || !bytes.Equal(again, data) {
		t.Fatalf("%s: read a second form of %x", m.Sig, again)
	}
}

// Each byte of valid calldata counts: whichever is changed, what is read is
// either refused or the one form of other arguments.
func TestSigning_E08_EveryByteCounts(t *testing.T) {
	for _, signature := range signatures() {
		m, f := method(t, signature), functions()[selectorOf(signature)]
		data := encode(t, signature, plausible(t, m.Inputs)...)[4:]
		for i := range data {
			for _, flip := range []byte{1, 0x20, 0x80, 0xff} {
				changed := bytes.Clone(data)
				changed[i] ^= flip
				if _, ok := decodeABI(f.args, changed); ok {
					readOnce(t, m, changed)
				}
			}
		}
		for _, bad := range [][]byte{
			data[:max(1, len(data))-1], data[:max(32, len(data))-32], append(bytes.Clone(data), 0),
			append(bytes.Clone(data), make([]byte, 32)...),
		} {
			if _, ok := decodeABI(f.args, bad); ok && len(bad) != len(data) {
				t.Errorf("%s: read %d bytes of %d", signature, len(bad), len(data))
			}
		}
	}
}

// plausible are arguments with two items in every array.
func plausible(t testing.TB, in abi.Arguments) []any {
	var all []any
	for i, a := range in {
		all = append(all, plausibleOf(t, a.Type, i))
	}
	return all
}

func plausibleOf(t testing.TB, of abi.Type, i int) any {
	switch of.T {
	case abi.AddressTy:
		return Address{0: byte(i + 1), 19: 7}
	case abi.UintTy:
		return i + 1
	case abi.BoolTy:
		return i%2 == 0
	case abi.BytesTy:
		return bytes.Repeat([]byte{byte(i + 1)}, 33)
	case abi.StringTy:
		return strings.Repeat("s", 40)
	case abi.FixedBytesTy:
		return [32]byte{byte(i + 1)}
	case abi.SliceTy:
		return list{plausibleOf(t, *of.Elem, i), plausibleOf(t, *of.Elem, i+1)}
	case abi.TupleTy:
		var all list
		for j, e := range of.TupleElems {
			all = append(all, plausibleOf(t, *e, i+j))
		}
		return all
	}
	t.Fatalf("no sample of %s", of)
	return nil
}

// Whatever bytes come as arguments of any function: see readOnce.
func FuzzCalldata(f *testing.F) {
	all := signatures()
	for i, signature := range all {
		f.Add(uint8(i), encode(f, signature, plausible(f, method(f, signature).Inputs)...)[4:])
	}
	net, usdc := base(f)
	places := []Address{permit2, exactProxy, uptoProxy, multicall3, entryPoint6, entryPoint7, routerOf(f, net),
		weth(f, net)}
	f.Fuzz(func(t *testing.T, n uint8, data []byte) {
		signature := all[int(n)%len(all)]
		known := functions()[selectorOf(signature)]
		if _, ok := decodeABI(known.args, data); ok {
			readOnce(t, method(t, signature), data)
		}
		id := selectorOf(signature)
		to := usdc
		for _, at := range places {
			if known.is != nil && known.is(newReading(net), at) {
				to = at
			}
		}
		checkEffects(t, Effects(alice, &to, nil, append(id[:], data...), net))
	})
}
