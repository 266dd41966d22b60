// Package fastlz computes what OP-stack chains take for the bytes of a transaction, as
// their nodes do. Tests hold the bounds of package evm and the devnet's oracle against it.
package fastlz

import "math/big"

// Len is the length of what FastLZ makes of some bytes: FlzCompressLen of op-geth, and
// flzCompress(…).length of Solady's LibZip.
func Len(in []byte) int {
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
	begin := 0
	for at := 2; at < len(in)-14; {
		h := slot(u24(at))
		from := table[h]
		table[h] = at
		if at-from > 0x1fff || u24(at) != u24(from) {
			at++
			continue
		}
		literals(at - begin)
		n := 0
		for at+3+n < len(in)-4 {
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

// Fee is the L1 data fee in wei since Fjord, by the length after FastLZ. perByte is
// 16·baseFeeScalar·l1BaseFee + blobBaseFeeScalar·blobBaseFee: a million times the wei for one byte.
func Fee(length int, perByte *big.Int) *big.Int {
	size := max(100_000_000, -42_585_600+836_500*int64(length))
	fee := new(big.Int).Mul(big.NewInt(size), perByte)
	return fee.Div(fee, big.NewInt(1_000_000_000_000))
}
