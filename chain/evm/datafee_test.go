package evm

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/railkit/railkit/internal/fastlz"
)

// What cannot be compressed grows, and still costs no more than its bytes.
func TestDataFee_IsAboveFjordsFee(t *testing.T) {
	scaled := big.NewInt(40_000_000_000_000) // base: 1.1 gwei of L1 base fee
	perByte := big.NewInt(40_000_000)        // that by 1e6
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 10, 12, 13, 14, 40, 100, 500, 5_000, 100_000} {
		for kind := range 4 {
			tx := sample(DynamicFee)
			tx.Data, tx.AccessList = randomly(r, n, kind), nil
			if n > 0 && n < 10_000 {
				tx.AccessList = []AccessTuple{
					{StorageKeys: [][32]byte{[32]byte(randomly(r, 32, kind)), [32]byte(randomly(r, 32, kind))}},
				}
			}
			sig := Signature{R: [32]byte(randomly(r, 32, 0)), S: [32]byte(randomly(r, 32, 0)), V: byte(r.IntN(2))}
			signed := tx.Assemble(sig)
			if got := fastlz.Len(signed); got > len(signed)+len(signed)/32+1 {
				t.Errorf("%d bytes become %d", len(signed), got)
			}
			if most, fee := tx.DataFee(perByte), fastlz.Fee(fastlz.Len(signed), scaled); fee.Cmp(most) > 0 {
				t.Errorf("%d bytes of kind %d: the chain takes %s, the bound is %s", n, kind, fee, most)
			}
		}
	}
}

// randomly gives bytes: at random, alternating with copies of what was before, few
// values, or nothing but zeros.
func randomly(r *rand.Rand, n, kind int) []byte {
	b := make([]byte, n)
	for i := range b {
		switch {
		case kind == 0 || kind == 1 && (i < 8 || i%4 == 0):
			b[i] = byte(r.Uint32())
		case kind == 1:
			b[i] = b[i-r.IntN(7)-1]
		case kind == 2:
			b[i] = byte(r.Uint32N(3))
		}
	}
	return b
}

// Every byte that is broadcast is counted, with the longest signature there can be.
func TestDataFee_CountsEveryByte(t *testing.T) {
	for _, kind := range []Type{Legacy, AccessList, DynamicFee} {
		tx := sample(kind)
		if kind != Legacy {
			tx.AccessList = []AccessTuple{{StorageKeys: make([][32]byte, 100)}}
		}
		longest := 0
		for _, v := range []byte{0, 1} {
			sig := Signature{
				R: [32]byte(bytes.Repeat([]byte{0xff}, 32)), S: [32]byte(bytes.Repeat([]byte{0x7f}, 32)), V: v,
			}
			longest = max(longest, len(tx.Assemble(sig)))
		}
		if got := tx.DataFee(big.NewInt(1)); got.Int64() != int64(longest) {
			t.Errorf("type %d: counted as %s bytes, and has %d", kind, got, longest)
		}
	}
	to := Address{}
	small := Tx{Type: Legacy, ChainID: 10, GasLimit: 21000, To: &to}
	if got := small.DataFee(big.NewInt(1)); small.maxSignedSize() >= 100 || got.Int64() != 100 {
		t.Errorf("%d bytes are counted as %s, and the least is 100", small.maxSignedSize(), got)
	}
}
