package payout_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/operator"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
)

// forgets makes the partner answer "not found" to so many reads, by id and by reference.
func (d *till) forgets(times int) {
	for range times {
		d.breaks("Transfer", breakage{err: fiat.ErrNotFound})
		d.breaks("TransferOf", breakage{err: fiat.ErrNotFound})
	}
}

// stopped is an order whose payout is stalled at the partner; the money is in the wallet again.
func (r *rig) stopped(state fiat.TransferState) order.Order {
	r.t.Helper()
	_, o := r.ready("wallet")
	o, _ = r.advance(o.ID)
	r.want("submitted", o, order.PaymentSubmitted)
	r.desk.moves(state, 0)
	r.desk.receives(100_000_000)
	o, _ = r.advance(o.ID)
	r.want("it stands", o, order.PaymentSubmitted)
	r.stuck(string(state))
	return o
}

// An operator has a stalled payout made again: once, under another key.
func TestPayout_RetryPayout(t *testing.T) {
	t.Parallel()
	for _, state := range []fiat.TransferState{fiat.TransferCanceled, fiat.TransferError} {
		r := newRig(t)
		o := r.stopped(state)
		key := o.PayoutKey()
		if o, again := r.advance(o.ID); r.desk.paid() != 1 || again <= 0 || o.Wish != "" {
			t.Errorf("by itself: %d payouts, again in %v", r.desk.paid(), again)
		}
		r.jobsRan()
		before := r.jobs("payout_order")
		if _, err := r.Operator.RetryPayout(t.Context(), byOperator(), o.Reference); err != nil ||
			r.jobs("payout_order") != before+1 {
			t.Fatal(err)
		}
		o, _ = r.advance(o.ID)
		r.want("once more", o, order.PaymentSubmitted)
		if r.desk.paid() != 2 || o.PayoutKey() == key || o.Delay != "" {
			t.Errorf("%d payouts, %+v", r.desk.paid(), o)
		}
		r.desk.moves(fiat.TransferProcessed, 0)
		o, _ = r.advance(o.ID)
		r.want("paid", o, order.Completed)
		r.has(ledger.FeesPlatform, money.USDC, 250_000)
		r.has(ledger.Order(o.ID), money.USDC, 0)
		r.sums()
		if _, err := r.Operator.RetryPayout(t.Context(), byOperator(), o.ID); !errors.Is(err, operator.ErrNotStuck) {
			t.Errorf("of one that is paid: %v", err)
		}
	}
}

// The partner continues a payout after the operator's decision: its later answer counts.
func TestPayout_GoesOnMeanwhile(t *testing.T) {
	t.Parallel()
	for _, state := range []fiat.TransferState{fiat.TransferProcessed, fiat.TransferSubmitted} {
		r := newRig(t)
		o := r.stopped(fiat.TransferError)
		if _, err := r.Operator.RetryPayout(t.Context(), byOperator(), o.ID); err != nil {
			t.Fatal(err)
		}
		r.desk.moves(state, 0)
		o, _ = r.advance(o.ID)
		if o.Wish != "" ||
			o.Delay != "" || r.desk.paid() != 1 || (o.Status == order.Completed) != (state == fiat.TransferProcessed) {
			t.Errorf("%s: %+v, %d payouts", state, o, r.desk.paid())
		}
		r.stuck("")
	}
}

// A payout whose money is not in the wallet again is not made again: the order waits in review.
func TestPayout_RetryWithoutTheMoney(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a, o := r.ready("wallet")
	o, _ = r.advance(o.ID)
	r.desk.moves(fiat.TransferCanceled, 0)
	r.advance(o.ID)
	if _, err := r.Operator.RetryPayout(t.Context(), byOperator(), o.ID); err != nil {
		t.Fatal(err)
	}
	r.advance(o.ID)
	r.clock.move(11 * time.Minute)
	o, _ = r.advance(o.ID)
	if r.desk.paid() != 1 || o.Hold != "partner_balance" || r.desk.wallets[a.PartnerWalletID] != 0 {
		t.Errorf("%+v, %d payouts", o, r.desk.paid())
	}
}

// An operator gives a stalled payout back: all of it, with the fees. The same for one that the partner no longer
// knows.
func TestPayout_GiveBackWhatStands(t *testing.T) {
	t.Parallel()
	for _, lost := range []bool{false, true} {
		r := newRig(t)
		_, o := r.ready("wallet")
		o, _ = r.advance(o.ID)
		r.desk.receives(100_000_000)
		if lost {
			r.desk.forgets(4)
		} else {
			r.desk.moves(fiat.TransferCanceled, 0)
		}
		if _, err := r.Operator.GiveBack(t.Context(), byOperator(), o.ID); !errors.Is(err, operator.ErrNotStuck) {
			t.Errorf("before anything is known: %v", err)
		}
		if o, again := r.advance(o.ID); o.Delay == "" || again <= 0 {
			t.Errorf("%+v, again in %v", o, again)
		}
		if _, err := r.Operator.GiveBack(t.Context(), byOperator(), o.ID); err != nil {
			t.Fatal(err)
		}
		o, _ = r.advance(o.ID)
		if o.Status != order.Returned ||
			o.Refund.Status != order.RefundSubmitted || o.Refund.Amount.Minor != 100_000_000 {
			t.Errorf("%s, %+v", o.Status, o.Refund)
		}
		r.desk.moves(fiat.TransferProcessed, 0)
		o, _ = r.advance(o.ID)
		r.has(ledger.Order(o.ID), money.USDC, 0)
		r.has(ledger.FeesPlatform, money.USDC, 0)
		r.has(ledger.Partner, money.USDC, 0)
		r.has(ledger.Chain("base"), money.USDC, 0)
		r.sums()
	}
}

// A stalled refund is reported. An operator has it sent again, once the partner confirms that it is stalled.
func TestPayout_RefundStands(t *testing.T) {
	t.Parallel()
	for _, then := range []fiat.TransferState{fiat.TransferError, fiat.TransferProcessed} {
		r := newRig(t)
		_, o := r.ready("wallet")
		r.desk.breaks("CreateTransfer", breakage{&fiat.Refusal{Code: "invalid_account"}, false})
		o, _ = r.advance(o.ID)
		r.desk.moves(fiat.TransferError, 0)
		o, _ = r.advance(o.ID)
		r.want("it stands", o, order.Error)
		if r.stuck("invalid_account"); o.Refund.Status != order.RefundSubmitted || o.Refund.Reason != "error" {
			t.Errorf("%+v", o.Refund)
		}
		key := o.RefundKey()
		if _, err := r.Operator.RetryRefund(t.Context(), byOperator(), o.ID); err != nil {
			t.Fatal(err)
		}
		r.desk.receives(100_000_000)
		r.desk.moves(then, 0)
		o, _ = r.advance(o.ID)
		want := 2
		if then == fiat.TransferProcessed {
			want = 1
		} else if o.RefundKey() == key || o.Refund.Status != order.RefundSubmitted {
			t.Errorf("again: %+v", o.Refund)
		}
		r.desk.moves(fiat.TransferProcessed, 0)
		o, _ = r.advance(o.ID)
		if o.Status != order.Returned ||
			o.Refund.Status != order.RefundCompleted || r.desk.paid() != want || o.Refund.Reason != "" {
			t.Errorf("%s: %+v, %d transfers", then, o.Refund, r.desk.paid())
		}
		r.has(ledger.Order(o.ID), money.USDC, 0)
		r.has(ledger.Chain("base"), money.USDC, 0)
		r.sums()
	}
}

// A stalled refund that the partner completes after all is completed.
func TestPayout_RefundStoodAndWentOn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, o := r.ready("wallet")
	r.desk.breaks("CreateTransfer", breakage{&fiat.Refusal{Code: "invalid_account"}, false})
	o, _ = r.advance(o.ID)
	r.desk.forgets(2)
	o, _ = r.advance(o.ID)
	if o.Status != order.Error || o.Refund.Reason != "partner_lost" {
		t.Errorf("%s %+v", o.Status, o.Refund)
	}
	r.desk.moves(fiat.TransferProcessed, 0)
	o, _ = r.advance(o.ID)
	if o.Status != order.Returned || o.Refund.Status != order.RefundCompleted {
		t.Errorf("%s %+v", o.Status, o.Refund)
	}
	r.sums()
}

// After ten refusals the order is held for an operator, and the partner is asked less often.
func TestPayout_RefusedTooOften(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, o := r.ready("wallet")
	r.desk.breaks("CreateTransfer", slices.Repeat([]breakage{{fiat.ErrInsufficient, false}}, 21)...)
	var again time.Duration
	for range 11 {
		o, again = r.advance(o.ID)
		r.clock.move(again)
	}
	if o.Hold != "partner_refuses" || o.Attempt != 10 || again != time.Hour {
		t.Fatalf("%s, hold %q, %d attempts, again in %v", o.Status, o.Hold, o.Attempt, again)
	}
	if o, again = r.advance(o.ID); o.Attempt != 11 {
		t.Errorf("an hour later: %d attempts", o.Attempt)
	}
	r.clock.move(again)
	r.advance(o.ID)
	r.stuck("partner_refuses")
	if _, err := r.Operator.GiveBack(t.Context(), byOperator(), o.ID); err != nil {
		t.Fatal(err)
	}
	for range 11 {
		o, again = r.advance(o.ID)
		r.clock.move(max(0, again))
	}
	if o.Status != order.Error || o.Refund.Reason != "partner_refuses" || o.Refund.Attempt != 10 {
		t.Errorf("%s, %+v", o.Status, o.Refund)
	}
	if _, err := r.Operator.RetryRefund(t.Context(), byOperator(), o.ID); err != nil {
		t.Fatal(err)
	}
	o, _ = r.advance(o.ID)
	if o.Refund.Status != order.RefundSubmitted {
		t.Errorf("mended: %+v", o.Refund)
	}
	r.sums()
}

// The longer nothing changes, the less often the partner is asked.
func TestPayout_AsksLessOften(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, o := r.ready("wallet")
	o, _ = r.advance(o.ID)
	for _, c := range []struct{ after, again time.Duration }{
		{0, time.Second}, {time.Minute, 5 * time.Second}, {10 * time.Minute, time.Minute},
		{2 * time.Hour, 10 * time.Minute}, {48 * time.Hour, 6 * time.Hour},
	} {
		r.clock.move(c.after)
		if _, again := r.advance(o.ID); again != c.again {
			t.Errorf("after %v: again in %v", c.after, again)
		}
	}
}

// An order whose partner does not answer is listed for the operator.
func TestPayout_NoAnswerIsListed(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, o := r.ready("wallet")
	r.desk.breaks("CreateTransfer", breakage{fiat.ErrUnavailable, false})
	r.unsure(o.ID)
	r.stuck("")
	r.clock.move(11 * time.Minute)
	if all, _, _, err := r.Operator.Stuck(t.Context(), ws, pageOf(9)); err != nil || len(all) != 1 || !all[0].Paying {
		t.Errorf("%+v, %v", all, err)
	}
}

// The partner's rate is compared with the one that it told before. Before the payout a rate outside of the band holds
// the order. After it the money has left: the order completes, with a label.
func TestPayout_RateBand(t *testing.T) {
	t.Parallel()
	for sell, label := range map[string]string{"17.50": "", "17.48": "off_rate ", "19.33": "off_rate "} {
		r := newRig(t)
		_, o := r.ready("wallet")
		r.desk.breaks("CreateTransfer", breakage{fiat.ErrUnavailable, false})
		r.unsure(o.ID)
		r.desk.sell = sell // and the partner converts at that
		o, _ = r.advance(o.ID)
		r.desk.moves(fiat.TransferProcessed, 0)
		o, _ = r.advance(o.ID)
		r.want("paid", o, order.Completed)
		if labels(o) != label {
			t.Errorf("at %s: %q", sell, labels(o))
		}
		r.sums()
	}
	r := newRig(t)
	_, o := r.ready("wallet")
	r.desk.middle = "19.50"
	o, again := r.advance(o.ID)
	if o.Hold != "rate_off" || again <= 0 || r.desk.paid() != 0 {
		t.Errorf("%+v, again in %v", o, again)
	}
	r.stuck("rate_off")
	r.desk.middle = ""
	r.clock.move(2 * time.Second)
	o, _ = r.advance(o.ID)
	r.want("back in the band", o, order.PaymentSubmitted)
}

// One "not found" of the partner does not count: the payout is looked up by reference too.
func TestPayout_NotFoundOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	o := r.stopped(fiat.TransferError)
	if _, err := r.Operator.RetryPayout(t.Context(), byOperator(), o.ID); err != nil {
		t.Fatal(err)
	}
	r.desk.moves(fiat.TransferProcessed, 0) // and that is paid
	r.desk.breaks("Transfer", breakage{err: fiat.ErrNotFound})
	o, _ = r.advance(o.ID)
	if r.desk.paid() != 1 || o.Status != order.Completed {
		t.Errorf("%s, %d payouts", o.Status, r.desk.paid())
	}
	r.sums()
}

// The partner continues a payout that an operator gave up: neither a new attempt nor a refund is made, also if another
// deposit in the wallet would cover both.
func TestPayout_GoesOnAfterItWasGivenUp(t *testing.T) {
	t.Parallel()
	for _, back := range []bool{false, true} {
		r := newRig(t)
		a, o := r.ready("wallet")
		o, _ = r.advance(o.ID)
		r.desk.moves(fiat.TransferCanceled, 0)
		r.advance(o.ID)
		give := r.Operator.RetryPayout
		if back {
			give = r.Operator.GiveBack
		}
		if _, err := give(t.Context(), byOperator(), o.ID); err != nil {
			t.Fatal(err)
		}
		o, _ = r.advance(o.ID)
		r.come(a, "t2", "100000000")
		r.desk.receives(100_000_000) // the second's, and no more
		if o, _ = r.advance(o.ID); r.desk.paid() != 1 {
			t.Errorf("with another's money: %+v, %d transfers", o, r.desk.paid())
		}
		r.desk.moves(fiat.TransferProcessed, 0)
		r.desk.receives(100_000_000)
		if o, _ = r.advance(o.ID); r.desk.paid() != 1 ||
			!back && o.Hold != "earlier_payout" || back && o.Refund.Reason != "earlier_payout" {
			t.Errorf("%+v, %+v, %d transfers", o, o.Refund, r.desk.paid())
		}
		r.lists(o.ID)
		r.sums()
	}
}

// lists wants an order to be listed.
func (r *rig) lists(id string) {
	r.t.Helper()
	all, _, _, err := r.Operator.Stuck(r.t.Context(), ws, pageOf(9))
	if err != nil || !slices.ContainsFunc(all, func(o order.Order) bool { return o.ID == id }) {
		r.t.Errorf("it is not listed: %+v, %v", all, err)
	}
}
