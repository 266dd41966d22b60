package signing_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	railkit "github.com/railkit/railkit/sdk/go"
)

// The answer to the first vote is lost, and the second vote approves. Then the first vote is repeated, or found by the
// sweeper: the approval stays approved.
func TestSigning_A08_LostVoteUndoesNoLaterOne(t *testing.T) {
	t.Parallel()
	a, node, _ := throughNode(t)
	k := newClub(t, a)
	id, approvalID, _ := k.held("62")
	ballot := vote(t, k.App, approvalID, k.alice)
	allow := refuse(t, k.App, "UPDATE", "approvals", "")
	if got := k.Do(k.Keys.BenchKey, "POST", approvalsPath+"/"+approvalID+"/approve", ballot); got.Status != 500 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	allow()
	node.Break("eth_getTransactionCount", apptest.Down)
	if seen := k.votes(approvalID, k.bob); seen.Status != "approved" || seen.Transaction.Status != "awaiting_approval" {
		t.Errorf("approved as %+v", seen)
	}
	if got := k.Do(
		k.Keys.BenchKey, "POST", approvalsPath+"/"+approvalID+"/approve", ballot,
	); got.Field("message") != "Approved" || !strings.Contains(got.Body, `"status":"approved"`) {
		t.Errorf("the first vote again: %d %s", got.Status, got.Body)
	}
	edit(t, a, "UPDATE activities SET state = 'awaiting_signature' WHERE kind = 'APPROVE_ACTIVITY'")
	k.age()
	k.sweep()
	if row, err := a.Store.Signing().Approval(ctx, a.Keys.WorkspaceID, approvalID); err != nil ||
		row.State != approval.Approved {
		t.Errorf("after the sweep it is %s, %v", row.State, err)
	}
	node.Break("eth_getTransactionCount", nil)
	apptest.Eventually(t, "it is executed", func() bool { return status(t, k.c, id).TxHash != "" })
}

// A concurrent caller cannot overwrite a resolved approval.
func TestSigning_A08_ResolvedOnce(t *testing.T) {
	t.Parallel()
	k := newClub(t, apptest.Shared(t))
	id, approvalID, _ := k.held("63")
	k.votes(approvalID, k.alice)
	k.votes(approvalID, k.bob)
	confirmed(t, k.App, k.c, id)
	row, err := k.Store.Signing().Approval(ctx, k.Keys.WorkspaceID, approvalID)
	if err != nil || row.ResolvedAt.IsZero() {
		t.Fatalf("%+v, %v", row, err)
	}
	row.ResolvedAt, row.Comment = time.Time{}, "the node did not answer"
	err = k.Store.Signing().Work(ctx, row.WorkspaceID, func(ctx context.Context, tx signing.Tx) (command.Audit, error) {
		return command.Audit{}, tx.MoveApproval(ctx, row, approval.Approved)
	})
	if !errors.Is(err, record.ErrStale) {
		t.Errorf("a resolved approval is opened again: %v", err)
	}
}

// A crash between the enclave's denial and its row: the sweeper writes the row.
func TestSigning_H08_CrashBeforeADenialIsWritten(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, apptest.WithoutSweeper())
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	stamp := stampedBy(t, alice)
	loose := policyOn(alice, railkit.PolicyRules{AllowRawDigests: true})
	loose.SignedActivity = stamp(c.Policies.Prepare(ctx, loose))
	p, err := c.Policies.Create(ctx, loose)
	if err != nil {
		t.Fatal(err)
	}
	message := railkit.SignMessageRequest{
		SignWith: alice.Address.Address, Type: "RAW_DIGEST", Payload: "0x" + strings.Repeat("11", 32),
	}
	ready, err := c.Messages.Prepare(ctx, message)
	if err != nil {
		t.Fatal(err)
	}
	message.SignedActivity = stamp(ready, nil)
	if _, err := c.Policies.Delete(ctx, p.ID, stamp(c.Policies.PrepareDeletion(ctx, p.ID))); err != nil {
		t.Fatal(err)
	}
	allow := refuse(t, a, "INSERT", "denials", "")
	if _, err := c.Messages.Sign(ctx, message); err == nil {
		t.Error("it is signed")
	}
	allow()
	edit(t, a, "UPDATE activities SET created_at = $1", clock.Micros(time.Now().Add(-10*time.Minute)))
	if err := a.Signing.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	seen := a.Do(a.Keys.BenchKey, "GET", "/v1/signing/wallets/"+alice.Wallet.WalletID+"/denials", "")
	if !strings.Contains(seen.Body, `"rule":"rawDigest"`) {
		t.Errorf("the denials are %s", seen.Body)
	}
	_, err = c.Messages.Sign(ctx, message)
	wantDenied(t, err, "rawDigest")
}
