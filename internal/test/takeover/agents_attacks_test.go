package takeover

import (
	"strings"
	"time"

	"github.com/railkit/railkit/enclave/wire"
)

// hired is an attack on an agent with this allowance.
func hired(change func(l *wire.AgentLimits), attack func(b *bot)) func(*host) {
	return func(h *host) { attack(h.newcomer().employs(allowance(change))) }
}

func asUsual(*wire.AgentLimits) {}

// aboveOne has more than 1 USDC wait for the owner.
func aboveOne(l *wire.AgentLimits) { l.ApprovalThresholdUSDC = "1" }

func toTheShopOnly(l *wire.AgentLimits) { l.AnyRecipient, l.AllowedRecipients = false, []string{shop} }

// forged is an attack with a request that the agent signed and the host changed.
func forged(text string, change func(a *asking)) func(*host) {
	return hired(asUsual, func(b *bot) {
		a := b.means(b.draft(text))
		change(&a)
		_, _ = b.handed(a)
	})
}

// handedAs is an attack with a payment that the agent means, handed in as it is.
func handedAs(change func(l *wire.AgentLimits), micro int, to string) func(*host) {
	return hired(change, func(b *bot) { _, _ = b.handed(b.asks(micro, to)) })
}

// secretFor is the secret that the signer answers to a body, where it does.
func (h *host) secretFor(body string, stamp *wire.Stamp) string {
	var a wire.OutcomeReply
	_ = h.call(wire.MSubmit, wire.SubmitRequest{Body: body, Stamp: stamp}, &a)
	return a.AgentSecret
}

// clear activates an agent whose secret is answered in clear, and which has it from a host that was honest then.
func (b *bot) clear() (body string, stamp *wire.Stamp) {
	h := b.owner.h
	h.t.Helper()
	body = b.owner.body(wire.ActivateAgent, wire.ActivateAgentParams{AgentID: b.id, Limits: allowance()})
	stamp = b.owner.agree(body)
	_, r, err := h.submit(body, stamp)
	if b.secret = h.secretFor(body, stamp); err != nil || b.secret == "" {
		h.t.Fatalf("activating in clear: %v", err)
	}
	h.ledger.enacted(b.owner.org, r)
	return body, stamp
}

// agentSignatures are the attacks on what an agent's signature proves: B01.
var agentSignatures = []attack{
	{"B01", "a payment that no agent signed", "agentNoStamp", hired(asUsual, func(b *bot) {
		_, _, _ = b.owner.h.submit(b.enclosed(b.draft(paymentOf(5_000_000, robber))), nil)
	})},
	{"B01", "a passkey of the actor in the place of an agent's signature", "agentNoStamp",
		hired(asUsual, func(b *bot) {
			body, m := b.enclosed(b.draft(paymentOf(5_000_000, robber))), b.owner.h.mallory()
			_, _, _ = b.owner.h.submit(body, m.stamp(m.key, body))
		})},
	{"B01", "a signature that the actor made up", "agentMAC", hired(asUsual, func(b *bot) {
		a := b.draft(paymentOf(5_000_000, robber))
		a.MAC = strings.Repeat("0", 64)
		_, _ = b.handed(a)
	})},
	{"B01", "another payee than the agent's", "agentMAC",
		forged(paymentOf(2_000_000, shop), func(a *asking) { a.text = paymentOf(2_000_000, robber) })},
	{"B01", "more than the agent asked for", "agentMAC",
		forged(paymentOf(2_000_000, shop), func(a *asking) { a.text = paymentOf(5_000_000, shop) })},
	{"B01", "USDC where the agent asked for another token", "agentMAC",
		forged(paymentIn(2_000_000, shop, "USDT", "base"), func(a *asking) { a.text = paymentOf(2_000_000, shop) })},
	{"B01", "Base where the agent asked for another network", "agentMAC",
		forged(paymentIn(2_000_000, shop, "USDC", "polygon"), func(a *asking) { a.text = paymentOf(2_000_000, shop) })},
	{"B01", "a request with another second", "agentMAC",
		forged(paymentOf(2_000_000, shop), func(a *asking) {
			a.Timestamp = seconds(time.Now().Add(20 * time.Second))
			a.text = paymentOf(2_000_000, robber)
		})},
	{"B01", "another agent's wallet", "agentMAC", hired(asUsual, func(b *bot) {
		rich := b.owner.employs(allowance())
		a := b.asks(2_000_000, shop)
		a.AgentID, a.Path = rich.id, strings.Replace(a.Path, b.id, rich.id, 1)
		_, _ = rich.handed(a)
	})},
	{"B01", "the secret of another agent of the same owner", "agentMAC", hired(asUsual, func(b *bot) {
		b.stolen(b.owner.employs(allowance()).secret)
	})},
	{"B01", "a list of events as a payment", "agentPath", hired(asUsual, func(b *bot) {
		a := b.draft(paymentOf(2_000_000, shop))
		a.Path = "/v1/agents/events/batch"
		_, _ = b.handed(b.means(a))
	})},
	{"B01", "a rehearsal as a payment", "agentQuery", hired(asUsual, func(b *bot) {
		_, _ = b.handed(b.asksHTTP(2_000_000, shop, "dryRun=true", 0, 60))
	})},
	{"B01", "a request of more than a minute ago", "agentFresh", hired(asUsual, func(b *bot) {
		a := b.draft(paymentOf(2_000_000, shop))
		a.Timestamp = seconds(time.Now().Add(-70 * time.Second))
		_, _ = b.handed(b.means(a))
	})},
	{"B01", "a request for more than a minute later", "agentFresh", hired(asUsual, func(b *bot) {
		a := b.draft(paymentOf(2_000_000, shop))
		a.Timestamp = seconds(time.Now().Add(70 * time.Second))
		_, _ = b.handed(b.means(a))
	})},
	{"B01", "an HTTP signature after its end", "agentUntil", hired(asUsual, func(b *bot) {
		_, _ = b.handed(b.asksHTTP(2_000_000, shop, "", -20, -10))
	})},
	{"B01", "a signature of the first form where its owner wants the second", "agentHTTP",
		handedAs(func(l *wire.AgentLimits) { l.RequireHTTPSignature = true }, 2_000_000, shop)},
	{"B01", "a secret that was rotated away", "agentRotated", hired(asUsual, func(b *bot) {
		b.owner.must(wire.RotateAgentSecret, wire.RotateAgentSecretParams{
			AgentID: b.id, RecipientPublicKey: b.owner.h.recipient().public,
		})
		b.stolen(b.secret)
	})},
	{"B01", "a secret told again after the agent was heard of", "agentHeard", func(h *host) {
		b := h.newcomer().drafts()
		body, stamp := b.clear()
		a := asking{wire.VerifyAgentRequest{
			AgentID: b.id, Method: "GET", Path: "/v1/agents", Timestamp: seconds(h.now()), BodyHash: wire.Digest(""),
		}, ""}
		if err := h.call(wire.MVerifyAgent, b.means(a).VerifyAgentRequest, &wire.AgentReply{}); err != nil {
			h.t.Fatal(err)
		}
		b.stolen(h.secretFor(body, stamp))
	}},
	{"B01", "a secret told to the stamp of another user", "agentReveal", func(h *host) {
		b, m := h.newcomer().drafts(), h.mallory()
		body, _ := b.clear()
		b.stolen(h.secretFor(body, m.stamp(m.key, body)))
	}},
}

// agentOnce are the attacks that have one request pay more often: B02.
var agentOnce = []attack{
	{"B02", "a signed request under two bodies", "agentOnce", hired(asUsual, func(b *bot) {
		a := b.asks(2_000_000, shop)
		_, _ = b.handed(a)
		_, _ = b.handed(a, func(p *wire.AgentPaymentParams) { p.GasLimit = "65001" })
	})},
	{"B02", "a signed request under twenty bodies at once", "agentOnce", hired(asUsual, func(b *bot) {
		a := b.asks(200_000, shop)
		b.owner.h.atOnce(20, func(int) { _, _ = b.handed(a) })
	})},
	{"B02", "an HTTP signature under two bodies", "agentOnce", hired(asUsual, func(b *bot) {
		a := b.asksHTTP(2_000_000, shop, "", 0, 60)
		_, _ = b.handed(a)
		_, _ = b.handed(a)
	})},
	{"B02", "a request that waits under two bodies", "agentHeldOnce", hired(aboveOne, func(b *bot) {
		a := b.asks(2_000_000, shop)
		first, _ := b.handed(a)
		second, _ := b.handed(a)
		for _, body := range []string{first, second} {
			b.owner.vote(body)
			_, _, _ = b.owner.h.submit(body, nil)
		}
	})},
	{"B02", "a request again after a restart", "agentOnce", func(h *host) {
		var b *bot
		var a asking
		restarted(func(p *person) {
			b = p.employs(allowance())
			a = b.asks(2_000_000, shop)
			_, _ = b.handed(a)
		}, func(*person) { _, _ = b.handed(a) })(h)
	}},
}

// agentBudgets are the attacks on what an agent may pay: B03.
var agentBudgets = []attack{
	{"B03", "more at once than the agent may", "agentPerTx", handedAs(asUsual, 5_000_001, shop)},
	{"B03", "an agent's month in small parts", "agentMonth", hired(asUsual, func(b *bot) {
		for i := range 6 {
			_, _ = b.handed(b.asks(2_000_000+i, shop))
		}
	})},
	{"B03", "an agent's month by forty payments at once", "agentSpent", hired(asUsual, func(b *bot) {
		var all []asking
		for i := range 40 {
			all = append(all, b.asks(500_000+i, shop))
		}
		b.owner.h.atOnce(len(all), func(i int) { _, _ = b.handed(all[i]) })
	})},
	{"B03", "an agent's month again after a restart", "agentSpent", func(h *host) {
		var b *bot
		spend := func(micro int) { _, _ = b.handed(b.asks(micro, shop)) }
		restarted(func(p *person) {
			b = p.employs(allowance())
			spend(5_000_000)
			spend(4_999_999)
		}, func(*person) { spend(2) })(h)
	}},
	{"B03", "one whom the agent may not pay", "agentRules", handedAs(toTheShopOnly, 2_000_000, robber)},
	{"B03", "a network that the agent may not pay on", "agentRules",
		handedAs(func(l *wire.AgentLimits) { l.AllowedChains = []string{"polygon"} }, 2_000_000, shop)},
	{"B03", "one who is not in the book of an agent's owner", "payeesOnly",
		handedAs(func(l *wire.AgentLimits) { l.AnyRecipient, l.PayeesOnly = false, true }, 2_000_000, robber)},
	{"B03", "another token than an agent asked for", "agentToken", hired(asUsual, func(b *bot) {
		_, _ = b.handed(b.means(b.draft(paymentIn(2_000_000, shop, "EURC", "base"))))
	})},
	{"B03", "a fee above the agent's highest", "agentFee", hired(asUsual, (*bot).asksDear)},
	{"B03", "a fee that nobody can tell in USD", "agentFeeUnknown",
		hired(func(l *wire.AgentLimits) { l.AllowedChains = []string{"polygon"} }, func(b *bot) {
			_, _ = b.handed(b.means(b.draft(paymentIn(2_000_000, shop, "USDC", "polygon"))))
		})},
	{"B03", "a payment that a policy of the agent's wallet refuses", "agentPolicies", hired(asUsual, func(b *bot) {
		b.owner.must(wire.CreatePolicy, wire.CreatePolicyParams{
			WalletID: b.wallet, Rules: wire.Rules{MaxValueUSD: "1"},
		})
		_, _ = b.handed(b.asks(2_000_000, shop))
	})},
}

// asksDear is a payment whose fee the host sets at nearly 2 USD.
func (b *bot) asksDear() {
	a := b.asks(2_000_000, shop)
	body := b.enclosed(a, func(p *wire.AgentPaymentParams) { p.MaxTotalFee = "650000000000000" })
	_, _, _ = b.owner.h.outcome(wire.MSubmit, wire.SubmitRequest{
		Body: body, Stamp: &wire.Stamp{HeaderName: wire.AgentStamp, HeaderValue: a.MAC},
		Volatile: &wire.Volatile{MaxFeePerGas: "9500000000", MaxPriorityFeePerGas: "9500000000", NonceFloor: "0"},
	})
}
