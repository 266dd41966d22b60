package payout_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/auth"
)

// Who opens a gate has what waits at it looked at, with the same commit.
func TestPayout_OpenGates(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.address("wallet")
	o := r.come(a, "t1", "100000000")
	r.desk.receives(100_000_000)
	ana, account := r.recipient, r.account
	ada := call()
	ada.Principal.Kind, ada.Principal.ID = auth.BySession, "ada"
	row := func(change func(*payout.BankAccount)) {
		now, err := r.store.BankAccount(t.Context(), ws, account.ID)
		if err != nil {
			t.Fatal(err)
		}
		change(&now)
		r.write(func(ctx context.Context, tx payout.Tx) error { return tx.UpdateBankAccount(ctx, now) })
	}
	status := func(s payout.RecipientStatus) error {
		_, err := r.SetRecipientStatus(t.Context(), call(), ana.ID, payout.RecipientStatusInput{Status: s})
		return err
	}
	active := func(is bool) error {
		_, err := r.UpdateBankAccount(t.Context(), call(), ana.ID, account.ID, payout.BankAccountChange{IsActive: &is})
		return err
	}
	for _, c := range []struct {
		hold string
		shut func()
		open func() error
	}{
		{"recipient_archived", func() { _ = status(payout.RecipientArchived) }, func() error { return status(payout.RecipientActive) }},
		{"bank_account_archived", func() { row(func(a *payout.BankAccount) { a.Active = false }) }, func() error { return active(true) }},
		{"bank_account_pending", func() { row(func(a *payout.BankAccount) { a.Registration = payout.AccountPending }) }, func() error {
			return r.AccountChanged(t.Context(), account.PartnerID)
		}},
		{"bank_account_cooling", func() { row(func(a *payout.BankAccount) { a.PayableAt = r.clock.Now().Add(time.Hour) }) }, func() error {
			ada.Principal.LoggedInAt = r.clock.Now()
			now, err := r.store.BankAccount(t.Context(), ws, account.ID)
			if err != nil {
				return err
			}
			_, err = r.ConfirmBankAccount(t.Context(), ada, ana.ID, account.ID, payout.BankAccountConfirm{UpdatedAt: now.View().UpdatedAt})
			return err
		}},
	} {
		c.shut()
		if held, _ := r.advance(o.ID); held.Hold != c.hold {
			t.Errorf("%q, want %q", held.Hold, c.hold)
		}
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

// What shuts a gate while the partner is asked what it has comes before the payout.
func TestPayout_GateShutsMeanwhile(t *testing.T) {
	t.Parallel()
	for hold, shut := range map[string]func(*rig){
		"recipient_archived": func(r *rig) {
			if _, err := r.SetRecipientStatus(t.Context(), call(), r.recipient.ID, payout.RecipientStatusInput{Status: payout.RecipientArchived}); err != nil {
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
