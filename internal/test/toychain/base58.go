package toychain

import (
	"errors"
	"math/big"
	"slices"
	"strings"
)

const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

var errBase58 = errors.New("not base58")

// encode58 writes bytes as base58, each zero in front as a 1.
func encode58(raw []byte) string {
	var text []byte
	n, digit, base := new(big.Int).SetBytes(raw), new(big.Int), big.NewInt(58)
	for n.Sign() > 0 {
		n.DivMod(n, base, digit)
		text = append(text, alphabet[digit.Int64()])
	}
	for i := 0; i < len(raw) && raw[i] == 0; i++ {
		text = append(text, '1')
	}
	slices.Reverse(text)
	return string(text)
}

// decode58 reads what encode58 writes.
func decode58(text string) ([]byte, error) {
	n := new(big.Int)
	for _, c := range text {
		digit := strings.IndexRune(alphabet, c)
		if digit < 0 {
			return nil, errBase58
		}
		n.Add(n.Mul(n, big.NewInt(58)), big.NewInt(int64(digit)))
	}
	zeros := len(text) - len(strings.TrimLeft(text, "1"))
	return append(make([]byte, zeros), n.Bytes()...), nil
}
