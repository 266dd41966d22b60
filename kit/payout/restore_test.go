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
)

// restorableRig is a rig whose database can be copied and put back.
func restorableRig(t *testing.T) *rig {
	t.Helper()
	r := emptyRig(t)
	r.db, r.queue = apptest.OpenEmbedded(t, r.clock)
	return r.begin()
}

// copied copies the database; putBack has the server go on with that copy, an hour later.
func (r *rig) copied() (putBack func()) {
	r.t.Helper()
	path := apptest.CopyOf(r.t, r.db)
	return func() {
		r.t.Helper()
		r.clock.move(time.Hour)
		r.db, r.queue = apptest.OpenFile(r.t, path, r.clock)
		r.serve()
	}
}

// mined is a deposit that is final at once, in a block of now. A watcher that looks again later finds the same block.
func (r *rig) mined(id string) func(*watch.Transfer) {
	at := r.clock.Now().Truncate(time.Second)
	return func(t *watch.Transfer) { t.MinedAt = at }
}

// R1: a deposit whose order is younger than the database that is put back is opened again. It gets the id and the
// reference that it had, and is paid once, also where the partner has forgotten the key.
func TestPayout_R1_DepositOfARestoredDatabase(t *testing.T) {
	t.Parallel()
	for name, later := range map[string]time.Duration{"the next hour": 0, "days later": 3 * 24 * time.Hour} {
		r := restorableRig(t)
		a := r.address("wallet")
		r.desk.receives(100_000_000) // another deposit's money, which a second payment would take
		putBack := r.copied()
		block := r.mined("t1")
		r.arrive(a, "t1", "44400000", watch.Final, block)
		r.take("t1")
		r.desk.receives(44_400_000)
		was, _ := r.advance(r.orderOf("t1").ID)
		r.want(name+": paid", was, order.PaymentSubmitted)
		r.desk.moves(fiat.TransferProcessed, 0)

		putBack()
		if r.clock.move(later); later > 0 {
			r.desk.forgetsKeys()
		}
		r.arrive(a, "t1", "44400000", watch.Final, block)
		r.take("t1")
		o, _ := r.advance(r.orderOf("t1").ID)
		r.want(name+": taken over", o, order.Completed)
		if o.ID != was.ID || o.Reference != was.Reference || r.desk.paid() != 1 {
			t.Errorf("%s: %s %s became %s %s, %d payments", name, was.ID, was.Reference, o.ID, o.Reference, r.desk.paid())
		}
		r.sums()
		r.has(ledger.Order(o.ID), money.USDC, 0)
	}
}

// A deposit that paid for a quote is the same money, whatever the database has forgotten of the quote.
func TestPayout_R1_QuoteOfARestoredDatabase(t *testing.T) {
	t.Parallel()
	for name, known := range map[string]bool{"the quote is forgotten": false, "the quote waits again": true} {
		r := restorableRig(t)
		a := r.address("wallet")
		r.desk.receives(300_000_000)
		putBack := r.copied()
		q := r.quote(a, 100_000_000, 100*24*time.Hour)
		if known {
			putBack = r.copied()
		}
		block := r.mined("t1")
		r.arrive(a, "t1", "100000000", watch.Final, block)
		r.take("t1")
		r.desk.receives(100_000_000)
		was, _ := r.advance(q.ID)
		r.want(name+": paid", was, order.PaymentSubmitted)
		r.desk.moves(fiat.TransferProcessed, 0)

		putBack()
		r.clock.move(48 * time.Hour)
		r.desk.forgetsKeys()
		r.desk.sell = "18.61" // the rate has moved since
		r.arrive(a, "t1", "100000000", watch.Final, block)
		r.take("t1")
		o, _ := r.advance(r.orderOf("t1").ID)
		if r.desk.paid() != 1 || o.Payout.TransferID != was.Payout.TransferID {
			t.Errorf("%s: %d payments, %s has %q, not %q", name, r.desk.paid(), o.Status, o.Payout.TransferID,
				was.Payout.TransferID)
		}
		r.sums()
	}
}
