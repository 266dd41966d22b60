// Package ledger is the double-entry arithmetic of the payout kit. It does no input or
// output, so the bookings of an order's events can be tested without a database.
//
// A transaction is a list of entries, each an account and an amount. A positive amount
// raises the account's balance, a negative one lowers it. The entries sum to zero in each
// currency. A deposit of 100 USDC on base at the withdrawal
// address w1, for example, is booked as
//
//	chain:base  -100 USDC
//	held:w1     +100 USDC
//
// A booked transaction is never changed: another transaction reverses it.
package ledger

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/railkit/railkit/money"
)

// Account is the name of an account within a workspace. One account can hold several currencies.
type Account string

// The accounts that every order books on. They have no balance row, because all writers
// would wait for each other to update it: their balance is summed from the entries when
// it is read.
const (
	Partner      Account = "partner"       // money that the partner has taken and not yet paid out
	FX           Account = "fx"            // conversions: one currency goes in, the other comes out
	FXGain       Account = "fx:gain"       // gain or loss because the rate moved between the quote and the payout
	FeesPlatform Account = "fees:platform" // the platform fees that we earned
	FeesNetwork  Account = "fees:network"  // the network fees that we charged
	Rounding     Account = "rounding"      // remainders below the smallest unit of the bought currency
	Suspense     Account = "suspense"      // deposits of no order: too small, of the wrong token or on the wrong chain
	Receivable   Account = "receivable"    // below zero by fiat that a bank took back after its coins were sent
)

// Chain is the account of a blockchain network. Its balance is negative by the deposits that came in from there.
func Chain(slug string) Account { return Account("chain:" + slug) }

// Bank is the account of a payment rail. Its balance is the money that was paid out over it.
func Bank(rail string) Account { return Account("bank:" + rail) }

// Held is the account for deposits at a withdrawal address that belong to no order yet.
func Held(addressID string) Account { return Account("held:" + addressID) }

// Order is the account of an order's money, which is either paid out or refunded.
func Order(id string) Account { return Account("order:" + id) }

// Guarded tells whether the database refuses a balance below zero on the account, so that
// an order never pays out more than it received.
func (a Account) Guarded() bool {
	return strings.HasPrefix(string(a), "held:") || strings.HasPrefix(string(a), "order:")
}

func (a Account) known() bool {
	switch a {
	case Partner, FX, FXGain, FeesPlatform, FeesNetwork, Rounding, Suspense, Receivable:
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

// Do is the kind of a ledger step: the action on a transaction.
type Do string

// The actions. A pending transaction is either posted or voided, and only once.
const (
	Pend   Do = "pend"   // reserve: negative entries are no longer available, positive ones not yet
	Post   Do = "post"   // book a pending transaction
	Void   Do = "void"   // drop a pending transaction: its reservations end
	Record Do = "record" // book without a reservation before
)

// Op is one step on the ledger. Ref is the transaction's unique name: the database
// refuses to book a second transaction under it.
type Op struct {
	Do      Do
	Ref     string
	Kind    string // the purpose, for example "deposit"
	Entries []Entry
}

// The errors of an operation. Check returns the first two; the database returns ErrShort and ErrState.
var (
	ErrUnbalanced = errors.New("ledger: the entries do not sum to zero")
	ErrEntry      = errors.New("ledger: an entry of no account or of nothing")
	ErrShort      = errors.New("ledger: the account has not enough")
	ErrState      = errors.New("ledger: the transaction is not pending, or is booked already")
)

// Check refuses an operation that must not be booked: without a reference, with fewer than
// two entries, with an unknown account or currency, with a zero amount, or with a sum that is
// not zero. A Post or Void carries the same entries as its Pend, so Check holds for them too.
func (o Op) Check() error {
	if o.Ref == "" || len(o.Entries) < 2 {
		return ErrEntry
	}
	sums := map[money.Currency]money.Amount{}
	for _, e := range o.Entries {
		if !e.Account.known() || e.Amount.IsZero() || !e.Amount.Currency.Known() {
			return fmt.Errorf("%w: %s", ErrEntry, e.Account)
		}
		if e.Amount.Minor == math.MinInt64 { // its negative does not fit into an int64
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

// Entries is the given entries without those of amount zero.
func Entries(all ...Entry) []Entry {
	kept := all[:0:0]
	for _, e := range all {
		if !e.Amount.IsZero() {
			kept = append(kept, e)
		}
	}
	return kept
}

// Reversed is the entries that undo the given ones.
func Reversed(all []Entry) []Entry {
	back := make([]Entry, len(all))
	for i, e := range all {
		back[i] = Entry{Account: e.Account, Amount: e.Amount.Neg()}
	}
	return back
}

// Balance is an account's balance in one currency.
type Balance struct {
	Account    Account
	Posted     money.Amount
	PendingIn  money.Amount // reserved to come in
	PendingOut money.Amount // reserved to go out, as a positive amount
}

// Available is the amount that can be spent: Posted minus PendingOut.
func (b Balance) Available() (money.Amount, error) { return b.Posted.Sub(b.PendingOut) }
