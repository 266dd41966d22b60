package payouttest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/customer"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/store/storetest"
)

var bankAccountTests = map[string]func(*testing.T, *bench){
	"BankAccounts":        testBankAccounts,
	"BankAccountOnce":     testBankAccountOnce,
	"BankAccountVersions": testBankAccountVersions,
	"BankAccountsWaiting": testBankAccountsWaiting,
	"BankAccountsCool":    testBankAccountsCool,
	"PartnerCustomer":     testPartnerCustomer,
}

func bankAccount(ws, id string) account.Account {
	return account.Account{
		WorkspaceID: ws, ID: id, RecipientID: "r-1", Currency: money.USD, Rail: fiat.Wire, Country: "US",
		BankName: "First",
		Address:  fiat.Address{Street: "S", City: "C", State: "TX", PostalCode: "1", Country: "US"},
		Shown: account.Shown{
			LastFour: "7890", RoutingNumber: "111000025", AccountType: "checking", SortCode: "1", BIC: "b",
			LegalName: "Ana",
		},
		Sealed: "v1.k.sealed", Fingerprint: "f-" + id, Wanted: "v1.k.wanted", Registration: account.Provisioning,
		Reason: "none",
		Active: true, Origin: "o", PartnerKey: "k-" + id, KeyedAt: storetest.Start, PartnerID: "",
		TriedAt:   storetest.Start.Add(time.Second),
		PayableAt: storetest.Start.Add(24 * time.Hour), ConfirmedBy: "m", Version: 1, CreatedAt: storetest.Start,
		UpdatedAt: storetest.Start,
	}
}

func (b *bench) bankAccounts(t *testing.T, all ...account.Account) {
	t.Helper()
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		for _, a := range all {
			if err := tx.InsertBankAccount(ctx, a); err != nil {
				return err
			}
		}
		return nil
	}))
}

func accountID(a account.Account) string { return a.ID }

func testBankAccounts(t *testing.T, b *bench) {
	want := bankAccount(storetest.Ours, "a-1")
	later, other, archived := bankAccount(storetest.Ours,
		"a-2"), bankAccount(storetest.Ours, "a-3"), bankAccount(storetest.Ours, "a-4")
	later.CreatedAt, other.RecipientID, archived.Active = storetest.Start.Add(time.Second), "r-2", false
	b.bankAccounts(t, want, later, other, archived, bankAccount(storetest.Theirs, "a-1"))
	got, err := b.payout().BankAccount(t.Context(), storetest.Ours, "a-1")
	storetest.OK(t, err)
	storetest.Equal(t, "bank account", got, want)
	_, err = b.payout().BankAccount(t.Context(), storetest.Theirs, "a-2")
	storetest.Missing(t, "Bank account", err)
	for _, c := range []struct {
		f     account.Filter
		want  []string
		total int
	}{
		{account.Filter{RecipientIDs: []string{"r-1"}, Page: page.Page{Limit: 9}}, []string{"a-2", "a-1"}, 2},
		{
			account.Filter{RecipientIDs: []string{"r-1"}, Archived: true, Page: page.Page{Limit: 9}},
			[]string{"a-2", "a-4", "a-1"}, 3,
		},
		{
			account.Filter{RecipientIDs: []string{"r-1", "r-2"}, Page: page.Page{Limit: 1, Offset: 1}}, []string{"a-3"},
			3,
		},
		{account.Filter{
			RecipientIDs: []string{"r-1"},
			Page:         page.Page{Limit: 9, After: &page.Cursor{CreatedAt: later.CreatedAt, ID: "a-2"}},
		}, []string{"a-1"}, 2},
	} {
		c.f.WorkspaceID = storetest.Ours
		rows, total, err := b.payout().BankAccounts(t.Context(), c.f)
		storetest.OK(t, err)
		storetest.Equal(t, "page", storetest.IDs(rows, accountID), c.want)
		storetest.Equal(t, "in all", total, c.total)
	}
}

// A recipient has a number once, however many ask at once; a rejected one frees it.
func testBankAccountOnce(t *testing.T, b *bench) {
	insert := func(a account.Account) error {
		return b.pay(context.Background(), func(ctx context.Context, tx payout.Tx) error {
			return tx.InsertBankAccount(ctx, a)
		})
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	made := []string{}
	for i := range 8 {
		wg.Go(func() {
			a := bankAccount(storetest.Ours, string(rune('a'+i)))
			a.Fingerprint = "one"
			err := insert(a)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				made = append(made, a.ID)
			} else if !errors.Is(err, record.ErrStale) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	storetest.Equal(t, "made", len(made), 1)
	got, err := b.payout().BankAccountByFingerprint(t.Context(), storetest.Ours, "r-1", "one")
	storetest.OK(t, err)
	storetest.Equal(t, "by its number", got.ID, made[0])
	got.Registration = account.Rejected
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		return tx.UpdateBankAccount(ctx, got)
	}))
	_, err = b.payout().BankAccountByFingerprint(t.Context(), storetest.Ours, "r-1", "one")
	storetest.Missing(t, "Bank account", err)
	again, foreign := bankAccount(storetest.Ours, "z"), bankAccount(storetest.Ours, "y")
	again.Fingerprint, foreign.Fingerprint, foreign.RecipientID = "one", "one", "r-2"
	storetest.OK(t, insert(again))
	storetest.OK(t, insert(foreign))
}

// A change is of one version; the next one is of the next.
func testBankAccountVersions(t *testing.T, b *bench) {
	a := bankAccount(storetest.Ours, "a-1")
	b.bankAccounts(t, a, bankAccount(storetest.Ours, "a-2"))
	change := func(fn func(context.Context, payout.Tx) error) error { return b.pay(t.Context(), fn) }
	a.Registration, a.PartnerID, a.Wanted, a.Reason, a.Active = account.Active, "ext-1", "", "r", false
	a.Sealed, a.Fingerprint, a.PartnerKey, a.ConfirmedBy = "s", "f", "k", ""
	a.KeyedAt, a.TriedAt, a.PayableAt = storetest.Start.Add(1e9), time.Time{}, storetest.Start
	a.UpdatedAt = storetest.Start.Add(2e9)
	a.Shown, a.Address = account.Shown{LastFour: "1"}, fiat.Address{Street: "T", City: "D", Country: "MX"}
	storetest.OK(t, change(func(ctx context.Context, tx payout.Tx) error {
		n, err := tx.CountUsable(ctx, storetest.Ours, "r-1")
		storetest.Equal(t, "usable", n, 2)
		return errors.Join(err, tx.UpdateBankAccount(ctx, a))
	}))
	stale := change(func(ctx context.Context, tx payout.Tx) error { return tx.UpdateBankAccount(ctx, a) })
	storetest.Equal(t, "the same version again", errors.Is(stale, record.ErrStale), true)
	a.Version = 2
	got, err := b.payout().BankAccountByPartner(t.Context(), "ext-1")
	storetest.OK(t, err)
	storetest.Equal(t, "by the partner's id", got, a)
	_, err = b.payout().BankAccountByPartner(t.Context(), "ext-2")
	storetest.Missing(t, "Bank account", err)
	storetest.OK(t, change(func(ctx context.Context, tx payout.Tx) error {
		held, err := tx.HoldBankAccount(ctx, storetest.Ours, "a-1")
		storetest.Equal(t, "held", held, a)
		_, foreign := tx.HoldBankAccount(ctx, storetest.Theirs, "a-1")
		storetest.Missing(t, "Bank account", foreign)
		n, counted := tx.CountUsable(ctx, storetest.Ours, "r-1")
		storetest.Equal(t, "usable", n, 1)
		old := a
		old.Version = 1
		storetest.Equal(t, "deleting an old version", errors.Is(tx.DeleteBankAccount(ctx, old), record.ErrStale), true)
		return errors.Join(err, counted, tx.DeleteBankAccount(ctx, a))
	}))
	_, err = b.payout().BankAccount(t.Context(), storetest.Ours, "a-1")
	storetest.Missing(t, "Bank account", err)
}

func testBankAccountsWaiting(t *testing.T, b *bench) {
	row := func(id string, r account.Registration, wanted string, tried time.Duration) account.Account {
		a := bankAccount(storetest.Ours, id)
		a.Registration, a.Wanted, a.TriedAt = r, wanted, storetest.Start.Add(tried)
		return a
	}
	b.bankAccounts(t, row(
		"asked", account.Provisioning, "", 3*time.Second,
	), row("pending", account.Pending, "", time.Second),
		row(
			"changing", account.Active, "w", 2*time.Second,
		), row("active", account.Active, "", 0), row("rejected", account.Rejected, "", 0))
	for before, want := range map[time.Duration][]string{
		time.Second: {}, 2 * time.Second: {"pending"}, time.Minute: {"pending", "changing", "asked"},
	} {
		rows, err := b.payout().WaitingBankAccounts(t.Context(), storetest.Start.Add(before), 9)
		storetest.OK(t, err)
		storetest.Equal(t, "waiting", storetest.IDs(rows, accountID), want)
	}
	rows, err := b.payout().WaitingBankAccounts(t.Context(), storetest.Start.Add(time.Minute), 1)
	storetest.OK(t, err)
	storetest.Equal(t, "the longest", storetest.IDs(rows, accountID), []string{"pending"})
}

// A workspace is one customer: the second insert is none, and who has another key
// or customer changes nothing.
func testPartnerCustomer(t *testing.T, b *bench) {
	c := customer.Customer{
		WorkspaceID: storetest.Ours, Key: "k-1", KeyedAt: storetest.Start, CreatedAt: storetest.Start,
		UpdatedAt: storetest.Start,
	}
	second := c
	second.Key = "k-2"
	write := func(fn func(context.Context, payout.Tx) error) error { return b.pay(t.Context(), fn) }
	storetest.OK(t, write(func(ctx context.Context, tx payout.Tx) error {
		return errors.Join(tx.InsertPartnerCustomer(ctx, c), tx.InsertPartnerCustomer(ctx, second))
	}))
	got, err := b.payout().PartnerCustomer(t.Context(), storetest.Ours)
	storetest.OK(t, err)
	storetest.Equal(t, "customer", got, c)
	_, err = b.payout().PartnerCustomer(t.Context(), storetest.Theirs)
	storetest.Missing(t, "Partner customer", err)
	c.CustomerID, c.Status, c.UpdatedAt = "cust-1", fiat.CustomerActive, storetest.Start.Add(time.Hour)
	update := func(c customer.Customer, key string) error {
		return write(func(ctx context.Context, tx payout.Tx) error { return tx.UpdatePartnerCustomer(ctx, c, key) })
	}
	storetest.Equal(t, "under another key", errors.Is(update(c, "k-2"), record.ErrStale), true)
	storetest.OK(t, update(c, "k-1"))
	other := c
	other.CustomerID = "cust-2"
	storetest.Equal(t, "another customer", errors.Is(update(other, "k-1"), record.ErrStale), true)
	storetest.OK(t, update(c, "k-1"))
	got, err = b.payout().PartnerCustomer(t.Context(), storetest.Ours)
	storetest.OK(t, err)
	storetest.Equal(t, "customer", got, c)
}

// A restored recipient's accounts wait, but for those that are archived or refused; none waits less than before.
func testBankAccountsCool(t *testing.T, b *bench) {
	until, now := storetest.Start.Add(48*time.Hour), storetest.Start.Add(time.Minute)
	due, later, archived, refused, another := bankAccount(storetest.Ours, "b-1"), bankAccount(storetest.Ours, "b-2"),
		bankAccount(storetest.Ours, "b-3"), bankAccount(storetest.Ours, "b-4"), bankAccount(storetest.Ours, "b-5")
	later.PayableAt = until.Add(time.Hour)
	archived.Active, refused.Registration, another.RecipientID = false, account.Closed, "r-2"
	b.bankAccounts(t, due, later, archived, refused, another, bankAccount(storetest.Theirs, "b-1"))
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		ids, err := tx.CoolBankAccounts(ctx, storetest.Ours, "r-1", until, now)
		slices.Sort(ids)
		storetest.Equal(t, "accounts that wait", ids, []string{"b-1", "b-2"})
		return err
	}))
	due.PayableAt, due.ConfirmedBy, due.Version, due.UpdatedAt = until, "", 2, now
	later.ConfirmedBy, later.Version, later.UpdatedAt = "", 2, now
	theirs := bankAccount(storetest.Theirs, "b-1")
	for _, want := range []account.Account{due, later, archived, refused, another, theirs} {
		got, err := b.payout().BankAccount(t.Context(), want.WorkspaceID, want.ID)
		storetest.OK(t, err)
		storetest.Equal(t, "account "+want.ID, got, want)
	}
}
