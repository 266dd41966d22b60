package takeover

import (
	"sync"

	"github.com/railkit/railkit/enclave/wire"
)

// atOnce runs n calls at once.
func (h *host) atOnce(n int, call func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { call(i) })
	}
	all.Wait()
}

// changed is an attack on a payment that its owner stamped: what the host adds.
func changed(v wire.Volatile) func(*host) {
	return func(h *host) {
		p := h.newcomer()
		body := p.pays(shop)
		_, _, _ = h.outcome(wire.MSubmit, wire.SubmitRequest{Body: body, Stamp: p.agree(body), Volatile: &v})
	}
}

// meant is an attack with parameters that say one thing and do another.
func meant(change func(p *wire.SignIntentParams)) func(*host) {
	return func(h *host) {
		p := h.newcomer()
		x := p.intent(shop, someWei, noData)
		change(&x)
		body := p.body(wire.SignIntent, x)
		_, _, _ = h.submit(body, p.agree(body))
	}
}

// requests are the attacks between prepare and confirm: the first of A.
var requests = []attack{
	{"A01", "a fee above the maximum", "fee",
		changed(wire.Volatile{MaxFeePerGas: "9000000000", MaxPriorityFeePerGas: "9000000000", NonceFloor: "0"})},
	{"A01", "a nonce that others have to come before", "floor",
		changed(wire.Volatile{MaxFeePerGas: "1000000000", MaxPriorityFeePerGas: "1", NonceFloor: "7"})},
	{"A01", "exact bytes that others have to come before", "nonce", func(h *host) {
		p := h.newcomer()
		body := p.exact(shop, 7)
		_, _, _ = h.submit(body, p.agree(body))
	}},
	{"A01", "calldata that pays somebody else than the words", "words", meant(func(p *wire.SignIntentParams) {
		p.To, p.Value, p.Data = usdc, "0", transferData(robber, 5_000_000)
		p.Transfer = &wire.TransferParams{Token: usdc, To: shop, Amount: "5000000"}
	})},
	{"A01", "calldata that pays more than the words", "words", meant(func(p *wire.SignIntentParams) {
		p.To, p.Value, p.Data = usdc, "0", transferData(shop, 5_000_000)
		p.Transfer = &wire.TransferParams{Token: usdc, To: shop, Amount: "5"}
	})},
	{"A01", "another chain than the one that is named", "chain",
		meant(func(p *wire.SignIntentParams) { p.Chain = "polygon" })},
	{"A03", "a body that was rejected", "cancelled", func(h *host) {
		p := h.newcomer()
		body := p.pays(shop)
		stamp := p.agree(body)
		h.reject(body)
		_, _, _ = h.submit(body, stamp)
	}},
	{"A03", "a body and its rejection at once", "cancelled", func(h *host) {
		p := h.newcomer()
		for range 20 {
			body := p.pays(shop)
			stamp := p.agree(body)
			h.atOnce(4, func(i int) {
				if i == 3 { // the last to be started is the first to run
					h.reject(body)
				} else {
					_, _, _ = h.submit(body, stamp)
				}
			})
			_, _, _ = h.submit(body, stamp)
		}
	}},
}
