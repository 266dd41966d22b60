package chain

import "errors"

// base58 is Bitcoin's: without 0, O, I and l.
const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// ErrBase58 is text that is not base58 of the bytes that it should be of.
var ErrBase58 = errors.New("not base58 of this length")

// Base58 writes bytes as a number with base 58. Each leading byte of zero is one '1', so that 32 zero bytes are
// 32 times '1'.
func Base58(b []byte) string {
	zeros := 0
	for zeros < len(b) && b[zeros] == 0 {
		zeros++
	}
	var digits []byte // the least first
	for _, rest := range b[zeros:] {
		carry := int(rest)
		for i := range digits {
			carry += int(digits[i]) << 8
			digits[i] = byte(carry % 58)
			carry /= 58
		}
		for ; carry > 0; carry /= 58 {
			digits = append(digits, byte(carry%58))
		}
	}
	text := make([]byte, 0, zeros+len(digits))
	for range zeros {
		text = append(text, base58[0])
	}
	for i := len(digits) - 1; i >= 0; i-- {
		text = append(text, base58[digits[i]])
	}
	return string(text)
}

// ParseBase58 reads the one text of exactly size bytes. Text that is longer than any such number is refused before it
// is read: reading takes time by the square of the length.
func ParseBase58(text string, size int) ([]byte, error) {
	if len(text) > size*138/100+1 { // log(256) / log(58) = 1.3657
		return nil, ErrBase58
	}
	b := make([]byte, size)
	for _, c := range []byte(text) {
		digit := digitOf(c)
		if digit < 0 {
			return nil, ErrBase58
		}
		for i := size - 1; i >= 0; i-- {
			digit += int(b[i]) * 58
			b[i] = byte(digit)
			digit >>= 8
		}
		if digit != 0 {
			return nil, ErrBase58
		}
	}
	if Base58(b) != text { // other leading ones than the bytes have zeros
		return nil, ErrBase58
	}
	return b, nil
}

func digitOf(c byte) int {
	for i := range len(base58) {
		if base58[i] == c {
			return i
		}
	}
	return -1
}
