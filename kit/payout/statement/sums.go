package statement

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/railkit/railkit/money"
)

// Cursor is the place of a ledger transaction in the order in which they were posted.
type Cursor struct {
	At  time.Time
	Ref string
}

// Move is what a posted ledger transaction does to the balance in one currency. Change is by how much; Fees are what it
// books as our fees in that currency.
type Move struct {
	Cursor
	Kind, OrderID, Reference string
	Change, Fees             money.Amount
}

// Kind is what a move is to a reader.
type Kind string

// The kinds.
const (
	Deposit    Kind = "deposit"    // money came in
	Conversion Kind = "conversion" // a deposit of fiat money became stablecoin, which was sent to a wallet
	Payout     Kind = "payout"     // money left for a bank
	Return     Kind = "return"     // a payout came back
	Refund     Kind = "refund"     // a deposit was sent back
	Reversal   Kind = "reversal"   // a reorg removed a deposit for good
	Other      Kind = "other"
)

// kinds are the kinds by those of ledger transactions.
var kinds = map[string]Kind{
	"deposit": Deposit, "drain": Deposit, "payin": Deposit, "convert": Conversion, "payout": Payout,
	"return": Return, "release": Return, "cancel": Return, "refund": Refund, "payin_return": Refund,
	"gone": Reversal,
}

func (m Move) kind() Kind { return cmp.Or(kinds[m.Kind], Other) }

// Line is a move with what it did: either In or Out is zero. Balance is what is held after it.
type Line struct {
	Move
	Kind                   Kind
	In, Out, Fees, Balance money.Amount
}

// Sums are the balances and sums of a span in one currency. ReturnedIn is the part of In that is returns, ReturnedOut
// the part of Out that is refunds.
type Sums struct {
	Opening, In, Out, Fees, ReturnedIn, ReturnedOut, Closing money.Amount
}

// book sums up moves.
type book struct{ sums map[money.Currency]*Sums }

func open(balances []money.Amount) *book {
	b := &book{map[money.Currency]*Sums{}}
	for _, a := range balances {
		*b.of(a.Currency) = opened(a)
	}
	return b
}

// opened are the sums of a span in which nothing has moved yet.
func opened(balance money.Amount) Sums {
	zero := money.Of(0, balance.Currency)
	return Sums{balance, zero, zero, zero, zero, zero, balance}
}

func (b *book) of(c money.Currency) *Sums {
	s, ok := b.sums[c]
	if !ok {
		fresh := opened(money.Of(0, c))
		s = &fresh
		b.sums[c] = s
	}
	return s
}

// add sums up a move. What the move takes or brings apart from our fees is money in or money out, so that the balance
// changes by in - out - fees, always.
func (b *book) add(m Move) (Line, error) {
	s := b.of(m.Change.Currency)
	zero := money.Of(0, m.Change.Currency)
	line := Line{Move: m, Kind: m.kind(), In: zero, Out: zero, Fees: m.Fees}
	moved, err := m.Change.Add(m.Fees)
	if err != nil {
		return line, err
	}
	if line.In = moved; moved.Minor < 0 {
		line.In, line.Out = zero, moved.Neg()
	}
	for _, sum := range []struct {
		to   *money.Amount
		more money.Amount
		when bool
	}{
		{&s.In, line.In, true}, {&s.Out, line.Out, true}, {&s.Fees, line.Fees, true},
		{&s.ReturnedIn, line.In, line.Kind == Return}, {&s.ReturnedOut, line.Out, line.Kind == Refund},
		{&s.Closing, m.Change, true},
	} {
		if !sum.when {
			continue
		}
		if *sum.to, err = sum.to.Add(sum.more); err != nil {
			return line, err
		}
	}
	line.Balance = s.Closing
	return line, nil
}

// turn begins the next span: it opens with what the last one closed with.
func (b *book) turn() {
	for _, s := range b.sums {
		*s = opened(s.Closing)
	}
}

// all are the sums so far, sorted by currency.
func (b *book) all() []Sums {
	all := make([]Sums, 0, len(b.sums))
	for _, c := range slices.Sorted(maps.Keys(b.sums)) {
		all = append(all, *b.sums[c])
	}
	return all
}
