package sandbox

import (
	"math/big"
	"net/http"
	"time"

	"github.com/railkit/railkit/money"
)

// desk is what the partner's currency desk asks.
type desk struct {
	PerUSD   map[money.Currency]string `json:"perUsd"`      // what one US dollar is worth
	Spread   map[money.Currency]int64  `json:"basisPoints"` // what is kept of an exchange into or out of a currency
	Drifting bool                      `json:"drifting"`    // rates move a little with time
	StaleFor int64                     `json:"staleForSeconds"`
}

// usualDesk is what it asks where nobody said otherwise.
func usualDesk() desk {
	return desk{
		PerUSD: map[money.Currency]string{
			money.USD: "1", money.USDC: "1", money.USDT: "1", money.EUR: "0.92", money.MXN: "18.1",
			money.BRL: "5.4", money.GBP: "0.78",
		},
		Spread: map[money.Currency]int64{money.EUR: 30, money.MXN: 50, money.BRL: 60, money.GBP: 30},
	}
}

func deskOf(v *view) (desk, error) {
	d := usualDesk()
	err := setting(v, "desk", &d)
	return d, err
}

// rate is the desk's at an instant: what a customer gets of one for one of another.
type rate struct {
	From money.Currency `json:"from"`
	To   money.Currency `json:"to"`
	Mid  money.Rate     `json:"midmarket_rate"`
	Buy  money.Rate     `json:"buy_rate"`
	Sell money.Rate     `json:"sell_rate"`
	At   time.Time      `json:"updated_at"`
}

// ratePlaces is how exact a middle rate is.
const ratePlaces = 8

func (d desk) rate(from, to money.Currency, now time.Time) (rate, error) {
	a, knowsA := new(big.Rat).SetString(d.PerUSD[from])
	b, knowsB := new(big.Rat).SetString(d.PerUSD[to])
	if !knowsA || !knowsB || a.Sign() <= 0 || b.Sign() <= 0 {
		return rate{}, money.ErrCurrency
	}
	mid, err := money.ParseRate(new(big.Rat).Quo(b, a).FloatString(ratePlaces))
	if err != nil {
		return rate{}, err
	}
	if d.Drifting && from != to {
		mid = mid.Less(drift(now))
	}
	spread := d.Spread[from] + d.Spread[to]
	at := now.Add(-time.Duration(d.StaleFor) * time.Second).UTC().Truncate(time.Millisecond)
	return rate{from, to, mid, mid.Less(-spread), mid.Less(spread), at}, nil
}

// drift goes up and down between -10 and 10 basis points within 40 minutes.
func drift(now time.Time) int64 {
	n := now.Unix() / 60 % 40
	if n > 20 {
		n = 40 - n
	}
	return n - 10
}

func getRate(v *view, r request) (any, error) {
	from, errFrom := money.ParseCurrency(r.URL.Query().Get("from"))
	to, errTo := money.ParseCurrency(r.URL.Query().Get("to"))
	if errFrom != nil || errTo != nil {
		return nil, refuse(http.StatusBadRequest, "invalid_parameters",
			"from and to are currencies that the partner knows")
	}
	d, err := deskOf(v)
	if err != nil {
		return nil, err
	}
	return d.rate(from, to, time.Now())
}
