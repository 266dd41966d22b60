package signing_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/signing/link"
	railkit "github.com/railkit/railkit/sdk/go"
)

// decline declines by a link.
func decline(a *apptest.App, secret, reason string) apptest.Answer {
	return a.CallPage("/finish", map[string]any{"token": secret, "decline": map[string]string{"reason": reason}})
}

// member is a member of an object of an answer.
func member(got apptest.Answer, object, name string) any {
	members, _ := got.Field(object).(map[string]any)
	return members[name]
}

// declinedEvents are the events about declines of a thing.
func declinedEvents(t *testing.T, a *apptest.App, id string) (data []string) {
	t.Helper()
	rows, err := a.Store.Writer().QueryContext(
		ctx, "SELECT data FROM events WHERE type = 'ceremony.declined' AND object_id = $1", id)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		data = append(data, text)
	}
	return data
}

// A declined payment is cancelled for good: in the row, with the words of whoever declined, and in the signer.
func TestSigning_CeremonyDeclined(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, apptest.WithoutSweeper())
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	p, secret := linked(t, a, c, alice, "1")
	stamp := stampOf(t, alice, p.UnsignedActivity.Body)
	wantError(t, decline(a, secret, strings.Repeat("x", 501)), 400, "validation_failed")
	for range 2 {
		got := decline(a, secret, "Not this month")
		if got.Status != 200 || member(got, "data", "status") != "declined" ||
			member(got, "data", "id") != p.TransactionID {
			t.Fatalf("declined: %d %s", got.Status, got.Body)
		}
	}
	wantError(t, decline(a, secret, "Another reason"), 410, "ceremony_over")
	wantOver(t, a, finishing{Token: secret, Stamp: stamp}, "declined")
	now := status(t, c, p.TransactionID)
	if now.Status != "cancelled" || !strings.Contains(now.Reason, "nobody has verified: Not this month") {
		t.Errorf("the payment is %s: %s", now.Status, now.Reason)
	}
	if events := declinedEvents(t, a, p.TransactionID); len(events) != 1 ||
		!strings.Contains(events[0], "Not this month") || !strings.Contains(events[0], `"transaction"`) {
		t.Errorf("events %v", events)
	}
	_, err := c.Transactions.Confirm(ctx, railkit.ConfirmTransactionRequest{
		TransactionID: p.TransactionID, SignedActivity: p.Signed(railkit.Stamp(*stamp)),
	})
	if err == nil {
		t.Error("the API takes a stamp of what was declined")
	}
	if out, err := a.Signing.Enclave.Outcome(ctx, p.Fingerprint); err != nil || out.State != wire.Cancelled {
		t.Errorf("the signer: %s, %v", out.State, err)
	}
}

// Each kind of link can be declined, and is over then.
func TestSigning_CeremonyDeclinesEachKind(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, apptest.WithoutSweeper())
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	call := func(path, body string) string {
		t.Helper()
		var v struct{ CeremonyURL string }
		if got := a.Do(a.Keys.BenchKey, "POST", path, body); got.Into(&v) != nil || v.CeremonyURL == "" {
			t.Fatalf("%s: %d %s", path, got.Status, got.Body)
		}
		return token(t, a, v.CeremonyURL)
	}
	for kind, secret := range map[link.Kind]string{
		link.Register: call("/v1/signing/passkeys/challenge", `{"email":"bob@example.com"}`),
		link.Add: call(
			"/v1/signing/passkeys/challenge", `{"subOrganizationId":"`+alice.Sub.SubOrganizationID+`"}`,
		),
		link.Lost:     call(recoveryPath+"/initiate", `{"email":"alice@example.com"}`),
		link.Wallet:   call("/v1/signing/wallets/prepare", `{"walletName":"Second"}`),
		link.Accounts: call("/v1/signing/wallets/accounts/prepare", `{"chain":"base"}`),
		link.Payee: call("/v1/signing/payees?prepare=true",
			`{"name":"Maria","network":"base","address":"`+receiver+`","kind":"wallet"}`),
		link.Agent: call("/v1/agents/kill-switch?prepare=true", `{"on":false}`),
	} {
		got := decline(a, secret, "")
		if got.Status != 200 || member(got, "data", "kind") != string(kind) {
			t.Errorf("%s: %d %s", kind, got.Status, got.Body)
		}
		wantError(t, a.CallPage("/open", finishing{Token: secret}), 410, "ceremony_over")
		if got := decline(a, secret, ""); got.Status != 200 {
			t.Errorf("%s again: %d %s", kind, got.Status, got.Body)
		}
	}
}

// A decline of one voter's link is that voter's: others may still agree.
func TestSigning_CeremonyDeclinesAVote(t *testing.T) {
	t.Parallel()
	k := newClub(t, apptest.Rig(t, apptest.WithoutSweeper()))
	_, id, _ := k.held("20")
	bobs, err := k.c.Approvals.PrepareVote(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	secret := token(t, k.App, bobs.CeremonyURL)
	if got := decline(k.App, secret, "I do not know this payee"); got.Status != 200 || member(got, "data", "id") != id {
		t.Fatalf("declined: %d %s", got.Status, got.Body)
	}
	if seen, err := k.c.Approvals.Get(ctx, id); err != nil || seen.Status != "pending" {
		t.Errorf("the approval is %+v, %v", seen, err)
	}
	if events := declinedEvents(t, k.App, id); len(events) != 1 ||
		!strings.Contains(events[0], "I do not know this payee") {
		t.Errorf("events %v", events)
	}
	wantOver(t, k.App, finishing{Token: secret, Stamp: stampOf(t, k.bob, bobs.UnsignedActivity.Body)}, "declined")
	for _, o := range []apptest.Owner{k.alice, k.bob} {
		k.votes(id, o)
	}
	if seen, err := k.c.Approvals.Get(ctx, id); err != nil || seen.Status != "approved" {
		t.Errorf("after the votes of both: %+v, %v", seen, err)
	}
}

// After a stamp there is nothing to decline.
func TestSigning_CeremonyDeclineAfterAStamp(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, apptest.WithoutSweeper())
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	p, secret := linked(t, a, c, alice, "1")
	finished(t, a, finishing{Token: secret, Stamp: stampOf(t, alice, p.UnsignedActivity.Body)}, 200, &struct{}{})
	wantError(t, decline(a, secret, ""), 410, "ceremony_over")
	if now := status(t, c, p.TransactionID); now.Status == "cancelled" {
		t.Error("a signed payment counts as cancelled")
	}
	if events := declinedEvents(t, a, p.TransactionID); len(events) > 0 {
		t.Errorf("events %v", events)
	}
	// The same where the server lost what the signer did: it is the signer that says so.
	edit(t, a, "UPDATE transactions SET state = 'awaiting_signature' WHERE id = $1", p.TransactionID)
	edit(t, a, "UPDATE ceremonies SET finished_at = 0, given = '' WHERE subject = $1", p.TransactionID)
	wantError(t, decline(a, secret, ""), 410, "ceremony_over")
	finished(t, a, finishing{Token: secret, Stamp: stampOf(t, alice, p.UnsignedActivity.Body)}, 200, &struct{}{})
}

// A stamp and a decline at the same moment: one of them is what happened, for everybody.
func TestSigning_CeremonyDeclineBesideAStamp(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, apptest.WithoutSweeper())
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	for range 6 {
		p, secret := linked(t, a, c, alice, "0.1")
		stamp := stampOf(t, alice, p.UnsignedActivity.Body)
		var by [3]apptest.Answer
		var wg sync.WaitGroup
		wg.Go(func() { by[0] = a.CallPage("/finish", finishing{Token: secret, Stamp: stamp}) })
		wg.Go(func() { by[1] = decline(a, secret, "No") })
		wg.Go(func() { by[2] = decline(a, secret, "No") })
		wg.Wait()
		now, events := status(t, c, p.TransactionID), declinedEvents(t, a, p.TransactionID)
		switch {
		case by[0].Status == 200:
			if now.Status == "cancelled" || len(events) > 0 || by[1].Status == 200 || by[2].Status == 200 {
				t.Errorf("stamped, and %s, %v, %s, %s", now.Status, events, by[1].Body, by[2].Body)
			}
		case by[1].Status != 200 || by[2].Status != 200 || now.Status != "cancelled" || len(events) != 1:
			t.Errorf("%s: %v\n%s\n%s\n%s", now.Status, events, by[0].Body, by[1].Body, by[2].Body)
		}
	}
}

// A link on which a passkey was handed in cannot be declined any more, and none is taken after a decline: there is no
// body that the signer could be told never to execute.
func TestSigning_CeremonyDeclineOfARegistration(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, apptest.WithoutSweeper())
	c := a.Client()
	ch, err := c.SubOrganizations.Challenge(ctx, "alice@example.com")
	if err != nil {
		t.Fatal(err)
	}
	secret := token(t, a, ch.CeremonyURL)
	bad := finishing{Token: secret, Attestation: &railkit.Attestation{
		CredentialID: "AA", ClientDataJSON: "AA", AttestationObject: "AA", Transports: []string{},
	}}
	wantError(t, a.CallPage("/finish", bad), 422, "passkey_signature_invalid")
	got := decline(a, secret, "")
	wantError(t, got, 410, "ceremony_over")
	if member(got, "details", "reason") != "tried" {
		t.Errorf("%s", got.Body)
	}
	if ch, err = c.SubOrganizations.Challenge(ctx, "alice@example.com"); err != nil {
		t.Fatal(err)
	}
	bad.Token = token(t, a, ch.CeremonyURL)
	if got := decline(a, bad.Token, ""); got.Status != 200 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	wantOver(t, a, bad, "declined")
}

// The decline whose answer a crash swallowed is finished by the same decline, also after the sweep has seen what the
// signer says.
func TestSigning_CeremonyDeclineAfterACrash(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, apptest.WithoutSweeper())
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	for _, swept := range []bool{false, true} {
		p, secret := linked(t, a, c, alice, "1")
		if got := decline(a, secret, "No"); got.Status != 200 {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		// As it was between the signer's word and the commit.
		edit(t, a, "UPDATE ceremonies SET finished_at = 0, declined = 0 WHERE subject = $1", p.TransactionID)
		edit(t, a, "DELETE FROM events WHERE type = 'ceremony.declined' AND object_id = $1", p.TransactionID)
		if !swept {
			edit(t, a, "UPDATE transactions SET state = 'awaiting_signature', reason = '' WHERE id = $1", p.TransactionID)
		}
		if got := decline(a, secret, "No"); got.Status != 200 {
			t.Fatalf("swept %v, again: %d %s", swept, got.Status, got.Body)
		}
		if events := declinedEvents(t, a, p.TransactionID); len(events) != 1 {
			t.Errorf("swept %v: events %v", swept, events)
		}
		wantError(t, a.CallPage("/open", finishing{Token: secret}), 410, "ceremony_over")
	}
}
