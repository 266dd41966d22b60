package signing_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
)

// Two of one nonce: what is mined first wins, and the other says why it failed,
// whether a node ever took it or not.
func TestSigning_A04_OneNonceTwice(t *testing.T) {
	t.Parallel()
	a, node, late := throughNode(t)
	o := newOutsider(t, a)
	first, refused, lost := o.prepared(o.payment("1")), o.prepared(o.payment("2")), o.prepared(o.payment("3"))
	if first.Tx.Nonce != 0 || refused.Tx.Nonce != 0 || lost.Tx.Nonce != 0 {
		t.Fatalf("nonces %d, %d and %d", first.Tx.Nonce, refused.Tx.Nonce, lost.Tx.Nonce)
	}
	node.Break("eth_sendRawTransaction", apptest.Says("already known")) // and forgotten again
	if got := data(t, o.confirm(lost.TransactionID, o.sign(lost.Tx))); got["status"] != "broadcast" {
		t.Fatalf("taken: %v", got)
	}
	node.Break("eth_sendRawTransaction", nil)
	if got := data(t, o.confirm(first.TransactionID, o.sign(first.Tx))); got["status"] != "broadcast" {
		t.Fatalf("the first: %v", got)
	}
	confirmed(t, a, o.client, first.TransactionID)
	if got := data(t, o.confirm(refused.TransactionID, o.sign(refused.Tx))); got["status"] != "pending" {
		t.Fatalf("the second: %v", got)
	}
	for range 10 { // a node that lags behind itself may need a while, however often it is asked
		if _, err := a.Signing.Broadcasts.Follow(ctx, a.Keys.WorkspaceID, lost.TransactionID); err != nil {
			t.Fatal(err)
		}
	}
	if now := status(t, o.client, lost.TransactionID); now.Status != "broadcast" {
		t.Fatalf("given up at once: %+v", now)
	}
	apptest.Eventually(t, "both know that they lost", func() bool {
		late.forward(5 * time.Second)
		// The job's own tries come later and later; these are as good.
		_ = a.Signing.Broadcasts.Deliver(ctx, a.Keys.WorkspaceID, refused.TransactionID)
		return status(t, o.client, refused.TransactionID).Status == "failed" &&
			status(t, o.client, lost.TransactionID).Status == "failed"
	})
	for _, id := range []string{refused.TransactionID, lost.TransactionID} {
		if now := status(t, o.client, id); now.Reason != "another transaction used the nonce" {
			t.Errorf("reason: %q", now.Reason)
		}
	}
	wantError(
		t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/broadcast/"+refused.TransactionID+"/retry", ""), 502,
		"node_refused",
	)
	if next := o.prepared(o.payment("1")); next.Tx.Nonce != 1 {
		t.Errorf("the next nonce is %d", next.Tx.Nonce)
	}
}

func TestSigning_A04_AfterTheEnd(t *testing.T) {
	t.Parallel()
	a, _, late := throughNode(t)
	o := newOutsider(t, a)
	cancelled, expired := o.prepared(o.payment("1")), o.prepared(o.payment("1"))
	for range 2 {
		if got, err := o.client.Transactions.Cancel(ctx, cancelled.TransactionID); err != nil ||
			got.Status != "cancelled" {
			t.Fatalf("cancel: %+v, %v", got, err)
		}
	}
	wantError(t, o.confirm(cancelled.TransactionID, o.sign(cancelled.Tx)), 409, "transaction_cancelled")
	if err := a.Signing.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	if now := status(t, o.client, expired.TransactionID); now.Status != "awaiting_signature" {
		t.Fatalf("swept too early: %+v", now)
	}
	late.forward(16 * time.Minute)
	a.StopEnclave() // it has no word in this
	wantError(t, o.confirm(expired.TransactionID, o.sign(expired.Tx)), 409, "transaction_expired")
	if err := a.Signing.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	if now := status(t, o.client, expired.TransactionID); now.Status != "expired" ||
		now.Reason != "no signature within 15 minutes" {
		t.Errorf("swept: %+v", now)
	}
	wantError(t, o.confirm(expired.TransactionID, o.sign(expired.Tx)), 409, "transaction_expired")
	wantError(
		t, a.Do(a.Keys.BenchKey, "DELETE", "/v1/transactions/sign/"+expired.TransactionID, ""), 409,
		"not_awaiting_signature",
	)
}

func TestSigning_A04_CancelOrConfirm(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	o := newOutsider(t, a)
	won := map[string]int{}
	for range 12 {
		p := o.prepared(o.payment("0.001"))
		signed := o.sign(p.Tx)
		var confirm, cancel apptest.Answer
		var both sync.WaitGroup
		both.Go(func() { confirm = o.confirm(p.TransactionID, signed) })
		both.Go(func() { cancel = a.Do(a.Keys.BenchKey, "DELETE", "/v1/transactions/sign/"+p.TransactionID, "") })
		both.Wait()
		now := status(t, o.client, p.TransactionID)
		switch {
		case confirm.Status == 200 && cancel.Status == 409 && now.SignedTransaction == signed:
			won["confirm"]++
			confirmed(t, a, o.client, p.TransactionID)
		case confirm.Status == 409 && cancel.Status == 200 && now.Status == "cancelled" && now.SignedTransaction == "":
			won["cancel"]++
		default:
			t.Fatalf(
				"confirm %d %s\ncancel %d %s\nnow %+v", confirm.Status, confirm.Body, cancel.Status, cancel.Body, now,
			)
		}
	}
	t.Logf("won: %v", won)
}

func TestSigning_A04_SixteenAtOnce(t *testing.T) {
	t.Parallel()
	sixteenAtOnce(t, apptest.Shared(t))
}

func sixteenAtOnce(t *testing.T, a *apptest.App) {
	t.Helper()
	o := newOutsider(t, a)
	for _, kind := range []string{"one signature", "one signature under one key", "two signatures"} {
		p := o.prepared(o.payment("0.1"))
		signed := []string{o.sign(p.Tx), o.sign(p.Tx)}
		var headers []string
		switch kind {
		case "one signature under one key":
			headers = []string{"Idempotency-Key", uuid.NewString()}
		case "two signatures":
			signed[1] = o.signAgain(p.Tx)
		}
		answers := make([]apptest.Answer, 16)
		var wg sync.WaitGroup
		for i := range answers {
			wg.Go(func() { answers[i] = o.confirm(p.TransactionID, signed[i%2], headers...) })
		}
		wg.Wait()
		now := status(t, o.client, p.TransactionID)
		for i, got := range answers {
			if now.SignedTransaction != signed[i%2] {
				wantError(t, got, 409, "not_awaiting_signature")
			} else if d := data(t, got); d["txHash"] != now.TxHash || d["signedTransaction"] != now.SignedTransaction {
				t.Errorf("%s: %v", kind, d)
			}
			if len(headers) > 0 && got.Body != answers[0].Body {
				t.Errorf("%s: two answers:\n%s\n%s", kind, got.Body, answers[0].Body)
			}
		}
		confirmed(t, a, o.client, p.TransactionID)
	}
	if n := status(t, o.client, o.prepared(o.payment("0.1")).TransactionID); n.Status != "awaiting_signature" {
		t.Errorf("the next: %+v", n)
	}
}
