package signing_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/testwait"
	railkit "github.com/railkit/railkit/sdk/go"
)

// A host that keeps a signed payment back, so that its owner pays again, is met
// by the SDK: by what it remembers, and by what the server's list says.
func TestSigning_SecondPaymentWhileTheFirstIsUnmined(t *testing.T) {
	t.Parallel()
	l := newLane(t, "polygon")
	pay := func(
		c *railkit.Client, amount string, change func(*railkit.PrepareTransactionRequest),
	) (*railkit.Transaction, error) {
		req := l.payment(amount)
		req.PayAgain = false
		if change != nil {
			change(&req)
		}
		return c.Transactions.Send(ctx, l.alice.Passkey, req)
	}
	refused := func(what string, err error, first *railkit.Transaction) {
		t.Helper()
		var unmined *railkit.UnminedPaymentError
		if !errors.As(err, &unmined) || unmined.TransactionID != first.TransactionID {
			t.Errorf("%s: %v", what, err)
		}
	}
	key := railkit.WithIdempotencyKey(ctx, uuid.NewString())
	req := l.payment("1")
	req.PayAgain = false
	first, err := l.c.Transactions.Send(key, l.alice.Passkey, req)
	l.ok(err)
	again, err := l.c.Transactions.Send(key, l.alice.Passkey, req)
	if err != nil || again.TransactionID != first.TransactionID {
		t.Errorf("the same call again: %+v, %v", again, err)
	}
	_, err = pay(l.c, "1.00", nil)
	refused("the client that paid", err, first)
	_, err = pay(l.Client(), "1", nil)
	refused("a client that lists what is unmined", err, first)
	edit(t, l.App, "UPDATE transactions SET state = 'failed', reason = 'the node refuses the transaction' WHERE id = $1", first.TransactionID)
	_, err = pay(l.c, "1", nil)
	refused("a host that says it failed, and can still send it", err, first)
	edit(t, l.App, "UPDATE transactions SET state = 'broadcast', reason = '' WHERE id = $1", first.TransactionID)

	if _, err = pay(l.c, "1.01", nil); err != nil {
		t.Errorf("another amount: %v", err)
	}
	if _, err = pay(l.c, "1", func(r *railkit.PrepareTransactionRequest) {
		r.To, r.AllowContract = l.alice.Address.Address, true
	}); err != nil {
		t.Errorf("another receiver: %v", err)
	}
	second, err := pay(l.c, "1", func(r *railkit.PrepareTransactionRequest) { r.PayAgain = true })
	if err != nil || second.TransactionID == first.TransactionID {
		t.Errorf("another one on purpose: %+v, %v", second, err)
	}
	const failed = "UPDATE transactions SET state = 'failed', mined_at = 0, look_at = 9000000000000000 WHERE id = $1" // and the sweeper looks away
	edit(t, l.App, failed, second.TransactionID)
	l.mine()
	// its job may have seen it as failed, above, and ended
	_, err = l.Signing.Broadcasts.Follow(ctx, l.Keys.WorkspaceID, first.TransactionID)
	l.ok(err)
	confirmed(t, l.App, l.c, first.TransactionID)
	edit(t, l.App, "UPDATE transactions SET state = 'broadcast' WHERE id = $1", second.TransactionID)
	_, err = l.Signing.Broadcasts.Follow(ctx, l.Keys.WorkspaceID, second.TransactionID)
	l.ok(err)
	l.endJobs(second.TransactionID) // or one tells the truth after the host's lie
	edit(t, l.App, failed, second.TransactionID)
	_, err = pay(l.c, "1", nil)
	refused("a host that says that the second one failed", err, second)
	edit(t, l.App, "UPDATE transactions SET state = 'broadcast' WHERE id = $1", second.TransactionID)
	_, err = l.Signing.Broadcasts.Follow(ctx, l.Keys.WorkspaceID, second.TransactionID)
	l.ok(err)
	confirmed(t, l.App, l.c, second.TransactionID)
	_, err = pay(l.c, "1", nil)
	l.ok(err)
}

// endJobs waits for the jobs that work on a transaction, and takes away those that wait.
func (l *lane) endJobs(id string) {
	l.t.Helper()
	testwait.Until(l.t, "no job works on the transaction", func() bool {
		edit(l.t, l.App, "DELETE FROM river_job WHERE state <> 'running' AND args->>'id' = $1", id)
		var n int
		row := l.Store.Writer().QueryRowContext(ctx, "SELECT COUNT(*) FROM river_job WHERE args->>'id' = $1", id)
		if err := row.Scan(&n); err != nil {
			l.t.Fatal(err)
		}
		return n == 0
	})
}
