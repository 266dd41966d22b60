package account

import (
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/rest"
)

// Paid has a recipient's payments of a year, and the last one. Amounts are in the smallest unit of the stablecoins
// that left, all of which are worth a dollar.
type Paid struct {
	Payments    int
	Total, Last int64
	LastAt      time.Time // zero: nothing yet
}

func (p Paid) view() rest.RecipientPayments {
	v := rest.RecipientPayments{
		Total: money.Of(p.Total, money.USDC).String(), Payments: p.Payments, Currency: money.USD.Upper(),
	}
	if !p.LastAt.IsZero() {
		at, amount := clock.ISO(p.LastAt), money.Of(p.Last, money.USDC).String()
		v.LastAt, v.LastAmount = &at, &amount
	}
	return v
}

// year is when the year of an instant began.
func year(at time.Time) time.Time { return time.Date(at.UTC().Year(), 1, 1, 0, 0, 0, 0, time.UTC) }
