package takeover

import (
	"fmt"
	"time"

	"github.com/railkit/railkit/enclave/wire"
)

// shopping lets an agent buy at the shop's host too.
func shopping(change ...func(l *wire.AgentLimits)) func(l *wire.AgentLimits) {
	return func(l *wire.AgentLimits) {
		l.AllowedHosts = []string{"shop.example"}
		for _, c := range change {
			c(l)
		}
	}
}

// atShop are the words of an agent that buys at the shop's URL, from whoever sells there.
func atShop(micro int) string {
	return fmt.Sprintf(`{"url":"https://shop.example/a","maxAmount":"%d"}`, micro)
}

// fromShop are the words of one that names the seller.
func fromShop(micro int) string {
	return fmt.Sprintf(`{"resource_url":"https://shop.example/a","amount":"%d","recipient":"%s","cluster":"base"}`,
		micro, shop)
}

// wants is a request to buy that nobody has signed.
func (b *bot) wants(text string) asking {
	a := b.draft(text)
	a.Path = "/v1/agents/" + b.id + "/x402-pay"
	return a
}

// offer is what the actor says that a seller wants.
func offer(micro int, change ...func(o *wire.AgentX402Params)) wire.AgentX402Params {
	o := wire.AgentX402Params{
		Chain: "base", Transfer: "eip3009", To: shop, Amount: fmt.Sprint(micro), Seconds: "60",
		Nonce: fmt.Sprintf("0x%064x", arrivals.Add(1)),
	}
	for _, c := range change {
		c(&o)
	}
	return o
}

// offered is the body that the host makes of a request and an offer. The ledger knows the offer only as the actor's.
func (b *bot) offered(a asking, o wire.AgentX402Params) string {
	o.AgentCall = wire.AgentCall{
		AgentID: a.AgentID, Method: a.Method, Path: a.Path, Timestamp: a.Timestamp, Request: a.text, HTTP: a.HTTP,
	}
	body := b.owner.body(wire.AgentX402, o)
	l := b.owner.h.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	l.offers[wire.Fingerprint(body)] = o
	return body
}

// sold is a request under an offer, as the signer gets it.
func (b *bot) sold(a asking, o wire.AgentX402Params) (body string, state wire.OutcomeState) {
	body = b.offered(a, o)
	state, _, _ = b.owner.h.submit(body, &wire.Stamp{HeaderName: wire.AgentStamp, HeaderValue: a.MAC})
	return body, state
}

// buys is a purchase that the agent means, under an offer.
func (b *bot) buys(text string, o wire.AgentX402Params) { _, _ = b.sold(b.means(b.wants(text)), o) }

// tricked is an attack by an offer that is not what the agent asked for.
func tricked(text string, change func(o *wire.AgentX402Params)) func(*host) {
	return hired(shopping(), func(b *bot) { b.buys(text, offer(2_000_000, change)) })
}

func toRobber(o *wire.AgentX402Params) { o.To = robber }

func onPolygon(o *wire.AgentX402Params) { o.Chain = "polygon" }

func bothNetworks(l *wire.AgentLimits) { l.AllowedChains = []string{"base", "polygon"} }

func byPermit2(o *wire.AgentX402Params) { o.Transfer = "permit2" }

// x402Offers are the attacks with the offer that the host chooses for an agent's request: B10.
var x402Offers = []attack{
	{"B10", "more than the agent would pay", "x402Amount",
		tricked(atShop(2_000_000), func(o *wire.AgentX402Params) { o.Amount = "2000001" })},
	{"B10", "another seller than the agent names", "x402Recipient", tricked(fromShop(2_000_000), toRobber)},
	{"B10", "another seller than an older agent names", "x402Recipient",
		tricked(`{"paymentRequirement":{"amount":"2","currency":"USDC","network":"base","recipient":"`+shop+`"}}`, toRobber)},
	{"B10", "a seller whom the agent may not pay", "agentRules",
		hired(shopping(toTheShopOnly), func(b *bot) { b.buys(atShop(2_000_000), offer(2_000_000, toRobber)) })},
	{"B10", "another network than the agent names", "x402Chain", hired(shopping(bothNetworks), func(b *bot) {
		b.buys(fromShop(2_000_000), offer(2_000_000, onPolygon))
	})},
	{"B10", "a network that the agent may not buy on", "agentRules", tricked(atShop(2_000_000), onPolygon)},
	{"B10", "a host that the agent's owner does not allow", "x402Host",
		tricked(`{"url":"https://shop.example.evil/a","maxAmount":"2000000"}`, toRobber)},
	{"B10", "another host in a request that the agent signed", "agentMAC", hired(shopping(), func(b *bot) {
		a := b.means(b.wants(`{"url":"https://other.example/a","maxAmount":"2000000"}`))
		a.text = atShop(2_000_000)
		_, _ = b.sold(a, offer(2_000_000, toRobber))
	})},
	{"B10", "a transfer that can be handed in for an hour", "x402Seconds",
		tricked(atShop(2_000_000), func(o *wire.AgentX402Params) { o.Seconds = "3600" })},
	{"B10", "a permit that another than the proxy of x402 can use", "x402Spender",
		tricked(atShop(2_000_000), func(o *wire.AgentX402Params) { byPermit2(o); o.Facilitator = robber })},
	{"B10", "a purchase as a payment", "agentPath", hired(shopping(), func(b *bot) {
		a := b.draft(paymentOf(2_000_000, shop))
		a.Path = "/v1/agents/" + b.id + "/x402-pay"
		_, _ = b.handed(b.means(a))
	})},
	{"B10", "a payment as a purchase", "agentPath", hired(shopping(), func(b *bot) {
		a := b.draft(fromShop(2_000_000))
		_, _ = b.sold(b.means(a), offer(2_000_000))
	})},
	{"B10", "a rehearsal as a purchase", "agentQuery", hired(shopping(), func(b *bot) {
		signed := b.asksHTTP(1, shop, "dryRun=true", 0, 60)
		a := b.wants(atShop(2_000_000))
		a.Timestamp, a.HTTP = "", signed.HTTP
		_, _ = b.sold(b.means(a), offer(2_000_000))
	})},
	{"B10", "a purchase that no agent signed", "agentNoStamp", hired(shopping(), func(b *bot) {
		_, _, _ = b.owner.h.submit(b.offered(b.wants(atShop(2_000_000)), offer(2_000_000, toRobber)), nil)
	})},
	{"B10", "more at once than the agent may", "agentPerTx",
		hired(shopping(), func(b *bot) { b.buys(atShop(5_000_001), offer(5_000_001)) })},
	{"B10", "a purchase that a policy of the agent's wallet refuses", "agentPolicies", hired(shopping(), func(b *bot) {
		b.owner.must(wire.CreatePolicy, wire.CreatePolicyParams{
			WalletID: b.wallet, Rules: wire.Rules{MaxValueUSD: "1"},
		})
		b.buys(atShop(2_000_000), offer(2_000_000))
	})},
}

func under(nonce int) func(o *wire.AgentX402Params) {
	return func(o *wire.AgentX402Params) { o.Nonce = fmt.Sprintf("0x%064x", nonce) }
}

// series is an attack on the agent's month of 10 USDC by purchases of 4 under offers that differ.
func series(offers ...[]func(o *wire.AgentX402Params)) func(*host) {
	return hired(shopping(bothNetworks), func(b *bot) {
		for i, changes := range offers {
			b.buys(atShop(4_000_000+i), offer(4_000_000, changes...)) // the same words in one second are one request
		}
	})
}

type changes = []func(o *wire.AgentX402Params)

// x402Nonces are the attacks with the nonces that the host chooses, to have more than the month signed: B11.
var x402Nonces = []attack{
	{"B11", "one request under two offers", "agentOnce", hired(shopping(), func(b *bot) {
		a := b.means(b.wants(atShop(2_000_000)))
		_, _ = b.sold(a, offer(2_000_000))
		_, _ = b.sold(a, offer(2_000_000, toRobber))
	})},
	{"B11", "one request under two nonces at once", "agentOnce", hired(shopping(), func(b *bot) {
		a := b.means(b.wants(atShop(200_000)))
		b.owner.h.atOnce(10, func(int) { _, _ = b.sold(a, offer(200_000)) })
	})},
	{"B11", "a month in purchases", "agentMonth", series(nil, nil, nil)},
	{"B11", "one nonce on two networks", "x402NonceName",
		series(changes{under(1)}, changes{under(1), onPolygon}, changes{under(2)})},
	{"B11", "one nonce of two contracts", "agentMonth",
		series(changes{under(1)}, changes{under(1), byPermit2}, changes{under(2)})},
	{"B11", "a nonce signed for a little first and for much then", "x402NonceMore", hired(shopping(), func(b *bot) {
		for n := range 3 {
			b.buys(atShop(1+n), offer(1, under(n)))
			b.buys(atShop(4_000_001+n), offer(4_000_000, under(n)))
		}
	})},
	{"B11", "a nonce again and again, for other sellers", "x402NonceMore", hired(shopping(), func(b *bot) {
		b.buys(atShop(1), offer(1, under(1)))
		for i := range 3 {
			b.buys(atShop(4_000_001+i), offer(4_000_000+i, under(i/2+1), toRobber))
			b.buys(atShop(4_100_001+i), offer(4_000_000+i, under(i+1)))
		}
	})},
	{"B11", "purchases beside payments", "agentMonth", hired(shopping(), func(b *bot) {
		b.buys(atShop(4_000_000), offer(4_000_000))
		_, _ = b.handed(b.asks(4_000_000, shop))
		b.buys(atShop(4_000_001), offer(4_000_000))
	})},
	{"B11", "a month again after a restart", "x402NonceMore", func(h *host) {
		var b *bot
		buy := func(i, nonce int) { b.buys(atShop(4_000_000+i), offer(4_000_000, under(nonce))) }
		restarted(func(p *person) {
			b = p.employs(allowance(shopping()))
			buy(0, 1)
			buy(1, 2)
			b.buys(atShop(1), offer(1, under(3)))
		}, func(*person) { buy(2, 1); buy(3, 3) })(h)
	}},
	{"B11", "nonces of the month before", "x402NonceMonth", clocked(func(h *host) {
		b := h.newcomer().employs(allowance(shopping()))
		buy := func(i, nonce int) { b.buys(atShop(4_000_000+i), offer(4_000_000, under(nonce))) }
		buy(0, 1)
		buy(1, 2)
		now := h.now().UTC()
		h.passes(time.Date(now.Year(), now.Month()+1, 1, 0, 1, 0, 0, time.UTC).Sub(now))
		for i := range 3 {
			buy(2+i, i+1)
		}
	})},
	{"B11", "forty purchases at once under twenty nonces", "agentSpent", hired(shopping(), func(b *bot) {
		var all []asking
		for i := range 40 {
			all = append(all, b.means(b.wants(atShop(900_000+i))))
		}
		b.owner.h.atOnce(len(all), func(i int) {
			_, _ = b.sold(all[i], offer(900_000, under(i%20)))
		})
	})},
}

// buysMuch is a purchase of 2 USDC that has to wait for the agent's owner.
func (b *bot) buysMuch(i int, change ...func(o *wire.AgentX402Params)) (body string) {
	b.owner.h.t.Helper()
	body, state := b.sold(b.means(b.wants(atShop(2_000_000+i))), offer(2_000_000, change...))
	if state != wire.Held {
		b.owner.h.t.Fatalf("a purchase: %q, and was to wait", state)
	}
	return body
}

// waiting is an attack on a purchase that waits.
func waiting(between func(b *bot, body string)) func(*host) {
	return hired(shopping(aboveOne), func(b *bot) {
		body := b.buysMuch(0)
		between(b, body)
		_, _, _ = b.owner.h.submit(body, nil)
	})
}

// votedThen is one with a purchase that was voted for before.
func votedThen(since func(b *bot)) func(*host) {
	return waiting(func(b *bot, body string) {
		b.owner.vote(body)
		since(b)
	})
}

func buying(since func(b *bot)) func(*host) {
	return hired(shopping(), func(b *bot) {
		since(b)
		b.buys(atShop(2_000_000), offer(2_000_000))
	})
}

// x402Halts are the attacks with purchases that wait, or of agents that were stopped: B12.
var x402Halts = []attack{
	{"B12", "a purchase above the threshold", "agentThreshold",
		hired(shopping(aboveOne), func(b *bot) { b.buys(atShop(1_000_001), offer(1_000_001)) })},
	{"B12", "a purchase that nobody voted for", "votes", waiting(func(*bot, string) {})},
	{"B12", "a vote for one offer used for another", "votes", waiting(func(b *bot, _ string) {
		b.owner.vote(b.buysMuch(1, toRobber))
	})},
	{"B12", "a request that waits under two offers", "agentHeldOnce", hired(shopping(aboveOne), func(b *bot) {
		a := b.means(b.wants(atShop(2_000_000)))
		first, _ := b.sold(a, offer(2_000_000))
		second, _ := b.sold(a, offer(2_000_000, toRobber))
		for _, body := range []string{first, second} {
			b.owner.vote(body)
			_, _, _ = b.owner.h.submit(body, nil)
		}
	})},
	{"B12", "a purchase, its limit lowered before the vote", "agentReevaluation", waiting(func(b *bot, body string) {
		b.owner.must(wire.SetAgentLimits, wire.SetAgentLimitsParams{
			AgentID: b.id, Limits: allowance(shopping(oneAtOnce)),
		})
		b.owner.vote(body)
	})},
	{"B12", "a purchase whose host was taken off the list", "x402Host", votedThen(func(b *bot) {
		b.owner.must(wire.SetAgentLimits, wire.SetAgentLimitsParams{AgentID: b.id, Limits: allowance(aboveOne)})
	})},
	{"B12", "a purchase of a killed agent", "agentKilled", buying(becoming(wire.AgentKilled))},
	{"B12", "a purchase of a paused agent", "agentHalted", buying(becoming(wire.AgentSuspended))},
	{"B12", "a purchase of a draining agent", "agentHalted", buying(becoming(wire.AgentDraining))},
	{"B12", "a purchase under the kill switch", "agentSwitch", buying(switchedOff)},
	{"B12", "a voted purchase of an agent killed since", "agentKilled", votedThen(becoming(wire.AgentKilled))},
	{"B12", "a voted purchase of an agent paused since", "agentHalted", votedThen(becoming(wire.AgentSuspended))},
	{"B12", "a voted purchase since the kill switch", "agentSwitch", votedThen(switchedOff)},
	{"B12", "a vote of more than five minutes ago for a purchase", "agentApprovalLife", clocked(func(h *host) {
		b := h.newcomer().employs(allowance(shopping(aboveOne)))
		body := b.buysMuch(0)
		b.owner.vote(body)
		h.passes(7 * time.Minute)
		_, _, _ = h.submit(body, nil)
	})},
}
