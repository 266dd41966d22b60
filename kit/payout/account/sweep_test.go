package account

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/customer"
	"github.com/railkit/railkit/platform/command"
)

// shelf keeps bank accounts, and lists those that wait as the store does: whom the partner was asked about longest ago
// first. Everything else of a store is not asked for.
type shelf struct {
	Store
	Tx
	rows map[string]Account
}

func (s *shelf) WaitingBankAccounts(_ context.Context, before time.Time, most int) (all []Account, _ error) {
	for _, a := range s.rows {
		if a.Registration == Pending && a.TriedAt.Before(before) {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, func(a, b Account) int {
		return cmp.Or(a.TriedAt.Compare(b.TriedAt), cmp.Compare(a.ID, b.ID))
	})
	return all[:min(len(all), most)], nil
}

func (s *shelf) Work(ctx context.Context, _ string, fn func(context.Context, Tx) (command.Audit, error)) error {
	_, err := fn(ctx, s)
	return err
}

func (s *shelf) UpdateBankAccount(_ context.Context, a Account) error {
	s.rows[a.ID] = a
	return nil
}

// customers are one business, which the partner knows.
type customers struct{ customer.Store }

func (customers) PartnerCustomer(context.Context, string) (customer.Customer, error) {
	return customer.Customer{CustomerID: "c", Status: fiat.CustomerActive}, nil
}

// broken is a partner that fails for one account, for good.
type broken struct {
	fiat.Partner
	asked map[string]int
}

func (b *broken) Account(_ context.Context, _, id string) (fiat.Account, error) {
	b.asked[id]++
	if id == "at-a" {
		return fiat.Account{}, fiat.ErrUnavailable
	}
	return fiat.Account{ID: id, State: fiat.AccountPending}, nil
}

// The partner answers for one account with an error, always: the others are asked about all the same.
func TestPayout_SweepOfAccountsGoesOnPastOne(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	at := clock.Func(func() time.Time { return now })
	s, b := &shelf{rows: map[string]Account{}}, &broken{asked: map[string]int{}}
	for i, id := range []string{"a", "b", "c", "d"} {
		tried := now.Add(time.Duration(i) * time.Second)
		s.rows[id] = Account{
			ID: id, PartnerID: "at-" + id, Registration: Pending, CreatedAt: now, TriedAt: tried, UpdatedAt: tried,
		}
	}
	accounts := New(Config{
		Store: s, Partner: b, Customers: customer.New(customers{}, b, nil, at), Clock: at,
		Log: slog.New(slog.DiscardHandler),
	})
	for range 10 {
		now = now.Add(10 * time.Minute)
		if err := accounts.Sweep(t.Context()); err != nil && !errors.Is(err, fiat.ErrLater) {
			t.Fatal(err)
		}
	}
	for id, want := range map[string]int{"at-a": 1, "at-b": 3, "at-c": 3, "at-d": 3} {
		if b.asked[id] < want {
			t.Errorf("%s: asked %d times", id, b.asked[id])
		}
	}
}
