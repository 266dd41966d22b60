package ledger_test

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/money"
)

var accounts = []ledger.Account{
	ledger.Held("w1"), ledger.Held("w2"), ledger.Order("o1"), ledger.Partner, ledger.FX, ledger.FXGain,
	ledger.FeesPlatform,
	ledger.FeesNetwork, ledger.Rounding, ledger.Suspense, ledger.Chain("base"), ledger.Bank("spei"),
}

// op draws an operation that is balanced in each of its currencies.
func op(t *rapid.T) ledger.Op {
	o := ledger.Op{
		Do:  rapid.SampledFrom([]ledger.Do{ledger.Pend, ledger.Post, ledger.Void, ledger.Record}).Draw(t, "do"),
		Ref: "r", Kind: "test",
	}
	for _, c := range rapid.SliceOfNDistinct(
		rapid.SampledFrom(money.Fiat), 1, 2, rapid.ID[money.Currency],
	).Draw(t, "currencies") {
		var sum int64
		for range rapid.IntRange(1, 3).Draw(t, "entries") {
			n := rapid.Int64Range(-1_000_000, 1_000_000).Filter(func(n int64) bool { return n != 0 }).Draw(t, "amount")
			o.Entries = append(
				o.Entries,
				ledger.Entry{Account: rapid.SampledFrom(accounts).Draw(t, "account"), Amount: money.Of(n, c)},
			)
			sum += n
		}
		if sum != 0 {
			o.Entries = append(o.Entries, ledger.Entry{Account: ledger.Suspense, Amount: money.Of(-sum, c)})
		}
	}
	return o
}

// What sums to zero is taken, what is one unit off is not.
func TestPayout_L1_ZeroPerCurrency(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := op(t)
		if err := o.Check(); err != nil && len(o.Entries) > 1 {
			t.Fatalf("balanced: %v", err)
		}
		i := rapid.IntRange(0, len(o.Entries)-1).Draw(t, "entry")
		o.Entries[i].Amount.Minor++
		if err := o.Check(); err == nil {
			t.Fatal("one unit too much was taken")
		}
		o.Entries[i].Amount.Minor--
		o.Entries[i].Amount.Currency = money.USDT
		if err := o.Check(); err == nil {
			t.Fatal("another currency was taken")
		}
	})
}

func TestWhatIsNoOperation(t *testing.T) {
	good := []ledger.Entry{
		{Account: ledger.Held("w"), Amount: money.Of(1, money.USDC)},
		{Account: ledger.Partner, Amount: money.Of(-1, money.USDC)},
	}
	for what, o := range map[string]ledger.Op{
		"no ref":     {Entries: good},
		"no entries": {Ref: "r"},
		"one entry":  {Ref: "r", Entries: good[:1]},
		"an entry of zero": {
			Ref: "r", Entries: append(good[:2:2], ledger.Entry{Account: ledger.FX, Amount: money.Of(0, money.USDC)}),
		},
		"no such account": {
			Ref: "r", Entries: []ledger.Entry{{Account: "cash", Amount: money.Of(1, money.USDC)}, good[1]},
		},
		"nobody's address": {
			Ref: "r", Entries: []ledger.Entry{{Account: "held:", Amount: money.Of(1, money.USDC)}, good[1]},
		},
		"no such currency": {Ref: "r", Entries: []ledger.Entry{
			{Account: ledger.FX, Amount: money.Of(1, "doge")}, {Account: ledger.Partner, Amount: money.Of(-1, "doge")},
		}},
		"without a reverse": {
			Ref:     "r",
			Entries: []ledger.Entry{{Account: ledger.FX, Amount: money.Of(math.MinInt64, money.USDC)}, good[0]},
		},
	} {
		if err := o.Check(); err == nil {
			t.Errorf("%s was taken", what)
		}
	}
}

func TestPayout_L7_SumsDoNotOverflow(t *testing.T) {
	most := money.Of(math.MaxInt64, money.USDC)
	o := ledger.Op{Do: ledger.Record, Ref: "r", Entries: []ledger.Entry{
		{Account: ledger.Held("w"), Amount: most}, {Account: ledger.Held("w"), Amount: most},
		{Account: ledger.Partner, Amount: most.Neg()}, {Account: ledger.Partner, Amount: most.Neg()},
	}}
	if err := o.Check(); !errors.Is(err, money.ErrRange) {
		t.Errorf("the sum of entries: %v", err)
	}
	one := ledger.Op{Do: ledger.Record, Ref: "r", Entries: []ledger.Entry{
		{Account: ledger.Held("w"), Amount: most}, {Account: ledger.Partner, Amount: most.Neg()},
	}}
	if _, err := ledger.Deltas([]ledger.Op{one, one}); !errors.Is(err, money.ErrRange) {
		t.Errorf("the sum of operations: %v", err)
	}
}

// Pending and void are nothing, pending and post are as good as at once; and
// balances come in the order of their accounts.
func TestDeltas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := op(t)
		as := func(all ...ledger.Do) []ledger.Delta {
			var ops []ledger.Op
			for _, do := range all {
				o.Do = do
				ops = append(ops, o)
			}
			deltas, err := ledger.Deltas(ops)
			if err != nil {
				t.Fatal(err)
			}
			return deltas
		}
		if d := as(ledger.Pend, ledger.Void); len(d) != 0 {
			t.Fatalf("pending and void: %v", d)
		}
		posted, recorded := as(ledger.Pend, ledger.Post), as(ledger.Record)
		if len(posted) != len(recorded) {
			t.Fatalf("%v, %v", posted, recorded)
		}
		for i, d := range posted {
			if d != recorded[i] || !d.Account.Guarded() || i > 0 && posted[i-1].Account > d.Account {
				t.Fatalf("%v, %v", posted, recorded)
			}
		}
	})
}

func TestDigestIsOfTheEntries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := op(t)
		was := o.Digest()
		o.Ref, o.Do = "another", ledger.Void
		if o.Digest() != was {
			t.Fatal("it is not the entries' alone")
		}
		o.Entries[0].Amount.Minor++
		if o.Digest() == was {
			t.Fatal("another amount has the same digest")
		}
	})
}
