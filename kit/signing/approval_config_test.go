package signing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/passkey"
)

const approvalConfig = "/v1/signing/approval-config"

// join makes another user of an owner's sub-organization.
func join(t *testing.T, a *apptest.App, c *railkit.Client, o apptest.Owner, email string) apptest.Owner {
	t.Helper()
	another := o
	another.Passkey = passkey.Browser{Authenticator: passkey.New(a.Origin)}
	_, err := c.Passkeys.Create(
		ctx, o.Passkey, another.Passkey,
		railkit.AddPasskeyRequest{Email: email, SubOrganizationID: o.Sub.SubOrganizationID},
	)
	if err != nil {
		t.Fatal(err)
	}
	return another
}

func TestSigning_A09_ApprovalConfig(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	wantError(t, a.Do(a.Keys.BenchKey, "GET", approvalConfig, ""), 422, "passkey_required")
	wantError(t, a.Do(a.Keys.BenchKey, "PATCH", approvalConfig, `{"enabled":true}`), 422, "passkey_required")
	alice := a.Fund(c, "alice@example.com")
	stock, err := c.Approvals.GetConfig(ctx, "")
	if err != nil || stock.Enabled || stock.ThresholdUSD != "0" ||
		stock.RequiredApprovers != 1 || stock.TimeoutMinutes != 30 || stock.UpdatedAt != nil {
		t.Fatalf("before anything is set: %+v, %v", stock, err)
	}
	yes, no := true, false
	on, err := c.Approvals.UpdateConfig(ctx, railkit.ApprovalConfigRequest{Enabled: &yes, ThresholdUSD: "1000.50"})
	if err != nil || !on.Enabled || on.ThresholdUSD != "1000.50" || on.RequiredApprovers != 1 {
		t.Fatalf("switched on: %+v, %v", on, err)
	}
	if lower, err := c.Approvals.UpdateConfig(ctx, railkit.ApprovalConfigRequest{ThresholdUSD: "100"}); err != nil ||
		!lower.Enabled || lower.ThresholdUSD != "100" {
		t.Fatalf("lowered: %+v, %v", lower, err)
	}
	for what, req := range map[string]railkit.ApprovalConfigRequest{
		"off": {Enabled: &no}, "a higher threshold": {ThresholdUSD: "101"},
	} {
		_, err := c.Approvals.UpdateConfig(ctx, req)
		t.Log(what)
		wantQueued(t, err)
		req.SignedActivity = stampedBy(t, alice)(c.Approvals.PrepareConfig(ctx, req))
		_, err = c.Approvals.UpdateConfig(ctx, req) // with approvals on one stamp is not enough
		wantQueued(t, err)
	}
	text := railkit.SignMessageRequest{
		SignWith: alice.Address.Address, Type: railkit.MessageText, Payload: "I agree to everything.",
	}
	signed := stampedBy(t, alice)(c.Messages.Prepare(ctx, text))
	text.SignedActivity = signed
	if _, err := c.Messages.Sign(ctx, text); err != nil {
		t.Errorf("a text, before messages are included: %v", err)
	}
	with, err := c.Approvals.UpdateConfig(ctx, railkit.ApprovalConfigRequest{IncludeMessages: &yes})
	if err != nil || !with.IncludeMessages || with.ThresholdUSD != "100" {
		t.Fatalf("messages included: %+v, %v", with, err)
	}
	text.SignedActivity = nil
	p, err := c.Messages.Prepare(ctx, text)
	if err != nil || p.Shown.Waits == nil || p.Shown.Waits.Reason != wire.ReasonMessage {
		t.Fatalf("a text: %+v, %v", p, err)
	}
	text.SignedActivity = stampedBy(t, alice)(p, nil)
	_, err = c.Messages.Sign(ctx, text)
	if waits, err := c.Approvals.Get(ctx, wantQueued(t, err).ApprovalID); err != nil || waits.Reason != "message" {
		t.Errorf("a text waits as %+v, %v", waits, err)
	}
	without := railkit.ApprovalConfigRequest{IncludeMessages: &no}
	without.SignedActivity = stampedBy(t, alice)(c.Approvals.PrepareConfig(ctx, without))
	_, err = c.Approvals.UpdateConfig(ctx, without)
	wantQueued(t, err)

	got := a.Do(a.Keys.BenchKey, "GET", approvalConfig, "")
	if got.Status != 200 || !strings.Contains(got.Body, `"includeMessages":true`) ||
		!strings.Contains(got.Body, `"thresholdUsd":100,`) || !strings.Contains(got.Body, `"timeoutMinutes":30`) {
		t.Errorf("read: %d %s", got.Status, got.Body)
	}

	wantError(t, a.Do(a.Keys.BenchKey, "PATCH", approvalConfig, `{"requiredApprovers":2}`), 422, "approvers_missing")
	join(t, a, c, apptest.Owner{Passkey: alice.Passkey, Sub: alice.Sub}, "")
	// one user with two passkeys
	wantError(t, a.Do(a.Keys.BenchKey, "PATCH", approvalConfig, `{"requiredApprovers":2}`), 422, "approvers_missing")
	a.Register(c, "bob@example.com")
	wantError(t, a.Do(a.Keys.BenchKey, "PATCH", approvalConfig, `{"thresholdUsd":1}`), 400, "sub_organization_required")
	wantError(t, a.Do(a.Keys.BenchKey, "GET", approvalConfig, ""), 400, "sub_organization_required")
	wantError(t, a.Do(a.Keys.BenchKey, "GET", approvalConfig+"?subOrganizationId="+newUUID(), ""), 404, "not_found")
	for _, tc := range []struct{ body, names string }{
		{`{}`, "enabled"},
		{`{"enabled":"yes"}`, "enabled"},
		{`{"thresholdUsd":-1}`, "thresholdUsd"},
		{`{"thresholdUsd":1e2}`, "thresholdUsd"},
		{`{"thresholdUsd":0.0000001}`, "thresholdUsd"},
		{`{"threshold_amount":"1"}`, "thresholdUsd"},
		{`{"requiredApprovers":0}`, "requiredApprovers"},
		{`{"requiredApprovers":1.5}`, "requiredApprovers"},
		{`{"timeout_minutes":5}`, "timeout_minutes"},
	} {
		body := strings.Replace(tc.body, "{", `{"subOrganizationId":"`+alice.Sub.SubOrganizationID+`",`, 1)
		body = strings.Replace(body, ",}", "}", 1)
		got := a.Do(a.Keys.BenchKey, "PATCH", approvalConfig, body)
		if message := fmt.Sprint(got.Field("message")); got.Status != 400 || !strings.Contains(message, tc.names+" ") {
			t.Errorf("%s: %d %s, want 400 naming %s", tc.body, got.Status, got.Body, tc.names)
		}
	}
	body := `{"threshold_amount":50,"subOrganizationId":"` + alice.Sub.SubOrganizationID + `"}`
	if got := a.Do(a.Keys.BenchKey, "PATCH", approvalConfig, body); got.Status != 200 ||
		!strings.Contains(got.Body, `"thresholdUsd":50,`) {
		t.Errorf("by its other name: %d %s", got.Status, got.Body)
	}
}

// The rows decide nothing here either, and a fresh read mends them.
func TestSigning_ApprovalConfigIsTheEnclaves(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	yes := true
	if _, err := c.Approvals.UpdateConfig(
		ctx, railkit.ApprovalConfigRequest{Enabled: &yes, ThresholdUSD: "10"},
	); err != nil {
		t.Fatal(err)
	}
	edit(t, a, "DELETE FROM approval_configs WHERE workspace_id = $1", a.Keys.WorkspaceID)
	p, err := c.Transactions.Prepare(ctx, alice.Payment(receiver, "11"))
	if err != nil || p.Shown.Waits == nil || p.Shown.Waits.Reason != wire.ReasonThreshold {
		t.Errorf("with the row gone: %+v, %v", p, err)
	}
	if got := a.Do(a.Keys.BenchKey, "GET", approvalConfig, ""); !strings.Contains(got.Body, `"enabled":false`) {
		t.Errorf("the database forgot: %s", got.Body)
	}
	if now, err := c.Approvals.GetConfig(ctx, ""); err != nil || !now.Enabled || now.ThresholdUSD != "10" {
		t.Errorf("fresh: %+v, %v", now, err)
	}
	if got := a.Do(a.Keys.BenchKey, "GET", approvalConfig, ""); !strings.Contains(got.Body, `"enabled":true`) ||
		!strings.Contains(got.Body, `"thresholdUsd":10,`) {
		t.Errorf("mended: %s", got.Body)
	}
}
