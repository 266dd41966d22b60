package takeover

import (
	"time"

	"github.com/railkit/railkit/enclave/wire"
)

// restart starts the signer anew, at an honest end or not.
func (h *host) restart() {
	h.t.Helper()
	h.signer.stop()
	h.start()
}

// restarted is an attack on a signer of its own that is started anew in between.
func restarted(before, after func(p *person)) func(*host) {
	return func(h *host) {
		own := takeOver(h.t, h.signer.program, h.signer.mutant)
		own.ledger = h.ledger
		p := own.newcomer()
		before(p)
		own.restart()
		after(p)
	}
}

// clocked is an attack on a signer of its own whose machine's clock can be moved: it is the mutated program, of which
// no check is missing unless the attack's mutant is tried.
func clocked(attack func(h *host)) func(*host) {
	return func(h *host) {
		h.t.Helper()
		program, err := mutatedSigner()
		if err != nil {
			h.t.Fatal(err)
		}
		own := takeOver(h.t, program, h.signer.mutant)
		own.ledger = h.ledger
		attack(own)
	}
}

// passes has so much time pass. The machine's clock is right afterwards, and its operator says so.
func (h *host) passes(d time.Duration) {
	h.t.Helper()
	h.ahead += d
	h.ledger.ahead += d
	h.prices.asOf = h.prices.asOf.Add(d)
	h.signer.clock += d
	h.restart()
	h.honestPrices(market)
}

// sets moves the machine's clock, and nothing else.
func (h *host) sets(d time.Duration) {
	h.t.Helper()
	h.signer.clock += d
	h.signer.strict = true
	h.restart()
}

// late is an attack with a payment whose owner voted in time, and which is handed in so much later.
func late(d time.Duration) func(*host) {
	return clocked(func(h *host) {
		b := h.newcomer().employs(allowance(aboveOne))
		body := b.asksMuch(2_000_000, shop)
		b.owner.vote(body)
		h.passes(d)
		_, _, _ = h.submit(body, nil)
	})
}

// clocks are the attacks with the machine's clock, and with time: B07.
var clocks = []attack{
	{"B07", "a vote of more than five minutes ago", "agentApprovalLife", late(7 * time.Minute)},
	{"B07", "a vote of more than half an hour ago", "approvalTime", late(31 * time.Minute)},
	{"B07", "a request kept back until the clock is at its time again", "clockBack", clocked(func(h *host) {
		b := h.newcomer().employs(allowance())
		a := b.asks(2_000_000, shop)
		h.passes(10 * time.Minute)
		h.sets(-10 * time.Minute)
		h.ahead -= 10 * time.Minute // what bodies say of their time, the host says
		body := b.enclosed(a)
		_, _, _ = h.submit(body, &wire.Stamp{HeaderName: wire.AgentStamp, HeaderValue: a.MAC})
	})},
	{"B07", "an agent's secret that nobody took in time", "agentRevealTime", clocked(func(h *host) {
		b := h.newcomer().drafts()
		body, stamp := b.clear()
		h.passes(20 * time.Minute)
		b.stolen(h.secretFor(body, stamp))
	})},
	{"B07", "a delegation's day again by a clock set back", "clockBack", clocked(func(h *host) {
		p := h.newcomer()
		givesIt(p)
		pay := func(n uint64) { _, _, _ = h.submit(p.exact(shop, n), nil) }
		for n := range uint64(3) {
			pay(n)
		}
		h.sets(-24 * time.Hour)
		h.ahead -= 24 * time.Hour
		pay(3)
	})},
	{"B07", "a payee's cooling by a clock set ahead", "clockAhead", clocked(func(h *host) {
		p := h.newcomer()
		p.must(wire.AddPayee, binds("Carol", shop))
		p.must(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: p.wallet, Rules: wire.Rules{
			Delegation: &wire.Delegation{
				AnyRequest: true, ExpiresAtMs: millis(time.Now().Add(24 * time.Hour)), MaxValueUSD: "50",
				DailyUSD: "50", PayeesOnly: true, PayeeCoolingHours: "1",
			},
		}})
		h.sets(2 * time.Hour)
		h.ahead += 2 * time.Hour
		h.prices.asOf = h.prices.asOf.Add(2 * time.Hour)
		_ = h.handIn(h.sheet(h.prices.key, market, wire.MaxSheetLife))
		_, _, _ = h.submit(p.exact(shop, 0), nil)
	})},
}
