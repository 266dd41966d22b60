package payout_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/operator"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/command"
)

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

// A partner that lies is not believed: the order stays, and a person is told.
func TestPayout_Lies(t *testing.T) {
	t.Parallel()
	for what, lie := range map[string]func(*fiat.Transfer){
		"less":              func(t *fiat.Transfer) { t.Destination.Minor-- },
		"more":              func(t *fiat.Transfer) { t.Destination.Minor++ },
		"another currency":  func(t *fiat.Transfer) { t.Destination.Currency = money.USD },
		"another account":   func(t *fiat.Transfer) { t.AccountID = "theirs" },
		"another reference": func(t *fiat.Transfer) { t.Reference = "OFR-1" },
		"another transfer":  func(t *fiat.Transfer) { t.ID = "other" },
		"another fee":       func(t *fiat.Transfer) { t.Fee.Minor++ },
	} {
		r := newRig(t)
		_, o := r.ready("wallet")
		o, _ = r.advance(o.ID)
		r.desk.moves(fiat.TransferProcessed, 0)
		r.desk.lie = lie
		for range 3 {
			var again time.Duration
			if o, again = r.advance(o.ID); o.Status != order.PaymentSubmitted ||
				o.Delay != "partner_mismatch" || again <= 0 {
				t.Errorf("%s: %s, delay %q, again in %v", what, o.Status, o.Delay, again)
			}
		}
		if !strings.Contains(r.log.String(), "the partner's answer does not fit") {
			t.Errorf("%s: nobody is told", what)
		}
		r.desk.lie = nil
		o, _ = r.advance(o.ID)
		r.want(what+", and then the truth", o, order.Completed)
		r.sums()
	}
	r := newRig(t)
	_, o := r.ready("wallet")
	r.desk.lie = func(t *fiat.Transfer) { t.Source.Minor++ }
	if o, again := r.advance(o.ID); !o.Paying || again <= 0 {
		t.Errorf("a lie at once: %+v", o)
	}
	r.desk.lie = nil
	o, _ = r.advance(o.ID)
	r.want("and then the truth", o, order.PaymentSubmitted)
}

// A partner that leaves the rate out, or counts what it took in cents, has paid.
func TestPayout_RoughAnswers(t *testing.T) {
	t.Parallel()
	for name, rough := range map[string]func(*fiat.Transfer){
		"no rate": func(x *fiat.Transfer) { x.Rate = money.Rate{} },
		"a unit":  func(x *fiat.Transfer) { x.Source.Minor-- },
		"a cent":  func(x *fiat.Transfer) { x.Source.Minor += 10_000 },
	} {
		r := newRig(t)
		a := r.address("wallet")
		o := r.quote(a, 100_000_000, time.Hour)
		r.come(a, "t1", "100000000")
		r.desk.receives(100_000_000)
		o, _ = r.advance(o.ID)
		r.desk.moves(fiat.TransferProcessed, 0)
		r.desk.lie = rough
		o, _ = r.advance(o.ID)
		r.want(name, o, order.Completed)
		if !o.Payout.Taken.IsZero() && o.Payout.Converted != o.Payout.Taken {
			t.Errorf("%s: booked %v, taken %v", name, o.Payout.Converted, o.Payout.Taken)
		}
		r.sums()
	}
}

// A partner that told a wrong id once, and knows the transfer by our reference, has the transfer: the order goes on
// with the id that the partner knows. It does not where anything else of it is wrong, or where the name is another's.
func TestPayout_WrongIDInOneAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what  string
		wrong func(*rig) string // the id that was told
		also  func(*fiat.Transfer)
	}{
		{"an id that it does not know", mistyped, nil},
		{"the id of another's transfer", (*rig).strange, nil},
		{"and another account", mistyped, func(t *fiat.Transfer) { t.AccountID = "theirs" }},
	} {
		r := newRig(t)
		_, o := r.ready("wallet")
		told := c.wrong(r)
		r.desk.lie = func(t *fiat.Transfer) { t.ID = told }
		o, _ = r.advance(o.ID)
		if r.desk.lie = c.also; o.Payout.TransferID != told {
			t.Fatalf("%s: %+v", c.what, o.Payout)
		}
		r.desk.moves(fiat.TransferProcessed, 0)
		o, _ = r.advance(o.ID)
		if c.also != nil {
			r.want(c.what, o, order.PaymentSubmitted)
			continue
		}
		r.want(c.what, o, order.Completed)
		if o.Payout.TransferID == told || r.desk.paid() != len(r.desk.orders) {
			t.Errorf("%s: %+v", c.what, o.Payout)
		}
		_, id, err := r.store.OrderOf(t.Context(), order.ClaimPayout, o.Payout.TransferID)
		if err != nil || id != o.ID {
			t.Errorf("%s: it is %q's, %v", c.what, id, err)
		}
		r.sums()
	}
}

// mistyped is an id that the partner does not know.
func mistyped(*rig) string { return "mistyped" }

// strange is the id of a transfer that the partner made for somebody else.
func (r *rig) strange() string {
	r.desk.mu.Lock()
	defer r.desk.mu.Unlock()
	r.desk.transfers["theirs"] = &fiat.Transfer{
		ID: "theirs", Reference: "OFR-20260101-AAAA:1", Source: money.Of(1, money.USDC), State: fiat.TransferFunded,
	}
	return "theirs"
}

// So with refunds.
func TestPayout_WrongIDOfARefund(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, o := r.ready("wallet")
	r.desk.breaks("CreateTransfer", breakage{&fiat.Refusal{Code: "invalid_account"}, false})
	r.desk.lie = func(t *fiat.Transfer) { t.ID = "mistyped" }
	o, _ = r.advance(o.ID)
	if r.desk.lie = nil; o.Refund == nil || o.Refund.TransferID != "mistyped" {
		t.Fatalf("%s, %+v", o.Status, o.Refund)
	}
	r.desk.moves(fiat.TransferProcessed, 0)
	o, _ = r.advance(o.ID)
	if o.Refund.Status != order.RefundCompleted || o.Refund.TransferID == "mistyped" || r.desk.paid() != 1 {
		t.Errorf("%s, %+v", o.Status, o.Refund)
	}
	r.sums()
}

// What the partner answers never fits: an operator ends the order, with what became of the money.
func TestPayout_OperatorEndsAMismatch(t *testing.T) {
	t.Parallel()
	type end = func(
		*operator.Service, context.Context, *command.Command, string, operator.Decision,
	) (command.Answer, error)
	for what, c := range map[string]struct {
		do       end
		status   order.Status
		suspense int64
	}{
		"it was paid":        {(*operator.Service).AcceptTransfer, order.Completed, 0},
		"it is settled else": {(*operator.Service).WriteOffTransfer, order.Error, 100_000_000},
	} {
		for _, at := range []string{"asked", "taken"} {
			r := newRig(t)
			_, o := r.ready("wallet")
			wrong := func(t *fiat.Transfer) { t.Fee.Minor++ }
			if at == "asked" {
				r.desk.lie = wrong
			}
			o, _ = r.advance(o.ID)
			r.desk.lie = wrong
			o, _ = r.advance(o.ID)
			if at == "asked" != o.Paying {
				t.Fatalf("%s, %s: %+v", what, at, o)
			}
			if _, err := c.do(r.Operator, t.Context(), byOperator(), o.ID, operator.Decision{}); err == nil {
				t.Errorf("%s, %s: nobody answers for it", what, at)
			}
			if _, err := c.do(r.Operator, t.Context(), byOperator(), o.ID, decided); err != nil {
				t.Fatalf("%s, %s: %v", what, at, err)
			}
			o = r.order(o.ID)
			r.want(what+", "+at, o, c.status)
			r.has(ledger.Suspense, money.USDC, c.suspense)
			r.has(ledger.Order(o.ID), money.USDC, 0)
			r.sums()
			if r.alarms() > 0 {
				t.Errorf("%s, %s: the books differ", what, at)
			}
			_, err := c.do(r.Operator, t.Context(), byOperator(), o.ID, decided)
			if !errors.Is(err, operator.ErrNotStuck) {
				t.Errorf("%s, %s, twice: %v", what, at, err)
			}
		}
	}
}
