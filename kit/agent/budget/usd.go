package budget

import (
	"errors"
	"math/big"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/rest"
)

// Nano is an amount in nano-USD: 10^9 are one USD. A call, or a thousand tokens, may cost less than a millionth.
type Nano int64

// Places are the decimals of an amount in USD.
const Places = 9

const (
	usd = Nano(1_000_000_000)
	// Most is the highest sum that is counted, four thousand millions of USD. Spent and held of it, and an amount
	// beside them, still fit into 63 bits; a limit above it counts as this one.
	Most = 4_000_000_000 * usd
)

var errUSD = errors.New("must be a plain decimal of USD with at most 9 places, such as 0.018")

// ParseUSD reads a plain decimal: no sign, no exponent. What is above Most is no amount.
func ParseUSD(text string) (Nano, error) {
	n, err := chain.ParseUnits(text, Places)
	if err != nil || n.Cmp(big.NewInt(int64(Most))) > 0 {
		return 0, errUSD
	}
	return Nano(n.Int64()), nil
}

// OfMicro is an amount that is given in micro-USD.
func OfMicro(n int64) Nano { return Nano(min(n, int64(Most)/1000) * 1000) }

// String writes an amount as ParseUSD reads it.
func (n Nano) String() string { return chain.FormatUnits(big.NewInt(int64(n)), Places) }

// Number is the amount as a JSON number, digit by digit.
func (n Nano) Number() rest.Number { return rest.Number(n.String()) }

// limitOf reads a limit of the signer. One that cannot be read allows nothing.
func limitOf(text string) Nano {
	n, err := chain.ParseUnits(text, Places)
	if err != nil {
		return 0
	}
	if n.Cmp(big.NewInt(int64(Most))) > 0 {
		return Most
	}
	return Nano(n.Int64())
}

// Month is a UTC calendar month: 2026-11.
type Month string

const monthForm = "2006-01"

// MonthOf is the month of an instant.
func MonthOf(t time.Time) Month { return Month(t.UTC().Format(monthForm)) }

// Bounds are its first instant and that of the next month.
func (m Month) Bounds() (start, end time.Time) {
	start, _ = time.Parse(monthForm, string(m)) // the zero time for what is no month
	return start, start.AddDate(0, 1, 0)
}
