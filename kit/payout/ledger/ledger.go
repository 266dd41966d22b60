// Package ledger is the double-entry arithmetic of the payout kit: pure, so that
// what an order's events do to money can be tested without a database.
//
// An amount above zero adds to what an account is owed, one below takes from it.
// A transaction sums to zero in each currency; what was booked is never changed,
// only reversed by another transaction.
package ledger

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/railkit/railkit/money"
)

// Account names one, within a workspace. Each holds any number of currencies.
type Account string

// The hot accounts: every order touches them, so they have no row that writers
// would queue for. Their balance is summed up when somebody asks.
const (
	Partner      Account = "partner"       // what the partner has taken and not yet paid out
	FX           Account = "fx"            // position: one currency given, the other taken
	FXGain       Account = "fx:gain"       // what a rate moved between a quote and its payout
	FeesPlatform Account = "fees:platform" // earned
	FeesNetwork  Account = "fees:network"
	Rounding     Account = "rounding" // less than the smallest unit of what was bought
	Suspense     Account = "suspense" // arrived, and nobody's yet: dust, the wrong token or chain
)

// Chain is the world outside on a network: what came in from it is below zero.
func Chain(slug string) Account { return Account("chain:" + slug) }

// Bank is the world outside on a rail: what was paid to it.
func Bank(rail string) Account { return Account("bank:" + rail) }

// Held is what arrived at a withdrawal address and belongs to no order yet.
func Held(addressID string) Account { return Account("held:" + addressID) }

// Order is what belongs to an order: set aside for its payout, or owed back.
func Order(id string) Account { return Account("order:" + id) }

// Guarded tells whether an account has a floor of zero, which the database holds:
// nobody can be paid what is not there.
func (a Account) Guarded() bool {
	return strings.HasPrefix(string(a), "held:") || strings.HasPrefix(string(a), "order:")
}

func (a Account) known() bool {
	switch a {
	case Partner, FX, FXGain, FeesPlatform, FeesNetwork, Rounding, Suspense:
		return true
	}
	kind, of, _ := strings.Cut(string(a), ":")
	return of != "" && (kind == "held" || kind == "order" || kind == "chain" || kind == "bank")
}

// Entry is one line of a transaction.
type Entry struct {
	Account Account
	Amount  money.Amount
}

// Do is what happens to a transaction.
type Do string

// What can happen. A pending one is posted or voided once.
const (
	Pend   Do = "pend"   // reserve: what it takes is no longer available, what it gives is not yet
	Post   Do = "post"   // the pending one holds
	Void   Do = "void"   // the pending one never was
	Record Do = "record" // book at once
)

// Op is one step on the ledger. Ref names the transaction, once and for all:
// booking it again is refused by the database.
type Op struct {
	Do      Do
	Ref     string
	Kind    string // what for: "deposit"
	Entries []Entry
}

// What can be wrong with an operation.
var (
	ErrUnbalanced = errors.New("ledger: the entries do not sum to zero")
	ErrEntry      = errors.New("ledger: an entry of no account or of nothing")
	ErrShort      = errors.New("ledger: the account has not enough")                           // of the database
	ErrState      = errors.New("ledger: the transaction is not pending, or is booked already") // same
)

// Check refuses what must not be booked. A step on a pending transaction repeats
// its entries.
func (o Op) Check() error {
	if o.Ref == "" || len(o.Entries) < 2 {
		return ErrEntry
	}
	sums := map[money.Currency]money.Amount{}
	for _, e := range o.Entries {
		if !e.Account.known() || e.Amount.IsZero() || !e.Amount.Currency.Known() {
			return fmt.Errorf("%w: %s", ErrEntry, e.Account)
		}
		if e.Amount.Minor == math.MinInt64 { // it has no other side
			return money.ErrRange
		}
		sum, ok := sums[e.Amount.Currency]
		if !ok {
			sum.Currency = e.Amount.Currency
		}
		var err error
		if sums[e.Amount.Currency], err = sum.Add(e.Amount); err != nil {
			return err
		}
	}
	for c, sum := range sums {
		if !sum.IsZero() {
			return fmt.Errorf("%w: %s of %s too much", ErrUnbalanced, sum, c)
		}
	}
	return nil
}

// Entries drops what moves nothing.
func Entries(all ...Entry) []Entry {
	kept := all[:0:0]
	for _, e := range all {
		if !e.Amount.IsZero() {
			kept = append(kept, e)
		}
	}
	return kept
}

// Balance is what an account has in one currency.
type Balance struct {
	Account    Account
	Posted     money.Amount
	PendingIn  money.Amount
	PendingOut money.Amount // above zero
}

// Available is what can be taken: what is posted, without what is reserved.
func (b Balance) Available() (money.Amount, error) { return b.Posted.Sub(b.PendingOut) }
