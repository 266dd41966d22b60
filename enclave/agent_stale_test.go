package enclave

import (
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// What an owner stamped, or voted for, before he decided otherwise gives an agent nothing more, however long it was
// held back. What tightens is done whenever it comes.
func TestAgents_StampsFromBeforeTheLatestChange(t *testing.T) {
	p := newPaying(t)
	set := func(kind wire.ActivityType, params any) {
		t.Helper()
		p.did(p.stamped(p.alice, kind, params))
	}
	higher, lower := limits(), limits()
	higher.PerTxUSDC, lower.PerTxUSDC = "5", "0.5"
	status := func(to wire.AgentStatus) wire.SetAgentStatusParams {
		return wire.SetAgentStatusParams{AgentID: p.id, Status: to}
	}
	raise := p.stamped(p.alice, wire.SetAgentLimits, newLimits(p.bot, higher))
	resume := p.stamped(p.alice, wire.SetAgentStatus, status(wire.AgentActive))
	tighter := p.stamped(p.alice, wire.SetAgentStatus, status(wire.AgentDraining))
	secret := p.stamped(p.alice, wire.RotateAgentSecret, wire.RotateAgentSecretParams{AgentID: p.id})
	off := p.stamped(p.alice, wire.SetKillSwitch, wire.SetKillSwitchParams{})
	held := p.body(p.fresh(p.alice, wire.SetAgentLimits, newLimits(p.bot, higher)))
	if out := p.did(wire.SubmitRequest{Body: held}); out.State != wire.Held {
		t.Fatalf("%s", out.State)
	}
	if _, err := p.vote(held, p.alice); err != nil {
		t.Fatal(err)
	}
	p.advance(time.Second)
	set(wire.SetAgentLimits, newLimits(p.bot, lower))
	p.did(tighter)
	set(wire.SetAgentStatus, status(wire.AgentSuspended))
	set(wire.SetKillSwitch, wire.SetKillSwitchParams{On: true})
	p.checkpointNow()
	p.reopen()
	p.advance(time.Second)
	for name, q := range map[string]wire.SubmitRequest{
		"a higher limit": raise, "a resumption": resume, "a new secret": secret, "the kill switch off": off,
		"a higher limit by a vote": {Body: held},
	} {
		_, err := p.Submit(q)
		refused(t, name, err, refusal.ErrAgentChanged)
		_, err = p.Preview(wire.PreviewRequest{Body: q.Body})
		refused(t, "the preview of "+name, err, refusal.ErrAgentChanged)
	}
	if a := p.agentIs(p.bot, wire.AgentSuspended); !a.KillSwitch || a.Limits.PerTxUSDC != "0.5" {
		t.Errorf("%+v", a)
	}
	set(wire.SetKillSwitch, wire.SetKillSwitchParams{})
	set(wire.SetAgentStatus, status(wire.AgentActive))
	set(wire.SetAgentLimits, newLimits(p.bot, higher)) // in the same moment, but not before
	p.pays("500000")
}
