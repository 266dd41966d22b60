package evm

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"testing"
)

// fastLZ is the length of what FastLZ makes of some bytes, as OP-stack nodes compute it
// (flzCompressLen of op-geth, LibZip of Solady).
func fastLZ(in []byte) int {
	size, table := 0, make([]int, 8192)
	u24 := func(i int) uint32 { return uint32(in[i]) | uint32(in[i+1])<<8 | uint32(in[i+2])<<16 }
	slot := func(v uint32) uint32 { return (2654435769 * v) >> 19 & 0x1fff }
	literals := func(n int) {
		size += 33 * (n / 32)
		if n %= 32; n > 0 {
			size += n + 1
		}
	}
	next := func(i int) int { table[slot(u24(i))] = i; return i + 1 }
	begin, limit := 0, max(0, len(in)-13)
	for at := 2; at < limit; {
		var from int
		for {
			h := slot(u24(at))
			from, table[h] = table[h], at
			found := at-from <= 0x1fff && u24(at) == u24(from)
			if at >= limit || found {
				break
			}
			at++
		}
		if at >= limit {
			break
		}
		literals(at - begin)
		n := 0
		for at+3+n < limit+9 {
			n++
			if in[from+2+n] != in[at+2+n] {
				break
			}
		}
		size += 3*((n-1)/262) + 2
		if (n-1)%262 >= 6 {
			size++
		}
		at = next(next(at + n))
		begin = at
	}
	literals(len(in) - begin)
	return size
}

// fjordFee is the fee of Fjord's formula for signed bytes: GasPriceOracle._fjordL1Cost.
func fjordFee(signed []byte, l1FeeScaled *big.Int) *big.Int {
	size := max(100_000_000, -42_585_600+836_500*int64(fastLZ(signed)))
	fee := new(big.Int).Mul(big.NewInt(size), l1FeeScaled)
	return fee.Div(fee, big.NewInt(1_000_000_000_000))
}

func TestFastLZ_PublishedLengths(t *testing.T) {
	for _, b := range []byte{0, 1} {
		if got := fastLZ(bytes.Repeat([]byte{b}, 1000)); got != 21 { // op-geth, TestFlzCompressLen
			t.Errorf("1000 bytes of %d: %d", b, got)
		}
	}
	if got := fastLZ(nil); got != 0 {
		t.Errorf("nothing: %d", got)
	}
}

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
				tx.AccessList = []AccessTuple{{StorageKeys: [][32]byte{[32]byte(randomly(r, 32, kind)), [32]byte(randomly(r, 32, kind))}}}
			}
			sig := Signature{R: [32]byte(randomly(r, 32, 0)), S: [32]byte(randomly(r, 32, 0)), V: byte(r.IntN(2))}
			signed := tx.Assemble(sig)
			if got := fastLZ(signed); got > len(signed)+len(signed)/32+1 {
				t.Errorf("%d bytes become %d", len(signed), got)
			}
			if most, fee := tx.DataFee(perByte), fjordFee(signed, scaled); fee.Cmp(most) > 0 {
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
			sig := Signature{R: [32]byte(bytes.Repeat([]byte{0xff}, 32)), S: [32]byte(bytes.Repeat([]byte{0x7f}, 32)), V: v}
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
