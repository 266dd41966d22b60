package payout_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/customer"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/vault"
	"github.com/railkit/railkit/rest"
)

// overtakenAccounts is a database in which somebody else writes a bank account after it was
// read and before what was read is written back.
type overtakenAccounts struct {
	account.Store
	by func(account.Account)
}

func (s overtakenAccounts) BankAccount(ctx context.Context, workspaceID, id string) (account.Account, error) {
	a, err := s.Store.BankAccount(ctx, workspaceID, id)
	if err == nil {
		s.by(a)
	}
	return a, err
}

// newVault is a vault with a key of its own.
func newVault(t testing.TB) *vault.Vault {
	t.Helper()
	key, err := vault.NewSandboxKey()
	if err != nil {
		t.Fatal(err)
	}
	v, err := vault.Parse(key, false)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Notices of the partner have a bank account looked at, and written, while it is edited:
// the edit is tried again by itself, and not for ever.
func TestPayout_BankAccountEditedDuringNotices(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	notices := 0
	db := r.store.Stores()
	db.Accounts = overtakenAccounts{db.Accounts, func(a account.Account) {
		if notices--; notices < 0 {
			return
		}
		if err := r.Accounts.Noticed(t.Context(), a.PartnerID); err != nil {
			t.Error(err)
		}
	}}
	s := payout.New(payout.Config{
		Stores: db, Partner: r.desk, Workspaces: r, Vault: newVault(t), Clock: r.clock,
		Log: slog.New(slog.DiscardHandler),
	})
	if _, err := s.Accounts.Create(t.Context(), call(), r.recipient.ID, rest.BankAccountRequest{
		Currency: "usd", AccountNumber: "1234567890", RoutingNumber: "111000025", AccountType: "checking",
	}); err != nil {
		t.Fatal(err)
	}
	all, _, err := r.store.BankAccounts(
		t.Context(), account.Filter{WorkspaceID: ws, RecipientIDs: []string{r.recipient.ID}, Page: pageOf(9)},
	)
	if err != nil {
		t.Fatal(err)
	}
	acct := all[slices.IndexFunc(all, func(a account.Account) bool { return a.Currency == money.USD })]
	for i, routing := range []string{"011000015", "111000025", "021000021"} {
		notices = i * 4
		in := rest.BankAccountChange{RoutingNumber: &routing}
		if _, err := s.Accounts.Update(t.Context(), call(), r.recipient.ID, acct.ID, in); err != nil {
			t.Errorf("overtaken %d times: %v", i*4, err)
		}
		now, err := r.store.BankAccount(t.Context(), ws, acct.ID)
		if err != nil || now.Shown.RoutingNumber != routing || now.Wanted != "" {
			t.Errorf("%+v, %v", now, err)
		}
	}
	notices = 1000
	routing := "111000025"
	_, err = s.Accounts.Update(
		t.Context(), call(), r.recipient.ID, acct.ID, rest.BankAccountChange{RoutingNumber: &routing},
	)
	if f, is := fault.As(err); !is || !errors.Is(f, customer.ErrRegistering) || notices < 900 {
		t.Errorf("%v after %d looks", err, 1000-notices)
	}
}
