package evm

import (
	"bytes"
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"
)

func TestSignedVectors(t *testing.T) {
	for _, v := range signedVectors(t) {
		if v.Signed == "" {
			continue
		}
		raw := unhex(t, v.Signed)
		tx, sig, err := DecodeSigned(raw)
		if err != nil {
			t.Errorf("%s: %v", v.Origin, err)
			continue
		}
		if !bytes.Equal(tx.Assemble(sig), raw) {
			t.Errorf("%s: written otherwise", v.Origin)
		}
		id, digest := ID(raw), tx.Digest()
		if v.ID != "" && !bytes.Equal(id[:], unhex(t, v.ID)) {
			t.Errorf("%s: id %x", v.Origin, id)
		}
		if v.Digest != "" && !bytes.Equal(digest[:], unhex(t, v.Digest)) {
			t.Errorf("%s: digest %x", v.Origin, digest)
		}
		from, err := Recover(raw)
		if err != nil || v.Sender != "" && from != mustAddress(t, v.Sender) {
			t.Errorf("%s: sender %v %v", v.Origin, from, err)
		}
	}
}

func TestUnsignedVectors(t *testing.T) {
	for _, v := range signedVectors(t) {
		if v.Unsigned == "" {
			continue
		}
		raw := unhex(t, v.Unsigned)
		tx, err := DecodeUnsigned(raw)
		if err != nil {
			t.Errorf("%s: %v", v.Origin, err)
			continue
		}
		digest := tx.Digest()
		if !bytes.Equal(tx.Unsigned(), raw) || !bytes.Equal(digest[:], unhex(t, v.Digest)) {
			t.Errorf("%s: unsigned %x digest %x", v.Origin, tx.Unsigned(), digest)
		}
	}
}

func TestSigning_E11_TransactionVectorsRefused(t *testing.T) {
	var file struct {
		Transactions []struct{ Name, Signed string }
	}
	load(t, "refused.json", &file)
	for _, v := range file.Transactions {
		if _, _, err := DecodeSigned(unhex(t, v.Signed)); err == nil {
			t.Errorf("%s was read", v.Name)
		}
	}
}

// sample is a plain transaction of each type.
func sample(kind Type) Tx {
	to := Address{0x35, 19: 0x35}
	tx := Tx{
		Type: kind, ChainID: 84532, Nonce: 7, GasLimit: 65000, To: &to, Value: big.NewInt(1), Data: []byte{1, 2, 3, 4},
	}
	if kind == DynamicFee {
		tx.MaxPriorityFeePerGas, tx.MaxFeePerGas = big.NewInt(1e6), big.NewInt(3e9)
	} else {
		tx.GasPrice = big.NewInt(3e9)
	}
	if kind != Legacy {
		tx.AccessList = []AccessTuple{{Address: to, StorageKeys: [][32]byte{{1}, {2}}}}
	}
	return tx
}

func samples() []Tx { return []Tx{sample(Legacy), sample(AccessList), sample(DynamicFee)} }

// item puts one RLP value after the fields of a list, header and all.
func withExtraItem(raw []byte, item ...byte) []byte {
	body := raw
	if raw[0] < 0xc0 {
		body = raw[1:]
	}
	r := rlpReader{rest: body}
	payload, _ := r.next()
	out := appendList(nil, append(bytes.Clone(payload), item...))
	if raw[0] < 0xc0 {
		out = append([]byte{raw[0]}, out...)
	}
	return out
}

func TestSigning_E11_NotCanonical(t *testing.T) {
	for _, tx := range samples() {
		raw := tx.Unsigned()
		for name, bad := range map[string][]byte{
			"trailing byte":       append(bytes.Clone(raw), 0),
			"cut short":           raw[:len(raw)-1],
			"extra item":          withExtraItem(raw, 0x80),
			"extra list":          withExtraItem(raw, 0xc0),
			"two extra items":     withExtraItem(raw, 0x80, 0x80),
			"four extra items":    withExtraItem(raw, 0x80, 0x80, 0x80, 0x80),
			"zero as a byte":      withExtraItem(raw, 0x00, 0x80, 0x80),
			"wrapped in a string": appendBytes(nil, raw),
			"wrapped in a list":   appendList(nil, raw),
			"nothing":             {},
		} {
			if _, err := DecodeUnsigned(bad); err == nil {
				t.Errorf("type %d: %s was read", tx.Type, name)
			}
		}
	}
}

// Any one byte changed gives another transaction or none, never the same again.
func TestSigning_E11_EveryByteCounts(t *testing.T) {
	for _, tx := range samples() {
		raw := tx.Unsigned()
		for i := range raw {
			for bit := range 8 {
				bad := bytes.Clone(raw)
				bad[i] ^= 1 << bit
				if read, err := DecodeUnsigned(bad); err == nil && read.Digest() == tx.Digest() {
					t.Fatalf("type %d: byte %d does not count", tx.Type, i)
				}
			}
		}
	}
}

func TestSigning_E11_UnknownTypes(t *testing.T) {
	body := appendList(nil, sample(DynamicFee).fields())
	for first := range 0x80 {
		_, err := DecodeUnsigned(append([]byte{byte(first)}, body...))
		want := ErrUnsupportedType
		switch first {
		case 1, 2:
			continue
		case 3:
			want = ErrBlobType
		case 4:
			want = ErrSetCodeType
		}
		if !errors.Is(err, want) || !errors.Is(err, ErrUnsupportedType) {
			t.Errorf("type %d: %v", first, err)
		}
		if _, _, err := DecodeSigned(append([]byte{byte(first)}, body...)); !errors.Is(err, want) {
			t.Errorf("signed type %d: %v", first, err)
		}
	}
}

func TestSigning_E11_Bombs(t *testing.T) {
	deep := bytes.Repeat([]byte{0xf9, 0xff, 0x00}, maxRawSize/3) // each opens a list of what follows
	if _, err := DecodeUnsigned(deep); !errors.Is(err, ErrEncoding) {
		t.Errorf("nested lists: %v", err)
	}
	if _, err := DecodeUnsigned(make([]byte, maxRawSize+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too many bytes: %v", err)
	}
	if _, err := DecodeUnsigned([]byte{
		2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	}); !errors.Is(err, ErrEncoding) {
		t.Errorf("a length of 2^64-1: %v", err)
	}
	tx := sample(DynamicFee)
	tx.AccessList = make([]AccessTuple, maxAccessList+1)
	if _, err := DecodeUnsigned(tx.Unsigned()); !errors.Is(err, ErrTransaction) {
		t.Errorf("an access list of addresses: %v", err)
	}
	tx.AccessList = []AccessTuple{{StorageKeys: make([][32]byte, maxAccessList)}}
	if _, err := DecodeUnsigned(tx.Unsigned()); !errors.Is(err, ErrTransaction) {
		t.Errorf("an access list of keys: %v", err)
	}
	tx.AccessList[0].StorageKeys = tx.AccessList[0].StorageKeys[1:]
	if _, err := DecodeUnsigned(tx.Unsigned()); err != nil {
		t.Errorf("the longest access list: %v", err)
	}
}

func TestSigning_E11_WithoutChainID(t *testing.T) {
	tx := sample(Legacy)
	six := appendList(nil, tx.fields())
	if _, err := DecodeUnsigned(six); !errors.Is(err, ErrUnprotected) {
		t.Errorf("six fields: %v", err)
	}
	zero := appendList(nil, append(tx.fields(), 0x80, 0x80, 0x80))
	if _, err := DecodeUnsigned(zero); !errors.Is(err, ErrUnprotected) {
		t.Errorf("chain id 0: %v", err)
	}
	for _, v := range []byte{27, 28, 35, 36} {
		raw := appendList(nil, append(tx.fields(), v, 1, 1))
		if _, _, err := DecodeSigned(raw); !errors.Is(err, ErrUnprotected) {
			t.Errorf("v %d: %v", v, err)
		}
	}
	for _, kind := range []Type{AccessList, DynamicFee} {
		tx := sample(kind)
		tx.ChainID = 0
		if _, err := DecodeUnsigned(tx.Unsigned()); !errors.Is(err, ErrUnprotected) {
			t.Errorf("type %d with chain id 0: %v", kind, err)
		}
	}
}

func TestDecodeUnsignedRefusesASignedOne(t *testing.T) {
	for _, tx := range samples() {
		sig, err := Sign(bytes.Repeat([]byte{1}, 32), tx.Digest())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := DecodeUnsigned(tx.Assemble(sig)); !errors.Is(err, ErrAlreadySigned) {
			t.Errorf("type %d: %v", tx.Type, err)
		}
		if _, _, err := DecodeSigned(tx.Unsigned()); err == nil {
			t.Errorf("type %d: an unsigned one was read as signed", tx.Type)
		}
	}
}

func TestSigning_E10_NumbersOfATransaction(t *testing.T) {
	tooBig := new(big.Int).Lsh(big.NewInt(1), 256)
	for name, change := range map[string]func(*Tx){
		"negative value":         func(tx *Tx) { tx.Value = big.NewInt(-1) },
		"value of 257 bits":      func(tx *Tx) { tx.Value = tooBig },
		"negative fee":           func(tx *Tx) { tx.MaxFeePerGas = big.NewInt(-1) },
		"negative tip":           func(tx *Tx) { tx.MaxPriorityFeePerGas = big.NewInt(-1) },
		"tip over the fee":       func(tx *Tx) { tx.MaxPriorityFeePerGas = big.NewInt(4e9) },
		"cost of 257 bits":       func(tx *Tx) { tx.MaxFeePerGas = new(big.Int).Rsh(tooBig, 8) },
		"value and fee together": func(tx *Tx) { tx.Value = new(big.Int).Sub(tooBig, big.NewInt(1)) },
		"last nonce":             func(tx *Tx) { tx.Nonce = math.MaxUint64 },
		"no chain id":            func(tx *Tx) { tx.ChainID = 0 },
		"unknown type":           func(tx *Tx) { tx.Type = 4 },
		"too much data":          func(tx *Tx) { tx.Data = make([]byte, maxRawSize+1) },
		"legacy and access list": func(tx *Tx) { tx.Type = Legacy },
		"legacy, huge chain id":  func(tx *Tx) { tx.Type, tx.AccessList, tx.ChainID = Legacy, nil, maxLegacyID+1 },
	} {
		tx := sample(DynamicFee)
		change(&tx)
		if err := tx.Validate(); err == nil {
			t.Errorf("%s passes", name)
		}
		if _, err := SignTx(tx, bytes.Repeat([]byte{1}, 32), Address{}); err == nil {
			t.Errorf("%s is signed", name)
		}
	}
}

// 2^53+1 and more are exact on the whole way.
func TestSigning_E10_LargeValuesAreExact(t *testing.T) {
	for _, text := range []string{
		"9007199254740993", "170141183460469231731687303715884105729", "1" + strings.Repeat("0", 75) + "1",
	} {
		tx := sample(DynamicFee)
		tx.Value = bigInt(t, text)
		read, err := DecodeUnsigned(tx.Unsigned())
		if err != nil || read.Value.String() != text {
			t.Errorf("%s: %v %v", text, read.Value, err)
		}
	}
}

func TestTxCosts(t *testing.T) {
	tx := sample(DynamicFee)
	if got := tx.MaxFee(); got.Int64() != 65000*3e9 {
		t.Error(got)
	}
	if got := tx.MaxCost(); got.Int64() != 65000*3e9+1 {
		t.Error(got)
	}
	tx.GasFeeCap().SetInt64(0)
	if tx.MaxFeePerGas.Int64() != 3e9 {
		t.Error("the caller changed the transaction through a result")
	}
	if got := (Tx{Type: Legacy, ChainID: 1}).MaxCost(); got.Sign() != 0 {
		t.Error(got)
	}
}

// A transaction with nothing set is written as one with zeros.
func TestTxNilNumbersAreZeros(t *testing.T) {
	for _, kind := range []Type{Legacy, AccessList, DynamicFee} {
		bare := Tx{Type: kind, ChainID: 5}
		if err := bare.Validate(); err != nil {
			t.Fatal(err)
		}
		read, err := DecodeUnsigned(bare.Unsigned())
		if err != nil || read.To != nil || read.Value.Sign() != 0 {
			t.Errorf("type %d: %+v %v", kind, read, err)
		}
	}
}
