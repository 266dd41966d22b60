package money

import (
	"fmt"
	"math"
	"math/big"
	"strings"
)

// ratePlaces is how exact a rate can be written.
const ratePlaces = 12

// Rate is how much of one currency a unit of another gives: an exact decimal.
// The zero value is none.
type Rate struct {
	scaled *big.Int // times 10^ratePlaces
}

// ParseRate reads a plain decimal above zero.
func ParseRate(text string) (Rate, error) {
	if !plain.MatchString(text) {
		return Rate{}, ErrForm
	}
	whole, part, _ := strings.Cut(text, ".")
	if len(part) > ratePlaces {
		return Rate{}, ErrPlaces
	}
	if len(whole) > 12 {
		return Rate{}, ErrRange
	}
	n, _ := new(big.Int).SetString(whole+part+strings.Repeat("0", ratePlaces-len(part)), 10)
	if n.Sign() == 0 {
		return Rate{}, ErrForm
	}
	return Rate{n}, nil
}

// IsZero tells whether there is none.
func (r Rate) IsZero() bool { return r.scaled == nil }

// String is the decimal without closing zeros.
func (r Rate) String() string {
	if r.scaled == nil {
		return ""
	}
	text := r.scaled.String()
	if len(text) <= ratePlaces {
		text = strings.Repeat("0", ratePlaces+1-len(text)) + text
	}
	text = text[:len(text)-ratePlaces] + "." + text[len(text)-ratePlaces:]
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// MarshalText is the decimal.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (r *Rate) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*r = Rate{}
		return nil
	}
	var err error
	*r, err = ParseRate(string(text))
	return err
}

// Less is the rate without a margin of basis points, rounded down in its last place.
func (r Rate) Less(basisPoints int64) Rate {
	return Rate{down(new(big.Int).Mul(r.scaled, big.NewInt(10_000-basisPoints)), big.NewInt(10_000))}
}

// Convert gives what an amount is worth, rounded down: nobody is paid a fraction
// of a cent that was not there.
func (r Rate) Convert(a Amount, to Currency) (Amount, error) {
	n, d, err := r.fraction(a, to)
	if err != nil {
		return Amount{}, err
	}
	return fit(down(n, d), to)
}

// Cost gives how much of a currency it takes to get an amount of another at this
// rate from it, rounded up.
func (r Rate) Cost(target Amount, from Currency) (Amount, error) {
	if r.IsZero() || !from.Known() || !target.Currency.Known() {
		return Amount{}, fmt.Errorf("converting %s: %w", target.describe(from), ErrCurrency)
	}
	n := new(big.Int).Mul(big.NewInt(target.Minor), pow10(ratePlaces+from.Places()))
	d := new(big.Int).Mul(r.scaled, pow10(target.Currency.Places()))
	return fit(up(n, d), from)
}

func (r Rate) fraction(a Amount, to Currency) (n, d *big.Int, err error) {
	if r.IsZero() || !to.Known() || !a.Currency.Known() {
		return nil, nil, fmt.Errorf("converting %s: %w", a.describe(to), ErrCurrency)
	}
	n = new(big.Int).Mul(big.NewInt(a.Minor), r.scaled)
	n.Mul(n, pow10(to.Places()))
	return n, pow10(ratePlaces + a.Currency.Places()), nil
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// Times chains two rates, rounded down in the last place.
func (r Rate) Times(s Rate) Rate {
	if r.IsZero() || s.IsZero() {
		return Rate{}
	}
	n := down(new(big.Int).Mul(r.scaled, s.scaled), pow10(ratePlaces))
	if n.Sign() == 0 {
		return Rate{}
	}
	return Rate{n}
}

// Cmp compares two rates: -1 where r is less. None is the least.
func (r Rate) Cmp(s Rate) int { return r.whole().Cmp(s.whole()) }

func (r Rate) whole() *big.Int {
	if r.scaled == nil {
		return new(big.Int)
	}
	return r.scaled
}

// Beside tells how far a rate is from another, in basis points of that, rounded up.
// Beside none, and for none, it is as far as can be told.
func (r Rate) Beside(of Rate) int64 {
	if r.IsZero() || of.IsZero() {
		return math.MaxInt64
	}
	apart := new(big.Int).Sub(r.scaled, of.scaled)
	n := up(apart.Mul(apart.Abs(apart), big.NewInt(10_000)), of.scaled)
	if !n.IsInt64() {
		return math.MaxInt64
	}
	return n.Int64()
}

// RateOf is the rate at which an amount became another, rounded up in its last place: so what got costs at this rate
// (Cost) is never more than given. 5,000.00 MXN that became 271.500000 USDC give 0.0543.
func RateOf(given, got Amount) (Rate, error) {
	if given.Minor <= 0 || got.Minor <= 0 || !given.Currency.Known() || !got.Currency.Known() {
		return Rate{}, fmt.Errorf("the rate of %s: %w", given.describe(got.Currency), ErrCurrency)
	}
	n := new(big.Int).Mul(big.NewInt(got.Minor), pow10(ratePlaces+given.Currency.Places()))
	return Rate{up(n, new(big.Int).Mul(big.NewInt(given.Minor), pow10(got.Currency.Places())))}, nil
}
