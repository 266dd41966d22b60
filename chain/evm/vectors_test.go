package evm

import (
	"encoding/hex"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"testing"
)

func load(t testing.TB, name string, into any) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("reading %s: %v", name, err)
	}
}

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func mustAddress(t testing.TB, text string) Address {
	t.Helper()
	a, err := ParseAddress(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func bigInt(t testing.TB, text string) *big.Int {
	t.Helper()
	n, ok := new(big.Int).SetString(text, 0)
	if !ok {
		t.Fatalf("not a number: %s", text)
	}
	return n
}

// signedVector is a transaction that somebody else signed; what its origin does
// not tell is empty.
type signedVector struct {
	Origin, Secret, Unsigned, Digest, Signed, ID, Sender string

	// In place of Signed:
	Fields *vectorFields
	V      byte
	R, S   string
}

type vectorFields struct {
	Type                                                Type
	ChainID, Nonce, GasLimit                            uint64
	MaxPriorityFeePerGas, MaxFeePerGas, To, Value, Data string
}

func signedVectors(t testing.TB) []signedVector {
	t.Helper()
	var file struct{ Transactions []signedVector }
	load(t, "signed.json", &file)
	for i, v := range file.Transactions {
		if v.Fields == nil {
			continue
		}
		sig := Signature{R: [32]byte(unhex(t, v.R)), S: [32]byte(unhex(t, v.S)), V: v.V}
		file.Transactions[i].Signed = hex.EncodeToString(v.Fields.tx(t).Assemble(sig))
	}
	return file.Transactions
}

func (f vectorFields) tx(t testing.TB) Tx {
	t.Helper()
	to := mustAddress(t, f.To)
	return Tx{
		Type: f.Type, ChainID: f.ChainID, Nonce: f.Nonce, GasLimit: f.GasLimit, To: &to,
		MaxPriorityFeePerGas: bigInt(t, f.MaxPriorityFeePerGas), MaxFeePerGas: bigInt(t, f.MaxFeePerGas),
		Value: bigInt(t, f.Value), Data: unhex(t, f.Data),
	}
}

// tx is the transaction of a vector that was signed or is to be.
func (v signedVector) tx(t testing.TB) Tx {
	t.Helper()
	var tx Tx
	var err error
	if v.Signed != "" {
		tx, _, err = DecodeSigned(unhex(t, v.Signed))
	} else {
		tx, err = DecodeUnsigned(unhex(t, v.Unsigned))
	}
	if err != nil {
		t.Fatalf("%s: %v", v.Origin, err)
	}
	return tx
}
