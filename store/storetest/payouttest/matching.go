package payouttest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/match"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/provision"
	"github.com/railkit/railkit/kit/payout/reconcile"
	"github.com/railkit/railkit/kit/payout/virtual"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/store/storetest"
)

var matchingTests = map[string]func(*testing.T, *bench){
	"MatchRun":      testMatchRun,
	"WalletsInUse":  testWalletsInUse,
	"BooksOfWallet": testBooksOfWallet,
}

// A step of the comparison is one server's: whoever read an older version loses.
func testMatchRun(t *testing.T, b *bench) {
	s := b.payout()
	none, err := s.MatchRun(t.Context())
	storetest.OK(t, err)
	storetest.Equal(t, "before the first", none, reconcile.MatchRun{})
	run := reconcile.MatchRun{
		Version: 1, TakenAt: storetest.Start, At: reconcile.UsedWallet{WorkspaceID: storetest.Ours, WalletID: "w"},
		BeganAt: storetest.Start.Add(-time.Second),
		Found:   reconcile.MatchTally{Wallets: 1, Differences: 2, Failed: 3}, EndedAt: storetest.Start.Add(-time.Hour),
		Last: reconcile.MatchTally{Wallets: 4, Differences: 5, Failed: 6},
	}
	storetest.OK(t, s.PutMatchRun(t.Context(), run))
	got, err := s.MatchRun(t.Context())
	storetest.OK(t, err)
	storetest.Equal(t, "run", got, run)
	won := make(chan error)
	for i := range 8 {
		go func() {
			next := run
			next.Version, next.Found.Wallets = 2, int64(i)
			won <- s.PutMatchRun(t.Context(), next)
		}()
	}
	winners := 0
	for range 8 {
		if err := <-won; err == nil {
			winners++
		} else if !errors.Is(err, record.ErrStale) {
			t.Error(err)
		}
	}
	storetest.Equal(t, "winners", winners, 1)
}

// leads makes an active withdrawal address whose deposits go to a wallet.
func (b *bench) leads(t *testing.T, id, wallet string) {
	t.Helper()
	a := withdraw.Address{
		WorkspaceID: storetest.Ours, ID: id, Reference: "OFR-" + id, RecipientID: "r", BankAccountID: id, Chain: "base",
		Currency:    money.USDC,
		Destination: money.MXN, Rail: "spei", Provision: provision.Provision{
			Status: provision.Provisioning, Key: id, KeyedAt: storetest.Start,
		}, CreatedAt: storetest.Start, UpdatedAt: storetest.Start,
	}
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		if err := tx.InsertWithdrawAddress(ctx, a); err != nil || wallet == "" {
			return err
		}
		a.Status, a.CustomerID, a.PartnerWalletID, a.PartnerID, a.Address = provision.Active, "c", wallet, "p-"+
			id, fmt.Sprintf("0x%040s", id[1:])
		return tx.FinishWithdrawAddress(ctx, a)
	}))
}

// Wallets and account numbers come once each, in an order that a list can go on in.
func testWalletsInUse(t *testing.T, b *bench) {
	for id, wallet := range map[string]string{"a1": "w2", "a2": "w1", "a3": "w2", "a4": ""} {
		b.leads(t, id, wallet)
	}
	b.made(t, depositAccount(storetest.Ours, "d1", "own"))
	v := virtual.Account{
		WorkspaceID: storetest.Ours, ID: "z1", RecipientID: "r", BankAccountID: "a2", WithdrawAddressID: "a2",
		Currency: money.MXN, Provision: provisioning(), CreatedAt: storetest.Start, UpdatedAt: storetest.Start,
	}
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		if err := tx.InsertDepositAccount(ctx, depositAccount(storetest.Ours, "d2", "not made yet")); err != nil {
			return err
		}
		if err := tx.InsertVirtualAccount(ctx, v); err != nil {
			return err
		}
		v.Status, v.PartnerID, v.CLABE = provision.Active, "va-z1", "646180157000000004"
		return tx.FinishVirtualAccount(ctx, v)
	}))
	var seen []reconcile.UsedWallet
	for after := (reconcile.UsedWallet{}); ; {
		some, err := b.payout().WalletsInUse(t.Context(), after, 1)
		storetest.OK(t, err)
		if len(some) == 0 {
			break
		}
		after = some[0]
		seen = append(seen, after)
	}
	ours := storetest.Ours
	storetest.Equal(t, "wallets and account numbers", seen, []reconcile.UsedWallet{
		{WorkspaceID: ours, CustomerID: "c-1", AccountID: "d1", PartnerID: "va-d1"},
		{WorkspaceID: ours, CustomerID: "c", WalletID: "w1"}, {WorkspaceID: ours, CustomerID: "c", WalletID: "w2"},
		{WorkspaceID: ours, CustomerID: "c", AccountID: "z1", PartnerID: "va-z1", AddressID: "a2"},
	})
	others, err := b.payout().WalletsInUse(t.Context(), reconcile.UsedWallet{WorkspaceID: storetest.Theirs}, 9)
	storetest.OK(t, err)
	storetest.Equal(t, "after another workspace", len(others), 0)
	addresses, err := b.payout().AddressesOfWallet(t.Context(), storetest.Ours, "w2")
	storetest.OK(t, err)
	storetest.Equal(t, "of one", []string{addresses[0].ID, addresses[1].ID}, []string{"a1", "a3"})
}

// What lies in a wallet is what lies at its addresses and with their orders.
func testBooksOfWallet(t *testing.T, b *bench) {
	b.leads(t, "a1", "w1")
	b.leads(t, "a2", "w2")
	o := b.detected(t, "o1", "a1")
	b.paid(t, "o2", "a1")
	b.detected(t, "o3", "a2")
	held := func() []match.Held {
		all, err := b.payout().BooksOfWallet(t.Context(), storetest.Ours, "w1")
		storetest.OK(t, err)
		return all
	}
	storetest.Equal(t, "before it is final", held(), []match.Held{{Currency: money.USDC}})
	b.walk(t, o, order.Event{Kind: order.DepositConfirmed, At: storetest.Start, Deposit: o.Deposit})
	storetest.Equal(t, "then", held(), []match.Held{{Currency: money.USDC, Posted: 100_000_000}})
	deposits, err := b.payout().DepositsOf(t.Context(), storetest.Ours, "a1", page.Cursor{}, 9)
	storetest.OK(t, err)
	storetest.Equal(t, "deposits that no watcher saw", len(deposits), 0)
	_, err = b.payout().DepositOf(t.Context(), storetest.Ours, "x")
	storetest.Missing(t, "Deposit", err)
}
