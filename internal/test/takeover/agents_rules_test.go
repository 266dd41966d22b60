package takeover

import (
	"github.com/railkit/railkit/enclave/wire"
)

// voted is an attack on a payment of 2 USDC that waits, and for which its owner votes.
func voted(between func(b *bot, body string)) func(*host) {
	return hired(aboveOne, func(b *bot) {
		body := b.asksMuch(2_000_000, shop)
		between(b, body)
		_, _, _ = b.owner.h.submit(body, nil)
	})
}

// firm are two users who decide together on what costs more than so many USD, and their agent.
func (h *host) firm(usd string, change func(l *wire.AgentLimits)) (p, q *person, b *bot) {
	h.t.Helper()
	p = h.newcomer()
	b = p.employs(allowance(change))
	q = p.companion()
	p.must(wire.UpdateApprovalConfig, wire.ApprovalConfig{Enabled: true, ThresholdUSD: usd, RequiredApprovers: "2"})
	return p, q, b
}

// agentApprovals are the attacks on payments that have to wait for a passkey: B04.
var agentApprovals = []attack{
	{"B04", "more than an agent's threshold", "agentThreshold", handedAs(aboveOne, 1_000_001, shop)},
	{"B04", "an agent's payment that nobody voted for", "votes", voted(func(b *bot, body string) {
		_, _, _ = b.owner.h.submit(body, nil)
	})},
	{"B04", "an agent's payment by a vote that nobody stamped", "stamp", voted(func(b *bot, body string) {
		fp := wire.Fingerprint(body)
		_, _, _ = b.owner.h.submit(b.owner.body(wire.ApproveActivity, wire.ApproveActivityParams{
			Fingerprint: fp, PolicySet: b.owner.h.policySet(b.owner.org, fp),
		}), nil)
	})},
	{"B04", "an agent's payment by the actor's own vote", "votes", voted(func(b *bot, body string) {
		fp, m := wire.Fingerprint(body), b.owner.h.mallory()
		vote := b.owner.body(wire.ApproveActivity, wire.ApproveActivityParams{
			Fingerprint: fp, PolicySet: b.owner.h.policySet(b.owner.org, fp),
		})
		_, _, _ = b.owner.h.submit(vote, m.stamp(m.key, vote))
	})},
	{"B04", "a vote for another payment of the agent", "votes", voted(func(b *bot, _ string) {
		b.owner.vote(b.asksMuch(3_000_000, shop))
	})},
	{"B04", "an agent's payment on one vote of two", "votes", func(h *host) {
		p, _, b := h.firm("1000", aboveOne)
		body := b.asksMuch(2_000_000, shop)
		p.vote(body)
		_, _, _ = h.submit(body, nil)
	}},
	{"B04", "an agent's payment that approvals have to see", "agentApprovals", func(h *host) {
		_, _, b := h.firm("1", asUsual)
		_, _ = b.handed(b.asks(2_000_000, shop))
	}},
	{"B04", "an agent's payment voted for once and paid twice", "heldOnce", voted(func(b *bot, body string) {
		b.owner.vote(body)
		_, _, _ = b.owner.h.submit(body, nil)
	})},
	{"B04", "a payment whose limit was lowered before the vote", "agentReevaluation", voted(func(b *bot, body string) {
		b.owner.must(wire.SetAgentLimits, wire.SetAgentLimitsParams{
			AgentID: b.id, Limits: allowance(func(l *wire.AgentLimits) { l.PerTxUSDC = "1" }),
		})
		b.owner.vote(body)
	})},
	{"B04", "a payment that a policy refuses after the vote", "agentReevaluation", voted(func(b *bot, body string) {
		b.owner.must(wire.CreatePolicy, wire.CreatePolicyParams{
			WalletID: b.wallet, Rules: wire.Rules{MaxValueUSD: "1"},
		})
		b.owner.vote(body)
	})},
}

// halted is an attack with a payment of an agent that its owner, or the kill switch of all agents, stopped.
func halted(stop func(b *bot)) func(*host) {
	return hired(asUsual, func(b *bot) {
		stop(b)
		_, _ = b.handed(b.asks(2_000_000, shop))
	})
}

// haltedLater is one with a payment that was voted for before.
func haltedLater(stop func(b *bot)) func(*host) {
	return voted(func(b *bot, body string) {
		b.owner.vote(body)
		stop(b)
	})
}

func becoming(status wire.AgentStatus) func(b *bot) { return func(b *bot) { b.becomes(status) } }

func switchedOff(b *bot) { b.owner.must(wire.SetKillSwitch, wire.SetKillSwitchParams{On: true}) }

// goesOn is a state that nobody stamped.
func (b *bot) goesOn(status wire.AgentStatus) {
	b.owner.h.change(b.owner.body(wire.SetAgentStatus, wire.SetAgentStatusParams{AgentID: b.id, Status: status}))
}

// agentHalts are the attacks by agents that were stopped: B05.
var agentHalts = []attack{
	{"B05", "a payment of a killed agent", "agentKilled", halted(becoming(wire.AgentKilled))},
	{"B05", "a payment of a paused agent", "agentHalted", halted(becoming(wire.AgentSuspended))},
	{"B05", "a new payment of a draining agent", "agentHalted", halted(becoming(wire.AgentDraining))},
	{"B05", "a payment under the kill switch", "agentSwitch", halted(switchedOff)},
	{"B05", "a vote from before the agent was killed", "agentKilled", haltedLater(becoming(wire.AgentKilled))},
	{"B05", "a vote from before the agent was paused", "agentHalted", haltedLater(becoming(wire.AgentSuspended))},
	{"B05", "a vote from before the kill switch", "agentSwitch", haltedLater(switchedOff)},
	{"B05", "a paused agent that nobody let go on", "agentResume", halted(func(b *bot) {
		b.becomes(wire.AgentSuspended)
		b.goesOn(wire.AgentActive)
	})},
	{"B05", "a draining agent that nobody let go on", "agentResume", halted(func(b *bot) {
		b.becomes(wire.AgentDraining)
		b.goesOn(wire.AgentActive)
	})},
	{"B05", "a killed agent revived by its owner, who was told that it is paused", "agentRevived", halted(func(b *bot) {
		b.becomes(wire.AgentKilled)
		back := b.owner.body(wire.SetAgentStatus, status(wire.AgentActive)(b))
		_, _, _ = b.owner.h.submit(back, b.owner.agree(back))
	})},
	{"B05", "the kill switch off by nobody", "agentSwitchOff", halted(func(b *bot) {
		switchedOff(b)
		b.owner.h.change(b.owner.body(wire.SetKillSwitch, wire.SetKillSwitchParams{}))
	})},
	{"B05", "an activation kept back until after the kill", "agentDead", func(h *host) {
		b := h.newcomer().drafts()
		body := b.owner.body(wire.ActivateAgent, wire.ActivateAgentParams{AgentID: b.id, Limits: allowance()})
		stamp := b.owner.agree(body)
		b.becomes(wire.AgentKilled)
		_, _, _ = h.submit(body, stamp)
		b.stolen(h.secretFor(body, stamp))
	}},
}

// activated is an attack with limits and a secret that the actor gives the agent of another.
func activated(stamped func(m *person, body string) *wire.Stamp) func(*host) {
	return func(h *host) {
		b, m, key := h.newcomer().drafts(), h.mallory(), h.recipient()
		body := b.owner.body(wire.ActivateAgent, wire.ActivateAgentParams{
			AgentID: b.id, Limits: allowance(), RecipientPublicKey: key.public,
		})
		_, r, _ := h.submit(body, stamped(m, body))
		b.stolen(key.secretOf(r, body))
	}
}

// raised is an attack with limits that nobody stamped, and a payment that needs them.
func raised(from, to func(l *wire.AgentLimits), pay func(b *bot)) func(*host) {
	return hired(from, func(b *bot) {
		b.owner.h.change(b.owner.body(wire.SetAgentLimits, wire.SetAgentLimitsParams{
			AgentID: b.id, Limits: allowance(from, to),
		}))
		pay(b)
	})
}

func paysShop(micro int) func(b *bot) { return func(b *bot) { _, _ = b.handed(b.asks(micro, shop)) } }

func paysRobber(b *bot) { _, _ = b.handed(b.asks(2_000_000, robber)) }

func toAnybody(l *wire.AgentLimits) {
	l.AnyRecipient, l.PayeesOnly, l.AllowedRecipients = true, false, nil
}

func eightAtOnce(l *wire.AgentLimits) { l.PerTxUSDC = "8" }

// agentRules are the attacks on what an agent may do, by nobody's stamp: B06.
var agentRules = []attack{
	{"B06", "an agent that nobody activated", "agentActivation",
		activated(func(*person, string) *wire.Stamp { return nil })},
	{"B06", "an agent that the actor's passkey activated", "organization",
		activated(func(m *person, body string) *wire.Stamp { return m.stamp(m.key, body) })},
	{"B06", "a higher limit for one payment", "agentLimits", raised(asUsual, eightAtOnce, paysShop(8_000_000))},
	{"B06", "a higher limit for a month", "agentLimits",
		raised(asUsual, func(l *wire.AgentLimits) { l.PaymentsMonthlyUSDC = "15" }, func(b *bot) {
			for i := range 3 {
				_, _ = b.handed(b.asks(4_000_000+i, shop))
			}
		})},
	{"B06", "a higher threshold for an agent", "agentLimits",
		raised(aboveOne, func(l *wire.AgentLimits) { l.ApprovalThresholdUSDC = "5" }, paysShop(2_000_000))},
	{"B06", "a higher fee for an agent", "agentLimits",
		raised(asUsual, func(l *wire.AgentLimits) { l.MaxFeeUSD = "5" }, (*bot).asksDear)},
	{"B06", "one more network for an agent", "agentLimits",
		raised(func(l *wire.AgentLimits) { l.AllowedChains = []string{"polygon"} },
			func(l *wire.AgentLimits) { l.AllowedChains = []string{"polygon", "base"} }, paysShop(2_000_000))},
	{"B06", "one more receiver for an agent", "agentLimits", raised(toTheShopOnly,
		func(l *wire.AgentLimits) { l.AllowedRecipients = []string{shop, robber} }, paysRobber)},
	{"B06", "any receiver for an agent", "agentLimits", raised(toTheShopOnly, toAnybody, paysRobber)},
	{"B06", "any receiver in the place of payees", "agentLimits",
		raised(func(l *wire.AgentLimits) { l.AnyRecipient, l.PayeesOnly = false, true }, toAnybody, paysRobber)},
	{"B06", "the first form of signatures again", "agentLimits",
		raised(func(l *wire.AgentLimits) { l.RequireHTTPSignature = true },
			func(l *wire.AgentLimits) { l.RequireHTTPSignature = false }, paysShop(2_000_000))},
	{"B06", "a limit lowered and raised again", "agentLimits",
		raised(asUsual, func(l *wire.AgentLimits) { l.PerTxUSDC = "1" }, func(b *bot) {
			b.owner.h.change(b.owner.body(wire.SetAgentLimits, wire.SetAgentLimitsParams{
				AgentID: b.id, Limits: allowance(eightAtOnce),
			}))
			paysShop(8_000_000)(b)
		})},
	{"B06", "a higher limit by one of two", "agentLimits", func(h *host) {
		p, _, b := h.firm("1000", asUsual)
		body := p.body(wire.SetAgentLimits, wire.SetAgentLimitsParams{AgentID: b.id, Limits: allowance(eightAtOnce)})
		_, _, _ = h.submit(body, p.agree(body))
		p.vote(body)
		h.change(body)
		paysShop(8_000_000)(b)
	}},
	{"B06", "a new secret for the actor", "agentRotation", hired(asUsual, func(b *bot) {
		key := b.owner.h.recipient()
		body := b.owner.body(wire.RotateAgentSecret, wire.RotateAgentSecretParams{
			AgentID: b.id, RecipientPublicKey: key.public,
		})
		_, r, _ := b.owner.h.submit(body, nil)
		b.stolen(key.secretOf(r, body))
	})},
}
