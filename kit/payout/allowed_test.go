package payout_test

import (
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/workspace"
)

// forbidden are the ways in which a workspace may not pay out, and the reason that
// its orders tell.
var forbidden = map[string]func(*rig){
	"verification_incomplete": func(r *rig) { r.allow(workspace.KYBRejected, auth.Payout) },
	"module_inactive":         func(r *rig) { r.allow(workspace.KYBApproved, auth.Signing) },
}

// What arrives while a workspace may not pay out waits in review, with the reason, and
// is paid by itself when it may again.
func TestPayout_ForbiddenDepositWaits(t *testing.T) {
	t.Parallel()
	for why, forbid := range forbidden {
		for what, arrive := range map[string]func(*rig) order.Order{
			"deposit before": func(r *rig) order.Order { _, o := r.ready("wallet"); forbid(r); return o },
			"deposit after":  func(r *rig) order.Order { forbid(r); _, o := r.ready("wallet"); return o },
			"quote before":   func(r *rig) order.Order { return quotedThen(r, forbid) },
			"status withdrawn": func(r *rig) order.Order {
				_, o := r.ready("wallet")
				forbid(r)
				if why == "verification_incomplete" {
					r.allow(workspace.KYBPending, auth.Payout)
				}
				return o
			},
		} {
			r := newRig(t)
			o := arrive(r)
			o, again := r.advance(o.ID)
			r.want(what, o, order.InReview)
			if o.Hold != why || again <= 0 || again > time.Minute || r.desk.paid() != 0 {
				t.Errorf("%s: hold %q, want %q; again in %v, %d payouts", what, o.Hold, why, again, r.desk.paid())
			}
			r.allow(workspace.KYBApproved, auth.Payout)
			o, _ = r.advance(o.ID)
			r.want(what+", and allowed", o, order.PaymentSubmitted)
			if r.desk.paid() != 1 {
				t.Errorf("%s: %d payouts", what, r.desk.paid())
			}
			r.sums()
		}
	}
}

// quotedThen is an order of a quote whose deposit comes after the workspace was stopped.
func quotedThen(r *rig, forbid func(*rig)) order.Order {
	a := r.address("wallet")
	o := r.quote(a, 100_000_000, time.Hour)
	forbid(r)
	r.come(a, "t1", "100000000")
	r.desk.receives(100_000_000)
	return r.order(o.ID)
}

// What waits so can be given back by an operator, and that is not held.
func TestPayout_ForbiddenDepositIsGivenBack(t *testing.T) {
	t.Parallel()
	for why, forbid := range forbidden {
		r := newRig(t)
		a, o := r.ready("wallet")
		forbid(r)
		r.advance(o.ID)
		if _, err := r.Operator.GiveBack(t.Context(), byOperator(), o.ID); err != nil {
			t.Fatal(err)
		}
		o, _ = r.advance(o.ID)
		if o.Status != order.Returned || o.Refund.Status != order.RefundSubmitted ||
			o.Failure.Code != why || r.desk.wallets[a.PartnerWalletID] != 0 {
			t.Errorf("%s, refund %+v, failure %+v", o.Status, o.Refund, o.Failure)
		}
		r.sums()
	}
}

// The workspace is stopped while a worker is about to pay, or while the partner cannot
// be reached: what the partner has not is not asked for any more.
func TestPayout_ForbiddenWhileItIsPaid(t *testing.T) {
	t.Parallel()
	for why, forbid := range forbidden {
		r := newRig(t)
		_, o := r.ready("wallet")
		r.desk.breaks("CreateTransfer", breakage{fiat.ErrUnavailable, false})
		r.unsure(o.ID)
		forbid(r)
		o, again := r.advance(o.ID)
		if !o.Paying || again <= 0 || r.desk.paid() != 0 {
			t.Errorf("%+v, again in %v, %d payouts: a call may still be under way", o, again, r.desk.paid())
		}
		r.clock.move(6 * time.Minute)
		r.advance(o.ID)
		o, _ = r.advance(o.ID)
		r.want("no call is under way", o, order.InReview)
		if o.Hold != why || o.Paying || r.desk.paid() != 0 {
			t.Errorf("%+v, %d payouts", o, r.desk.paid())
		}
		r.allow(workspace.KYBApproved, auth.Payout)
		o, _ = r.advance(o.ID)
		r.want("allowed again", o, order.PaymentSubmitted)
		if r.desk.paid() != 1 {
			t.Errorf("%d payouts", r.desk.paid())
		}
		r.sums()

		r = newRig(t)
		_, o = r.ready("wallet")
		r.desk.meanwhile = func() { forbid(r) }
		if o, _ = r.advance(o.ID); r.desk.paid() != 0 {
			t.Errorf("stopped just before the partner is asked: %+v, %d payouts", o, r.desk.paid())
		}
	}
}

// What the partner has taken goes on, also where its answer was lost.
func TestPayout_ForbiddenAfterItWasPaid(t *testing.T) {
	t.Parallel()
	for _, forbid := range forbidden {
		r := newRig(t)
		_, o := r.ready("wallet")
		r.desk.breaks("CreateTransfer", breakage{fiat.ErrUnavailable, true})
		r.unsure(o.ID)
		forbid(r)
		o, _ = r.advance(o.ID)
		r.want("the partner has it", o, order.PaymentSubmitted)
		r.desk.moves(fiat.TransferProcessed, 0)
		o, _ = r.advance(o.ID)
		r.want("paid", o, order.Completed)
		if r.desk.paid() != 1 {
			t.Errorf("%d payouts", r.desk.paid())
		}
		r.sums()
	}
}
