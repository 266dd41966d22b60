// Package decimal reads and writes JSON numbers without rounding, by keeping their digits as text.
package decimal

import (
	"errors"
	"regexp"
)

// Number is a JSON number, digit by digit. "" is none: use it with omitzero.
type Number string

var (
	form  = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
	plain = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?$`)
)

var errForm = errors.New("is not a number")

// MarshalJSON writes the digits.
func (n Number) MarshalJSON() ([]byte, error) {
	if !form.MatchString(string(n)) {
		return nil, errForm
	}
	return []byte(n), nil
}

// UnmarshalJSON keeps the digits. A text is no number.
func (n *Number) UnmarshalJSON(raw []byte) error {
	if !form.Match(raw) {
		return errForm
	}
	*n = Number(raw)
	return nil
}

// Plain reports whether the number is a decimal without sign and exponent, and
// with at most so many decimals.
func (n Number) Plain(places int) bool {
	m := plain.FindStringSubmatch(string(n))
	return m != nil && len(m[2]) <= places+1
}
