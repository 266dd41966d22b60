package payouttest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/provision"
	"github.com/railkit/railkit/kit/payout/virtual"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/store/storetest"
)

var offRampTests = map[string]func(*testing.T, *bench){
	"WithdrawAddresses": testWithdrawAddresses,
	"VirtualAccounts":   testVirtualAccounts,
}

func provisioning() provision.Provision {
	return provision.Provision{
		Status: provision.Provisioning, Key: "key-1", KeyedAt: storetest.Start, TriedAt: storetest.Start,
	}
}

func withdrawAddress(ws, id string) withdraw.Address {
	return withdraw.Address{
		WorkspaceID: ws, ID: id, Reference: "OFR-" + id, RecipientID: "r-1", BankAccountID: "b-1", Chain: "base",
		Currency:    money.USDC,
		Destination: money.MXN, Rail: fiat.SPEI, Provision: provisioning(), CreatedAt: storetest.Start,
		UpdatedAt: storetest.Start,
	}
}

// stale is a write that finds another state than it starts from.
func stale(t *testing.T, b *bench, what string, fn func(context.Context, payout.Tx) error) {
	t.Helper()
	if err := b.pay(t.Context(), fn); !errors.Is(err, record.ErrStale) {
		t.Errorf("%s: %v", what, err)
	}
}

// An address is made once for a bank account, chain and currency, by one caller at
// a time, and has a wallet of its own at the partner.
func testWithdrawAddresses(t *testing.T, b *bench) {
	write := func(fn func(context.Context, payout.Tx) error) { t.Helper(); storetest.OK(t, b.pay(t.Context(), fn)) }
	want := withdrawAddress(storetest.Ours, "w-1")
	write(func(ctx context.Context, tx payout.Tx) error { return tx.InsertWithdrawAddress(ctx, want) })
	stale(t, b, "a second one", func(ctx context.Context, tx payout.Tx) error {
		return tx.InsertWithdrawAddress(ctx, withdrawAddress(storetest.Ours, "w-2"))
	})
	got, err := b.payout().WithdrawAddressOf(t.Context(), storetest.Ours, "b-1", "base", money.USDC)
	storetest.OK(t, err)
	storetest.Equal(t, "address", got, want)
	named := withdrawAddress(storetest.Ours, "w-3")
	named.BankAccountID, named.WalletID, named.ReturnAddress = "b-9", "", ""
	named.Next = withdraw.ReturnChange{WalletID: "wallet-1", Address: "0xback", At: storetest.Start.Add(time.Hour)}
	write(func(ctx context.Context, tx payout.Tx) error { return tx.InsertWithdrawAddress(ctx, named) })
	got, err = b.payout().WithdrawAddress(t.Context(), storetest.Ours, "w-3")
	storetest.OK(t, err)
	storetest.Equal(t, "an address whose first wallet waits", got, named)
	write(func(ctx context.Context, tx payout.Tx) error { // the rest is about the first one
		return tx.TakeWithdrawAddress(ctx, named, named.TriedAt)
	})
	_, err = b.payout().WithdrawAddress(t.Context(), storetest.Theirs, "w-1")
	storetest.Missing(t, "Withdrawal address", err)

	write(func(ctx context.Context, tx payout.Tx) error { return tx.LeaveWithdrawAddress(ctx, want) })
	waiting, err := b.payout().WaitingWithdrawAddresses(t.Context(), storetest.Start, 9)
	storetest.OK(t, err)
	if len(waiting) != 1 || !waiting[0].TriedAt.IsZero() {
		t.Errorf("%+v waits", waiting)
	}
	stale(t, b, "taken from who has left", func(ctx context.Context, tx payout.Tx) error {
		return tx.TakeWithdrawAddress(ctx, want, storetest.Start)
	})
	want.TriedAt, want.KeyedAt, want.Key = storetest.Start.Add(time.Hour), storetest.Start.Add(time.Hour), "key-2"
	write(func(ctx context.Context, tx payout.Tx) error {
		return tx.TakeWithdrawAddress(ctx, want, time.Time{})
	})

	want.Status, want.CustomerID, want.PartnerWalletID = provision.Active, "c-1", "pw-1"
	want.PartnerID, want.Address = "la-1", "0x00000000000000000000000000000000000000AA"
	write(func(ctx context.Context, tx payout.Tx) error { return tx.FinishWithdrawAddress(ctx, want) })
	stale(t, b, "finished twice", func(ctx context.Context, tx payout.Tx) error {
		return tx.FinishWithdrawAddress(ctx, want)
	})
	was := want
	want.Next = withdraw.ReturnChange{WalletID: "wallet-1", Address: "0xback", At: storetest.Start.Add(time.Hour)}
	write(func(ctx context.Context, tx payout.Tx) error { return tx.SetReturnAddress(ctx, want, was) })
	stale(t, b, "a change of what is changing", func(ctx context.Context, tx payout.Tx) error {
		return tx.SetReturnAddress(ctx, want, was)
	})
	was, want.WalletID, want.ReturnAddress, want.Next = want, "wallet-1", "0xback", withdraw.ReturnChange{}
	write(func(ctx context.Context, tx payout.Tx) error { return tx.SetReturnAddress(ctx, want, was) })
	stale(t, b, "another return address", func(ctx context.Context, tx payout.Tx) error {
		return tx.SetReturnAddress(ctx, want, was)
	})
	got, err = b.payout().WithdrawAddressByPartner(t.Context(), "la-1")
	storetest.OK(t, err)
	storetest.Equal(t, "made", got, want)
	all, err := b.payout().WithdrawAddressesOf(t.Context(), storetest.Ours, "b-1")
	storetest.OK(t, err)
	storetest.Equal(t, "all of the account", all, []withdraw.Address{want})
}

// A virtual account is made once for a bank account and currency.
func testVirtualAccounts(t *testing.T, b *bench) {
	write := func(fn func(context.Context, payout.Tx) error) { t.Helper(); storetest.OK(t, b.pay(t.Context(), fn)) }
	want := virtual.Account{
		WorkspaceID: storetest.Ours, ID: "v-1", RecipientID: "r-1", BankAccountID: "b-1", WithdrawAddressID: "w-1",
		Currency:  money.MXN,
		Provision: provisioning(), CreatedAt: storetest.Start, UpdatedAt: storetest.Start,
	}
	write(func(ctx context.Context, tx payout.Tx) error { return tx.InsertVirtualAccount(ctx, want) })
	stale(t, b, "a second one", func(ctx context.Context, tx payout.Tx) error {
		second := want
		second.ID = "v-2"
		return tx.InsertVirtualAccount(ctx, second)
	})
	write(func(ctx context.Context, tx payout.Tx) error { return tx.LeaveVirtualAccount(ctx, want) })
	waiting, err := b.payout().WaitingVirtualAccounts(t.Context(), storetest.Start, 9)
	storetest.OK(t, err)
	if len(waiting) != 1 || waiting[0].ID != "v-1" {
		t.Errorf("%+v waits", waiting)
	}
	write(func(ctx context.Context, tx payout.Tx) error {
		return tx.TakeVirtualAccount(ctx, want, time.Time{})
	})
	want.Status, want.PartnerID, want.CLABE = provision.Active, "va-1", "646180157000000004"
	write(func(ctx context.Context, tx payout.Tx) error { return tx.FinishVirtualAccount(ctx, want) })
	stale(t, b, "finished twice", func(ctx context.Context, tx payout.Tx) error {
		return tx.FinishVirtualAccount(ctx, want)
	})
	got, err := b.payout().VirtualAccountOf(t.Context(), storetest.Ours, "b-1", money.MXN)
	storetest.OK(t, err)
	storetest.Equal(t, "made", got, want)
	_, err = b.payout().VirtualAccountOf(t.Context(), storetest.Theirs, "b-1", money.MXN)
	storetest.Missing(t, "Virtual account", err)
	got, err = b.payout().VirtualAccountNumbered(t.Context(), storetest.Ours, want.CLABE)
	storetest.OK(t, err)
	storetest.Equal(t, "by its number", got, want)
	_, err = b.payout().VirtualAccountNumbered(t.Context(), storetest.Theirs, want.CLABE)
	storetest.Missing(t, "Virtual account", err)
}
