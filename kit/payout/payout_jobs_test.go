package payout_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/record"
)

// ready is an order whose deposit is final, and whose money the partner has.
func (r *rig) ready(wallet string) (withdraw.Address, order.Order) {
	r.t.Helper()
	a := r.address(wallet)
	o := r.come(a, "t1", "100000000")
	r.desk.receives(100_000_000)
	return a, o
}

// unsure advances an order while the partner does not answer.
func (r *rig) unsure(id string) {
	r.t.Helper()
	if _, err := r.Payments.Advance(r.t.Context(), ws, id); err == nil {
		r.t.Error("the partner was not there, and nobody said so")
	}
}

// J3: the partner takes a payout and its answer is lost, or the call before it is.
// It is asked again with the same key, and by the reference once that is old.
func TestPayout_J3_NoSecondPayout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what   string
		breaks []breakage
		wait   time.Duration
	}{
		{"nothing arrived", []breakage{{fiat.ErrUnavailable, false}}, 0},
		{"the answer was lost", []breakage{{fiat.ErrUnavailable, true}}, 0},
		{"and was no answer after that", []breakage{{context.DeadlineExceeded, true}, {fiat.ErrAnswer, true}}, 0},
		{"and the key is forgotten", []breakage{{fiat.ErrUnavailable, true}}, 25 * time.Hour},
		{"nothing arrived, and the key is old", []breakage{{fiat.ErrUnavailable, false}}, 25 * time.Hour},
	} {
		r := newRig(t)
		_, o := r.ready("wallet")
		r.desk.breaks("CreateTransfer", c.breaks...)
		for range c.breaks {
			r.unsure(o.ID)
		}
		key := r.order(o.ID).PayoutKey()
		r.clock.move(c.wait)
		o, again := r.advance(o.ID)
		if c.wait > 0 && o.Status != order.PaymentSubmitted { // it never had it: another attempt
			if again <= 0 || o.Attempt != 1 {
				t.Errorf("%s: again in %v, attempt %d", c.what, again, o.Attempt)
			}
			o, _ = r.advance(o.ID)
		}
		r.want(c.what, o, order.PaymentSubmitted)
		if r.desk.paid() != 1 || c.wait == 0 && o.PayoutKey() != key {
			t.Errorf("%s: %d payouts", c.what, r.desk.paid())
		}
	}
}

// J2: workers of one order meet at the row; the partner hears one key.
func TestPayout_J2_ManyWorkers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, o := r.ready("wallet")
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			if _, err := r.Payments.Advance(t.Context(), ws, o.ID); err != nil && !errors.Is(err, record.ErrStale) {
				t.Error(err)
			}
		})
	}
	workers.Wait()
	o = r.order(o.ID)
	r.want("after all", o, order.PaymentSubmitted)
	if r.desk.paid() != 1 || o.Version != 4 {
		t.Errorf("%d payouts, version %d", r.desk.paid(), o.Version)
	}
}

// A refusal that may pass is tried again after growing waits, each time under another key. A busy partner is asked
// again under the same key.
func TestPayout_NotNow(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, o := r.ready("wallet")
	r.desk.breaks(
		"CreateTransfer", breakage{fiat.ErrInsufficient, false}, breakage{&fiat.Busy{After: 7 * time.Second}, false},
		breakage{fiat.ErrNotFound, false},
	)
	var keys []string
	for i, want := range []time.Duration{2 * time.Second, 7 * time.Second, 4 * time.Second} {
		var again time.Duration
		o, again = r.advance(o.ID)
		if o.Status != order.FundsReceived || o.Paying != (i == 1) || again != want || o.Failure == nil {
			t.Errorf("try %d: %+v, again in %v", i+1, o, again)
		}
		keys = append(keys, o.PayoutKey())
	}
	o, _ = r.advance(o.ID)
	r.want("then", o, order.PaymentSubmitted)
	if slices.Sort(keys); len(slices.Compact(keys)) != 2 || r.desk.paid() != 1 {
		t.Errorf("keys %v, %d payouts", keys, r.desk.paid())
	}
}

// A refused payout is refunded to the return address, through lost answers and delays of the partner.
func TestPayout_RefusedAndRefunded(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, o := r.ready("wallet")
	r.desk.breaks(
		"CreateTransfer", breakage{&fiat.Refusal{Code: "invalid_account"}, false}, breakage{fiat.ErrBusy, false},
		breakage{fiat.ErrUnavailable, true},
	)
	o, again := r.advance(o.ID)
	r.want("refused", o, order.Returned)
	if o.Refund == nil ||
		o.Refund.Status != order.RefundPending || !strings.HasPrefix(o.Refund.Reference, "RFD-") || again <= 0 {
		t.Fatalf("%+v, again in %v", o.Refund, again)
	}
	r.unsure(o.ID)
	o, _ = r.advance(o.ID)
	if o.Refund.Status != order.RefundSubmitted || o.Refund.Attempt != 1 {
		t.Errorf("%+v", o.Refund)
	}
	r.desk.moves(fiat.TransferProcessed, 0)
	o, _ = r.advance(o.ID)
	if o.Refund.Status != order.RefundCompleted || o.Refund.Hash == "" || r.desk.paid() != 1 {
		t.Errorf("%+v", o.Refund)
	}
	if sent := r.desk.transfers[r.desk.orders[0]]; sent.ToAddress != o.ReturnAddress ||
		sent.Source.Minor != 100_000_000 {
		t.Errorf("%+v", sent)
	}
	if d := r.drain(r.address(""), "t1"); d.Status != "refunded" || d.Failure.Code != "invalid_account" {
		t.Errorf("%+v", d)
	}
	r.has(ledger.Chain("base"), money.USDC, 0)
	r.has(ledger.Order(o.ID), money.USDC, 0)
	r.sums()
}

// S5: without a return address nothing goes back: the money lies at the address.
// S4: from there a new quote sends it again.
func TestPayout_S4_S5_HeldAndSentAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a, o := r.ready("")
	o, _ = r.advance(o.ID)
	r.desk.moves(fiat.TransferProcessed, 0)
	o, _ = r.advance(o.ID)
	r.want("paid", o, order.Completed)
	r.clock.move(72 * time.Hour)
	r.desk.moves(fiat.TransferReturned, 0)
	if o, again := r.advance(o.ID); o.Status != order.Completed || again <= 0 {
		t.Errorf("on its way back: %s, again in %v", o.Status, again)
	}
	r.desk.moves(fiat.TransferRefunded, 99_250_000)
	o, _ = r.advance(o.ID)
	r.want("the bank sent it back", o, order.Error)
	if o.Failure.ReturnCode != "03" || o.Refund != nil {
		t.Errorf("%+v", o)
	}
	r.has(ledger.Held(a.ID), money.USDC, 99_250_000)
	again := r.quoted(a, 99_000_000)
	r.apply(again, order.Event{Kind: order.Funded, By: order.User, At: r.clock.Now()})
	again, _ = r.advance(again.ID)
	r.want("sent again", again, order.PaymentSubmitted)
	r.desk.moves(fiat.TransferProcessed, 0)
	again, _ = r.advance(again.ID)
	r.want("paid again", again, order.Completed)
	r.has(ledger.Held(a.ID), money.USDC, 250_000)
	r.sums()
}

// S10: the partner may skip what it has not said yet, and repeat what it has.
func TestPayout_S10_SkippedStates(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, o := r.ready("wallet")
	r.desk.lie = func(t *fiat.Transfer) { t.State, t.TrackingKey = fiat.TransferProcessed, "K" }
	o, _ = r.advance(o.ID)
	r.want("done at once", o, order.Completed)
	r.desk.lie = func(t *fiat.Transfer) { t.State = fiat.TransferSubmitted }
	o, _ = r.advance(o.ID)
	r.want("an old state", o, order.Completed)
	if got := r.kinds(o.ID); len(got) != 5 {
		t.Errorf("%v", got)
	}
}

// J4: an order that fails each time stops no other one.
func TestPayout_J4_PoisonOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a, bad := r.ready("wallet")
	good := r.come(a, "t2", "50000000")
	r.desk.receives(50_000_000)
	r.desk.breaks("CreateTransfer", breakage{errors.New("a bug"), false})
	r.unsure(bad.ID)
	good, _ = r.advance(good.ID)
	r.want("the other one", good, order.PaymentSubmitted)
}

// J5: a clock that jumps delays, and does nothing twice.
func TestPayout_J5_ClockJumps(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a, o := r.ready("wallet")
	waiting := r.quote(a, 30_000_001, 10*time.Minute)
	r.clock.move(-time.Hour)
	o, _ = r.advance(o.ID)
	r.want("an hour back", o, order.PaymentSubmitted)
	if w, _ := r.advance(waiting.ID); w.Status != order.Awaiting {
		t.Errorf("a quote ended early: %s", w.Status)
	}
	r.clock.move(2 * time.Hour)
	r.desk.moves(fiat.TransferProcessed, 0)
	o, _ = r.advance(o.ID)
	r.want("an hour ahead", o, order.Completed)
	if err := r.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r.desk.paid() != 1 {
		t.Errorf("%d payouts", r.desk.paid())
	}
	r.sums()
}
