// Package policy holds a signing against rules. It is pure: what it needs is in
// its arguments. Whatever it does not understand costs without limit and passes
// no rule.
package policy

import (
	"errors"
	"math"
	"math/big"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

// Signing is what is to be signed, as effects.
type Signing struct {
	Network   chain.Network
	Effects   []chain.Effect
	MaxFee    *big.Int // wei
	RawDigest bool     // nobody can tell what is signed
}

// Price is what one whole unit of an asset is worth.
type Price struct{ USD *big.Rat }

// Prices finds the price of a listed asset, by its symbol.
type Prices func(symbol string) (Price, bool)

// Cost is what a signing may cost at most, in millionths of a USD, rounded up.
type Cost struct {
	Micro   int64
	Unknown string // why it cannot be told; then Micro counts what can
}

// Over reports whether the cost is more than an amount, as far as anybody can tell.
func (c Cost) Over(usd string) bool {
	limit, err := ParseUSD(usd)
	return err != nil || c.Unknown != "" || c.Micro > limit
}

// String is the cost in USD, empty where it cannot be told.
func (c Cost) String() string { return "" }

// Totals are what was spent already.
type Totals struct{ Day, Month int64 }

// Value is what a signing may cost: what leaves, what others may take, and the highest fee.
func Value(x Signing, prices Prices) Cost { return Cost{Unknown: "no prices"} }

// Check is the denial of a policy's rules, nil where they all pass.
func Check(r wire.Rules, x Signing, c Cost, spent Totals) *wire.Denial {
	return &wire.Denial{Rule: "unknownCall"}
}

// Covers reports whether a delegation lets the signing happen without a passkey.
func Covers(d wire.Delegation, x Signing, c Cost, spent Totals, now time.Time) bool { return false }

// Loosens reports whether anything passes the new rules that did not pass the
// old: all but a lower cap, a smaller list, and a restriction where there was none.
func Loosens(old, next wire.Rules) bool { return true }

// Validate refuses rules that nobody can mean, and names the field.
func Validate(r wire.Rules, networks []chain.Network, now time.Time) error { return errors.New("") }

// ParseUSD reads a plain decimal of USD into millionths.
func ParseUSD(text string) (int64, error) { return 0, errors.New("is not an amount of USD") }

// Add is the sum, or the highest number there is.
func Add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
