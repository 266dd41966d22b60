package payout_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/watch"
)

// come is a deposit that is final at once, taken in.
func (r *rig) come(a withdraw.Address, id, amount string) order.Order {
	r.t.Helper()
	r.arrive(a, id, amount, watch.Final)
	r.take(id)
	return r.orderOf(id)
}

func labels(o order.Order) string {
	var all string
	for _, l := range o.Labels {
		all += string(l) + " "
	}
	return all
}

// S8: exactly what was quoted is paid as quoted; less or more at the rate of the
// day. The exact one is found among several, else the oldest is meant.
func TestPayout_S8_QuotedDeposits(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.address("wallet")
	oldest := r.quote(a, 100_000_001, time.Hour)
	r.clock.move(time.Second)
	exact := r.quote(a, 200_000_002, time.Hour)
	for _, c := range []struct {
		id, amount, labels string
		order              string
		quoted             bool
	}{
		{"exact", "200000002", "", exact.ID, true},
		{"under", "50000000", "under repriced ", oldest.ID, false},
	} {
		o := r.come(a, c.id, c.amount)
		if o.ID != c.order || labels(o) != c.labels || o.Terms.Quoted != c.quoted {
			t.Errorf("%s: %+v", c.id, o)
		}
	}
	last := r.quote(a, 70_000_003, time.Hour)
	if o := r.come(a, "over", "80000000"); o.ID != last.ID || labels(o) != "over repriced " {
		t.Errorf("over: %+v", o)
	}
	if o := r.come(a, "plain", "80000000"); o.QuoteID != "" || o.Origin != order.FromDeposit || len(o.Labels) != 0 {
		t.Errorf("nobody waits any more: %+v", o)
	}
}

// S3: what comes after the order was canceled or has expired opens another one,
// which says so for a day.
func TestPayout_S3_LateDeposits(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.address("wallet")
	canceled := r.quote(a, 100_000_001, time.Hour)
	r.apply(canceled, order.Event{Kind: order.OrderCanceled, By: order.User, At: r.clock.Now()})
	if o := r.come(a, "t1", "100000001"); o.ID == canceled.ID || labels(o) != "late " || o.Terms.Quoted {
		t.Errorf("after a cancel: %+v", o)
	}
	expired := r.quote(a, 100_000_002, time.Minute)
	r.clock.move(2 * time.Minute)
	o, _ := r.advance(expired.ID)
	r.want("its time is over", o, order.Expired)
	if o := r.come(a, "t2", "100000002"); o.ID == expired.ID || labels(o) != "late " {
		t.Errorf("after the end: %+v", o)
	}
	if o := r.come(a, "t3", "55000000"); labels(o) != "" {
		t.Errorf("another amount: %+v", o)
	}
	r.clock.move(25 * time.Hour)
	if o := r.come(a, "t4", "100000002"); labels(o) != "" {
		t.Errorf("a day later: %+v", o)
	}
	almost := r.quote(a, 100_000_004, time.Minute)
	r.clock.move(2 * time.Minute) // and nobody has looked yet
	if o := r.come(a, "t5", "100000004"); o.ID != almost.ID || labels(o) != "late repriced " {
		t.Errorf("before the end was written down: %+v", o)
	}
}

// A quote ends by the database's clock, wherever the server's is.
func TestPayout_QuoteEndsByTheDatabase(t *testing.T) {
	t.Parallel()
	for ahead, want := range map[time.Duration]struct {
		labels string
		status order.Status
	}{time.Hour: {"late repriced ", order.Expired}, -time.Hour: {"", order.Awaiting}} {
		r := newRig(t)
		a := r.address("wallet")
		paid, unpaid := r.quote(a, 100_000_001, time.Minute), r.quote(a, 200_000_001, time.Minute)
		if ahead < 0 {
			r.clock.move(time.Hour / 2)
		}
		r.ahead = ahead
		if o := r.come(a, "t1", "100000001"); o.ID != paid.ID || labels(o) != want.labels {
			t.Errorf("%v ahead: %+v", ahead, o)
		}
		before := r.jobs("payout_order")
		if err := r.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		reminded := r.jobs("payout_order") - before
		o, _ := r.advance(unpaid.ID)
		r.want("the other", o, want.status)
		if (reminded > 0) != (want.status == order.Expired) {
			t.Errorf("%v ahead: reminded %d times", ahead, reminded)
		}
	}
}

// S6: a reorg takes a deposit away, and it is mined again.
func TestPayout_S6_Reorg(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.address("wallet")
	quoted := r.quote(a, 100_000_001, time.Hour)
	for range 2 {
		r.arrive(a, "t1", "100000001", watch.Seen)
		r.take("t1")
		r.want("seen", r.order(quoted.ID), order.FundsReceived)
		r.arrive(a, "t1", "100000001", watch.Dropped)
		r.take("t1")
		r.want("dropped", r.order(quoted.ID), order.Awaiting)
		if d := r.drain(a, "t1"); d.Status != "canceled" || d.Reason != "dropped" {
			t.Errorf("%+v", d)
		}
	}
	r.arrive(a, "t1", "100000001", watch.Seen, func(t *watch.Transfer) { t.BlockNumber, t.LogIndex = 99, 7 })
	// one job is lost
	r.arrive(a, "t1", "100000001", watch.Final, func(t *watch.Transfer) { t.BlockNumber, t.LogIndex = 99, 7 })
	r.take("t1")
	o := r.order(quoted.ID)
	if !o.Deposit.Final || !o.Terms.Quoted || r.drain(a, "t1").LogIndex != 7 {
		t.Errorf("%+v", o)
	}
	r.has(ledger.Order(o.ID), money.USDC, 100_000_001)
	plain := r.sighted(a, "t2", "5000000")
	r.arrive(a, "t2", "5000000", watch.Dropped)
	r.take("t2")
	r.want("without a quote", r.order(plain.ID), order.Expired)
	r.arrive(a, "t2", "5000000", watch.Final)
	r.take("t2")
	r.want("mined again", r.order(plain.ID), order.FundsReceived)
	r.has(ledger.Held(a.ID), money.USDC, 0)
	r.sums()
}

// sighted is a deposit that is in a block and not final.
func (r *rig) sighted(a withdraw.Address, id, amount string) order.Order {
	r.t.Helper()
	r.arrive(a, id, amount, watch.Seen)
	r.take(id)
	return r.orderOf(id)
}

// S7: two deposits in one block, of one transaction, are two orders.
func TestPayout_S7_TwoInOneBlock(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.address("wallet")
	for id, index := range map[string]int64{"t1": 1, "t2": 2} {
		r.arrive(a, id, "7000000", watch.Final, func(t *watch.Transfer) { t.Tx, t.LogIndex = "0xboth", index })
	}
	var jobs sync.WaitGroup
	for _, id := range []string{"t1", "t2", "t1", "t2"} {
		jobs.Go(func() {
			if _, err := r.Arrivals.Take(t.Context(), ws, id); err != nil {
				t.Error(err)
			}
		})
	}
	jobs.Wait()
	one, two := r.orderOf("t1"), r.orderOf("t2")
	if one.ID == two.ID || one.Reference == two.Reference {
		t.Errorf("%+v\n%+v", one, two)
	}
	r.has(ledger.Order(one.ID), money.USDC, 7_000_000)
	r.has(ledger.Order(two.ID), money.USDC, 7_000_000)
	for what, change := range map[string]func(context.Context, *command.Command, string) (command.Answer, error){
		"give back": r.Operator.GiveBack, "retry the payout": r.Operator.RetryPayout,
		"retry the refund": r.Operator.RetryRefund, "drop": r.Operator.DropDeposit,
		"cover": r.Operator.CoverDeposit, "cancel": r.Orders.Cancel,
	} {
		for name, want := range map[string]bool{"0xBoth": true, one.Reference: false, two.ID: false} {
			_, err := change(t.Context(), byOperator(), name)
			if f, ok := fault.As(err); err == nil || (ok && f.Code == "order_not_unique") != want {
				t.Errorf("%s what %s names: %v", what, name, err)
			}
		}
	}
}

// S9: what is not paid out is shown, with the reason, and booked once.
func TestPayout_S9_DustAndOthers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.address("wallet")
	for _, c := range []struct {
		id, amount, reason string
		change             func(*watch.Transfer)
	}{
		{"dust", "999999", "dust", func(*watch.Transfer) {}},
		{"token", "5000000", "wrong_token", func(t *watch.Transfer) { t.Symbol = "USDT" }},
		{"unheard", "5000000", "wrong_token", func(t *watch.Transfer) { t.Symbol = "EURC" }},
		{"chain", "6000000", "wrong_chain", func(t *watch.Transfer) { t.Chain = "polygon" }},
		{"huge", "99999999999999999999999", "out_of_range", func(*watch.Transfer) {}},
	} {
		for _, state := range []watch.State{watch.Seen, watch.Final, watch.Final} {
			r.arrive(a, c.id, c.amount, state, c.change)
			r.take(c.id)
			if d := r.drain(a, c.id); d.Status != "canceled" ||
				d.State != "failed" || d.Reason != c.reason || d.OrderID != "" {
				t.Errorf("%s: %+v", c.id, d)
			}
		}
	}
	r.has(ledger.Held(a.ID), money.USDC, 999_999)
	r.has(ledger.Suspense, money.USDT, 5_000_000)
	r.has(ledger.Suspense, money.USDC, 6_000_000)
	r.has(ledger.Chain("polygon"), money.USDC, -6_000_000)
	if o := r.come(a, "least", "1000000"); o.Status != order.FundsReceived {
		t.Errorf("the least: %+v", o)
	}
	r.sums()
}

// Jobs that come twice, late, in another order or not at all end in the same.
func TestPayout_DepositJobs(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.address("wallet")
	r.arrive(a, "t1", "5000000", watch.Seen)
	r.arrive(a, "t1", "5000000", watch.Final)
	if _, err := r.Arrivals.Take(t.Context(), ws, "nothing"); err == nil {
		t.Error("a transfer that is not there")
	}
	r.clock.move(time.Minute)
	if err := r.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := r.jobs("payout_deposit"); n != 1 {
		t.Errorf("%d jobs for what was lost", n)
	}
	for range 3 {
		r.take("t1")
	}
	if got := r.kinds(r.orderOf("t1").ID); !slices.Equal(
		got, []order.Kind{order.DepositDetected, order.DepositConfirmed},
	) {
		t.Errorf("%v", got)
	}
	if err := errors.Join(r.Sweep(t.Context()), r.Sweep(t.Context())); err != nil || r.jobs("payout_deposit") != 1 {
		t.Errorf("swept again: %v, %d jobs", err, r.jobs("payout_deposit"))
	}
}

func (r *rig) jobs(kind string) (n int) {
	r.t.Helper()
	if err := r.db.Writer().QueryRow("SELECT COUNT(*) FROM river_job WHERE kind = $1", kind).Scan(&n); err != nil {
		r.t.Fatal(err)
	}
	return n
}

// jobsRan ends the jobs that wait, as a runner does: where one waits, no second one is added.
func (r *rig) jobsRan() {
	r.t.Helper()
	if _, err := r.db.Writer().Exec("DELETE FROM river_job"); err != nil {
		r.t.Fatal(err)
	}
}

// S2: of a cancel and a deposit one is first. Either way there is one outcome, and
// the money is some order's. `make soak` has ten thousand rounds of it.
func TestPayout_S2_SoakCancelAgainstDeposit(t *testing.T) {
	t.Parallel()
	rounds := 40
	if os.Getenv("RAILKIT_SOAK") != "" {
		rounds = 10_000
	}
	raceCancel(t, rounds)
}

func raceCancel(t *testing.T, rounds int) {
	r := newRig(t)
	a := r.address("wallet")
	ends := map[order.Status]int{}
	for i := range rounds {
		o := r.quote(a, int64(100_000_000+i), time.Hour)
		id := o.ID
		r.arrive(a, id, o.Expected.String()[:3]+o.Expected.String()[4:], watch.Final)
		var both sync.WaitGroup
		var canceled error
		both.Go(func() {
			c, err := order.Apply(o, order.Event{Kind: order.OrderCanceled, By: order.User, At: r.clock.Now()})
			if canceled = err; err == nil {
				canceled = r.store.Work(t.Context(), ws, applying(c))
			}
		})
		both.Go(func() { r.take(id) })
		both.Wait()
		was, pays := r.order(o.ID), r.orderOf(id)
		ends[was.Status]++
		if (canceled == nil) != (was.Status == order.Canceled) ||
			(pays.ID == o.ID) != (was.Status == order.FundsReceived) {
			t.Fatalf("round %d: cancel %v, order %s, paid for %s", i, canceled, was.Status, pays.Status)
		}
		if canceled == nil && labels(pays) != "late " {
			t.Fatalf("round %d: %+v", i, pays)
		}
		r.has(ledger.Order(pays.ID), money.USDC, o.Expected.Minor)
	}
	r.has(ledger.Held(a.ID), money.USDC, 0)
	r.sums()
	t.Log(ends)
}

// A wait for the partner's view of the money, and then the same story, with the
// recipient archived in between.
func TestPayout_Gates(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.address("wallet")
	o := r.come(a, "t1", "100000000")
	r.desk.receives(100_000_000)
	ana, account := r.recipient, r.account
	archive := func(s recipient.Status) {
		ana.Status = s
		r.write(func(ctx context.Context, tx payout.Tx) error { return tx.UpdateRecipient(ctx, ana) })
	}
	move := func(change func()) {
		change()
		r.write(func(ctx context.Context, tx payout.Tx) error { return tx.UpdateBankAccount(ctx, account) })
	}
	held := func(what, why string) {
		t.Helper()
		o, again := r.advance(o.ID)
		if o.Status != order.InReview || o.Hold != why || again <= 0 {
			t.Errorf("%s: %s, hold %q, again in %v", what, o.Status, o.Hold, again)
		}
	}
	archive(recipient.Archived)
	held("archived", "recipient_archived")
	held("and still", "recipient_archived")
	move(func() { account.PayableAt = r.clock.Now().Add(time.Hour) })
	archive(recipient.Active)
	held("cooling", "bank_account_cooling")
	if _, again := r.advance(o.ID); again != time.Hour {
		t.Errorf("cooling: again in %v", again)
	}
	r.clock.move(time.Hour)
	r.desk.rateAge = 2 * time.Minute
	if o, again := r.advance(o.ID); o.Status != order.InReview || again != 15*time.Second {
		t.Errorf("no fresh rate: %s, again in %v", o.Status, again)
	}
	r.desk.rateAge = 0
	o, _ = r.advance(o.ID)
	r.want("all gates are open", o, order.PaymentSubmitted)
	want := []order.Kind{
		order.DepositDetected, order.DepositConfirmed, order.ReviewOpened, order.ReviewCleared, order.ReviewOpened,
		order.ReviewCleared,
		order.PayoutReserved, order.FiatSubmitted,
	}
	if got := r.kinds(o.ID); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

// A quote that would cost more than its own fees waits, until it does not.
func TestPayout_RateMoved(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.address("wallet")
	quoted := r.quote(a, 100_000_000, time.Hour)
	r.come(a, "t1", "100000000")
	r.desk.receives(200_000_000)
	r.desk.sell = "18.20"
	o, _ := r.advance(quoted.ID)
	if o.Hold != "rate_moved" {
		t.Errorf("%s, hold %q", o.Status, o.Hold)
	}
	r.clock.move(2 * time.Second)
	r.desk.sell = "18.30"
	o, _ = r.advance(quoted.ID)
	r.want("a little", o, order.PaymentSubmitted)
	r.desk.moves(fiat.TransferProcessed, 0)
	o, _ = r.advance(quoted.ID)
	r.want("paid as quoted", o, order.Completed)
	if o.Terms.Net != quoted.Terms.Net {
		t.Errorf("%s instead of %s", o.Terms.Net, quoted.Terms.Net)
	}
	r.has(ledger.Order(o.ID), money.USDC, 0)
	r.has(ledger.FXGain, money.USDC, -582_787)
	r.has(ledger.FeesPlatform, money.USDC, 250_000)
	r.sums()
	if left := r.desk.wallets[a.PartnerWalletID]; left != 100_000_000 {
		t.Errorf("of two hundred the wallet has %d left", left)
	}
}

// Whichever way the rate moved, a quote takes its gross out of the wallet; what the
// bank sends back is what was converted, and the wallet has it to refund.
func TestPayout_QuoteComesBack(t *testing.T) {
	t.Parallel()
	for sell, c := range map[string]struct{ converted, gain int64 }{
		"18.30": {99_832_787, -582_787}, "18.50": {98_753_514, 496_486},
	} {
		r := newRig(t)
		a := r.address("wallet")
		quoted := r.quote(a, 100_000_000, time.Hour)
		r.come(a, "t1", "100000000")
		r.desk.receives(100_000_000)
		r.desk.sell = sell
		o, _ := r.advance(quoted.ID)
		r.want("submitted", o, order.PaymentSubmitted)
		if left := r.desk.wallets[a.PartnerWalletID]; left != 0 {
			t.Errorf("at %s the wallet has %d left", sell, left)
		}
		r.desk.moves(fiat.TransferProcessed, 0)
		o, _ = r.advance(quoted.ID)
		r.want("completed", o, order.Completed)
		r.desk.moves(fiat.TransferRefunded, c.converted)
		o, _ = r.advance(quoted.ID)
		r.want("returned", o, order.Returned)
		if o.Refund.Amount.Minor != c.converted ||
			o.Refund.Status != order.RefundSubmitted || r.desk.wallets[a.PartnerWalletID] != 0 {
			t.Errorf(
				"at %s the refund is %+v, and the wallet has %d", sell, o.Refund, r.desk.wallets[a.PartnerWalletID],
			)
		}
		r.desk.moves(fiat.TransferProcessed, 0)
		r.advance(quoted.ID)
		r.has(ledger.FXGain, money.USDC, c.gain)
		r.has(ledger.Partner, money.USDC, 0)
		r.has(ledger.Order(o.ID), money.USDC, 0)
		r.sums()
	}
}
