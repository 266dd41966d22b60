package payout_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
)

// The call that ends a hold enqueues jobs for the held orders, in the same commit.
func TestPayout_ClearedHoldResumes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.address("wallet")
	o := r.come(a, "t1", "100000000")
	r.desk.receives(100_000_000)
	ana, acct := r.recipient, r.account
	ada := call()
	ada.Principal.Kind, ada.Principal.ID = auth.BySession, "ada"
	row := func(change func(*account.Account)) {
		now, err := r.store.BankAccount(t.Context(), ws, acct.ID)
		if err != nil {
			t.Fatal(err)
		}
		change(&now)
		r.write(func(ctx context.Context, tx payout.Tx) error { return tx.UpdateBankAccount(ctx, now) })
	}
	status := func(s recipient.Status) error {
		_, err := r.Recipients.SetStatus(t.Context(), call(), ana.ID, rest.RecipientStatusRequest{Status: string(s)})
		return err
	}
	active := func(is bool) error {
		_, err := r.Accounts.Update(t.Context(), call(), ana.ID, acct.ID, rest.BankAccountChange{IsActive: &is})
		return err
	}
	for _, c := range []struct {
		hold string
		shut func()
		open func() error
	}{
		{"recipient_archived", func() {
			_ = status(recipient.Archived)
		}, func() error { return status(recipient.Active) }},
		{"bank_account_archived", func() {
			row(func(a *account.Account) { a.Active = false })
		}, func() error { return active(true) }},
		{"bank_account_pending", func() {
			row(func(a *account.Account) { a.Registration = account.Pending })
		}, func() error {
			return r.Accounts.Noticed(t.Context(), acct.PartnerID)
		}},
		{"bank_account_cooling", func() {
			row(func(a *account.Account) { a.PayableAt = r.clock.Now().Add(time.Hour) })
		}, func() error {
			ada.Principal.LoggedInAt = r.clock.Now()
			now, err := r.store.BankAccount(t.Context(), ws, acct.ID)
			if err != nil {
				return err
			}
			_, err = r.Accounts.Confirm(
				t.Context(), ada, ana.ID, acct.ID, rest.BankAccountConfirm{UpdatedAt: now.View().UpdatedAt},
			)
			return err
		}},
	} {
		c.shut()
		if held, _ := r.advance(o.ID); held.Hold != c.hold {
			t.Errorf("%q, want %q", held.Hold, c.hold)
		}
		r.jobsRan()
		before := r.jobs("payout_order")
		if err := c.open(); err != nil {
			t.Fatal(err)
		}
		if n := r.jobs("payout_order"); n != before+1 {
			t.Errorf("%s: %d jobs after %d", c.hold, n, before)
		}
	}
	o, _ = r.advance(o.ID)
	r.want("all gates are open", o, order.PaymentSubmitted)
}

// A hold that begins while the partner is asked for its balance stops the payout.
func TestPayout_HoldAppearsBeforePayout(t *testing.T) {
	t.Parallel()
	for hold, shut := range map[string]func(*rig){
		"recipient_archived": func(r *rig) {
			if _, err := r.Recipients.SetStatus(
				t.Context(), call(), r.recipient.ID, rest.RecipientStatusRequest{Status: string(recipient.Archived)},
			); err != nil {
				t.Error(err)
			}
		},
		"bank_account_cooling": func(r *rig) {
			now, err := r.store.BankAccount(t.Context(), ws, r.account.ID)
			now.PayableAt = r.clock.Now().Add(time.Hour)
			if err != nil {
				t.Error(err)
			}
			r.write(func(ctx context.Context, tx payout.Tx) error { return tx.UpdateBankAccount(ctx, now) })
		},
	} {
		r := newRig(t)
		_, o := r.ready("wallet")
		once := sync.OnceFunc(func() { shut(r) })
		r.desk.meanwhile = once
		o, _ = r.advance(o.ID)
		r.want(hold, o, order.InReview)
		if o.Hold != hold || r.desk.paid() != 0 {
			t.Errorf("%s, %d payouts", o.Hold, r.desk.paid())
		}
	}
}
