package storetest

import (
	"context"
	"errors"
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
)

var bankAccountTests = map[string]func(*testing.T, *bench){
	"BankAccounts":        testBankAccounts,
	"BankAccountOnce":     testBankAccountOnce,
	"BankAccountVersions": testBankAccountVersions,
	"BankAccountsWaiting": testBankAccountsWaiting,
	"PartnerCustomer":     testPartnerCustomer,
}

func bankAccount(ws, id string) account.Account {
	return account.Account{
		WorkspaceID: ws, ID: id, RecipientID: "r-1", Currency: money.USD, Rail: fiat.Wire, Country: "US", BankName: "First",
		Address: fiat.Address{Street: "S", City: "C", State: "TX", PostalCode: "1", Country: "US"},
		Shown:   account.Shown{LastFour: "7890", RoutingNumber: "111000025", AccountType: "checking", SortCode: "1", BIC: "b", LegalName: "Ana"},
		Sealed:  "v1.k.sealed", Fingerprint: "f-" + id, Wanted: "v1.k.wanted", Registration: account.Provisioning, Reason: "none",
		Active: true, Origin: "o", PartnerKey: "k-" + id, KeyedAt: start, PartnerID: "", TriedAt: start.Add(time.Second),
		PayableAt: start.Add(24 * time.Hour), ConfirmedBy: "m", Version: 1, CreatedAt: start, UpdatedAt: start,
	}
}

func (b *bench) bankAccounts(t *testing.T, all ...account.Account) {
	t.Helper()
	ok(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
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
	want := bankAccount(ours, "a-1")
	later, other, archived := bankAccount(ours, "a-2"), bankAccount(ours, "a-3"), bankAccount(ours, "a-4")
	later.CreatedAt, other.RecipientID, archived.Active = start.Add(time.Second), "r-2", false
	b.bankAccounts(t, want, later, other, archived, bankAccount(theirs, "a-1"))
	got, err := b.payout().BankAccount(t.Context(), ours, "a-1")
	ok(t, err)
	equal(t, "bank account", got, want)
	_, err = b.payout().BankAccount(t.Context(), theirs, "a-2")
	missing(t, "Bank account", err)
	for _, c := range []struct {
		f     account.Filter
		want  []string
		total int
	}{
		{account.Filter{RecipientIDs: []string{"r-1"}, Page: page.Page{Limit: 9}}, []string{"a-2", "a-1"}, 2},
		{account.Filter{RecipientIDs: []string{"r-1"}, Archived: true, Page: page.Page{Limit: 9}}, []string{"a-2", "a-4", "a-1"}, 3},
		{account.Filter{RecipientIDs: []string{"r-1", "r-2"}, Page: page.Page{Limit: 1, Offset: 1}}, []string{"a-3"}, 3},
		{account.Filter{RecipientIDs: []string{"r-1"}, Page: page.Page{Limit: 9, After: &page.Cursor{CreatedAt: later.CreatedAt, ID: "a-2"}}}, []string{"a-1"}, 2},
	} {
		c.f.WorkspaceID = ours
		rows, total, err := b.payout().BankAccounts(t.Context(), c.f)
		ok(t, err)
		equal(t, "page", ids(rows, accountID), c.want)
		equal(t, "in all", total, c.total)
	}
}

// A recipient has a number once, however many ask at once; a rejected one frees it.
func testBankAccountOnce(t *testing.T, b *bench) {
	insert := func(a account.Account) error {
		return b.pay(context.Background(), func(ctx context.Context, tx payout.Tx) error { return tx.InsertBankAccount(ctx, a) })
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	made := []string{}
	for i := range 8 {
		wg.Go(func() {
			a := bankAccount(ours, string(rune('a'+i)))
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
	equal(t, "made", len(made), 1)
	got, err := b.payout().BankAccountByFingerprint(t.Context(), ours, "r-1", "one")
	ok(t, err)
	equal(t, "by its number", got.ID, made[0])
	got.Registration = account.Rejected
	ok(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error { return tx.UpdateBankAccount(ctx, got) }))
	_, err = b.payout().BankAccountByFingerprint(t.Context(), ours, "r-1", "one")
	missing(t, "Bank account", err)
	again, foreign := bankAccount(ours, "z"), bankAccount(ours, "y")
	again.Fingerprint, foreign.Fingerprint, foreign.RecipientID = "one", "one", "r-2"
	ok(t, insert(again))
	ok(t, insert(foreign))
}

// A change is of one version; the next one is of the next.
func testBankAccountVersions(t *testing.T, b *bench) {
	a := bankAccount(ours, "a-1")
	b.bankAccounts(t, a, bankAccount(ours, "a-2"))
	change := func(fn func(context.Context, payout.Tx) error) error { return b.pay(t.Context(), fn) }
	a.Registration, a.PartnerID, a.Wanted, a.Reason, a.Active = account.Active, "ext-1", "", "r", false
	a.Sealed, a.Fingerprint, a.PartnerKey, a.ConfirmedBy = "s", "f", "k", ""
	a.KeyedAt, a.TriedAt, a.PayableAt, a.UpdatedAt = start.Add(1e9), time.Time{}, start, start.Add(2e9)
	a.Shown, a.Address = account.Shown{LastFour: "1"}, fiat.Address{Street: "T", City: "D", Country: "MX"}
	ok(t, change(func(ctx context.Context, tx payout.Tx) error {
		n, err := tx.CountUsable(ctx, ours, "r-1")
		equal(t, "usable", n, 2)
		return all(err, tx.UpdateBankAccount(ctx, a))
	}))
	stale := change(func(ctx context.Context, tx payout.Tx) error { return tx.UpdateBankAccount(ctx, a) })
	equal(t, "the same version again", errors.Is(stale, record.ErrStale), true)
	a.Version = 2
	got, err := b.payout().BankAccountByPartner(t.Context(), "ext-1")
	ok(t, err)
	equal(t, "by the partner's id", got, a)
	_, err = b.payout().BankAccountByPartner(t.Context(), "ext-2")
	missing(t, "Bank account", err)
	ok(t, change(func(ctx context.Context, tx payout.Tx) error {
		held, err := tx.HoldBankAccount(ctx, ours, "a-1")
		equal(t, "held", held, a)
		_, foreign := tx.HoldBankAccount(ctx, theirs, "a-1")
		missing(t, "Bank account", foreign)
		n, counted := tx.CountUsable(ctx, ours, "r-1")
		equal(t, "usable", n, 1)
		old := a
		old.Version = 1
		equal(t, "deleting an old version", errors.Is(tx.DeleteBankAccount(ctx, old), record.ErrStale), true)
		return all(err, counted, tx.DeleteBankAccount(ctx, a))
	}))
	_, err = b.payout().BankAccount(t.Context(), ours, "a-1")
	missing(t, "Bank account", err)
}

func testBankAccountsWaiting(t *testing.T, b *bench) {
	row := func(id string, r account.Registration, wanted string, tried time.Duration) account.Account {
		a := bankAccount(ours, id)
		a.Registration, a.Wanted, a.TriedAt = r, wanted, start.Add(tried)
		return a
	}
	b.bankAccounts(t, row("asked", account.Provisioning, "", 3*time.Second), row("pending", account.Pending, "", time.Second),
		row("changing", account.Active, "w", 2*time.Second), row("active", account.Active, "", 0), row("rejected", account.Rejected, "", 0))
	for before, want := range map[time.Duration][]string{
		time.Second: {}, 2 * time.Second: {"pending"}, time.Minute: {"pending", "changing", "asked"},
	} {
		rows, err := b.payout().WaitingBankAccounts(t.Context(), start.Add(before), 9)
		ok(t, err)
		equal(t, "waiting", ids(rows, accountID), want)
	}
	rows, err := b.payout().WaitingBankAccounts(t.Context(), start.Add(time.Minute), 1)
	ok(t, err)
	equal(t, "the longest", ids(rows, accountID), []string{"pending"})
}

// A workspace is one customer: the second insert is none, and who has another key
// or customer changes nothing.
func testPartnerCustomer(t *testing.T, b *bench) {
	c := customer.Customer{WorkspaceID: ours, Key: "k-1", KeyedAt: start, CreatedAt: start, UpdatedAt: start}
	second := c
	second.Key = "k-2"
	write := func(fn func(context.Context, payout.Tx) error) error { return b.pay(t.Context(), fn) }
	ok(t, write(func(ctx context.Context, tx payout.Tx) error {
		return all(tx.InsertPartnerCustomer(ctx, c), tx.InsertPartnerCustomer(ctx, second))
	}))
	got, err := b.payout().PartnerCustomer(t.Context(), ours)
	ok(t, err)
	equal(t, "customer", got, c)
	_, err = b.payout().PartnerCustomer(t.Context(), theirs)
	missing(t, "Partner customer", err)
	c.CustomerID, c.Status, c.UpdatedAt = "cust-1", fiat.CustomerActive, start.Add(time.Hour)
	update := func(c customer.Customer, key string) error {
		return write(func(ctx context.Context, tx payout.Tx) error { return tx.UpdatePartnerCustomer(ctx, c, key) })
	}
	equal(t, "under another key", errors.Is(update(c, "k-2"), record.ErrStale), true)
	ok(t, update(c, "k-1"))
	other := c
	other.CustomerID = "cust-2"
	equal(t, "another customer", errors.Is(update(other, "k-1"), record.ErrStale), true)
	ok(t, update(c, "k-1"))
	got, err = b.payout().PartnerCustomer(t.Context(), ours)
	ok(t, err)
	equal(t, "customer", got, c)
}
