package solana

import "math/big"

// The curve of ed25519 is -x² + y² = 1 + d x² y² over the field of prime = 2^255 - 19, with d = -121665/121666.
var (
	one   = big.NewInt(1)
	prime = new(big.Int).Sub(new(big.Int).Lsh(one, 255), big.NewInt(19))
	edD   = curveD()
)

func curveD() *big.Int {
	d := new(big.Int).ModInverse(big.NewInt(121666), prime)
	return d.Mod(d.Mul(d, big.NewInt(-121665)), prime)
}

// OnCurve reports whether the bytes are a point of the curve, so that a key of the address can exist. They are y, the
// least byte first, and in the highest bit the sign of x. Of a point, x² = (y²-1) / (dy²+1) has a root: it is 0, or its
// Jacobi symbol is 1. The divisor is never 0, since -1/d has no root. A y of the prime or more counts modulo the
// prime, as the network's own check does it.
//
// Addresses are public, so it does not matter that math/big takes longer for some.
func (a Address) OnCurve() bool {
	big32 := make([]byte, len(a))
	for i, b := range a {
		big32[len(a)-1-i] = b
	}
	big32[0] &= 0x7f
	y := new(big.Int).SetBytes(big32)
	square := y.Mod(y.Mul(y, y), prime)
	under := new(big.Int).Mul(edD, square)
	under.Mod(under.Add(under, one), prime)
	over := square.Sub(square, one)
	// over/under and over*under differ by the square of under: both have a root or none.
	x2 := over.Mod(over.Mul(over, under), prime)
	return x2.Sign() == 0 || big.Jacobi(x2, prime) == 1
}
