package signing_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// club is a sub-organization of two users, who both have to agree to what costs
// more than 10 USD.
type club struct {
	*apptest.App
	t          *testing.T
	c          *railkit.Client
	alice, bob apptest.Owner
}

func newClub(t *testing.T, a *apptest.App) *club {
	t.Helper()
	k := &club{App: a, t: t, c: a.Client()}
	k.alice = a.Fund(k.c, "alice@example.com")
	k.bob = k.join("bob@example.com")
	k.must(
		"PATCH", "/v1/signing/approval-config",
		map[string]any{"enabled": true, "thresholdUsd": 10, "requiredApprovers": 2},
	)
	return k
}

func (k *club) call(method, path string, body any) apptest.Answer {
	k.t.Helper()
	return k.Do(k.Keys.BenchKey, method, path, apptest.JSON(k.t, body))
}

func (k *club) must(method, path string, body any) apptest.Answer {
	k.t.Helper()
	got := k.call(method, path, body)
	if got.Status/100 != 2 || got.Status == 202 {
		k.t.Fatalf("%s %s: %d %s", method, path, got.Status, got.Body)
	}
	return got
}

// join makes another user of alice's sub-organization.
func (k *club) join(email string) apptest.Owner {
	k.t.Helper()
	ch, err := k.c.SubOrganizations.Challenge(ctx, email)
	if err != nil {
		k.t.Fatal(err)
	}
	o := apptest.Owner{
		Passkey: passkey.Browser{Authenticator: passkey.New(k.Origin)}, Sub: k.alice.Sub, Wallet: k.alice.Wallet,
		Address: k.alice.Address,
	}
	att, err := o.Passkey.Create(ch.Options)
	if err != nil {
		k.t.Fatal(err)
	}
	body := map[string]any{"email": email, "encodedChallenge": ch.EncodedChallenge, "attestation": att}
	var p railkit.Prepared
	if err := k.must("POST", "/v1/signing/passkeys/add?prepare=true", body).Into(&p); err != nil {
		k.t.Fatal(err)
	}
	body["signedActivity"] = p.Signed(railkit.Stamp(*stampOf(k.t, k.alice, p.UnsignedActivity.Body)))
	k.must("POST", "/v1/signing/passkeys/add", body)
	return o
}

// held is a payment over the threshold, stamped by alice.
func (k *club) held(amount string) (transaction, approval string, signed railkit.SignedActivity) {
	k.t.Helper()
	transaction, signed = prepared(k.t, k.c, k.alice, amount)
	return transaction, queued(k.t, k.confirm(transaction, signed)), signed
}

func (k *club) confirm(id string, signed railkit.SignedActivity) apptest.Answer {
	k.t.Helper()
	return k.Do(k.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(k.t, id, signed))
}

// confirmed confirms until the server had time for it: of fifty callers at once some are told to come again where the
// machine has other work.
func (k *club) confirmed(id string, signed railkit.SignedActivity) (got apptest.Answer) {
	k.t.Helper()
	apptest.Eventually(k.t, "the server has time for a confirmation", func() bool {
		got = k.confirm(id, signed)
		return got.Status != http.StatusServiceUnavailable
	})
	return got
}

// votes counts a vote and says how the approval is then.
func (k *club) votes(id string, o apptest.Owner) (seen approvalSeen) {
	k.t.Helper()
	got := approve(k.t, k.App, id, o)
	if err := got.Into(&seen); err != nil || got.Status != 201 {
		k.t.Fatalf("a vote: %d %s\n%s", got.Status, got.Body, k.Log)
	}
	return seen
}

func (k *club) sweep() {
	k.t.Helper()
	if err := k.Signing.Sweep(ctx); err != nil {
		k.t.Fatal(err)
	}
}

// age makes the sweeper look at everything.
func (k *club) age() {
	k.t.Helper()
	long := clock.Micros(time.Now().Add(-10 * time.Minute))
	for _, table := range []string{"approvals", "transactions", "activities"} {
		edit(k.t, k.App, "UPDATE "+table+" SET updated_at = $1", long)
	}
	edit(k.t, k.App, "UPDATE activities SET created_at = $1", long)
}

// A transfer over the threshold waits for two users, and lands by itself.
func TestSigning_ApprovedByTwo(t *testing.T) {
	t.Parallel()
	k := newClub(t, apptest.Shared(t))
	if sent, err := k.c.Transactions.Send(ctx, k.alice.Passkey, k.alice.Payment(receiver, "2")); err != nil ||
		sent.Status != "broadcast" {
		t.Fatalf("below the threshold: %+v, %v", sent, err)
	}
	id, approval, _ := k.held("25.50")
	seen := approvalOf(t, k.App, approval)
	if seen.Reason != "threshold" ||
		seen.RequiredApprovers != 2 || seen.Amount != "25.5" || seen.Requester == "" || seen.TransactionID != id {
		t.Errorf("waits as %+v", seen)
	}
	for range 2 { // A06: one user counts once
		if now := k.votes(approval, k.alice); now.Status != "pending" || len(now.Approvals) != 1 {
			t.Errorf("after alice's vote %+v", now)
		}
	}
	if now := k.votes(approval, k.bob); now.Status != "approved" ||
		len(now.Approvals) != 2 || now.Transaction.TxHash == "" {
		t.Errorf("after bob's vote %+v", now)
	}
	confirmed(t, k.App, k.c, id)
	if seen = approvalOf(t, k.App, approval); seen.Transaction.Status != "confirmed" ||
		seen.Transaction.TxHash != status(t, k.c, id).TxHash {
		t.Errorf("the poller sees %+v", seen)
	}
}

// However often and by however many the stamped body is brought while it waits,
// the answer is one approval, also from another server.
func TestSigning_A03_ConfirmedWhileItWaits(t *testing.T) {
	t.Parallel()
	k := newClub(t, apptest.Rig(t))
	id, signed := prepared(t, k.c, k.alice, "30")
	var mu sync.Mutex
	ids := map[string]int{}
	var callers sync.WaitGroup
	for range 50 {
		callers.Go(func() {
			got := k.confirmed(id, signed)
			approval, _ := got.Field("approvalId").(string)
			mu.Lock()
			defer mu.Unlock()
			if ids[approval]++; got.Status != 202 {
				t.Errorf("%d %s", got.Status, got.Body)
			}
		})
	}
	callers.Wait()
	if len(ids) != 1 || count(t, k.App, "approvals") != 1 {
		t.Errorf("the approvals are %v", ids)
	}
	k.StopServer()
	k.StartServer()
	approval := queued(t, k.confirm(id, signed))
	if ids[approval] != 50 {
		t.Errorf("after a restart it is approval %s, not one of %v", approval, ids)
	}
	if list := k.Do(k.Keys.BenchKey, "GET", "/v1/transactions/pending-signature", ""); strings.Contains(list.Body, id) {
		t.Errorf("it is listed as awaiting a signature: %s", list.Body)
	}
	k.votes(approval, k.bob)
	k.votes(approval, k.alice)
	if got := k.confirm(id, signed); got.Status != 200 || !strings.Contains(got.Body, "txHash") {
		t.Errorf("the same stamped body in the end: %d %s", got.Status, got.Body)
	}
}

// Votes under other rules count for nothing, and what new rules refuse is denied
// although it was approved.
func TestSigning_A05_RulesChangeBetweenVotes(t *testing.T) {
	t.Parallel()
	k := newClub(t, apptest.Shared(t))
	id, approval, _ := k.held("40")
	ballot := vote(t, k.App, approval, k.bob)
	k.votes(approval, k.alice)
	k.must("POST", "/v1/signing/policies", map[string]any{
		"name": "Limit", "walletId": k.alice.Wallet.WalletID, "rules": map[string]any{"maxValueUsd": 20},
	})
	if seen := approvalOf(t, k.App, approval); seen.Status != "pending" || len(seen.Approvals) != 0 {
		t.Errorf("under new rules it stands as %+v", seen)
	}
	wantError(t, k.Do(k.Keys.BenchKey, "POST", approvalsPath+"/"+approval+"/approve", ballot), 409, "rules_changed")
	k.votes(approval, k.alice)
	seen := k.votes(approval, k.bob)
	if seen.Status != "approved" ||
		seen.Transaction.Status != "failed" || !strings.Contains(seen.Comment, "maxValueUsd") {
		t.Errorf("approved and denied: %+v", seen)
	}
	if now := status(t, k.c, id); now.SignedTransaction != "" || now.Status != "failed" {
		t.Errorf("the transaction is %+v", now)
	}
	if n := count(t, k.App, "denials WHERE transaction_id = $1", id); n != 1 {
		t.Errorf("%d denials", n)
	}
}

// A vote is for one request, and for nothing once that is decided.
func TestSigning_A07_VotesElsewhere(t *testing.T) {
	t.Parallel()
	k := newClub(t, apptest.Shared(t))
	_, one, _ := k.held("41")
	_, other, _ := k.held("42")
	ballot := vote(t, k.App, one, k.bob)
	wantError(t, k.Do(k.Keys.BenchKey, "POST", approvalsPath+"/"+other+"/approve", ballot), 422, "stamped_body_differs")
	stolen := strings.Replace(vote(t, k.App, one, k.alice), `"stampHeaderValue":"`, `"stampHeaderValue":"x`, 1)
	wantError(
		t, k.Do(k.Keys.BenchKey, "POST", approvalsPath+"/"+one+"/approve", stolen), 422, "passkey_signature_invalid",
	)
	wantError(
		t, k.Do(k.Keys.BenchKey, "POST", approvalsPath+"/"+one+"/approve-with-passkey", "{}"), 403,
		"passkey_stamp_required",
	)
	k.votes(one, k.alice)
	if got := k.Do(
		k.Keys.BenchKey, "POST", approvalsPath+"/"+one+"/approve-with-passkey",
		strings.Replace(ballot, "signedActivity", "stamped_request", 1),
	); got.Status != 201 {
		t.Fatalf("the last vote: %d %s", got.Status, got.Body)
	}
	if got := k.Do(k.Keys.BenchKey, "POST", approvalsPath+"/"+one+"/approve", ballot); got.Status != 201 {
		t.Errorf("the same vote again: %d %s", got.Status, got.Body)
	}
	wantError(
		t, k.Do(k.Keys.BenchKey, "POST", approvalsPath+"/"+one+"/approve?prepare=true", ""), 409, "approval_resolved",
	)
}

// H07: nobody sees or decides what waits in another workspace.
func TestSigning_H07_ApprovalsOfAnotherWorkspace(t *testing.T) {
	t.Parallel()
	k := newClub(t, apptest.Shared(t))
	_, approval, _ := k.held("43")
	_, stranger := k.NewWorkspace([]auth.Scope{auth.Integrator}, auth.Signing)
	for _, query := range []string{"", "?status=all"} {
		if got := k.Do(stranger, "GET", approvalsPath+query, ""); got.Status != 200 ||
			strings.Contains(got.Body, approval) {
			t.Errorf("%s: %d %s", query, got.Status, got.Body)
		}
	}
	for _, query := range []string{
		"?walletId=" + k.alice.Wallet.WalletID, "?subOrganizationId=" + k.alice.Sub.SubOrganizationID, "/" + approval,
	} {
		if got := k.Do(stranger, "GET", approvalsPath+query, ""); got.Status != 404 {
			t.Errorf("%s: %d %s", query, got.Status, got.Body)
		}
	}
	for _, verb := range []string{"/approve?prepare=true", "/approve", "/reject"} {
		if got := k.Do(
			stranger, "POST", approvalsPath+"/"+approval+verb, vote(t, k.App, approval, k.bob),
		); got.Status != 404 && got.Status != 400 {
			t.Errorf("%s: %d %s", verb, got.Status, got.Body)
		}
	}
	for query, want := range map[string]bool{
		"": true, "?walletId=" + k.alice.Wallet.ID: true, "?status=approved": false, "?status=all&limit=1": true,
	} {
		if got := k.Do(k.Keys.BenchKey, "GET", approvalsPath+query, ""); got.Status != 200 ||
			strings.Contains(got.Body, approval) != want {
			t.Errorf("%s: %d %s", query, got.Status, got.Body)
		}
	}
}

// What nobody decides in half an hour is never executed.
func TestSigning_ApprovalExpires(t *testing.T) {
	t.Parallel()
	late := &laterClock{}
	k := newClub(t, apptest.Rig(t, apptest.WithoutSweeper(), apptest.WithClock(clock.Func(late.now))))
	id, approval, _ := k.held("44")
	ballot := vote(t, k.App, approval, k.bob)
	k.sweep()
	if seen := approvalOf(t, k.App, approval); seen.Status != "pending" {
		t.Errorf("too early: %+v", seen)
	}
	late.forward(31 * time.Minute)
	k.sweep()
	if seen := approvalOf(t, k.App, approval); seen.Status != "expired" || seen.Transaction.Status != "expired" {
		t.Errorf("after half an hour: %+v", seen)
	}
	// the vote was prepared half an hour ago, too
	wantError(t, k.Do(k.Keys.BenchKey, "POST", approvalsPath+"/"+approval+"/approve", ballot), 409, "request_expired")
	if now := status(t, k.c, id); now.Reason != "not enough votes in time" {
		t.Errorf("the reason is %q", now.Reason)
	}
}
