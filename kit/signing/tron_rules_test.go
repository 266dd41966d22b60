package signing_test

import (
	"errors"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Rules and their denials are those of every network.
func TestSigning_TronRules(t *testing.T) {
	t.Parallel()
	w := newTronWorld(t)
	limit(t, w.c, w.alice, railkit.PolicyRules{
		MaxValueUSD: "50", AllowedChains: []string{"tron"}, AllowedDestinations: []string{tronPayee},
	})
	_, err := w.c.Transactions.Prepare(ctx, w.pay(tronPayee, "60"))
	wantDenied(t, err, "maxValueUsd")
	_, err = w.c.Transactions.Prepare(ctx, w.pay(tronFunded, "1"))
	wantDenied(t, err, "allowedDestinations")
	denials, err := w.c.Policies.ListDenials(ctx, w.alice.Wallet.WalletID, railkit.ListOptions{})
	if err != nil || len(denials.Items) != 2 {
		t.Errorf("%+v %v", denials, err)
	}
	sent, err := w.c.Transactions.Send(ctx, w.alice.Passkey, w.pay(tronPayee, "1"))
	if err != nil {
		t.Fatalf("%v\n%s", err, w.Log)
	}
	w.Settle()
	w.becomes(sent.TransactionID, "confirmed")
}

// Votes may take longer than a transaction on Tron lasts: it names its block, and ends, when it is signed.
func TestSigning_TronVotesOutliveAnEnd(t *testing.T) {
	t.Parallel()
	w := newTronWorld(t)
	k := &club{App: w.App, t: t, c: w.c, alice: w.alice}
	k.bob = k.join("bob@example.com")
	k.must("PATCH", "/v1/signing/approval-config",
		map[string]any{"enabled": true, "thresholdUsd": 10, "requiredApprovers": 2})
	sent, err := w.c.Transactions.Send(ctx, w.alice.Passkey, w.pay(tronPayee, "60"))
	var queued *railkit.QueuedError
	if !errors.As(err, &queued) {
		t.Fatalf("%+v %v", sent, err)
	}
	k.votes(queued.ApprovalID, k.alice)
	k.votes(queued.ApprovalID, k.bob)
	var txs *railkit.Page[railkit.Transaction]
	apptest.Eventually(t, "it is signed and sent", func() bool {
		txs, err = w.c.Transactions.List(ctx, railkit.TransactionListOptions{})
		return err == nil && len(txs.Items) == 1 && txs.Items[0].Status == "broadcast"
	})
	w.Settle()
	w.becomes(txs.Items[0].TransactionID, "confirmed")
	if _, micro := w.Held(tronPayee); micro != 60_000_000 {
		t.Errorf("the payee has %d", micro)
	}
}

// What was signed under a delegation is listed with its end, which comes by itself.
func TestSigning_TronOutstanding(t *testing.T) {
	t.Parallel()
	w := newTronWorld(t)
	req := policyOn(w.alice, railkit.PolicyRules{Delegation: &railkit.Delegation{
		AnyRequest: true, ExpiresAt: time.Now().Add(time.Hour).UTC().Format(time.RFC3339), MaxValueUSD: "50",
		DailyUSD: "500", AllowedDestinations: []string{tronPayee},
	}})
	req.SignedActivity = stampedBy(t, w.alice)(w.c.Policies.Prepare(ctx, req))
	p, err := w.c.Policies.Create(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	unsigned, err := w.unsigned("3000000")
	if err != nil {
		t.Fatal(err)
	}
	signed, err := w.c.Transactions.Sign(ctx, unsigned)
	if err != nil {
		t.Fatalf("%v\n%s", err, w.Log)
	}
	list, err := w.c.Policies.Outstanding(ctx, p.ID)
	if err != nil || len(list.Transactions) != 1 {
		t.Fatalf("%+v %v", list, err)
	}
	tx := list.Transactions[0]
	if tx.Nonce != nil || tx.LastHeight != nil || tx.EndsAt == nil || signed.EndsAt == nil ||
		*tx.EndsAt != *signed.EndsAt || tx.TransactionID != signed.TransactionID || len(tx.Void.Prepare) != 0 {
		t.Errorf("%+v of %+v", tx, signed)
	}
}
