package signing_test

import (
	"math/big"
	"strings"
	"sync"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// exactBytes is a payment of 5 wei that names its nonce.
func exactBytes(t *testing.T, nonce uint64) string {
	t.Helper()
	to, err := evm.ParseAddress(receiver)
	if err != nil {
		t.Fatal(err)
	}
	tx := evm.Tx{
		ChainID: 84532, Nonce: nonce, GasPrice: big.NewInt(2_000_000_000), GasLimit: 21_000, To: &to,
		Value: big.NewInt(5),
	}
	return chain.Hex(tx.Unsigned())
}

// toSign is the body of transactions/sign.
func toSign(t *testing.T, o apptest.Owner, nonce uint64, more ...any) map[string]any {
	t.Helper()
	body := map[string]any{
		"signWith": o.Address.Address, "unsignedTransaction": exactBytes(t, nonce), "type": "TRANSACTION_TYPE_ETHEREUM",
		"chainId": 84532,
	}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	return body
}

// queued is the approval of a 202.
func queued(t *testing.T, got apptest.Answer) string {
	t.Helper()
	var q struct{ ApprovalID, Status, ExpiresAt string }
	if err := got.Into(&q); err != nil || got.Status != 202 ||
		q.Status != "pending_approval" || q.ExpiresAt == "" || got.Field("approvalId") != q.ApprovalID {
		t.Fatalf("not queued: %d %s", got.Status, got.Body)
	}
	return q.ApprovalID
}

// approvalSeen is what a test reads of an approval.
type approvalSeen struct {
	ID, Status, Reason, Activity, Requester, Amount, Comment string
	TransactionID, ActivityID                                string

	RequiredApprovers int
	Approvals         []struct{ UserID, Email string }
	Transaction       struct{ Status, TxHash, Reason string }

	Preview, Proof, Result *railkit.Proof
}

func approvalOf(t *testing.T, a *apptest.App, id string) (seen approvalSeen) {
	t.Helper()
	if err := a.Do(a.Keys.BenchKey, "GET", approvalsPath+"/"+id, "").Into(&seen); err != nil {
		t.Fatal(err)
	}
	return seen
}

func approve(t *testing.T, a *apptest.App, id string, o apptest.Owner) apptest.Answer {
	t.Helper()
	return a.Do(a.Keys.BenchKey, "POST", approvalsPath+"/"+id+"/approve", vote(t, a, id, o))
}

// Bytes that nobody stamped wait for a vote, and are sent by it where that was asked for.
func TestSigning_BareSigningIsApproved(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	id := queued(
		t,
		a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/sign", apptest.JSON(t, toSign(t, alice, 0, "broadcast", true))),
	)
	seen := approvalOf(t, a, id)
	if seen.Status != "pending" || seen.Reason != "no_stamp" ||
		seen.RequiredApprovers != 1 || seen.Transaction.Status != "awaiting_approval" || seen.Preview == nil {
		t.Errorf("waits as %+v", seen)
	}
	waiting := a.Do(a.Keys.BenchKey, "GET", "/v1/transactions/sign/"+seen.TransactionID, "")
	if waiting.Field("data.approvalId") != id && !strings.Contains(waiting.Body, id) {
		t.Errorf("the transaction names no approval: %s", waiting.Body)
	}
	wantError(
		t, a.Do(a.Keys.BenchKey, "DELETE", "/v1/transactions/sign/"+seen.TransactionID, ""), 409,
		"not_awaiting_signature",
	)
	wantError(t, a.Do(a.Keys.BenchKey, "POST", approvalsPath+"/"+id+"/approve", ""), 403, "passkey_stamp_required")
	got := approve(t, a, id, alice)
	var done approvalSeen
	if err := got.Into(&done); err != nil || got.Status != 201 ||
		done.Status != "approved" || done.Transaction.TxHash == "" || done.Transaction.Status != "broadcast" {
		t.Fatalf("approved: %d %s\n%s", got.Status, got.Body, a.Log)
	}
	confirmed(t, a, c, seen.TransactionID)
	if seen = approvalOf(t, a, id); seen.Transaction.Status != "confirmed" ||
		len(seen.Approvals) != 1 || seen.Result == nil {
		t.Errorf("in the end %+v", seen)
	}
	wantError(
		t, a.Do(a.Keys.BenchKey, "POST", approvalsPath+"/"+id+"/reject", `{"reason":"late"}`), 409, "approval_resolved",
	)
}

// What is rejected is never signed.
func TestSigning_RejectedIsNeverSigned(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	id := queued(t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/sign", apptest.JSON(t, toSign(t, alice, 0))))
	ballot := vote(t, a, id, alice)
	for range 2 { // the second time it is rejected already
		got := a.Do(a.Keys.BenchKey, "POST", approvalsPath+"/"+id+"/reject", `{"reason":"not ours"}`)
		var seen approvalSeen
		if err := got.Into(&seen); err != nil || got.Status != 201 ||
			seen.Status != "rejected" || seen.Comment != "not ours" || seen.Transaction.Status != "cancelled" {
			t.Errorf("rejected: %d %s", got.Status, got.Body)
		}
	}
	wantError(t, a.Do(a.Keys.BenchKey, "POST", approvalsPath+"/"+id+"/approve", ballot), 409, "approval_resolved")
	if now := status(t, c, approvalOf(t, a, id).TransactionID); now.Status != "cancelled" ||
		now.Reason != "not ours" || now.SignedTransaction != "" {
		t.Errorf("the transaction is %+v", now)
	}
}

// However many bring a last vote at once, what waits is executed once.
func TestSigning_A08_LastVotesRace(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	id := queued(
		t,
		a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/sign", apptest.JSON(t, toSign(t, alice, 0, "broadcast", true))),
	)
	ballots := make([]string, 8)
	for i := range ballots {
		ballots[i] = vote(t, a, id, alice)
	}
	var voters sync.WaitGroup
	for i, ballot := range append(ballots, ballots...) {
		voters.Go(func() {
			got := a.Do(a.Keys.BenchKey, "POST", approvalsPath+"/"+id+"/approve", ballot)
			if got.Status != 201 && got.Field("error") != "approval_resolved" {
				t.Errorf("vote %d: %d %s", i, got.Status, got.Body)
			}
		})
	}
	voters.Wait()
	seen := approvalOf(t, a, id)
	confirmed(t, a, c, seen.TransactionID)
	if seen.Status != "approved" || len(seen.Approvals) != 1 {
		t.Errorf("approved by %+v", seen)
	}
}
