package evm

import (
	"math/big"
	"testing"

	"github.com/railkit/railkit/chain"
)

// Selectors and words as the published ABI of Permit2 has them.
func TestPermit2Revocations(t *testing.T) {
	if got, want := chain.Hex(InvalidateUnordered(big.NewInt(513))), "0x3ff9dcb1"+
		"0000000000000000000000000000000000000000000000000000000000000002"+
		"0000000000000000000000000000000000000000000000000000000000000002"; got != want {
		t.Errorf("transfers: %s", got)
	}
	got := chain.Hex(InvalidateOrdered(Address{1}, Address{2}, big.NewInt(7)))
	want := "0x65d9723c" + "0000000000000000000000000100000000000000000000000000000000000000" +
		"0000000000000000000000000200000000000000000000000000000000000000" +
		"0000000000000000000000000000000000000000000000000000000000000008"
	if got != want {
		t.Errorf("allowances: %s", got)
	}
}
