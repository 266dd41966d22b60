package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/quote"
	"github.com/railkit/railkit/money"
)

var quoteTests = cases{
	"Quotes":      testQuotes,
	"Quoted":      testQuoted,
	"OwnTime":     testOwnTime,
	"HoldBalance": testHoldBalance,
}

func quoted(ws, id string) quote.Quote {
	return quote.Quote{
		WorkspaceID: ws, ID: id, RecipientID: "r-1", BankAccountID: "b-1", WithdrawAddressID: "w-1", Asked: money.Of(10_000, money.USD),
		Terms: order.Terms{
			Gross: money.Of(100_000_000, money.USDC), Network: money.Of(500_000, money.USDC), Platform: money.Of(250_000, money.USDC),
			Rate: price("18.4075"), Net: money.Of(182_694, money.MXN), Quoted: true,
		},
		Midmarket: price("18.5"), Spread: 50, PublishedAt: start, FetchedAt: start.Add(time.Second),
		CreatedAt: start.Add(time.Minute), ExpiresAt: start.Add(time.Hour),
	}
}

func price(text string) money.Rate {
	r, err := money.ParseRate(text)
	if err != nil {
		panic(err) // a literal of this file
	}
	return r
}

func testQuotes(t *testing.T, b *bench) {
	want := quoted(ours, "q-1")
	ok(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error { return tx.InsertQuote(ctx, want) }))
	got, err := b.payout().Quote(t.Context(), ours, "q-1")
	ok(t, err)
	equal(t, "quote", got, want)
	_, err = b.payout().Quote(t.Context(), theirs, "q-1")
	missing(t, "Quote", err)
}

// A quote comes with what it is for, and its order.
func testQuoted(t *testing.T, b *bench) {
	want := quote.Quoted{
		Quote: quoted(ours, "q-1"), Recipient: newRecipient(ours, "r-1"), Account: bankAccount(ours, "b-1"), Address: withdrawAddress(ours, "w-1"),
	}
	other := quoted(ours, "q-2")
	ok(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		return errors.Join(tx.InsertQuote(ctx, want.Quote), tx.InsertQuote(ctx, other), tx.InsertRecipient(ctx, want.Recipient),
			tx.InsertBankAccount(ctx, want.Account), tx.InsertWithdrawAddress(ctx, want.Address))
	}))
	got, err := b.payout().Quoted(t.Context(), ours, "q-1")
	ok(t, err)
	equal(t, "quoted", got, want)
	_, err = b.payout().Quoted(t.Context(), theirs, "q-1")
	missing(t, "Quote", err)

	o, _ := Deposited(ours, "o-1", "w-1", start)
	o.QuoteID, o.ExpiresAt, o.Expected = "q-1", start.Add(time.Minute), want.Quote.Terms.Gross
	b.walk(t, o, order.Event{Kind: order.Created, By: order.User, At: start})
	for id, made := range map[string]bool{"q-1": true, "q-2": false} {
		got, err = b.payout().Quoted(t.Context(), ours, id)
		ok(t, err)
		if (got.Executed != nil) != made || made && got.Executed.ID != "o-1" {
			t.Errorf("%s: %+v", id, got.Executed)
		}
	}
}

// The time is the database's, and not that of the server's clock, which stands
// still here at some noon.
func testOwnTime(t *testing.T, b *bench) {
	ok(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		now, err := tx.Now(ctx)
		if away := time.Since(now).Abs(); away > time.Minute {
			t.Errorf("%s away from this machine's clock", away)
		}
		return err
	}))
}

func testHoldBalance(t *testing.T, b *bench) {
	held := ledger.Held("w-1")
	read := func(ws string, want int64) {
		t.Helper()
		ok(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
			got, err := tx.HoldBalance(ctx, ws, held, money.USDC)
			equal(t, "balance", got.Posted, money.Of(want, money.USDC))
			return err
		}))
	}
	read(ours, 0)
	a := money.Of(5, money.USDC)
	ok(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		return tx.Book(ctx, ours, start, ledger.Op{Do: ledger.Record, Ref: "d-1", Kind: "deposit", Entries: []ledger.Entry{
			{Account: ledger.Chain("base"), Amount: a.Neg()}, {Account: held, Amount: a},
		}})
	}))
	read(ours, 5)
	read(theirs, 0)
}
