package payout_test

import (
	"errors"
	"testing"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/operator"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// operator is a command from the server's shell.
func byOperator() *command.Command {
	c := call()
	c.Principal.Kind = auth.Kind(audit.Operator)
	return c
}

func pageOf(limit int) page.Page { return page.Page{Limit: limit} }

// stuck holds why the only order waits for a person; "" where none does.
func (r *rig) stuck(want string) {
	r.t.Helper()
	all, _, _, err := r.Operator.Stuck(r.t.Context(), ws, pageOf(9))
	if err != nil || (want == "") != (len(all) == 0) || len(all) > 1 {
		r.t.Fatalf("%+v, %v, want %q", all, err, want)
	}
	if len(all) == 1 && all[0].Hold != want && all[0].Delay != want && (all[0].Failure == nil ||
		all[0].Failure.Code != want) {
		r.t.Errorf("%+v, want %q", all[0], want)
	}
}

// A refund that failed is sent again on an operator's word: once, and under a key of its own.
func TestPayout_S5_OperatorRetriesRefund(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a, o := r.ready("wallet")
	r.desk.breaks(
		"CreateTransfer", breakage{&fiat.Refusal{Code: "invalid_account"}, false},
		breakage{&fiat.Refusal{Code: "address_blocked"}, false},
	)
	o, _ = r.advance(o.ID)
	r.want("neither paid nor refunded", o, order.Error)
	r.stuck("invalid_account")
	r.jobsRan()
	key, before := o.RefundKey(), r.jobs("payout_order")
	if _, err := r.Operator.RetryRefund(t.Context(), byOperator(), o.Reference); err != nil ||
		r.jobs("payout_order") != before+1 {
		t.Errorf("%v, %d jobs after %d", err, r.jobs("payout_order"), before)
	}
	r.stuck("")
	if _, err := r.Operator.RetryRefund(t.Context(), byOperator(), o.ID); !errors.Is(err, operator.ErrNotStuck) {
		t.Errorf("twice: %v", err)
	}
	o, _ = r.advance(o.ID)
	if o.Refund.Status != order.RefundSubmitted || o.RefundKey() == key || r.desk.paid() != 1 {
		t.Errorf("%+v, %d transfers", o.Refund, r.desk.paid())
	}
	r.desk.moves(fiat.TransferProcessed, 0)
	o, _ = r.advance(o.ID)
	if o.Status != order.Returned ||
		o.Refund.Status != order.RefundCompleted || r.desk.wallets[a.PartnerWalletID] != 0 {
		t.Errorf("%+v", o.Refund)
	}
	r.has(ledger.Order(o.ID), money.USDC, 0)
	r.has(ledger.Chain("base"), money.USDC, 0)
	r.sums()
	if _, err := r.Operator.RetryRefund(t.Context(), byOperator(), "OFR-none"); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("of no order: %v", err)
	}
}

// A review that never clears ends with the deposit given back.
func TestPayout_OperatorGivesBack(t *testing.T) {
	t.Parallel()
	for wallet, want := range map[string]struct {
		status order.Status
		held   int64
	}{"wallet": {order.Returned, 0}, "": {order.Error, 100_000_000}} {
		r := newRig(t)
		a, o := r.ready(wallet)
		if _, err := r.Operator.GiveBack(t.Context(), byOperator(), o.ID); !errors.Is(err, operator.ErrNotStuck) {
			t.Errorf("before a review: %v", err)
		}
		ana := rest.RecipientStatusRequest{Status: string(recipient.Archived)}
		if _, err := r.Recipients.SetStatus(t.Context(), call(), r.recipient.ID, ana); err != nil {
			t.Fatal(err)
		}
		o, _ = r.advance(o.ID)
		r.want("archived", o, order.InReview)
		r.stuck("recipient_archived")
		if _, err := r.Operator.GiveBack(t.Context(), byOperator(), o.ID); err != nil {
			t.Fatal(err)
		}
		o, _ = r.advance(o.ID)
		r.want("given back", o, want.status)
		r.has(ledger.Held(a.ID), money.USDC, want.held)
		if wallet != "" {
			r.desk.moves(fiat.TransferProcessed, 0)
			o, _ = r.advance(o.ID)
			if o.Refund.Status != order.RefundCompleted ||
				o.Refund.Amount.Minor != 100_000_000 || r.desk.wallets[a.PartnerWalletID] != 0 {
				t.Errorf("%+v", o.Refund)
			}
		}
		r.has(ledger.Order(o.ID), money.USDC, 0)
		r.sums()
	}
}

// What the server does by itself is in the timelines of orders: it takes no part in
// the workspace's chain of audit rows, for whose head all its calls queue.
func TestPayout_SystemStepsAreNotAudited(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, o := r.ready("wallet")
	rows := func() (n int) {
		if err := r.db.Writer().QueryRow("SELECT COUNT(*) FROM audit").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := rows()
	o, _ = r.advance(o.ID)
	r.desk.moves(fiat.TransferProcessed, 0)
	o, _ = r.advance(o.ID)
	r.want("done", o, order.Completed)
	r.come(r.address("wallet"), "t2", "5000000")
	if err := r.Sweep(t.Context()); err != nil || rows() != before {
		t.Errorf("%v, %d rows after %d", err, rows(), before)
	}
	if _, err := r.Operator.GiveBack(t.Context(), byOperator(), o.ID); err == nil || rows() != before {
		t.Errorf("refused: %v, %d rows", err, rows())
	}
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
			t.Context(), call(), ana.ID, rest.RecipientStatusRequest{Status: string(status)},
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
func TestPayout_RetryAndGiveBackAtOnce(t *testing.T) {
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
