package stamp

import (
	"math/big"
	"slices"
)

// The field and the curve constant of Ed25519: RFC 8032 section 5.1.
var (
	ed25519P = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))
	ed25519D = fieldElement("37095705934669439343138083508754565189542113879843219016388785533085940283555")
	// smallOrderY are the y coordinates of the points whose order divides 8.
	// Under such a key anyone can sign, so it is nobody's.
	smallOrderY = []*big.Int{
		big.NewInt(1), // the neutral point
		new(big.Int).Sub(ed25519P, big.NewInt(1)),
		big.NewInt(0),
		fieldElement("2707385501144840649318225287225658788936804267575313519463743609750303402022"),
		fieldElement("55188659117513257062467267217118295137698188065244968500265048394206261417927"),
	}
)

func fieldElement(decimal string) *big.Int {
	n, _ := new(big.Int).SetString(decimal, 10)
	return n
}

// soundEd25519 tells whether an encoded key is canonical, on the curve and not
// of small order. The standard library looks at none of the three by itself.
func soundEd25519(encoded []byte) bool {
	raw := slices.Clone(encoded)
	slices.Reverse(raw)
	raw[0] &= 0x7f // the sign of x
	y := new(big.Int).SetBytes(raw)
	if y.Cmp(ed25519P) >= 0 {
		return false
	}
	for _, small := range smallOrderY {
		if y.Cmp(small) == 0 {
			return false
		}
	}
	return hasX(y)
}

// hasX tells whether x² = (y²-1)/(dy²+1) has a solution. A product with a
// square's inverse is a square when the product with the square is.
func hasX(y *big.Int) bool {
	one := big.NewInt(1)
	yy := new(big.Int).Mul(y, y)
	u := new(big.Int).Sub(yy, one)
	v := new(big.Int).Add(yy.Mul(yy, ed25519D), one)
	u.Mul(u, v).Mod(u, ed25519P)
	return big.Jacobi(u, ed25519P) == 1
}
