package fastlz

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain/evm"
)

// The numbers are those of op-geth, core/types/rollup_cost_test.go, TestFlzCompressLen.
func TestLen_PublishedLengths(t *testing.T) {
	// What op-geth's tests call emptyTx: all fields zero but the receiver, and no signature.
	empty, _ := hex.DecodeString("dd80808094095e7baea6a6c7c4c2dfeb977efac326af552d878080808080")
	for _, c := range []struct {
		name string
		in   []byte
		want int
	}{
		{"nothing", nil, 0},
		{"1000 ones", bytes.Repeat([]byte{1}, 1000), 21},
		{"1000 zeros", make([]byte, 1000), 21},
		{"the empty transaction", empty, 31},
		{"a call on OP Mainnet", call(t), 202},
	} {
		if got := Len(c.in); got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.name, got, c.want)
		}
	}
}

// call is a signed transaction of OP Mainnet. Its hash, by which the chain's explorers
// show it, says that no byte of the file is another.
func call(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/op-mainnet-call.hex")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := hex.DecodeString(strings.ReplaceAll(string(text), "\n", ""))
	if err != nil {
		t.Fatal(err)
	}
	const hash = "8eb9dd4eb6d33f4dc25fb015919e4b1e9f7542f9b0322bf6622e268cd116b594"
	if got := fmt.Sprintf("%x", evm.ID(raw)); got != hash {
		t.Fatalf("the transaction has the hash %s", got)
	}
	return raw
}

// No repetition begins within the last 14 bytes: op-geth gives these lengths for zeros.
func TestLen_Ends(t *testing.T) {
	for n, want := range map[int]int{1: 2, 2: 3, 13: 14, 15: 16, 16: 17, 17: 12, 18: 12} {
		if got := Len(make([]byte, n)); got != want {
			t.Errorf("%d zeros: %d bytes, want %d", n, got, want)
		}
	}
}
