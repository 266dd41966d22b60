package payout_test

import (
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/watch"
	railkit "github.com/railkit/railkit/sdk/go"
)

// nos are what a partner can say to a call that it does not carry out.
var nos = map[string]error{
	"busy": fiat.ErrBusy, "busy for a while": &fiat.Busy{After: time.Second}, "insufficient": fiat.ErrInsufficient,
	"not found": fiat.ErrNotFound, "refused": &fiat.Refusal{Code: "x"}, "key reused": fiat.ErrKeyReused,
}

// What the partner says to one call is about that call: one before it, whose answer
// was lost, may have paid. So there is one payout, and one refund, whatever it says.
func TestPayout_J3_NoAfterALostYes(t *testing.T) {
	t.Parallel()
	for name, no := range nos {
		r := newRig(t)
		_, o := r.ready("wallet")
		r.desk.receives(300_000_000) // others' money, that a second payout would take
		r.desk.breaks("CreateTransfer", breakage{fiat.ErrUnavailable, true}, breakage{no, false})
		r.unsure(o.ID)
		r.advance(o.ID)
		o, _ = r.advance(o.ID)
		r.want(name, o, order.PaymentSubmitted)
		if r.desk.paid() != 1 || o.Attempt != 1 {
			t.Errorf("%s: %d payouts in %d attempts", name, r.desk.paid(), o.Attempt)
		}
	}
}

// The same of a refund.
func TestPayout_J3_NoAfterALostRefund(t *testing.T) {
	t.Parallel()
	for name, no := range nos {
		r := newRig(t)
		_, o := r.ready("wallet")
		r.desk.receives(300_000_000)
		r.desk.breaks(
			"CreateTransfer", breakage{&fiat.Refusal{Code: "invalid_account"}, false},
			breakage{fiat.ErrUnavailable, true}, breakage{no, false},
		)
		r.unsure(o.ID)
		r.advance(o.ID)
		o, _ = r.advance(o.ID)
		r.want(name, o, order.Returned)
		if o.Refund.Status != order.RefundSubmitted || r.desk.paid() != 1 || o.Refund.Attempt != 1 {
			t.Errorf("%s: %d refunds, %+v", name, r.desk.paid(), o.Refund)
		}
	}
}

// Where it cannot be asked either, nothing is decided.
func TestPayout_J3_NoAndNoAnswer(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, o := r.ready("wallet")
	r.desk.breaks("CreateTransfer", breakage{fiat.ErrUnavailable, true}, breakage{&fiat.Refusal{Code: "x"}, false})
	r.desk.breaks("TransferOf", breakage{&fiat.Refusal{Code: "y"}, false})
	r.unsure(o.ID)
	r.unsure(o.ID)
	o, _ = r.advance(o.ID)
	r.want("then", o, order.PaymentSubmitted)
}

// A partner that names one transfer for two payments is asked again once in a while.
func TestPayout_OneTransferForTwo(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a, o := r.ready("wallet")
	first, _ := r.advance(o.ID)
	r.want("the first", first, order.PaymentSubmitted)
	second := r.come(a, "t2", "50000000")
	r.desk.receives(50_000_000)
	r.desk.lie = func(t *fiat.Transfer) { t.ID = first.Payout.TransferID }
	before := r.desk.calls["CreateTransfer"]
	second, again := r.advance(second.ID)
	r.want("the second", second, order.FundsReceived)
	if n := r.desk.calls["CreateTransfer"] - before; n != 1 || again < time.Minute {
		t.Errorf("asked %d times, then again in %v", n, again)
	}
}

// A reorg can mine a transaction again with another amount: what is paid is what
// came in the end.
func TestPayout_S6_AnotherAmount(t *testing.T) {
	t.Parallel()
	for units, want := range map[string]struct {
		status order.Status
		held   int64
	}{"60000000": {order.PaymentSubmitted, 0}, "1": {order.Expired, 1}} {
		r := newRig(t)
		a := r.address("wallet")
		o := r.sighted(a, "t1", "100000000")
		r.desk.receives(100_000_000)
		r.arrive(a, "t1", units, watch.Final)
		for range 3 {
			r.take("t1")
		}
		now, _ := r.advance(o.ID)
		if d := r.drain(a, "t1"); d.OrderID != "" && now.ID != d.OrderID {
			now, _ = r.advance(d.OrderID)
		}
		r.has(ledger.Held(a.ID), money.USDC, want.held)
		if units == "1" {
			r.want("dust", r.order(o.ID), want.status)
		} else if r.want("less", now, want.status); now.Terms.Gross.Minor != 60_000_000 ||
			now.Deposit.Amount.Minor != 60_000_000 {
			t.Errorf("%+v", now.Terms)
		}
		r.sums()
	}
}

// A second account that the bank still looks at does not come in the way of quotes
// that name none.
func TestPayout_QuoteBesideAPendingAccount(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	d := &counter{App: a, Client: a.Client(), t: t}
	d.to, d.account = d.recipient("Ana García", mexican)
	must(d.WithdrawAddresses.Create(t.Context(), railkit.WithdrawAddressRequest{BeneficiaryAccountID: d.account.ID}))(t)
	second := must(d.BankAccounts.Create(
		t.Context(), d.to.ID,
		railkit.BankAccountRequest{Currency: "mxn", CLABE: "002010077777777771", BankName: "Pending Bank"},
	))(t)
	if second.Status != "pending" {
		t.Fatalf("the second account is %s", second.Status)
	}
	if q := d.quote("100", "USDC"); q.QuoteID == "" {
		t.Errorf("%+v", q)
	}
}
