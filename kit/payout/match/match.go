// Package match compares four records of the same money: our orders, our ledger, the chain, and
// the partner. It only computes; its caller reads the records of a wallet and passes them as Sides,
// or those of an account number, where bank transfers come in, and passes them as an Account.
package match

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/watch"
)

// Sides are the four records of one wallet at the partner: its balance, and the deposits and
// payments since an instant.
type Sides struct {
	Since     time.Time                // older deposits and transfers are not reported on their own
	Deposits  []Deposit                // on chain, at the wallet's addresses, as our watcher saw them
	Orders    map[string]order.Order   // ours, by id
	Ledger    []Held                   // the wallet's balance in our ledger, by currency
	Drains    []fiat.Drain             // the deposits that the partner reports
	Transfers map[string]fiat.Transfer // the partner's outgoing transfers, by id
	Balances  []money.Amount           // the wallet's balance at the partner
}

// Deposit is a transfer on chain to one of our addresses, and how we handled it.
type Deposit struct {
	watch.Transfer
	PartnerAddressID string // the partner's id of the address
	OrderID          string // the order that it pays for, "" if none
	Reason           string // why it is not paid out, "" if it is
	Booked           bool   // for a deposit that is not paid out: it is in the ledger
	Gone             bool   // the node no longer has it on its chain
}

// amount is the deposit's amount; false if the token is no currency of ours or the amount cannot be represented.
func (d Deposit) amount() (money.Amount, bool) {
	c, err := money.ParseCurrency(strings.ToLower(d.Symbol))
	if err != nil {
		return money.Amount{}, false
	}
	a, err := money.Parse(d.Units(), c)
	return a, err == nil
}

// Held is a wallet's balance in our ledger. Posted includes Reserved, the amount reserved for
// payments under way, which the partner may have sent already.
type Held struct {
	Currency         money.Currency
	Posted, Reserved int64
}

// Difference is a fact on which two records disagree.
type Difference struct {
	Check     string // "deposit", "chain", "drain", "payin", "payout", "rate", "refund", "wallet"
	About     string // the deposit, order or transfer
	Want, Got string // the expected value, and the one found
}

// Result is the result of a comparison. A disagreement younger than Grace may only mean that
// one side has not caught up: it is counted in UnderWay, and the next comparison looks again.
type Result struct {
	Differences []Difference
	UnderWay    int
}

// Grace is the time that the sides have to agree: a younger disagreement is no Difference yet.
const Grace = 15 * time.Minute

// look is the state of one comparison.
type look struct {
	Sides
	Result
	now    time.Time
	coming map[money.Currency]int64 // may be missing at the partner: deposits that it has not credited yet
	extra  map[money.Currency]int64 // may be extra at the partner: credited or given back, and not yet in our ledger
}

// Compare compares the sides and lists their differences, sorted.
func Compare(s Sides, now time.Time) Result {
	l := look{Sides: s, now: now, coming: map[money.Currency]int64{}, extra: map[money.Currency]int64{}}
	l.deposits()
	l.drains()
	l.payments()
	l.strangers()
	l.wallet()
	return l.sorted()
}

func (l *look) sorted() Result {
	slices.SortFunc(l.Differences, func(a, b Difference) int {
		return cmp.Or(
			strings.Compare(a.Check, b.Check), strings.Compare(a.About, b.About), strings.Compare(a.Got, b.Got),
		)
	})
	return l.Result
}

// differs reports a difference, or counts it as under way if it is younger than Grace.
func (l *look) differs(since time.Time, check, about, want, got string) {
	if l.now.Sub(since) < Grace {
		l.UnderWay++
		return
	}
	l.Differences = append(l.Differences, Difference{check, about, want, got})
}

// wrong reports a difference at any age, because no process under way could explain it.
func (l *look) wrong(check, about, want, got string) {
	l.differs(time.Time{}, check, about, want, got)
}

// wallet compares the wallet's balance in our ledger with its balance at the partner, which must
// lie within bounds. If the ledger has 100 USDC, of which 30 are reserved for a payout that the
// partner may have sent, and the partner has not credited a deposit of 10, the balance must be
// from 60 to 100. Money that the partner has and our ledger has not (extra) raises the upper bound.
func (l *look) wallet() {
	balance := map[money.Currency]int64{}
	for _, b := range l.Balances {
		balance[b.Currency] += b.Minor
	}
	books := map[money.Currency]Held{}
	for _, h := range l.Ledger {
		books[h.Currency] = h
	}
	for _, c := range []money.Currency{money.USDC, money.USDT} {
		least, most := books[c].Posted-books[c].Reserved-l.coming[c], books[c].Posted+l.extra[c]
		if got := balance[c]; got < least || got > most {
			l.wrong("wallet", "balance", between(least, most, c), money.Of(got, c).Display())
		}
	}
}

func between(least, most int64, c money.Currency) string {
	if least == most {
		return money.Of(least, c).Display()
	}
	return money.Of(least, c).Display() + " to " + money.Of(most, c).Display()
}
