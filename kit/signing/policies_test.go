package signing_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

const policies = "/v1/signing/policies"

func policyOn(o apptest.Owner, rules railkit.PolicyRules) railkit.PolicyRequest {
	return railkit.PolicyRequest{Name: "Limit", WalletID: o.Wallet.WalletID, Rules: rules}
}

// limit puts a policy on an owner's wallet, without a stamp: it only tightens.
func limit(t *testing.T, c *railkit.Client, o apptest.Owner, rules railkit.PolicyRules) *railkit.Policy {
	t.Helper()
	p, err := c.Policies.Create(ctx, policyOn(o, rules))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func wantDenied(t *testing.T, err error, rule string) {
	t.Helper()
	var e *railkit.Error
	if !errors.As(err, &e) || e.Status != 422 || e.Code != "policy_denied" || e.Details["rule"] != rule {
		t.Fatalf("not denied by %s: %v", rule, err)
	}
}

// The three forms of each change, and what each of them lets happen.
func TestSigning_PolicyStory(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	stamp := stampedBy(t, alice)

	p := limit(
		t, c, alice,
		railkit.PolicyRules{MaxValueUSD: "100.50", AllowedDestinations: []string{strings.ToLower(receiver)}},
	)
	if p.Rules.MaxValueUSD != "100.50" ||
		p.Rules.AllowedDestinations[0] != receiver || p.Status != "active" || p.Name != "Limit" {
		t.Errorf("made %+v", p)
	}
	_, err := c.Transactions.Prepare(ctx, alice.Payment(receiver, "101"))
	wantDenied(t, err, "maxValueUsd")
	_, err = c.Transactions.Prepare(ctx, alice.Payment(ana, "1"))
	wantDenied(t, err, "allowedDestinations")
	toRouter := alice.Payment("0x8Ac2bCbE7F97ab90955696341f9D99806f9e7E34", "1")
	toRouter.AllowContract = true // lifts no rule
	_, err = c.Transactions.Prepare(ctx, toRouter)
	wantDenied(t, err, "knownContract")
	if _, err := c.Transactions.Send(ctx, alice.Passkey, alice.Payment(receiver, "1")); err != nil {
		t.Errorf("within the rules: %v", err)
	}

	lower, err := c.Policies.Update(ctx, p.ID, railkit.PolicyUpdate{Rules: railkit.RulesPatch{"maxValueUsd": 50}})
	if err != nil || lower.Rules.MaxValueUSD != "50" || len(lower.Rules.AllowedDestinations) != 1 {
		t.Fatalf("lowered: %+v, %v", lower, err)
	}
	higher := railkit.PolicyUpdate{Name: "Higher", Rules: railkit.RulesPatch{"maxValueUsd": json.Number("200.25")}}
	_, err = c.Policies.Update(ctx, p.ID, higher)
	wantQueued(t, err)
	higher.SignedActivity = stamp(c.Policies.PrepareUpdate(ctx, p.ID, higher))
	raised, err := c.Policies.Update(ctx, p.ID, higher)
	if err != nil || raised.Rules.MaxValueUSD != "200.25" || raised.Name != "Higher" {
		t.Fatalf("raised: %+v, %v", raised, err)
	}
	again, err := c.Policies.Update(ctx, p.ID, higher)
	if err != nil || again.Proof.Payload != raised.Proof.Payload {
		t.Errorf("the same stamp again: %+v, %v", again, err)
	}
	wider := railkit.PolicyUpdate{Rules: railkit.RulesPatch{"allowedDestinations": nil}}
	wider.SignedActivity = stamp(c.Policies.PrepareUpdate(ctx, p.ID, wider))
	if wide, err := c.Policies.Update(ctx, p.ID, wider); err != nil ||
		wide.Rules.AllowedDestinations != nil || wide.Rules.MaxValueUSD != "200.25" {
		t.Errorf("without destinations: %+v, %v", wide, err)
	}

	_, err = c.Policies.Delete(ctx, p.ID, nil)
	wantQueued(t, err)
	signed := stamp(c.Policies.PrepareDeletion(ctx, p.ID))
	if gone, err := c.Policies.Delete(ctx, p.ID, signed); err != nil || gone.Status != "deleted" {
		t.Fatalf("deleted: %+v, %v", gone, err)
	}
	if _, err := c.Policies.Delete(ctx, p.ID, signed); err != nil {
		t.Errorf("the same stamp again: %v", err)
	}
	if _, err := c.Policies.Delete(ctx, p.ID, nil); !railkit.IsNotFound(err) {
		t.Errorf("a second deletion: %v", err)
	}
	left, err := c.Policies.List(ctx, railkit.PolicyListOptions{})
	if err != nil || len(left.Items) != 0 || left.Meta.Total != 0 {
		t.Errorf("left: %+v, %v", left, err)
	}
}

// What rules refuse is written down once for each body.
func TestSigning_Denials(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	none, err := c.Policies.ListDenials(ctx, alice.Wallet.WalletID, railkit.ListOptions{})
	if err != nil || none.Items == nil || len(none.Items) != 0 {
		t.Fatalf("none yet: %+v, %v", none, err)
	}
	p := limit(t, c, alice, railkit.PolicyRules{MaxValueUSD: "10"})
	for _, amount := range []string{"11", "12"} {
		_, err := c.Transactions.Prepare(ctx, alice.Payment(receiver, amount))
		wantDenied(t, err, "maxValueUsd")
	}
	all, err := c.Policies.ListDenials(ctx, alice.Wallet.ID, railkit.ListOptions{})
	if err != nil || len(all.Items) != 2 || all.Meta.Total != 2 {
		t.Fatalf("denials: %+v, %v", all, err)
	}
	d := all.Items[0]
	if d.Layer != "enclave" || d.Severity != "blocked" ||
		d.Rule != "maxValueUsd" || d.PolicyID != p.ID || d.Limit != "10" || !strings.HasPrefix(d.Observed, "12") ||
		d.WalletID != alice.Wallet.WalletID || d.Detail == "" || d.TransactionID != "" {
		t.Errorf("the newest: %+v", d)
	}
	path := "/v1/signing/wallets/" + alice.Wallet.WalletID + "/denials"
	for query, want := range map[string]int{
		"?layer=turnkey": 2, "?layer=relayer": 0, "?layer=platform": 0, "?severity=blocked": 2, "?severity=warn": 0,
		"?limit=1": 1, "?limit=1&page=2": 1, "?page=3&limit=1": 0,
	} {
		got := a.Do(a.Keys.BenchKey, "GET", path+query, "")
		var data []any
		if err := got.Into(&data); err != nil || got.Status != 200 || len(data) != want {
			t.Errorf("%s: %d %s", query, got.Status, got.Body)
		}
	}
	wantError(t, a.Do(a.Keys.BenchKey, "GET", path+"?layer=moon", ""), 400, "validation_failed")
	first, err := c.Policies.ListDenials(ctx, alice.Wallet.WalletID, railkit.ListOptions{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	rest, err := c.Policies.ListDenials(
		ctx, alice.Wallet.WalletID, railkit.ListOptions{Limit: 1, Cursor: first.Meta.NextCursor},
	)
	if err != nil || len(rest.Items) != 1 || rest.Items[0].ID != all.Items[1].ID {
		t.Errorf("the second page: %+v, %v", rest, err)
	}
}

// The rows decide nothing: without them the enclave still denies, and with only
// them it signs.
func TestSigning_PoliciesAreTheEnclaves(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	p := limit(t, c, alice, railkit.PolicyRules{MaxValueUSD: "10"})
	edit(t, a, "DELETE FROM policies WHERE workspace_id = $1", a.Keys.WorkspaceID)
	_, err := c.Transactions.Prepare(ctx, alice.Payment(receiver, "11"))
	wantDenied(t, err, "maxValueUsd")
	if got, err := c.Policies.List(ctx, railkit.PolicyListOptions{}); err != nil || len(got.Items) != 0 {
		t.Errorf("the database forgot: %+v, %v", got, err)
	}
	enforced, err := c.Policies.ListEnforced(ctx, alice.Sub.SubOrganizationID)
	if err != nil || len(enforced) != 1 || enforced[0].ID != p.ID {
		t.Fatalf("enforced: %+v, %v", enforced, err)
	}
	back, err := c.Policies.List(ctx, railkit.PolicyListOptions{WalletID: alice.Wallet.WalletID})
	if err != nil || len(back.Items) != 1 ||
		back.Items[0].ID != p.ID || back.Items[0].Rules.MaxValueUSD != "10" || back.Items[0].Name != "Policy" {
		t.Fatalf("mended: %+v, %v", back, err)
	}

	// Rows that somebody edited are repaired by the very statement that they rest on.
	edit(t, a, "UPDATE policies SET policy = REPLACE(policy, '\"10\"', '\"5000\"') WHERE workspace_id = $1", a.Keys.WorkspaceID)
	if _, err := c.Policies.ListEnforced(ctx, alice.Sub.SubOrganizationID); err != nil {
		t.Fatal(err)
	}
	back, err = c.Policies.List(ctx, railkit.PolicyListOptions{WalletID: alice.Wallet.WalletID})
	if err != nil || len(back.Items) != 1 || back.Items[0].Rules.MaxValueUSD != "10" {
		t.Errorf("edited and mended: %+v, %v", back, err)
	}

	// Also where they claim to be later than all that the enclave has written, and what comes next is later than they.
	const ahead = "UPDATE policies SET policy = REPLACE(policy, '\"10\"', '\"5000\"'), seq = 9000000000000000000 WHERE workspace_id = $1"
	edit(t, a, ahead, a.Keys.WorkspaceID)
	if _, err := c.Policies.ListEnforced(ctx, alice.Sub.SubOrganizationID); err != nil {
		t.Fatal(err)
	}
	back, err = c.Policies.List(ctx, railkit.PolicyListOptions{WalletID: alice.Wallet.WalletID})
	if err != nil || len(back.Items) != 1 || back.Items[0].Rules.MaxValueUSD != "10" {
		t.Errorf("edited to be later, and mended: %+v, %v", back, err)
	}

	// A host that writes other rules into its database has them shown, and believed by nobody.
	edit(t, a, "UPDATE policies SET policy = REPLACE(policy, '\"10\"', '\"5000\"') WHERE workspace_id = $1", a.Keys.WorkspaceID)
	_, err = c.Transactions.Prepare(ctx, alice.Payment(receiver, "11"))
	wantDenied(t, err, "maxValueUsd")
	if lower, err := c.Policies.Update(
		ctx, p.ID, railkit.PolicyUpdate{Rules: railkit.RulesPatch{"dailyUsd": 100}},
	); err != nil || lower.Rules.MaxValueUSD != "10" {
		t.Errorf("a change starts from what the enclave has: %+v, %v", lower, err)
	}

	// The other way round: the enclave has let go of the policy, and the database has not.
	submit(t, a, alice, wire.DeletePolicy, wire.DeletePolicyParams{PolicyID: p.ID})
	if left, err := c.Policies.List(ctx, railkit.PolicyListOptions{}); err != nil || len(left.Items) != 1 {
		t.Fatalf("the database still has it: %+v, %v", left, err)
	}
	if _, err := c.Transactions.Send(ctx, alice.Passkey, alice.Payment(receiver, "11")); err != nil {
		t.Errorf("with the enclave's policy gone: %v", err)
	}
	if _, err := c.Policies.Update(
		ctx, p.ID, railkit.PolicyUpdate{Rules: railkit.RulesPatch{"dailyUsd": 1}},
	); !railkit.IsNotFound(err) {
		t.Errorf("a change of what is gone: %v", err)
	}
	if enforced, err = c.Policies.ListEnforced(ctx, alice.Sub.SubOrganizationID); err != nil || len(enforced) != 0 {
		t.Errorf("enforced: %+v, %v", enforced, err)
	}
	if left, err := c.Policies.List(ctx, railkit.PolicyListOptions{}); err != nil || len(left.Items) != 0 {
		t.Errorf("mended: %+v, %v", left, err)
	}
}

// submit has the enclave execute a body of an owner's, past the server.
func submit(t *testing.T, a *apptest.App, o apptest.Owner, kind wire.ActivityType, params any) client.Outcome {
	t.Helper()
	body := apptest.JSON(t, ownBody(t, o, kind, params))
	stamp, err := o.Passkey.Stamp(body)
	if err != nil {
		t.Fatal(err)
	}
	enclave := client.New(a.EnclaveSock, a.EnclaveKey)
	defer enclave.Close()
	out, err := enclave.Submit(
		ctx, wire.SubmitRequest{Body: body, Stamp: (*wire.Stamp)(&stamp)}, wire.Fingerprint(body),
	)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func ownBody(t *testing.T, o apptest.Owner, kind wire.ActivityType, params any) wire.Body {
	t.Helper()
	now := time.Now()
	return wire.Body{
		Type: kind, Environment: "sandbox", OrganizationID: o.Sub.SubOrganizationID, ActivityID: newUUID(),
		TimestampMs: fmt.Sprint(now.UnixMilli()), ExpiresAtMs: fmt.Sprint(now.Add(time.Minute).UnixMilli()),
		Parameters: []byte(apptest.JSON(t, params)),
	}
}

// Every wrong input is refused by the name of its field.
func TestSigning_PolicyInputs(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	p := limit(t, c, alice, railkit.PolicyRules{MaxValueUSD: "10"})
	with := func(rules string) string {
		return fmt.Sprintf(`{"name":"x","walletId":%q,"rules":%s}`, alice.Wallet.WalletID, rules)
	}
	for _, tc := range []struct{ body, names string }{
		{`{}`, "name"},
		{`{"name":"x"}`, "walletId"},
		{fmt.Sprintf(`{"name":"x","walletId":%q}`, alice.Wallet.WalletID), "rules"},
		{with(`{}`), "rules"},
		{with(`{"maxValueUsd":"10"}`), "rules.maxValueUsd"},
		{with(`{"maxValueUsd":-1}`), "rules.maxValueUsd"},
		{with(`{"maxValueUsd":1e3}`), "rules.maxValueUsd"},
		{with(`{"maxValueUsd":0.0000001}`), "rules.maxValueUsd"},
		{with(`{"dailyUsd":1e400}`), "rules.dailyUsd"},
		{with(`{"monthlyUsd":99999999999999999}`), "rules.monthlyUsd"},
		{with(`{"maxSlippagePercent":"3"}`), "rules.maxSlippagePercent"},
		{with(`{"maxSlippagePercent":50.01}`), "rules.maxSlippagePercent"},
		{with(`{"maxSlippagePercent":0.001}`), "rules.maxSlippagePercent"},
		{with(`{"maxSlippagePercent":1e1}`), "rules.maxSlippagePercent"},
		{with(`{"allowedDestinations":[]}`), "rules.allowedDestinations"},
		{with(`{"allowedDestinations":["nobody"]}`), "rules.allowedDestinations[0]"},
		{with(`{"allowedDestinations":["0x70997970c51812Dc3A010C7d01b50e0d17dc79C8"]}`), "rules.allowedDestinations[0]"},
		{with(`{"allowedChains":["moon"]}`), "rules.allowedChains[0]"},
		{with(`{"allowedTokens":["DOGE"]}`), "rules.allowedTokens[0]"},
		{with(`{"allowedContracts":[{"chain":"base","address":"x","selectors":["0x00000000"]}]}`), "rules.allowedContracts[0].address"},
		{with(`{"allowedContracts":[{"chain":"base"}]}`), "rules.allowedContracts[0].address"},
		{with(`{"delegation":{"anyRequest":true,"expiresAt":"soon","maxValueUsd":1,"dailyUsd":1,"allowedDestinations":["` + receiver + `"]}}`), "rules.delegation.expiresAt"},
		{with(`{"delegation":{"anyRequest":true,"expiresAt":"2999-01-01T00:00:00Z","maxValueUsd":1,"dailyUsd":1,"allowedDestinations":["` + receiver + `"]}}`), "rules.delegation.expiresAtMs"},
		{with(`{"perTxLimit":1}`), "rules.perTxLimit"},
		{`{"name":"x","type":"per_tx_limit","config":{}}`, "walletId"},
	} {
		got := a.Do(a.Keys.BenchKey, "POST", policies, tc.body)
		if message := fmt.Sprint(got.Field("message")); got.Status != 400 || !strings.Contains(message, tc.names+" ") {
			t.Errorf("%s: %d %s, want 400 naming %s", tc.body, got.Status, got.Body, tc.names)
		}
	}
	for _, tc := range []struct{ path, body, names string }{
		{"", `{}`, "rules"},
		{"", `{"name":""}`, "name"},
		{"", `{"rules":{"maxValueUsd":"1"}}`, "rules.maxValueUsd"},
		{"", `{"rules":{"maxValueUsd":null}}`, "rules"}, // nothing would be left of it
		{"?prepare=true", `{"name":"y"}`, "prepare"},
		{"", `{"name":"y","signedActivity":{"body":"{}","stamp":{"stampHeaderName":"X-Stamp-WebAuthn","stampHeaderValue":"{}"}}}`, "signedActivity"},
	} {
		got := a.Do(a.Keys.BenchKey, "PATCH", policies+"/"+p.ID+tc.path, tc.body)
		if message := fmt.Sprint(got.Field("message")); got.Status != 400 || !strings.Contains(message, tc.names) {
			t.Errorf("PATCH %s: %d %s, want 400 naming %s", tc.body, got.Status, got.Body, tc.names)
		}
	}
	if renamed, err := c.Policies.Rename(ctx, p.ID, "Another"); err != nil ||
		renamed.Name != "Another" || renamed.Rules.MaxValueUSD != "10" {
		t.Errorf("renamed: %+v, %v", renamed, err)
	}
	nobody := newUUID()
	wantError(t, a.Do(
		a.Keys.BenchKey, "POST", policies, strings.Replace(with(`{"maxValueUsd":1}`), alice.Wallet.WalletID, nobody, 1),
	), 404, "not_found")
	wantError(t, a.Do(a.Keys.BenchKey, "GET", policies+"?walletId="+nobody, ""), 404, "not_found")
	wantError(t, a.Do(a.Keys.BenchKey, "GET", policies+"?subOrganizationId="+nobody, ""), 404, "not_found")
}

// A stamp is good for what was shown, and for no other call.
func TestSigning_A01_PolicyStampForAnotherCall(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice, mallory := a.Fund(c, "alice@example.com"), a.Fund(c, "mallory@example.com")
	p := limit(t, c, alice, railkit.PolicyRules{MaxValueUSD: "10", DailyUSD: "100"})
	other := limit(t, c, alice, railkit.PolicyRules{MaxValueUSD: "10"})
	raise := railkit.PolicyUpdate{Rules: railkit.RulesPatch{"maxValueUsd": 20}}
	signed := stampedBy(t, alice)(c.Policies.PrepareUpdate(ctx, p.ID, raise))
	patch := func(id string, rules string, s railkit.SignedActivity) apptest.Answer {
		return a.Do(
			a.Keys.BenchKey, "PATCH", policies+"/"+id, `{"rules":`+rules+`,"signedActivity":`+apptest.JSON(t, s)+`}`,
		)
	}
	wantError(t, patch(p.ID, `{"maxValueUsd":30}`, *signed), 422, "stamped_body_differs")
	wantError(t, patch(other.ID, `{"maxValueUsd":20}`, *signed), 422, "stamped_body_differs")
	changed := *signed
	changed.Body = strings.Replace(changed.Body, `"20"`, `"30"`, 1)
	wantError(t, patch(p.ID, `{"maxValueUsd":30}`, changed), 422, "stamped_body_differs")
	changed.Body = "no JSON"
	wantError(t, patch(p.ID, `{"maxValueUsd":20}`, changed), 422, "stamped_body_differs")
	foreign, err := mallory.Passkey.Stamp(signed.Body)
	if err != nil {
		t.Fatal(err)
	}
	stolen := *signed
	stolen.Stamp = foreign
	wantError(t, patch(p.ID, `{"maxValueUsd":20}`, stolen), 422, "passkey_signature_invalid")
	wantError(
		t, a.Do(a.Keys.BenchKey, "DELETE", policies+"/"+p.ID, `{"signedActivity":`+apptest.JSON(t, signed)+`}`), 422,
		"stamped_body_differs",
	)
	if got := patch(p.ID, `{"maxValueUsd":20}`, *signed); got.Status != 200 {
		t.Errorf("for its own call: %d %s", got.Status, got.Body)
	}
}

// Of two changes at once both happen or one waits: nothing is lost, and what the
// database shows is what the enclave has.
func TestSigning_PolicyChangesAtOnce(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	p := limit(t, c, alice, railkit.PolicyRules{MaxValueUSD: "1000", DailyUSD: "1000"})
	const n = 24
	statuses := make(chan int, n)
	for i := range n {
		go func() {
			name := []string{"maxValueUsd", "dailyUsd"}[i%2]
			got := a.Do(a.Keys.BenchKey, "PATCH", policies+"/"+p.ID, fmt.Sprintf(`{"rules":{%q:%d}}`, name, 500-i))
			statuses <- got.Status
		}()
	}
	done := 0
	for range n {
		switch status := <-statuses; status {
		case 200:
			done++
		case 202:
		default:
			t.Errorf("a change at once with others: %d", status)
		}
	}
	enforced, err := c.Policies.ListEnforced(ctx, alice.Sub.SubOrganizationID)
	if err != nil || len(enforced) != 1 || done == 0 {
		t.Fatalf("%d done, enforced: %+v, %v", done, enforced, err)
	}
	edit(t, a, "DELETE FROM approvals WHERE workspace_id = $1", a.Keys.WorkspaceID)
	shown, err := c.Policies.List(ctx, railkit.PolicyListOptions{})
	if err != nil ||
		len(shown.Items) != 1 || string(shown.Items[0].Rules.MaxValueUSD) != enforced[0].Rules.MaxValueUSD ||
		string(shown.Items[0].Rules.DailyUSD) != enforced[0].Rules.DailyUSD {
		t.Errorf("shown %+v, enforced %+v, %v", shown, enforced, err)
	}
}

func newUUID() string { return uuid.NewString() }
