package payout_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/operator"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/reconcile"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/watch"
)

// becomes has the kit take in what became of the transfer of a hundred dollars.
func (r *rig) becomes(a withdraw.Address, states ...watch.State) order.Order {
	r.t.Helper()
	for _, state := range states {
		r.arrive(a, "t1", "100000000", state)
		r.take("t1")
	}
	return r.orderOf("t1")
}

// alarms counts the deposits that the books miss.
func (r *rig) alarms() (n int) {
	r.t.Helper()
	all, err := reconcile.NewBooks(r.store, r.clock, slog.New(slog.DiscardHandler)).Reconcile(r.t.Context(), ws)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, d := range all[0].Differences {
		if d.Check != "deposit" || !strings.Contains(d.About, "OFR-") || d.Want != "100.00 USDC" {
			r.t.Errorf("%+v", d)
		}
		n++
	}
	return n
}

// What was final and is gone again is not paid, whatever the partner credits. It is
// paid by itself, once, when it is there again.
func TestPayout_S6_FinalAndGone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a, _ := r.ready("wallet")
	o := r.becomes(a, watch.Dropped, watch.Dropped, watch.Seen)
	r.want("gone", o, order.InReview)
	r.stuck("deposit_vanished")
	if o, again := r.advance(o.ID); o.Status != order.InReview || again != 0 || r.desk.paid() != 0 {
		t.Errorf("%+v, again in %v, %d payouts", o, again, r.desk.paid())
	}
	if !strings.Contains(r.log.String(), "a final deposit is not on the chain any more") || r.alarms() != 1 {
		t.Error("nobody is told")
	}
	if d := r.drain(a, "t1"); d.Status != "in_review" {
		t.Errorf("%+v", d)
	}
	if _, err := r.Operator.GiveBack(t.Context(), byOperator(), o.ID); !errors.Is(err, operator.ErrGone) {
		t.Errorf("what is not there is given back: %v", err)
	}
	r.arrive(a, "t1", "90000000", watch.Final) // another amount is another deposit: for a person
	r.take("t1")
	r.want("less", r.order(o.ID), order.InReview)
	r.jobsRan()
	before := r.jobs("payout_order")
	r.want("there again", r.becomes(a, watch.Dropped, watch.Seen, watch.Final, watch.Final), order.FundsReceived)
	if r.jobs("payout_order") != before+1 || r.alarms() != 0 {
		t.Errorf("nobody goes on: %d jobs, %d alarms", r.jobs("payout_order")-before, r.alarms())
	}
	o, _ = r.advance(o.ID)
	r.want("paid", o, order.PaymentSubmitted)
	if r.desk.paid() != 1 {
		t.Errorf("%d payouts", r.desk.paid())
	}
	r.sums()
}

// It goes while a worker is about to pay: the worker comes second.
func TestPayout_S6_GoneWhileItIsPaid(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a, o := r.ready("wallet")
	r.desk.meanwhile = func() {
		r.desk.meanwhile = nil
		r.becomes(a, watch.Dropped)
	}
	o, _ = r.advance(o.ID)
	if o.Hold != "deposit_vanished" || r.desk.paid() != 0 {
		t.Errorf("%+v, %d payouts", o, r.desk.paid())
	}
	r.sums()
}

// What was paid is told until the deposit is there again, or somebody takes the loss.
func TestPayout_S6_GoneAfterItWasPaid(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a, o := r.ready("wallet")
	o, _ = r.advance(o.ID)
	o = r.becomes(a, watch.Dropped)
	r.want("under way", o, order.PaymentSubmitted)
	r.desk.moves(fiat.TransferProcessed, 0)
	o, _ = r.advance(o.ID)
	r.want("paid", o, order.Completed)
	if !o.Lost() || r.alarms() != 1 {
		t.Errorf("%+v, %d alarms", o.Deposit, r.alarms())
	}
	for _, operate := range []func() error{
		func() error { _, err := r.Operator.CoverDeposit(t.Context(), byOperator(), o.Reference); return err },
		func() error { r.becomes(a, watch.Final); return nil },
	} {
		if err := operate(); err != nil || r.alarms() != 0 {
			t.Errorf("%v, %d alarms", err, r.alarms())
		}
	}
	r.has(ledger.Suspense, money.USDC, 0)
	r.has(ledger.Chain("base"), money.USDC, -100_000_000)
	if _, err := r.Operator.CoverDeposit(t.Context(), byOperator(), o.ID); !errors.Is(err, operator.ErrNotStuck) {
		t.Errorf("nothing is missing: %v", err)
	}
	r.sums()
}

// An operator has it paid all the same, or ends it; and then it may be there again.
func TestPayout_S6_OperatorAndTheGone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a, o := r.ready("wallet")
	r.becomes(a, watch.Dropped)
	if _, err := r.Operator.CoverDeposit(t.Context(), byOperator(), o.ID); err != nil {
		t.Fatal(err)
	}
	r.has(ledger.Suspense, money.USDC, -100_000_000)
	o, _ = r.advance(o.ID)
	r.want("paid all the same", o, order.PaymentSubmitted)
	r.sums()

	r = newRig(t)
	a, o = r.ready("wallet")
	r.becomes(a, watch.Dropped)
	looks := r.jobs("payout_deposit")
	if _, err := r.Operator.DropDeposit(t.Context(), byOperator(), o.ID); err != nil {
		t.Fatal(err)
	}
	r.want("ended", r.order(o.ID), order.Expired)
	if r.jobs("payout_deposit") != looks+1 || r.alarms() != 0 {
		t.Errorf("%d looks, %d alarms", r.jobs("payout_deposit")-looks, r.alarms())
	}
	if d := r.drain(a, "t1"); d.Status != "canceled" || d.Reason != "dropped" {
		t.Errorf("%+v", d)
	}
	if now := r.becomes(a, watch.Final); now.ID != o.ID || now.Status != order.FundsReceived {
		t.Errorf("there again: %+v", now)
	}
	o, _ = r.advance(o.ID)
	r.want("and paid", o, order.PaymentSubmitted)
	r.has(ledger.Held(a.ID), money.USDC, 0)
	r.sums()
}

// A key of ours is as old as the reservation that it was made for, whatever happens
// to the order meanwhile: one that the partner may have forgotten makes nothing.
func TestPayout_S6_KeyIsAsOldAsItsReservation(t *testing.T) {
	t.Parallel()
	for _, refund := range []bool{false, true} {
		r := newRig(t)
		a, o := r.ready("wallet")
		if refund {
			r.desk.breaks("CreateTransfer", breakage{&fiat.Refusal{Code: "invalid_account"}, false})
		}
		r.desk.breaks("CreateTransfer", breakage{fiat.ErrUnavailable, true})
		r.unsure(o.ID)
		r.clock.move(19 * time.Hour)
		r.becomes(a, watch.Dropped, watch.Final)
		r.clock.move(6 * time.Hour)
		r.desk.forgetsKeys()
		r.desk.receives(100_000_000) // another's
		o, _ = r.advance(o.ID)
		if r.desk.paid() != 1 ||
			o.Status != order.PaymentSubmitted && !refund || refund && o.Refund.Status != order.RefundSubmitted {
			t.Errorf("refund %v: %s, %+v, %d transfers", refund, o.Status, o.Refund, r.desk.paid())
		}
		r.sums()
	}
}

// What was reserved, and never reached the partner, is not made any more when the
// deposit is gone: it is only looked for, and ends when no call can be under way.
func TestPayout_S6_GoneBeforeThePartnerWasAsked(t *testing.T) {
	t.Parallel()
	for _, refund := range []bool{false, true} {
		r := newRig(t)
		a, o := r.ready("wallet")
		if refund {
			r.desk.breaks("CreateTransfer", breakage{&fiat.Refusal{Code: "invalid_account"}, false})
		}
		r.desk.breaks("CreateTransfer", breakage{fiat.ErrBusy, false})
		r.advance(o.ID)
		r.becomes(a, watch.Dropped)
		o, again := r.advance(o.ID)
		if asking := o.Paying || refund && o.Refund.Paying; !asking || again <= 0 || r.desk.paid() != 0 {
			t.Errorf("refund %v: %+v, again in %v, %d transfers", refund, o, again, r.desk.paid())
		}
		r.clock.move(6 * time.Minute)
		o, _ = r.advance(o.ID)
		if o.Paying || !refund && o.Hold != order.HoldVanished ||
			refund && o.Refund.Reason != order.HoldVanished || r.desk.paid() != 0 {
			t.Errorf("refund %v: %+v, %d transfers", refund, o, r.desk.paid())
		}
		r.becomes(a, watch.Final)
		if o, _ = r.advance(o.ID); r.desk.paid() != 1 {
			t.Errorf("there again: %+v, %d transfers", o, r.desk.paid())
		}
		r.sums()
	}
}

// A deposit that is gone is not paid with the money of another one at its address.
func TestPayout_S6_PaysNotFromAnotherDeposit(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.address("wallet")
	gone, there := r.come(a, "t1", "100000000"), r.come(a, "t2", "100000000")
	r.desk.receives(100_000_000) // the second's
	r.becomes(a, watch.Dropped)
	gone, _ = r.advance(gone.ID)
	r.want("gone", gone, order.InReview)
	there, _ = r.advance(there.ID)
	r.want("there", there, order.PaymentSubmitted)
	r.becomes(a, watch.Final)
	r.desk.receives(100_000_000)
	gone, _ = r.advance(gone.ID)
	r.want("there again", gone, order.PaymentSubmitted)
	r.has(ledger.Order(gone.ID), money.USDC, 0)
	r.sums()
}

// The job that was to say that it is gone is lost: the sweeper finds that.
func TestPayout_S6_GoneAndTheJobIsLost(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a, _ := r.ready("wallet")
	r.clock.move(time.Minute)
	if err := r.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := r.jobs("payout_deposit")
	r.arrive(a, "t1", "100000000", watch.Dropped)
	r.clock.move(time.Minute)
	if err := r.Sweep(t.Context()); err != nil || r.jobs("payout_deposit") != before+1 {
		t.Errorf("%v, %d jobs", err, r.jobs("payout_deposit")-before)
	}
}

// A very deep reorg mines another amount: the order that was for the first is ended by
// an operator, and takes the second in.
func TestPayout_S6_GoneAndAnotherAmount(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a, o := r.ready("wallet")
	r.becomes(a, watch.Dropped)
	r.arrive(a, "t1", "90000000", watch.Final)
	r.take("t1")
	r.want("another amount", r.order(o.ID), order.InReview)
	if _, err := r.Operator.DropDeposit(t.Context(), byOperator(), o.ID); err != nil {
		t.Fatal(err)
	}
	r.take("t1")
	if now := r.order(o.ID); now.Status != order.FundsReceived ||
		now.Terms.Gross.Minor != 90_000_000 || !now.Deposit.Final {
		t.Errorf("%+v", now)
	}
	r.has(ledger.Order(o.ID), money.USDC, 90_000_000)
	r.has(ledger.Chain("base"), money.USDC, -90_000_000)
	r.sums()
}
