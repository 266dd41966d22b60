package payout_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/transfer"
	"github.com/railkit/railkit/platform/watch"
)

// R1: so where a replica takes over without the last changes while the server runs: what it knows of the partner's
// transfers is from before, when an order had this one.
func TestPayout_R1_ServerOfAReplica(t *testing.T) {
	t.Parallel()
	r := restorableRig(t)
	var made atomic.Int64
	r.serve(func(c *payout.Config) { c.Stores.Transfers = connected{c.Stores.Transfers, &made} })
	a := r.address("wallet")
	r.desk.receives(300_000_000)
	replica := apptest.CopyOf(t, r.db)
	q := r.quote(a, 100_000_000, time.Hour)
	block := r.mined("t1")
	r.arrive(a, "t1", "100000000", watch.Final, block)
	r.take("t1")
	r.desk.receives(100_000_000)
	was, _ := r.advance(q.ID)
	r.want("paid", was, order.PaymentSubmitted)
	r.desk.receives(50_000_000)
	next, _ := r.advance(r.come(a, "t2", "50000000").ID)
	r.want("the next one", next, order.PaymentSubmitted)
	for _, look := range []string{"t3", "t4"} { // for which both are looked at
		r.desk.breaks("CreateTransfer", breakage{fiat.ErrInsufficient, false})
		r.advance(r.come(a, look, "10000000").ID)
	}

	r.fallsBack(replica)
	made.Add(1)
	r.clock.move(48 * time.Hour)
	r.desk.forgetsKeys()
	r.arrive(a, "t1", "100000000", watch.Final, block)
	r.take("t1")
	o, _ := r.advance(r.orderOf("t1").ID)
	if r.desk.paid() != 2 || o.Payout.TransferID != was.Payout.TransferID {
		t.Errorf("%d payments, %s %q has %q, not %q", r.desk.paid(), o.Status, o.Hold, o.Payout.TransferID,
			was.Payout.TransferID)
	}
	r.sums()
}

// connected is a store to which a test makes connections.
type connected struct {
	transfer.Store
	made *atomic.Int64
}

func (c connected) Connections() int64 { return c.made.Load() }

// fallsBack has the database of the running server hold what the copy at path holds.
func (r *rig) fallsBack(path string) {
	r.t.Helper()
	w := r.db.Writer() // one connection
	do := func(statement string, args ...any) {
		r.t.Helper()
		if _, err := w.ExecContext(r.t.Context(), statement, args...); err != nil {
			r.t.Fatal(statement, err)
		}
	}
	all := func(kind string) (script string) {
		r.t.Helper()
		row := w.QueryRowContext(r.t.Context(), `SELECT group_concat(iif(type = 'trigger', 'DROP TRIGGER ' || name,
			'DELETE FROM ' || name || '; INSERT INTO ' || name || ' SELECT * FROM copy.' || name), '; ')
			FROM main.sqlite_master WHERE type = ? AND name NOT LIKE 'sqlite_%'`, kind)
		if err := row.Scan(&script); err != nil {
			r.t.Fatal(err)
		}
		return script
	}
	do("PRAGMA foreign_keys = OFF")
	do("ATTACH ? AS copy", path)
	do(all("trigger"))
	do(all("table"))
	do("DETACH copy")
	do("PRAGMA foreign_keys = ON")
}
