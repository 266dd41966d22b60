package payout_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/batch"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/watch"
	"github.com/railkit/railkit/rest"
)

// previewed is a batch of payments to the rig's bank account.
func (r *rig) previewed(amounts ...string) rest.BatchDetail {
	r.t.Helper()
	var in rest.BatchRequest
	for _, amount := range amounts {
		in.Rows = append(in.Rows, rest.BatchPayment{BeneficiaryID: r.recipient.ID, Amount: amount, Currency: "USDC"})
	}
	return r.batch(r.Batches.Preview(r.t.Context(), call(), in))
}

func (r *rig) executed(b rest.BatchDetail) rest.BatchDetail {
	r.t.Helper()
	return r.batch(r.Batches.Execute(r.t.Context(), call(), b.ID, rest.BatchExecuteRequest{}))
}

func (r *rig) batch(a command.Answer, err error) (b rest.BatchDetail) {
	r.t.Helper()
	if err == nil {
		err = json.Unmarshal(a.Body, &b)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return b
}

// deposit is a transfer that is final and taken in.
func (r *rig) deposit(a withdraw.Address, id, amount string) order.Order {
	r.t.Helper()
	r.arrive(a, id, amount, watch.Final)
	r.take(id)
	return r.orderOf(id)
}

// Rows of one bank account share an address. Each deposit of a row's amount pays that row, in whatever order they come,
// also where many more orders wait there than are read at once, and where two rows are of one amount.
func TestPayout_BatchFundedRowByRow(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.address("wallet")
	amounts := make([]string, 250)
	for i := range amounts {
		amounts[i] = fmt.Sprint(10 + i)
	}
	amounts[3] = "12" // as row 3
	b := r.executed(r.previewed(amounts...))
	if len(b.Addresses) != 1 || b.Addresses[0].Transfers != 250 || b.Addresses[0].Amount != "33624.000000" {
		t.Fatalf("%+v", b.Addresses)
	}
	for _, row := range []int{249, 1, 3, 4, 125} {
		instructed, err := money.Parse(b.Rows[row-1].DepositInstructions.Amount, money.USDC)
		if err != nil {
			t.Fatal(err)
		}
		o := r.deposit(a, fmt.Sprint("t", row), fmt.Sprint(instructed.Minor))
		if o.ID != b.Rows[row-1].OrderID || len(o.Labels) != 0 || o.Status != order.FundsReceived {
			t.Errorf("the deposit of row %d pays %s (%v, %s), want %s", row, o.ID, o.Labels, o.Status,
				b.Rows[row-1].OrderID)
		}
	}
	r.sums()
}

// One deposit of the sum is not divided: it pays the oldest row with all of it, at the rate of the day, to the same
// bank account. The other rows wait on, and end with the prices. No money is lost or paid twice.
func TestPayout_BatchFundedByTheSum(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.address("wallet")
	b := r.executed(r.previewed("100", "50"))
	o := r.deposit(a, "sum", "150000000")
	if o.ID != b.Rows[0].OrderID || !slices.Equal(o.Labels, []order.Label{order.Over, order.Repriced}) ||
		o.Terms.Gross != money.Of(150_000_000, money.USDC) {
		t.Fatalf("the sum pays %s: %v, %s", o.ID, o.Labels, o.Terms.Gross)
	}
	r.has(ledger.Order(o.ID), money.USDC, 150_000_000)
	r.want("the other row", r.order(b.Rows[1].OrderID), order.Awaiting)
	r.clock.move(6 * time.Minute)
	if err := r.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	second, _ := r.advance(b.Rows[1].OrderID)
	r.want("the other row, once its price has ended", second, order.Expired)
	r.sums()
}

// writeAccount writes down what the test changed of the rig's bank account.
func (r *rig) writeAccount(ctx context.Context, tx payout.Tx) error {
	return tx.UpdateBankAccount(ctx, r.account)
}

// What changes between preview and call refuses the whole batch.
func TestPayout_BatchChanges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change     func(*rig)
		code, told string
	}{
		"nothing": {change: func(*rig) {}},
		"the end": {func(r *rig) { r.clock.move(5 * time.Minute) }, "batch_expired", ""},
		"a frozen account": {func(r *rig) {
			r.account.FrozenAt = r.clock.Now()
			r.write(r.writeAccount)
		}, "batch_changed", "bank_account_frozen"},
		"a closed account": {func(r *rig) {
			r.account.Registration = account.Closed
			r.write(r.writeAccount)
		}, "batch_changed", "bank_account_not_usable"},
		"a changed account": {func(r *rig) {
			r.account.PayableAt = r.clock.Now().Add(time.Hour)
			r.write(r.writeAccount)
		}, "batch_changed", "bank_account_cooling"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.address("wallet")
			b := r.previewed("100", "50")
			if !b.Executable {
				t.Fatalf("%+v", b.Errors)
			}
			c.change(r)
			_, err := r.Batches.Execute(t.Context(), call(), b.ID, rest.BatchExecuteRequest{})
			f, _ := fault.As(err)
			if c.code == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if f == nil || f.Code != c.code {
				t.Fatalf("%v, want %s", err, c.code)
			}
			told, _ := f.Details["errors"].([]rest.BatchIssue)
			if c.told != "" && (len(told) != 2 || told[1].Code != c.told || told[1].Row != 2) {
				t.Errorf("the refusal names %+v", told)
			}
			if rows := r.previewed("1"); c.told != "" && rows.Executable {
				t.Errorf("a new preview: %+v", rows.Errors)
			}
		})
	}
}

// An executed batch stays so after its end; one that was not executed is shown as expired.
func TestPayout_BatchEnds(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.address("wallet")
	done, left := r.executed(r.previewed("100")), r.previewed("50")
	r.clock.move(6 * time.Minute)
	if again := r.executed(done); again.Status != "executed" || again.Rows[0].OrderID != done.Rows[0].OrderID {
		t.Errorf("%+v", again)
	}
	v, err := r.Batches.Get(t.Context(), call().Principal, left.ID, 0, 10)
	if err != nil || v.Status != "expired" || v.Executable || v.Funding != "" {
		t.Errorf("%+v, %v", v.Batch, err)
	}
}

// errStop is a failure in the middle of a transaction.
var errStop = errors.New("the disk is full")

// failing are batches whose transactions fail after so many orders.
type failing struct {
	batch.Store
	left *int
}

func (s failing) Commit(
	ctx context.Context, cmd *command.Command, fn func(context.Context, batch.Tx) (command.Reply, error),
) (command.Answer, error) {
	return s.Store.Commit(ctx, cmd, func(ctx context.Context, tx batch.Tx) (command.Reply, error) {
		return fn(ctx, &failingTx{tx, *s.left})
	})
}

type failingTx struct {
	batch.Tx
	left int
}

func (t *failingTx) Apply(ctx context.Context, c order.Change) error {
	if t.left--; t.left < 0 {
		return errStop
	}
	return t.Tx.Apply(ctx, c)
}

// A failure at whichever order leaves nothing of the batch behind: it can be executed afterwards.
func TestPayout_BatchFailsWhole(t *testing.T) {
	t.Parallel()
	var left int
	r := newRig(t, func(c *payout.Config) { c.Stores.Batches = failing{c.Stores.Batches, &left} })
	a := r.address("wallet")
	b := r.previewed("100", "50", "30")
	for left = range 3 {
		_, err := r.Batches.Execute(t.Context(), call(), b.ID, rest.BatchExecuteRequest{})
		if !errors.Is(err, errStop) {
			t.Fatalf("after %d orders: %v", left, err)
		}
		if v, err := r.Batches.Get(t.Context(), call().Principal, b.ID, 0, 10); err != nil || !v.Executable ||
			v.Rows[0].OrderID != "" {
			t.Errorf("after %d orders: %+v, %v", left, v, err)
		}
	}
	left = 3
	if done := r.executed(b); len(done.Rows) != 3 || done.Rows[2].OrderID == "" {
		t.Errorf("%+v", done)
	}
	r.has(ledger.Held(a.ID), money.USDC, 0)
}
