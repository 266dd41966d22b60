package sandbox

import (
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

// rail is how a bank rail behaves, a thousand times faster than real ones.
type rail struct {
	currency money.Currency
	window   time.Duration     // payments leave at its ends; 0: at once
	submit   time.Duration     // until a payment has left
	settle   time.Duration     // until it has arrived
	closed   string            // the code of an account that is closed
	codes    map[string]string // why payments come back
}

// rails are all, by the name that transfers have.
var rails = map[fiat.Rail]rail{
	fiat.SPEI:           {money.MXN, 0, 200 * time.Millisecond, 800 * time.Millisecond, "03", speiCodes},
	fiat.PIX:            {money.BRL, 0, 200 * time.Millisecond, 800 * time.Millisecond, "AC04", isoCodes},
	fiat.FasterPayments: {money.GBP, 0, 200 * time.Millisecond, 800 * time.Millisecond, "AC04", isoCodes},
	fiat.SEPA:           {money.EUR, 0, 500 * time.Millisecond, 2 * time.Second, "AC04", isoCodes},
	fiat.Wire:           {money.USD, 0, 500 * time.Millisecond, 2 * time.Second, "AC04", isoCodes},
	fiat.ACH:            {money.USD, 5 * time.Second, 0, 2 * time.Second, "R02", achCodes},
}

// How long the rest takes.
const (
	drainTime    = 300 * time.Millisecond // from a deposit's confirmation to the wallet
	returnTime   = time.Second            // from a payment's arrival to its return
	refundTime   = 500 * time.Millisecond // from a failure to the wallet
	delayTime    = time.Minute            // of a payment that is delayed
	bankIsClosed = "bank_closed"
)

var speiCodes = map[string]string{
	"01": "non_existing_account", "02": "blocked_account", "03": "closed_account", "05": "wrong_currency",
	"06": "account_not_of_this_bank", "16": "wrong_operation_type", "17": "account_type_takes_no_spei",
	"20": "exceeds_account_limit", "21": "exceeds_monthly_limit", "22": "mobile_phone_not_registered",
	"25": "restricted_account",
}

var achCodes = map[string]string{
	"R01": "insufficient_funds", "R02": "account_closed", "R03": "no_account", "R04": "invalid_account_number",
	"R16": "account_frozen", "R20": "non_transaction_account", "R23": "credit_refused_by_receiver",
}

var isoCodes = map[string]string{
	"AC01": "incorrect_account_number", "AC03": "invalid_creditor_account", "AC04": "closed_account",
	"AC06": "blocked_account", "AG01": "transaction_forbidden", "AM02": "not_allowed_amount",
	"BE01": "owner_does_not_match", "MS03": "reason_not_specified", "RC01": "bank_identifier_incorrect",
}

// leaves is when a payment that came in at an instant leaves.
func (r rail) leaves(at time.Time) time.Time {
	if r.window > 0 {
		at = at.Truncate(r.window).Add(r.window)
	}
	return at.Add(r.submit)
}

// proof is what a rail calls a payment: SPEI's tracking key, a wire's IMAD, or a
// trace number.
func (p *payment) prove(n uint32) {
	id := strings.ToUpper(strings.ReplaceAll(p.ID, "-", ""))
	day := p.UpdatedAt.UTC().Format("20060102")
	switch p.Rail {
	case fiat.SPEI:
		p.TrackingKey = fmt.Sprintf("RKP%s%s", day, id[:16])
	case fiat.Wire:
		p.IMAD = fmt.Sprintf("%sRAILKIT1%06d", day, n%1_000_000)
	case fiat.ACH:
		p.TraceNumber = fmt.Sprintf("09100001%07d", n%10_000_000)
	default:
		p.TraceNumber = "E2E" + day + id[:20]
	}
}

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
