package signing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Wherever the database fails around the last vote and what it lets happen, the
// sweeper finishes it, once.
func TestSigning_A08_CrashAroundTheLastVote(t *testing.T) {
	t.Parallel()
	k := newClub(t, apptest.Rig(t, apptest.WithoutSweeper()))
	for i, broken := range []struct{ event, table string }{
		{"UPDATE", "approvals"}, {"UPDATE", "transactions"}, {"UPDATE", "activities"}, {"INSERT", "audit"},
	} {
		id, approval, _ := k.held(fmt.Sprint(20 + i))
		k.votes(approval, k.alice)
		ballot := vote(t, k.App, approval, k.bob)
		allow := refuse(t, k.App, broken.event, broken.table, "")
		if got := k.Do(k.Keys.BenchKey, "POST", approvalsPath+"/"+approval+"/approve", ballot); got.Status != 500 {
			t.Errorf("%v: %d %s", broken, got.Status, got.Body)
		}
		allow()
		k.age()
		apptest.Eventually(t, fmt.Sprintf("%v: executed in the end", broken), func() bool {
			k.sweep()
			return status(t, k.c, id).TxHash != ""
		})
		confirmed(t, k.App, k.c, id)
		if now := status(t, k.c, id); *now.Nonce != uint64(i) {
			t.Errorf("%v: nonce %d", broken, *now.Nonce)
		}
		if seen := approvalOf(t, k.App, approval); seen.Status != "approved" ||
			seen.Transaction.TxHash == "" || len(seen.Approvals) != 2 {
			t.Errorf("%v: %+v", broken, seen)
		}
		if got := k.Do(k.Keys.BenchKey, "POST", approvalsPath+"/"+approval+"/approve", ballot); got.Status != 201 {
			t.Errorf("%v: the vote again: %d %s", broken, got.Status, got.Body)
		}
	}
}

// A stamped body whose 202 the database lost still waits.
func TestSigning_A03_CrashWhileItIsQueued(t *testing.T) {
	t.Parallel()
	k := newClub(t, apptest.Rig(t, apptest.WithoutSweeper()))
	id, signed := prepared(t, k.c, k.alice, "50")
	allow := refuse(t, k.App, "INSERT", "approvals", "")
	if got := k.confirm(id, signed); got.Status != 500 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	wantError(t, k.Do(k.Keys.BenchKey, "DELETE", "/v1/transactions/sign/"+id, ""), 409, "not_awaiting_signature")
	allow()
	k.age()
	k.sweep()
	if now := status(t, k.c, id); now.Status != "awaiting_approval" || now.ApprovalID == "" {
		t.Fatalf("it is %+v", now)
	}
	if approval := queued(t, k.confirm(id, signed)); approval != status(t, k.c, id).ApprovalID {
		t.Errorf("another approval")
	}
}

// A fee above what was stamped is waited out; the reason is shown meanwhile.
func TestSigning_ApprovedAndWaitsForTheFee(t *testing.T) {
	t.Parallel()
	a, node, _ := throughNode(t)
	k := newClub(t, a)
	id, approval, _ := k.held("60")
	k.votes(approval, k.alice)
	node.Break("eth_maxPriorityFeePerGas", apptest.Gives("0x174876e800"))
	node.Break("eth_getBlockByNumber", apptest.Gives(map[string]string{"baseFeePerGas": "0x174876e800"}))
	seen := k.votes(approval, k.bob)
	if seen.Status != "approved" || seen.Transaction.TxHash != "" || !strings.Contains(seen.Comment, "fee") {
		t.Errorf("approved as %+v", seen)
	}
	if again, err := k.Signing.Votes.Execute(ctx, k.Keys.WorkspaceID, approval); err != nil || again == 0 {
		t.Errorf("the job: again in %v, %v", again, err)
	}
	node.Break("eth_maxPriorityFeePerGas", nil)
	node.Break("eth_getBlockByNumber", nil)
	apptest.Eventually(t, "the job executes it", func() bool {
		return approvalOf(t, k.App, approval).Transaction.TxHash != ""
	})
	confirmed(t, k.App, k.c, id)
}

// Who has approved may still be overruled while it waits.
func TestSigning_RejectedAfterItWasApproved(t *testing.T) {
	t.Parallel()
	a, node, _ := throughNode(t)
	k := newClub(t, a)
	id, approval, _ := k.held("61")
	k.votes(approval, k.alice)
	node.Break("eth_getTransactionCount", apptest.Down)
	if seen := k.votes(approval, k.bob); seen.Status != "approved" || seen.Transaction.Status != "awaiting_approval" {
		t.Errorf("approved as %+v", seen)
	}
	if got := k.Do(k.Keys.BenchKey, "POST", approvalsPath+"/"+approval+"/reject", ""); got.Status != 201 {
		t.Errorf("rejected: %d %s", got.Status, got.Body)
	}
	node.Break("eth_getTransactionCount", nil)
	if again, err := k.Signing.Votes.Execute(ctx, k.Keys.WorkspaceID, approval); err != nil || again != 0 {
		t.Errorf("the job: again in %v, %v", again, err)
	}
	if now := status(t, k.c, id); now.Status != "cancelled" || now.Reason != "rejected" {
		t.Errorf("the transaction is %+v", now)
	}
}

// Exact bytes whose nonce another transaction took meanwhile can never be signed.
func TestSigning_ExactBytesOutlived(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	id := queued(t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/sign", apptest.JSON(t, toSign(t, alice, 0))))
	ballot := vote(t, a, id, alice)
	if _, err := c.Transactions.Send(ctx, alice.Passkey, alice.Payment(receiver, "1")); err != nil {
		t.Fatal(err)
	}
	got := a.Do(a.Keys.BenchKey, "POST", approvalsPath+"/"+id+"/approve", ballot)
	var seen approvalSeen
	if err := got.Into(&seen); err != nil || got.Status != 201 || seen.Status != "expired" || seen.Comment == "" {
		t.Errorf("approved too late: %d %s", got.Status, got.Body)
	}
	if now := status(t, c, approvalOf(t, a, id).TransactionID); now.Status != "expired" || now.Reason == "" {
		t.Errorf("the transaction is %+v", now)
	}
}

// Exact bytes and messages: under a stamp at once, without one by votes; through
// the SDK, which believes proofs only.
func TestSigning_SignaturesByTheSDK(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	exact := railkit.SignTransactionRequest{
		SignWith: alice.Address.Address, UnsignedTransaction: exactBytes(t, 0), Type: railkit.TypeEthereum,
		ChainID: 84532,
	}
	p, err := c.Transactions.PrepareSigning(ctx, exact)
	if err != nil {
		t.Fatal(err)
	}
	signed := p.Signed(railkit.Stamp(*stampOf(t, alice, p.UnsignedActivity.Body)))
	exact.SignedActivity = &signed
	made, err := c.Transactions.Sign(ctx, exact)
	if err != nil || made.Status != "pending" || made.SignedTransaction == "" {
		t.Fatalf("signed %+v, %v", made, err)
	}
	if _, err := c.Transactions.Broadcast(ctx, made.TransactionID); err != nil {
		t.Fatal(err)
	}
	confirmed(t, a, c, made.TransactionID)

	message := railkit.SignMessageRequest{SignWith: alice.Address.Address, Type: railkit.MessageText, Payload: "Hello"}
	_, err = c.Messages.Sign(ctx, message)
	q, ok := err.(*railkit.QueuedError)
	if !ok {
		t.Fatalf("a message without a stamp: %v", err)
	}
	var asked string
	done, err := c.Approvals.Approve(ctx, alice.Passkey, q.ApprovalID, func(shown *railkit.Preview) error {
		asked = shown.Message.Text
		return nil
	})
	if err != nil || done.Status != railkit.ApprovalApproved ||
		asked != "Hello" || done.Result == nil || !strings.Contains(done.Result.Payload, "signature") {
		t.Errorf("approved %+v, %v", done, err)
	}
	if got, err := c.Approvals.Wait(ctx, q.ApprovalID, 0); err != nil ||
		got.Result == nil || !strings.Contains(got.Result.Payload, `"signature":"0x`) {
		t.Errorf("the poller sees %+v, %v", got, err)
	}
	ready, err := c.Messages.Prepare(ctx, message)
	if err != nil {
		t.Fatal(err)
	}
	stamped := ready.Signed(railkit.Stamp(*stampOf(t, alice, ready.UnsignedActivity.Body)))
	message.SignedActivity = &stamped
	if m, err := c.Messages.Sign(ctx, message); err != nil || len(m.Signature) != 132 {
		t.Errorf("signed %+v, %v", m, err)
	}
	list, err := c.Approvals.List(ctx, railkit.ApprovalListOptions{Status: "all"})
	if err != nil || len(list.Items) != 1 {
		t.Errorf("listed %+v, %v", list, err)
	}
	raw := a.Do(a.Keys.BenchKey, "POST", "/v1/signing/messages/sign", apptest.JSON(t, map[string]string{
		"signWith": alice.Address.Address, "type": "RAW_DIGEST", "payload": "0x" + strings.Repeat("11", 32),
	}))
	wantError(t, raw, 422, "policy_denied")
}

// A bare call under one Idempotency-Key has one body, and refuses what it cannot sign.
func TestSigning_BareSigningRefuses(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	sign := func(more ...any) apptest.Answer {
		return a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/sign", apptest.JSON(t, toSign(t, alice, 0, more...)))
	}
	wantError(t, sign("type", "TRANSACTION_TYPE_SOLANA"), 400, "validation_failed")
	wantError(t, sign("chainId", 1), 400, "validation_failed")
	wantError(t, sign("signWith", receiver), 404, "not_found")
	wantError(t, sign("unsignedTransaction", "0x00"), 400, "validation_failed")
	q := "/v1/transactions/sign?prepare=true"
	var p railkit.Prepared
	if err := a.Do(a.Keys.BenchKey, "POST", q, apptest.JSON(t, toSign(t, alice, 0))).Into(&p); err != nil {
		t.Fatal(err)
	}
	signed := p.Signed(railkit.Stamp(*stampOf(t, alice, p.UnsignedActivity.Body)))
	wantError(
		t, a.Do(a.Keys.BenchKey, "POST", q, apptest.JSON(t, toSign(t, alice, 0, "signedActivity", signed))), 400,
		"validation_failed",
	)
	other := toSign(t, alice, 1, "signedActivity", signed)
	wantError(
		t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/sign", apptest.JSON(t, other)), 422, "stamped_body_differs",
	)
	if got := sign("signedActivity", signed); got.Status != 200 {
		t.Errorf("its own bytes: %d %s", got.Status, got.Body)
	}
}
