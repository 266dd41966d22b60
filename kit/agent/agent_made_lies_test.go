package agent_test

import (
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/tamper"
)

// A host that answers the first round of an agent with another agent, or without a proof, is refused by the client
// before anything more is stamped.
func TestAgents_HostLiesAboutWhoWasMade(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	alice := a.Fund(a.Client(), "alice@example.com")
	c, host := lied(t, a)
	if _, err := c.Agents.Create(ctx, alice.Passkey, agentOf(alice, "First")); err != nil {
		t.Fatal(err)
	}
	const call = "POST /v1/agents/confirm-user"
	var first tamper.Call
	for _, seen := range host.Calls() {
		if seen.Method+" "+seen.Path == call {
			first = seen
		}
	}
	for name, change := range map[string]tamper.Change{
		"no proof":                       tamper.Drop("data.proof"),
		"another id":                     tamper.Set("data.agentId", alice.Sub.SubOrganizationID),
		"the proof of another agent":     func(to *tamper.Answer) { proofOf(first, to) },
		"the whole answer about another": tamper.Replay(first),
	} {
		host.On(call, change)
		_, err := c.Agents.Create(ctx, alice.Passkey, agentOf(alice, name))
		wantTampered(t, name, err)
	}
	host.On(call)
	if _, err := c.Agents.Create(ctx, alice.Passkey, agentOf(alice, "Last")); err != nil {
		t.Error(err)
	}
}

// proofOf puts the proof of an older answer into another.
func proofOf(of tamper.Call, to *tamper.Answer) {
	older := tamper.Answer{}
	tamper.Replay(of)(&older)
	tamper.Set("data.proof", older.Body["data"].(map[string]any)["proof"])(to)
}
