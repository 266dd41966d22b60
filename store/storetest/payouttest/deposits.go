package payouttest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/depositaccount"
	"github.com/railkit/railkit/kit/payout/provision"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/store/storetest"
)

var depositTests = map[string]func(*testing.T, *bench){
	"DepositAccounts":      testDepositAccounts,
	"DepositAccountsLists": testDepositAccountLists,
	"DepositEvents":        testDepositEvents,
}

func depositAccount(ws, id, wallet string) depositaccount.Account {
	return depositaccount.Account{
		WorkspaceID: ws, ID: id, Reference: "ONR-" + id, WalletID: wallet, Source: money.MXN, Destination: money.USDC,
		Chain: "base", Address: "0x00000000000000000000000000000000000000AA", FeePoints: 110,
		Provision: provisioning(), Version: 1, CreatedAt: storetest.Start, UpdatedAt: storetest.Start,
	}
}

// made is an account that the partner has made.
func (b *bench) made(t *testing.T, a depositaccount.Account) depositaccount.Account {
	t.Helper()
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		return tx.InsertDepositAccount(ctx, a)
	}))
	a.Status, a.CustomerID, a.PartnerID, a.Sealed = provision.Active, "c-1", "va-"+a.ID, "sealed"
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		return tx.FinishDepositAccount(ctx, a)
	}))
	a.TriedAt = time.Time{}
	a.Version++
	return a
}

// AddDepositAccount adds an account that the partner has made.
func AddDepositAccount(ctx context.Context, tx payout.Tx, ws, id string) error {
	a := depositAccount(ws, id, "w-1")
	if err := tx.InsertDepositAccount(ctx, a); err != nil {
		return err
	}
	a.Status, a.PartnerID = provision.Active, "va-"+id
	return tx.FinishDepositAccount(ctx, a)
}

// An account is made once for a wallet and a pair of currencies, by one caller at a time.
func testDepositAccounts(t *testing.T, b *bench) {
	write := func(fn func(context.Context, payout.Tx) error) { t.Helper(); storetest.OK(t, b.pay(t.Context(), fn)) }
	want := depositAccount(storetest.Ours, "d-1", "w-1")
	write(func(ctx context.Context, tx payout.Tx) error { return tx.InsertDepositAccount(ctx, want) })
	stale(t, b, "a second one", func(ctx context.Context, tx payout.Tx) error {
		return tx.InsertDepositAccount(ctx, depositAccount(storetest.Ours, "d-2", "w-1"))
	})
	got, err := b.payout().DepositAccountOf(t.Context(), storetest.Ours, "w-1", money.MXN, money.USDC)
	storetest.OK(t, err)
	storetest.Equal(t, "account", got, want)
	_, err = b.payout().DepositAccount(t.Context(), storetest.Theirs, "d-1")
	storetest.Missing(t, "Deposit account", err)
	_, err = b.payout().DepositAccountByPartner(t.Context(), "")
	storetest.Missing(t, "Deposit account", err) // it has no id there yet

	write(func(ctx context.Context, tx payout.Tx) error { return tx.LeaveDepositAccount(ctx, want) })
	waiting, err := b.payout().WaitingDepositAccounts(t.Context(), storetest.Start, 9)
	storetest.OK(t, err)
	if len(waiting) != 1 || !waiting[0].TriedAt.IsZero() {
		t.Errorf("%+v waits", waiting)
	}
	stale(t, b, "taken from who has left", func(ctx context.Context, tx payout.Tx) error {
		return tx.TakeDepositAccount(ctx, want, storetest.Start)
	})
	want.TriedAt, want.Key = storetest.Start.Add(time.Hour), "key-2"
	write(func(ctx context.Context, tx payout.Tx) error { return tx.TakeDepositAccount(ctx, want, time.Time{}) })

	other := want
	other.TriedAt = storetest.Start
	write(func(ctx context.Context, tx payout.Tx) error { return tx.DropDepositAccount(ctx, other) }) // not its claim
	stale(t, b, "switched before it is made", func(ctx context.Context, tx payout.Tx) error {
		return tx.UpdateDepositAccount(ctx, want)
	})
	want.Status, want.CustomerID, want.PartnerID, want.Sealed = provision.Active, "c-1", "va-1", "v1.sealed"
	write(func(ctx context.Context, tx payout.Tx) error { return tx.FinishDepositAccount(ctx, want) })
	want.TriedAt, want.Version = time.Time{}, 2
	stale(t, b, "finished twice", func(ctx context.Context, tx payout.Tx) error {
		return tx.FinishDepositAccount(ctx, want)
	})
	got, err = b.payout().DepositAccountByPartner(t.Context(), "va-1")
	storetest.OK(t, err)
	storetest.Equal(t, "made", got, want)
	testDepositSwitch(t, b, want)
}

// An account is switched from the state that the writer has read.
func testDepositSwitch(t *testing.T, b *bench, want depositaccount.Account) {
	write := func(fn func(context.Context, payout.Tx) error) { t.Helper(); storetest.OK(t, b.pay(t.Context(), fn)) }
	want.Wanted, want.Key, want.KeyedAt = depositaccount.WantDeactivated, "key-3", storetest.Start.Add(time.Hour)
	write(func(ctx context.Context, tx payout.Tx) error { return tx.UpdateDepositAccount(ctx, want) })
	stale(t, b, "from an older version", func(ctx context.Context, tx payout.Tx) error {
		return tx.UpdateDepositAccount(ctx, want)
	})
	want.Version++
	rows, err := b.payout().SwitchingDepositAccounts(t.Context(), storetest.Start, 9)
	storetest.OK(t, err)
	storetest.Equal(t, "to be switched", rows, []depositaccount.Account{want})
	want.Wanted, want.Deactivated = depositaccount.WantNothing, true
	write(func(ctx context.Context, tx payout.Tx) error { return tx.UpdateDepositAccount(ctx, want) })
	rows, err = b.payout().SwitchingDepositAccounts(t.Context(), storetest.Start, 9)
	storetest.OK(t, err)
	if len(rows) != 0 {
		t.Errorf("still to be switched: %+v", rows)
	}
	at, until := storetest.Start.Add(2*time.Hour), storetest.Start.Add(time.Hour)
	for _, until := range []time.Time{until, storetest.Start} { // the second is too old
		write(func(ctx context.Context, tx payout.Tx) error {
			return tx.PolledDepositAccount(ctx, want.WorkspaceID, want.ID, at, until)
		})
	}
	want.Version, want.PolledAt, want.ActivitiesUntil = want.Version+1, at, until
	got, err := b.payout().DepositAccount(t.Context(), want.WorkspaceID, want.ID)
	storetest.OK(t, err)
	storetest.Equal(t, "switched and polled", got, want)
}

// Lists are of one workspace and newest first; the sweeper's are of all, and the longest waiting first.
func testDepositAccountLists(t *testing.T, b *bench) {
	var all []depositaccount.Account
	for i, id := range []string{"d-1", "d-2", "d-3"} {
		a := depositAccount(storetest.Ours, id, "w-"+id)
		a.CreatedAt = storetest.Start.Add(time.Duration(i) * time.Minute)
		all = append([]depositaccount.Account{b.made(t, a)}, all...)
	}
	theirs := b.made(t, depositAccount(storetest.Theirs, "d-4", "w-4"))
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		return tx.InsertDepositAccount(ctx, depositAccount(storetest.Ours, "d-5", "w-5"))
	}))
	got, total, err := b.payout().DepositAccounts(t.Context(), storetest.Ours, page.Page{Limit: 2})
	storetest.OK(t, err)
	storetest.Equal(t, "first page", got, all[:2])
	storetest.Equal(t, "total", total, 4)
	after := page.Cursor{CreatedAt: got[1].CreatedAt, ID: got[1].ID}
	got, _, err = b.payout().DepositAccounts(t.Context(), storetest.Ours, page.Page{Limit: 2, After: &after})
	storetest.OK(t, err)
	ids := storetest.IDs(got, func(a depositaccount.Account) string { return a.ID })
	storetest.Equal(t, "second page, with the one that waits for the partner", ids, []string{"d-5", "d-1"})
	for ws, want := range map[string]int{storetest.Ours: 4, "": 5} {
		rows, err := b.payout().AllDepositAccounts(t.Context(), ws, page.Page{Limit: 9})
		storetest.OK(t, err)
		storetest.Equal(t, "accounts for the operator", len(rows), want)
	}
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		return tx.PolledDepositAccount(ctx, storetest.Ours, "d-1", storetest.Start.Add(time.Minute), time.Time{})
	}))
	due, err := b.payout().DepositAccountsToPoll(t.Context(), storetest.Start.Add(time.Minute), 9)
	storetest.OK(t, err)
	storetest.Equal(t, "to be polled", due, []depositaccount.Account{all[1], all[0], theirs})
	if err := b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		a := depositAccount(storetest.Ours, "d-5", "w-5")
		a.PartnerID = "va-d-1"
		return tx.FinishDepositAccount(ctx, a)
	}); err == nil {
		t.Error("two accounts have one id at the partner")
	}
}

// An event is written once for each account and partner's id. One without a time comes where it was recorded.
func testDepositEvents(t *testing.T, b *bench) {
	event := func(id, account string, occurred time.Duration) depositaccount.Event {
		return depositaccount.Event{
			WorkspaceID: storetest.Ours, ID: id + account, AccountID: account, PartnerEventID: "e-" + id,
			DepositID: "dep", Type: depositaccount.Received, RawType: "funds_received",
			Amount:     money.Of(500_000, money.MXN),
			OccurredAt: storetest.Start.Add(occurred), RecordedAt: storetest.Start.Add(time.Hour), Body: "{}",
		}
	}
	late, early, timeless := event("1", "d-1", 2*time.Minute), event("2", "d-1", time.Minute), event("3", "d-1", 0)
	timeless.OccurredAt, timeless.DepositID, timeless.Amount = time.Time{}, "", money.Amount{}
	other := event("1", "d-2", 0)
	for i, e := range []depositaccount.Event{late, early, timeless, other, late} {
		storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
			isNew, err := tx.InsertDepositEvent(ctx, e)
			storetest.Equal(t, "is new", isNew, i < 4)
			return err
		}))
	}
	got, total, err := b.payout().DepositEvents(t.Context(), storetest.Ours, "d-1", page.Page{Limit: 2})
	storetest.OK(t, err)
	storetest.Equal(t, "first page", got, []depositaccount.Event{early, late})
	storetest.Equal(t, "total", total, 3)
	after := page.Cursor{CreatedAt: late.OccurredAt, ID: late.ID}
	got, _, err = b.payout().DepositEvents(t.Context(), storetest.Ours, "d-1", page.Page{Limit: 2, After: &after})
	storetest.OK(t, err)
	storetest.Equal(t, "second page", got, []depositaccount.Event{timeless})
	got, _, err = b.payout().DepositEvents(t.Context(), storetest.Theirs, "d-1", page.Page{Limit: 2})
	storetest.OK(t, err)
	storetest.Equal(t, "another workspace's", len(got), 0)

	asked := []string{"e-1", "e-9"}
	for i := range 1200 { // more than one query takes
		asked = append(asked, fmt.Sprintf("x-%d", i))
	}
	known, err := b.payout().KnownDepositEvents(t.Context(), storetest.Ours, "d-1", append(asked, "e-3"))
	storetest.OK(t, err)
	slices.Sort(known)
	storetest.Equal(t, "known events", known, []string{"e-1", "e-3"})
	known, err = b.payout().KnownDepositEvents(t.Context(), storetest.Ours, "d-1", nil)
	storetest.OK(t, err)
	storetest.Equal(t, "asked about none", len(known), 0)
}
