package chain

import (
	"errors"
	"math/big"
	"strings"
)

// ErrAmount is text that is not a plain decimal number, or not one that the
// asset's smallest unit can hold exactly.
var ErrAmount = errors.New("not a decimal amount of this asset")

// maxDigits is what 2^256 has.
const maxDigits = 78

// ParseUnits reads "25.5" as an integer of the smallest unit. It reads one
// spelling only: digits without leading zeros and, after a point, at most as
// many as the asset has. No sign, no exponent, nothing rounded.
func ParseUnits(text string, decimals int) (*big.Int, error) {
	whole, fraction, point := strings.Cut(text, ".")
	switch {
	case decimals < 0 || len(text) > maxDigits+1 || len(whole)+len(fraction) > maxDigits,
		!allDigits(whole),
		len(whole) > 1 && whole[0] == '0',
		point && !allDigits(fraction),
		len(fraction) > decimals || decimals > maxDigits:
		return nil, ErrAmount
	}
	n, ok := new(big.Int).SetString(whole+fraction+strings.Repeat("0", decimals-len(fraction)), 10)
	if !ok || n.BitLen() > 256 {
		return nil, ErrAmount
	}
	return n, nil
}

func allDigits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

// FormatUnits writes an integer of the smallest unit exactly, without zeros at
// the end of the fraction. Nil is zero.
func FormatUnits(n *big.Int, decimals int) string {
	if n == nil {
		n = new(big.Int)
	}
	digits := new(big.Int).Abs(n).String()
	if missing := decimals + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	cut := len(digits) - max(decimals, 0)
	text := digits[:cut]
	if fraction := strings.TrimRight(digits[cut:], "0"); fraction != "" {
		text += "." + fraction
	}
	if n.Sign() < 0 {
		return "-" + text
	}
	return text
}
