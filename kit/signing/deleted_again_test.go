package signing_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// The signer took something away and the commit failed. The same call under the same key gets the answer that it should
// have had, also where the sweeper has written the rest meanwhile. Another call finds nothing.
func TestSigning_DeletedAgainUnderAKey(t *testing.T) {
	t.Parallel()
	late := &laterClock{}
	a := apptest.Rig(t, apptest.WithoutSweeper(), apptest.WithClock(clock.Func(late.now)))
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	for _, swept := range []bool{false, true} {
		name := fmt.Sprintf("swept %t", swept)
		further := stampedCall(t, a, alice, "POST", "/v1/signing/passkeys/add", addition(t, a, c, alice, ""))()
		var k railkit.ChangedPasskey
		if err := further.Into(&k); err != nil {
			t.Fatal(err)
		}
		keyPath := "/v1/signing/passkeys/" + k.ID
		for what, call := range map[string]struct{ path, body string }{
			"agent":   {"/v1/agents/" + pendingAgent(t, c, alice, name), ""},
			"passkey": {keyPath, stampedBody(t, a, alice, "DELETE", keyPath, nil)},
		} {
			key := uuid.NewString()
			ask := func(key string) apptest.Answer {
				return a.Do(a.Keys.BenchKey, "DELETE", call.path, call.body, "Idempotency-Key", key)
			}
			allow := refuse(t, a, "UPDATE", "idempotency", "")
			wantError(t, ask(key), 500, "internal")
			allow()
			if swept {
				late.forward(sweepTime)
				if err := a.Signing.Sweep(ctx); err != nil {
					t.Fatal(err)
				}
			}
			again := ask(key)
			if again.Status != 200 || again.Header.Get("Idempotent-Replayed") != "" {
				t.Errorf("%s, %s, again: %d %s", name, what, again.Status, again.Body)
			}
			if replay := ask(key); replay.Body != again.Body || replay.Header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("%s, %s, replay: %d %s", name, what, replay.Status, replay.Body)
			}
			if what == "agent" {
				wantError(t, ask(uuid.NewString()), 404, "not_found")
			}
		}
	}
}

// pendingAgent is an agent that was never activated.
func pendingAgent(t *testing.T, c *railkit.Client, o apptest.Owner, name string) string {
	t.Helper()
	asked := railkit.AgentRequest{
		Name: name, SubOrganizationID: o.Sub.SubOrganizationID, ChainID: 84532,
		Budget:     railkit.AgentBudget{InfraMonthlyUSD: "1", TokensMonthlyUSD: "1", PaymentsMonthlyUSDC: "1"},
		AgentReach: railkit.AgentReach{AllowedRecipients: []string{ana}},
	}
	p, err := c.Agents.Prepare(ctx, asked)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := p.Stamp(o.Passkey)
	if err != nil {
		t.Fatal(err)
	}
	made, err := c.Agents.ConfirmUser(ctx, p.AgentRequestID, asked, signed)
	if err != nil {
		t.Fatal(err)
	}
	return made.AgentID
}
