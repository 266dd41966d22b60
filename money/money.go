// Package money counts in whole minor units and never in floating point. What
// has to be rounded says which way.
package money

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// Currency is one of a small list, in lower case: "mxn", "usdc".
type Currency string

// The currencies.
const (
	USD  Currency = "usd"
	EUR  Currency = "eur"
	MXN  Currency = "mxn"
	BRL  Currency = "brl"
	GBP  Currency = "gbp"
	USDC Currency = "usdc"
	USDT Currency = "usdt"
)

// places is how many decimals a currency's minor unit has.
var places = map[Currency]int{USD: 2, EUR: 2, MXN: 2, BRL: 2, GBP: 2, USDC: 6, USDT: 6}

// The currencies of either kind, in the order in which error messages list them.
var (
	Fiat        = []Currency{USD, EUR, MXN, BRL, GBP}
	Stablecoins = []Currency{USDC, USDT}
)

// What can be wrong with an amount.
var (
	ErrCurrency = errors.New("not a currency that is known here")
	ErrForm     = errors.New("not a plain decimal number")
	ErrPlaces   = errors.New("more decimals than the currency has")
	ErrRange    = errors.New("more than can be counted")
	ErrMixed    = errors.New("amounts of different currencies")
)

// ParseCurrency reads a currency in either case.
func ParseCurrency(text string) (Currency, error) {
	c := Currency(strings.ToLower(text))
	if !c.Known() {
		return "", ErrCurrency
	}
	return c, nil
}

// Known tells whether it is on the list.
func (c Currency) Known() bool { _, ok := places[c]; return ok }

// Places is how many decimals it has.
func (c Currency) Places() int { return places[c] }

// Stable tells whether it is a stablecoin.
func (c Currency) Stable() bool { return c == USDC || c == USDT }

// Upper is how the API's quotes write it.
func (c Currency) Upper() string { return strings.ToUpper(string(c)) }

// Amount is an amount of one currency. It may be negative: a posting's side.
type Amount struct {
	Minor    int64    `json:"minor"`
	Currency Currency `json:"currency"`
}

var plain = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// Parse reads a plain decimal. It refuses what it would have to round.
func Parse(text string, c Currency) (Amount, error) {
	if !c.Known() {
		return Amount{}, ErrCurrency
	}
	if !plain.MatchString(text) {
		return Amount{}, ErrForm
	}
	whole, part, _ := strings.Cut(text, ".")
	if len(part) > c.Places() {
		return Amount{}, ErrPlaces
	}
	minor, err := strconv.ParseInt(whole+part+strings.Repeat("0", c.Places()-len(part)), 10, 64)
	if err != nil {
		return Amount{}, ErrRange
	}
	return Amount{minor, c}, nil
}

// ParseNamed reads a plain decimal of a currency that is called by its name, such as USDC.
func ParseNamed(text, name string) (Amount, error) {
	c, err := ParseCurrency(name)
	if err != nil {
		return Amount{}, err
	}
	return Parse(text, c)
}

// Of counts minor units of a currency.
func Of(minor int64, c Currency) Amount { return Amount{minor, c} }

// String is the decimal, with all of the currency's places.
func (a Amount) String() string {
	n := a.Currency.Places()
	text := new(big.Int).Abs(big.NewInt(a.Minor)).String()
	if len(text) <= n {
		text = strings.Repeat("0", n+1-len(text)) + text
	}
	if n > 0 {
		text = text[:len(text)-n] + "." + text[len(text)-n:]
	}
	if a.Minor < 0 {
		return "-" + text
	}
	return text
}

// Display is for people: "100.00 USDC". Digits beyond the cent are only told
// where they are not zero.
func (a Amount) Display() string {
	whole, part, _ := strings.Cut(a.String(), ".")
	for len(part) > 2 && strings.HasSuffix(part, "0") {
		part = part[:len(part)-1]
	}
	return whole + "." + part + " " + a.Currency.Upper()
}

// IsZero tells whether there is nothing of it.
func (a Amount) IsZero() bool { return a.Minor == 0 }

// Neg is the other side of a posting.
func (a Amount) Neg() Amount { return Amount{-a.Minor, a.Currency} }

// Add adds, or says why it cannot.
func (a Amount) Add(b Amount) (Amount, error) {
	if a.Currency != b.Currency {
		return Amount{}, ErrMixed
	}
	sum := a.Minor + b.Minor
	if (b.Minor > 0 && sum < a.Minor) || (b.Minor < 0 && sum > a.Minor) {
		return Amount{}, ErrRange
	}
	return Amount{sum, a.Currency}, nil
}

// Sub takes away.
func (a Amount) Sub(b Amount) (Amount, error) {
	if b.Minor == math.MinInt64 {
		return Amount{}, ErrRange
	}
	return a.Add(b.Neg())
}

// Share is a part of an amount in basis points, rounded up: what a fee costs.
func (a Amount) Share(basisPoints int64) (Amount, error) {
	product := new(big.Int).Mul(big.NewInt(a.Minor), big.NewInt(basisPoints))
	return fit(up(product, big.NewInt(10_000)), a.Currency)
}

func fit(n *big.Int, c Currency) (Amount, error) {
	if !n.IsInt64() {
		return Amount{}, ErrRange
	}
	return Amount{n.Int64(), c}, nil
}

// down and up divide towards less and towards more.
func down(a, b *big.Int) *big.Int { return new(big.Int).Div(a, b) }

func up(a, b *big.Int) *big.Int {
	q, m := new(big.Int).DivMod(a, b, new(big.Int))
	if m.Sign() != 0 {
		q.Add(q, big.NewInt(1))
	}
	return q
}

func (a Amount) describe(to Currency) string { return fmt.Sprintf("%s to %s", a.Currency, to) }
