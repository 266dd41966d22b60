package shop

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/railkit/railkit/x402"
)

// What a 402 says where the facilitator has no word for it.
const (
	unpaid     = "Payment required"
	unmatching = "No matching payment requirements"
)

// counter is where one handler is sold.
type counter struct {
	shop *Shop
	sale Sale
	v1   []x402.Offer
	next http.Handler
}

// purchase is a request with a payment that matches an offer.
type purchase struct {
	payment x402.Payload
	asked   x402.Request // what the facilitator is asked
	offer   x402.Offer
	claim   *claim
}

func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	resource := c.shop.resource(c.sale, r)
	payment, found, err := x402.ReadPayment(r.Header)
	if !found || err != nil { // who sends garbage learns what is for sale
		c.ask(w, resource, unpaid)
		return
	}
	p, ok := c.match(payment, resource)
	if !ok {
		c.ask(w, resource, unmatching)
		return
	}
	if p.claim, ok = c.shop.taken.claim(payment, r.Method+" "+resource.URL); !ok {
		refuse(w, p, http.StatusPaymentRequired, x402.Receipt{ErrorReason: x402.ReasonDuplicateSettlement})
		return
	}
	defer p.claim.release() // where nothing else was decided, also in a panic of the handler
	if !p.claim.verified && !c.verified(w, r, p, resource) {
		return
	}
	c.serve(w, r, p)
}

// match finds the offer that a payment is for. A payment of another resource, route or price matches none.
func (c *counter) match(payment x402.Payload, resource x402.Resource) (p purchase, ok bool) {
	if payment.Resource != nil && payment.Resource.URL != resource.URL {
		return p, false
	}
	offers, fits := c.sale.Offers, func(o x402.Offer) bool { return o.Accepts(payment.Accepted) }
	if payment.Dialect == x402.V1 {
		offers = c.v1
		fits = func(o x402.Offer) bool { return o.Scheme == payment.Scheme && o.Network == payment.Network }
	}
	i := slices.IndexFunc(offers, fits)
	if i < 0 {
		return p, false
	}
	p = purchase{payment: payment, offer: offers[i]}
	p.offer.Resource = resource.URL
	requirements, err := json.Marshal(p.offer)
	p.asked = x402.Request{Version: payment.Dialect.Version(), Payload: payment.Raw, Requirements: requirements}
	return p, err == nil
}

// verified asks the facilitator, and answers the buyer where the payment does not pay.
func (c *counter) verified(w http.ResponseWriter, r *http.Request, p purchase, resource x402.Resource) bool {
	verdict, err := c.shop.facilitator.Verify(r.Context(), p.asked)
	switch {
	case err != nil:
		problem(w, http.StatusBadGateway, "the facilitator does not answer; nothing was taken")
	case !verdict.Valid:
		reason := verdict.InvalidReason
		if reason == "" {
			reason = x402.ReasonInvalidPayload
		}
		c.ask(w, resource, reason)
	default:
		return true
	}
	return false
}

// serve runs the handler, settles, and lets the answer out if the money moved. From a buyer who has left meanwhile
// nothing is taken; a settlement that has begun is ended all the same.
func (c *counter) serve(w http.ResponseWriter, r *http.Request, p purchase) {
	answer := newBuffer()
	c.next.ServeHTTP(answer, r)
	if answer.over {
		problem(w, http.StatusInternalServerError, "the answer is too large to be sold; nothing was taken")
		return
	}
	if answer.status >= http.StatusBadRequest || r.Context().Err() != nil {
		answer.write(w)
		return
	}
	receipt, err := c.settle(context.WithoutCancel(r.Context()), p.asked)
	switch {
	case err != nil:
		p.claim.unknown()
		refuse(w, p, http.StatusBadGateway, x402.Receipt{ErrorReason: x402.ReasonUnexpectedSettleError})
	case receipt.Pending():
		p.claim.unknown()
		refuse(w, p, http.StatusPaymentRequired, receipt)
	case !receipt.Success:
		refuse(w, p, http.StatusPaymentRequired, receipt)
	default:
		p.claim.done()
		setReceipt(answer.header, p, receipt)
		answer.header.Set("Cache-Control", private(answer.header.Values("Cache-Control")))
		answer.write(w)
	}
}

// settle asks once more, for the same payment, where the transaction was sent and not yet seen in a block.
func (c *counter) settle(ctx context.Context, asked x402.Request) (x402.Receipt, error) {
	receipt, err := c.shop.facilitator.Settle(ctx, asked)
	if err != nil || !receipt.Pending() {
		return receipt, err
	}
	again, err := c.shop.facilitator.Settle(ctx, asked)
	if err != nil {
		return receipt, nil // it is still sent
	}
	return again, nil
}

// ask answers with the offers: of version 2 in the header, of version 1 in the body.
func (c *counter) ask(w http.ResponseWriter, resource x402.Resource, reason string) {
	v2 := x402.Offers{Dialect: x402.V2, Error: reason, Resource: &resource, List: c.sale.Offers}
	header, err := x402.EncodeHeader(v2)
	if err != nil {
		problem(w, http.StatusInternalServerError, "the offers cannot be written")
		return
	}
	v1 := x402.Offers{Dialect: x402.V1, Error: reason}
	for _, o := range c.v1 {
		o.Resource = resource.URL
		v1.List = append(v1.List, o)
	}
	body, err := json.Marshal(v1)
	if err != nil {
		problem(w, http.StatusInternalServerError, "the offers cannot be written")
		return
	}
	w.Header().Set(x402.HeaderRequired, header)
	send(w, http.StatusPaymentRequired, body)
}

// refuse answers with a receipt and no offers: a buyer who pays anew now may pay twice.
func refuse(w http.ResponseWriter, p purchase, status int, receipt x402.Receipt) {
	receipt.Success = false
	if receipt.Network == "" {
		receipt.Network = p.offer.Network
	}
	if receipt.ErrorReason == "" {
		receipt.ErrorReason = x402.ReasonUnexpectedSettleError
	}
	setReceipt(w.Header(), p, receipt)
	problem(w, status, receipt.ErrorReason)
}

func setReceipt(h http.Header, p purchase, receipt x402.Receipt) {
	name := x402.HeaderReceipt
	if p.payment.Dialect == x402.V1 {
		name = x402.HeaderReceiptV1
	}
	receipt.Extensions, receipt.Extra = nil, nil // of any size, and the facilitator's word to the shop
	if value, err := x402.EncodeHeader(receipt); err == nil {
		h.Set(name, value)
	}
}

func problem(w http.ResponseWriter, status int, text string) {
	body, _ := json.Marshal(struct {
		Error string `json:"error"`
	}{text})
	send(w, status, body)
}

func send(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body) // to a buyer who is gone
}

// private keeps a paid answer out of shared caches, which would give it to whoever asks next.
func private(values []string) string {
	kept := []string{"private"}
	for _, directive := range strings.Split(strings.Join(values, ","), ",") {
		name, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(directive)), "=")
		if name != "" && name != "public" && name != "private" && name != "s-maxage" {
			kept = append(kept, strings.TrimSpace(directive))
		}
	}
	return strings.Join(kept, ", ")
}
