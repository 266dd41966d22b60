package payout_test

import (
	"errors"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/watch"
)

// A deposit that is gone is not paid with the money of another one at its address.
func TestPayout_S6_TakesNothingOfAnother(t *testing.T) {
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

// An operator gives back what a worker is about to pay: one of them is first, and
// the wallet gives it once.
func TestPayout_GivenBackWhileItIsPaid(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a, o := r.ready("wallet")
	ana := r.recipient
	for _, status := range []recipient.Status{recipient.Archived, recipient.Active} {
		if _, err := r.Recipients.SetStatus(
			t.Context(), call(), ana.ID, recipient.StatusInput{Status: status},
		); err != nil {
			t.Fatal(err)
		}
		if status == recipient.Archived {
			o, _ = r.advance(o.ID)
			r.want("archived", o, order.InReview)
		}
	}
	r.desk.meanwhile = func() {
		r.desk.meanwhile = nil
		if _, err := r.Operator.GiveBack(t.Context(), byOperator(), o.ID); err != nil {
			t.Error(err)
		}
	}
	o, _ = r.advance(o.ID)
	if o.Status != order.Returned || r.desk.paid() != 1 ||
		r.desk.transfers[r.desk.orders[0]].ToAddress == "" || r.desk.wallets[a.PartnerWalletID] != 0 {
		t.Errorf("%s, %d transfers", o.Status, r.desk.paid())
	}
	r.sums()
}

// Two operators and a worker want something of a payout that stands: it is done once.
func TestPayout_TwoWishes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	o := r.stopped(fiat.TransferCanceled)
	if _, err := r.Operator.RetryPayout(t.Context(), byOperator(), o.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Operator.GiveBack(t.Context(), byOperator(), o.ID); err != nil { // on second thoughts
		t.Fatal(err)
	}
	if err := errors.Join(r.audited("order.retry_payout"), r.audited("order.give_back")); err != nil {
		t.Error(err)
	}
	var first, second error
	done := make(chan struct{})
	go func() { _, first = r.Payments.Advance(t.Context(), ws, o.ID); close(done) }()
	_, second = r.Payments.Advance(t.Context(), ws, o.ID)
	<-done
	o = r.order(o.ID)
	if o.Status != order.Returned || r.desk.paid() != 2 || o.Refund.Amount.Minor != 100_000_000 {
		t.Errorf("%v, %v: %s, %+v, %d transfers", first, second, o.Status, o.Refund, r.desk.paid())
	}
	r.sums()
}

// audited wants one row of an action, as of the operator.
func (r *rig) audited(action string) error {
	var n int
	err := r.db.Writer().QueryRow(
		"SELECT COUNT(*) FROM audit WHERE action = $1 AND actor = 'operator'", action,
	).Scan(&n)
	if err == nil && n != 1 {
		err = errors.New("not audited once: " + action)
	}
	return err
}

// A partner that tells of a refund what cannot be is not believed, and a person sees it.
func TestPayout_LiesAboutARefund(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, o := r.ready("wallet")
	r.desk.breaks("CreateTransfer", breakage{&fiat.Refusal{Code: "invalid_account"}, false})
	o, _ = r.advance(o.ID)
	r.desk.moves(fiat.TransferProcessed, 0)
	r.desk.lie = func(t *fiat.Transfer) { t.ToAddress = "0xtheirs" }
	for range 2 {
		var again time.Duration
		if o, again = r.advance(o.ID); o.Status != order.Error || o.Refund.Reason != "partner_mismatch" || again <= 0 {
			t.Errorf("%s, %+v, again in %v", o.Status, o.Refund, again)
		}
	}
	if _, err := r.Operator.RetryRefund(t.Context(), byOperator(), o.ID); err != nil {
		t.Fatal(err)
	}
	if o, _ = r.advance(o.ID); r.desk.paid() != 1 {
		t.Errorf("a lie is paid for twice: %+v", o.Refund)
	}
	r.desk.lie = nil
	o, _ = r.advance(o.ID)
	if o.Status != order.Returned || o.Refund.Status != order.RefundCompleted || r.desk.paid() != 1 {
		t.Errorf("and then the truth: %s, %+v", o.Status, o.Refund)
	}
	r.sums()
}

// Of a quote the recipient gets what was promised; but what the partner says that it
// took for that is believed only where it is what it costs at its own rate.
func TestPayout_LiesAboutAQuotesCost(t *testing.T) {
	t.Parallel()
	for _, minor := range []int64{50_000, -50_000, 50_000_000} {
		r := newRig(t)
		a := r.address("wallet")
		o := r.quote(a, 100_000_000, time.Hour)
		r.come(a, "t1", "100000000")
		r.desk.receives(100_000_000)
		o, _ = r.advance(o.ID)
		r.desk.moves(fiat.TransferProcessed, 0)
		r.desk.lie = func(t *fiat.Transfer) { t.Source.Minor += minor }
		if o, _ = r.advance(o.ID); o.Status != order.PaymentSubmitted || o.Delay != "partner_mismatch" {
			t.Errorf("%d more: %s, delay %q", minor, o.Status, o.Delay)
		}
		r.desk.lie = nil
		o, _ = r.advance(o.ID)
		r.want("and then the truth", o, order.Completed)
		r.sums()
	}
}
