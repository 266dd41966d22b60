package payouttest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/quote"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/store/storetest"
)

var quoteTests = map[string]func(*testing.T, *bench){
	"Quotes":      testQuotes,
	"Quoted":      testQuoted,
	"OwnTime":     testOwnTime,
	"HoldBalance": testHoldBalance,
	"Payable":     testPayable,
}

func quoted(ws, id string) quote.Quote {
	return quote.Quote{
		WorkspaceID: ws, ID: id, RecipientID: "r-1", BankAccountID: "b-1", WithdrawAddressID: "w-1",
		Asked: money.Of(10_000, money.USD),
		Terms: order.Terms{
			Gross: money.Of(100_000_000, money.USDC), Network: money.Of(500_000, money.USDC),
			Platform: money.Of(250_000, money.USDC),
			Rate:     price("18.4075"), Net: money.Of(182_694, money.MXN), Quoted: true,
		},
		Midmarket: price("18.5"), Spread: 50, PublishedAt: storetest.Start, FetchedAt: storetest.Start.Add(time.Second),
		CreatedAt: storetest.Start.Add(time.Minute), ExpiresAt: storetest.Start.Add(time.Hour),
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
	want := quoted(storetest.Ours, "q-1")
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		return tx.InsertQuote(ctx, want)
	}))
	got, err := b.payout().Quote(t.Context(), storetest.Ours, "q-1")
	storetest.OK(t, err)
	storetest.Equal(t, "quote", got, want)
	_, err = b.payout().Quote(t.Context(), storetest.Theirs, "q-1")
	storetest.Missing(t, "Quote", err)
}

// A recipient comes with the accounts in use and their addresses, or without addresses where one account has none.
func testPayable(t *testing.T, b *bench) {
	who := newRecipient(storetest.Ours, "r-1")
	first, second := bankAccount(storetest.Ours, "b-1"), bankAccount(storetest.Ours, "b-2")
	second.CreatedAt = second.CreatedAt.Add(time.Minute)
	address, later := withdrawAddress(storetest.Ours, "w-1"), withdrawAddress(storetest.Ours, "w-2")
	later.Chain, later.CreatedAt = "polygon", later.CreatedAt.Add(time.Minute)
	others := withdrawAddress(storetest.Ours, "w-0")
	others.BankAccountID = "b-2"
	finds := func(accounts []account.Account, addresses ...withdraw.Address) {
		t.Helper()
		r, all, at, err := b.payout().Payable(t.Context(), storetest.Ours, "r-1", 20)
		storetest.OK(t, err)
		storetest.Equal(t, "recipient", r, who)
		storetest.Equal(t, "accounts", all, accounts)
		storetest.Equal(t, "addresses", at, addresses)
	}
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		return errors.Join(tx.InsertRecipient(ctx, who), tx.InsertBankAccount(ctx, first),
			tx.InsertWithdrawAddress(ctx, later), tx.InsertWithdrawAddress(ctx, address))
	}))
	finds([]account.Account{first}, address, later)
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		return tx.InsertBankAccount(ctx, second)
	}))
	finds([]account.Account{second, first})
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		return tx.InsertWithdrawAddress(ctx, others)
	}))
	finds([]account.Account{second, first}, others, address, later)
	r, all, _, err := b.payout().Payable(t.Context(), storetest.Theirs, "r-1", 20)
	storetest.OK(t, err)
	if r.ID != "" || len(all) > 0 {
		t.Errorf("another workspace finds %+v, %+v", r, all)
	}
}

// A quote comes with what it is for, and its order.
func testQuoted(t *testing.T, b *bench) {
	want := quote.Quoted{
		Quote: quoted(storetest.Ours, "q-1"), Recipient: newRecipient(storetest.Ours, "r-1"),
		Account: bankAccount(storetest.Ours, "b-1"), Address: withdrawAddress(storetest.Ours, "w-1"),
	}
	other := quoted(storetest.Ours, "q-2")
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		return errors.Join(tx.InsertQuote(ctx, want.Quote), tx.InsertQuote(ctx, other),
			tx.InsertRecipient(ctx, want.Recipient),
			tx.InsertBankAccount(ctx, want.Account), tx.InsertWithdrawAddress(ctx, want.Address))
	}))
	got, err := b.payout().Quoted(t.Context(), storetest.Ours, "q-1")
	storetest.OK(t, err)
	storetest.Equal(t, "quoted", got, want)
	_, err = b.payout().Quoted(t.Context(), storetest.Theirs, "q-1")
	storetest.Missing(t, "Quote", err)

	o, _ := Deposited(storetest.Ours, "o-1", "w-1", storetest.Start)
	o.QuoteID, o.ExpiresAt, o.Expected = "q-1", storetest.Start.Add(time.Minute), want.Quote.Terms.Gross
	b.walk(t, o, order.Event{Kind: order.Created, By: order.User, At: storetest.Start})
	for id, made := range map[string]bool{"q-1": true, "q-2": false} {
		got, err = b.payout().Quoted(t.Context(), storetest.Ours, id)
		storetest.OK(t, err)
		if (got.Executed != nil) != made || made && got.Executed.ID != "o-1" {
			t.Errorf("%s: %+v", id, got.Executed)
		}
	}
}

// The time is the database's, and not that of the server's clock, which stands
// still here at some noon.
func testOwnTime(t *testing.T, b *bench) {
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
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
		storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
			got, err := tx.HoldBalance(ctx, ws, held, money.USDC)
			storetest.Equal(t, "balance", got.Posted, money.Of(want, money.USDC))
			return err
		}))
	}
	read(storetest.Ours, 0)
	a := money.Of(5, money.USDC)
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		return tx.Book(ctx, storetest.Ours, storetest.Start,
			ledger.Op{Do: ledger.Record, Ref: "d-1", Kind: "deposit", Entries: []ledger.Entry{
				{Account: ledger.Chain("base"), Amount: a.Neg()}, {Account: held, Amount: a},
			}})
	}))
	read(storetest.Ours, 5)
	read(storetest.Theirs, 0)
}
