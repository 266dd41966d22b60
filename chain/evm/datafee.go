package evm

import "math/big"

// minDataFeeBytes is the least that an OP-stack chain takes a transaction for: since
// Fjord, 100 bytes after compression.
const minDataFeeBytes = 100

// DataFee is the most that the L1 data fee of the transaction can be where each byte of
// what is signed costs weiPerByte at most. The signature's r and s are counted with 32
// bytes each. Example: at 40,000,000 wei a byte, a plain transfer of 120 bytes costs at
// most 4,800,000,000 wei, and one of 90 bytes is taken for 100: 4,000,000,000 wei.
func (tx Tx) DataFee(weiPerByte *big.Int) *big.Int {
	size := max(minDataFeeBytes, tx.maxSignedSize())
	return new(big.Int).Mul(big.NewInt(int64(size)), weiPerByte)
}

// maxSignedSize is how long the signed transaction can be. One whose r begins with a
// zero byte is shorter.
func (tx Tx) maxSignedSize() int {
	widest := Signature{V: 1}
	widest.R[0], widest.S[0] = 0xff, 0xff
	return len(tx.Assemble(widest))
}
