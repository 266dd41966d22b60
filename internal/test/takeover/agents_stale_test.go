package takeover

import (
	"time"

	"github.com/railkit/railkit/enclave/wire"
)

// moment is what lies between two decisions of a person: of two in one millisecond none is the later one.
func moment() { <-time.After(2 * time.Millisecond) } // the clock moves on

// keptBack is an attack with a stamp that the host hands in only after the owner has decided otherwise.
func keptBack(kind wire.ActivityType, loosen func(b *bot) any, since func(b *bot), pay func(b *bot)) func(*host) {
	return hired(asUsual, func(b *bot) {
		body := b.owner.body(kind, loosen(b))
		stamp := b.owner.agree(body)
		moment()
		since(b)
		_, _, _ = b.owner.h.submit(body, stamp)
		pay(b)
	})
}

func limitsOf(change func(l *wire.AgentLimits)) func(b *bot) any {
	return func(b *bot) any { return wire.SetAgentLimitsParams{AgentID: b.id, Limits: allowance(change)} }
}

func oneAtOnce(l *wire.AgentLimits) { l.PerTxUSDC = "1" }

func lowered(b *bot) { b.owner.must(wire.SetAgentLimits, limitsOf(oneAtOnce)(b)) }

func status(to wire.AgentStatus) func(b *bot) any {
	return func(b *bot) any { return wire.SetAgentStatusParams{AgentID: b.id, Status: to} }
}

// staleAgents are the attacks with what an owner agreed to before he decided otherwise: B08.
var staleAgents = []attack{
	{"B08", "a higher limit from before a lower one", "agentStale",
		keptBack(wire.SetAgentLimits, limitsOf(eightAtOnce), lowered, paysShop(8_000_000))},
	{"B08", "a resumption from before a pause", "agentStale",
		keptBack(wire.SetAgentStatus, status(wire.AgentActive), becoming(wire.AgentSuspended), paysShop(2_000_000))},
	{"B08", "the kill switch off from before it was on", "agentStale",
		keptBack(wire.SetKillSwitch, func(*bot) any { return wire.SetKillSwitchParams{} }, switchedOff,
			paysShop(2_000_000))},
	{"B08", "a secret in clear from before a sealed one", "agentStale", hired(asUsual, func(b *bot) {
		h := b.owner.h
		body := b.owner.body(wire.RotateAgentSecret, wire.RotateAgentSecretParams{AgentID: b.id})
		stamp := b.owner.agree(body)
		moment()
		b.owner.must(wire.RotateAgentSecret, wire.RotateAgentSecretParams{
			AgentID: b.id, RecipientPublicKey: h.recipient().public,
		})
		_, _, _ = h.submit(body, stamp)
		b.stolen(h.secretFor(body, stamp))
	})},
	{"B08", "a vote for a higher limit from before a lower one", "agentStale", hired(asUsual, func(b *bot) {
		h := b.owner.h
		body := b.owner.body(wire.SetAgentLimits, limitsOf(eightAtOnce)(b))
		_, _, _ = h.submit(body, nil)
		b.owner.vote(body)
		moment()
		lowered(b)
		_, _, _ = h.submit(body, nil)
		paysShop(8_000_000)(b)
	})},
}
