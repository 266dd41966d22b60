package payout_test

import (
	"fmt"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/watch"
	"github.com/railkit/railkit/platform/workspace"
)

// 61 USDC wait in review. While the server is down a reorg mines their transaction
// again with another amount, and the watcher, told to read again, writes the drop and
// what came instead at once: the job meets only the second. The order is not paid 61,
// and not by itself at all.
func TestPayout_S6_FinalAndAnotherAmount(t *testing.T) {
	t.Parallel()
	for what, now := range map[string]struct {
		amount string
		state  watch.State
	}{
		"less":               {"54000000", watch.Final},
		"more":               {"68000000", watch.Final},
		"too little to pay":  {"500000", watch.Final},
		"uncountable":        {"99999999999999999999999999", watch.Final},
		"less, not yet deep": {"54000000", watch.Seen},
		"same, not yet deep": {"61000000", watch.Seen},
	} {
		for _, asked := range []bool{true, false} { // the job that hears of it runs, or comes too late
			r := newRig(t)
			a := r.address("wallet")
			r.allow(workspace.KYBPending, auth.Payout)
			o := r.come(a, "t1", "61000000")
			r.desk.receives(61_000_000)
			o, _ = r.advance(o.ID)
			r.want("held", o, order.InReview)
			r.arrive(a, "t1", now.amount, now.state)
			if asked {
				r.take("t1")
			}
			r.allow(workspace.KYBApproved, auth.Payout)
			o, _ = r.advance(o.ID)
			r.want(what, o, order.InReview)
			if o.Hold != "deposit_vanished" || r.desk.paid() != 0 || !o.Lost() {
				t.Errorf("%s: hold %q, %d payouts", what, o.Hold, r.desk.paid())
			}
			r.has(ledger.Held(a.ID), money.USDC, 0)
			r.has(ledger.Chain("base"), money.USDC, -61_000_000)
			if _, err := r.Operator.GiveBack(t.Context(), byOperator(), o.ID); err == nil {
				t.Errorf("%s: what is not there is given back", what)
			}
			if now.amount == "61000000" {
				r.arrive(a, "t1", now.amount, watch.Final)
				r.take("t1")
				o, _ = r.advance(o.ID)
				r.want("deep again", o, order.PaymentSubmitted)
			}
			r.sums()
		}
	}
}

// An operator drops what is not there any more: the order takes in what came instead.
func TestPayout_S6_AnotherAmountIsDropped(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.address("wallet")
	o := r.come(a, "t1", "61000000")
	r.desk.receives(54_000_000)
	r.arrive(a, "t1", "54000000", watch.Final)
	r.take("t1")
	if _, err := r.Operator.DropDeposit(t.Context(), byOperator(), o.ID); err != nil {
		t.Fatal(err)
	}
	r.take("t1")
	o, _ = r.advance(o.ID)
	r.want("what came instead", o, order.PaymentSubmitted)
	if o.Terms.Gross.Minor != 54_000_000 || r.desk.paid() != 1 {
		t.Errorf("%s, %d payouts", o.Terms.Gross, r.desk.paid())
	}
	r.has(ledger.Chain("base"), money.USDC, -54_000_000)
	r.sums()
}

// The refund of a deposit whose amount changed is not sent either.
func TestPayout_S6_AnotherAmountIsNotRefunded(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.address("wallet")
	r.allow(workspace.KYBRejected, auth.Payout)
	o := r.come(a, "t1", "61000000")
	r.desk.receives(61_000_000)
	r.advance(o.ID)
	if _, err := r.Operator.GiveBack(t.Context(), byOperator(), o.ID); err != nil {
		t.Fatal(err)
	}
	r.arrive(a, "t1", "54000000", watch.Final)
	o, _ = r.advance(o.ID)
	if o.Status != order.Error || o.Refund.Reason != "deposit_vanished" || r.desk.paid() != 0 {
		t.Errorf("%s, %+v, %d transfers", o.Status, o.Refund, r.desk.paid())
	}
	r.sums()
}

// Whatever a chain does to a deposit, and whenever the jobs run, with the watcher's
// writes missed or not: when the partner takes a payout, what is paid is what the
// watcher last wrote, and final.
func TestPayout_S6_PaidIsWhatIsThere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.address("wallet")
	r.desk.receives(1 << 40)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		id := fmt.Sprintf("t%d", n)
		r.arrive(a, id, "61000000", rapid.SampledFrom([]watch.State{watch.Seen, watch.Final}).Draw(rt, "first"))
		r.take(id)
		o, paid := r.orderOf(id), r.desk.paid()
		for range rapid.IntRange(1, 8).Draw(rt, "acts") {
			switch rapid.IntRange(0, 4).Draw(rt, "act") {
			case 0, 1:
				r.arrive(a, id, rapid.SampledFrom([]string{"61000000", "54000000", "500000"}).Draw(rt, "amount"),
					rapid.SampledFrom([]watch.State{watch.Seen, watch.Final, watch.Dropped}).Draw(rt, "state"))
			case 2:
				r.take(id)
			case 3:
				r.allow(
					rapid.SampledFrom([]string{workspace.KYBApproved, workspace.KYBRejected}).Draw(rt, "kyb"),
					auth.Payout,
				)
			default:
				r.paysWhatIsThere(rt, id, o.ID)
			}
		}
		r.allow(workspace.KYBApproved, auth.Payout)
		r.paysWhatIsThere(rt, id, o.ID)
		if r.desk.paid() > paid+1 {
			rt.Errorf("%d payouts", r.desk.paid()-paid)
		}
	})
	r.sums()
}

// paysWhatIsThere advances an order, and compares what is paid with what arrived.
func (r *rig) paysWhatIsThere(t *rapid.T, transfer, id string) {
	before := r.desk.paid()
	o, _ := r.advance(id)
	if r.desk.paid() == before {
		return
	}
	now, _ := r.sees.Transfer(r.t.Context(), ws, transfer)
	if now.State != watch.Final || now.Amount != strconv.FormatInt(o.Terms.Gross.Minor, 10) {
		t.Errorf("%d were paid for %s, which is %s", o.Terms.Gross.Minor, now.Amount, now.State)
	}
}
