// Package match holds four sides against each other that each say where the same
// money is: our orders, our ledger, the chain, and the partner. It is arithmetic
// only; whoever reads the four sides calls it.
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

// Sides are what the four say of one wallet at the partner, and of all that came
// to it and left it since an instant.
type Sides struct {
	Since     time.Time                // what is older is known, and not judged by itself
	Deposits  []Deposit                // that the watcher saw at the wallet's addresses
	Orders    map[string]order.Order   // ours, by id
	Ledger    []Held                   // what the books say lies in the wallet
	Drains    []fiat.Drain             // what the partner says came in
	Transfers map[string]fiat.Transfer // what the partner says left, by id
	Balances  []money.Amount           // what the partner says lies there
}

// Deposit is a transfer on chain to one of our addresses, with what was made of it.
type Deposit struct {
	watch.Transfer
	PartnerAddressID string // of the address, at the partner
	OrderID          string // that it pays for, "" where none
	Reason           string // why it is not paid out, "" where it is
	Booked           bool   // of one that is not paid out: it is in the ledger
	Gone             bool   // the node does not have it today
}

// amount is what came, where it is a currency and a sum that can be counted.
func (d Deposit) amount() (money.Amount, bool) {
	c, err := money.ParseCurrency(strings.ToLower(d.Symbol))
	if err != nil {
		return money.Amount{}, false
	}
	a, err := money.Parse(d.Units(), c)
	return a, err == nil
}

// Held is what the books say lies in a wallet. Of what is reserved the partner may
// have let go already.
type Held struct {
	Currency         money.Currency
	Posted, Reserved int64
}

// Difference is something that two sides say differently.
type Difference struct {
	Check     string // "deposit", "chain", "drain", "payout", "refund", "wallet"
	About     string
	Want, Got string
}

// Result is what a comparison found. What is young may just be under way: it is
// counted, and judged at the next look.
type Result struct {
	Differences []Difference
	UnderWay    int
}

// Grace is how old something has to be until the sides must agree on it.
const Grace = 15 * time.Minute

// look is one comparison.
type look struct {
	Sides
	Result
	now    time.Time
	coming map[money.Currency]int64 // deposits of ours that the partner has not credited
	extra  map[money.Currency]int64 // what the partner has credited or given back, and we have not taken in
}

// Compare holds the sides against each other.
func Compare(s Sides, now time.Time) Result {
	l := look{Sides: s, now: now, coming: map[money.Currency]int64{}, extra: map[money.Currency]int64{}}
	l.deposits()
	l.drains()
	l.payments()
	l.strangers()
	l.wallet()
	slices.SortFunc(l.Differences, func(a, b Difference) int {
		return cmp.Or(
			strings.Compare(a.Check, b.Check), strings.Compare(a.About, b.About), strings.Compare(a.Got, b.Got),
		)
	})
	return l.Result
}

// differs is a difference, unless what it is about is young.
func (l *look) differs(since time.Time, check, about, want, got string) {
	if l.now.Sub(since) < Grace {
		l.UnderWay++
		return
	}
	l.Differences = append(l.Differences, Difference{check, about, want, got})
}

// wrong is a difference at any age: nothing that is under way explains it.
func (l *look) wrong(check, about, want, got string) {
	l.differs(time.Time{}, check, about, want, got)
}

// wallet holds what the books say lies in the wallet against its balance.
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
