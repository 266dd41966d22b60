package shop

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/railkit/railkit/x402"
)

// counter is where one handler is sold.
type counter struct {
	shop  *Shop
	terms Terms
	next  http.Handler
}

func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	resource := c.shop.resource(c.terms.sale, r)
	payment, found, err := x402.ReadPayment(r.Header)
	if !found || err != nil { // who sends garbage learns what is for sale
		c.ask(w, resource, NoPayment)
		return
	}
	p, ok := c.terms.Match(payment, resource)
	if !ok {
		c.ask(w, resource, NoMatch)
		return
	}
	claim, sold := c.shop.taken.claim(r.Context(), payment.ID(), requestOf(r, resource.URL))
	if sold != nil {
		sold.write(w)
		return
	}
	if claim == nil {
		again := &Failure{Receipt: x402.Receipt{ErrorReason: x402.ReasonDuplicateSettlement}}
		refuse(w, p, http.StatusPaymentRequired, again)
		return
	}
	defer claim.release() // where nothing else was decided, also in a panic of the handler
	c.serve(w, r, p, claim)
}

// serve runs the handler for a payment that pays, and lets the answer out if the money moved.
func (c *counter) serve(w http.ResponseWriter, r *http.Request, p Purchase, held *claim) {
	answer := newBuffer()
	p.Asked.Identifier = held.sale
	receipt, err := Take(r.Context(), c.shop.facilitator, p.Asked, held.verified, func(context.Context) (bool, error) {
		c.next.ServeHTTP(answer, r)
		return !answer.over && answer.status < http.StatusBadRequest, nil
	})
	var f *Failure
	if errors.As(err, &f) {
		c.fail(w, r, p, held, f, answer)
		return
	}
	SetReceipt(answer.header, p.Payment.Dialect, receipt)
	answer.header.Set("Cache-Control", private(answer.header.Values("Cache-Control")))
	held.done(answer)
	answer.write(w)
}

// fail answers a buyer who does not get what is sold.
func (c *counter) fail(
	w http.ResponseWriter, r *http.Request, p Purchase, held *claim, f *Failure, answer *buffer,
) {
	switch f.Stage {
	case Unverified:
		problem(w, http.StatusBadGateway, "the facilitator does not answer; nothing was taken")
	case Unpaid:
		c.ask(w, c.shop.resource(c.terms.sale, r), f.Receipt.ErrorReason)
	case Unmade:
		if answer.over {
			problem(w, http.StatusInternalServerError, "the answer is too large to be sold; nothing was taken")
			return
		}
		answer.write(w)
	case Unknown:
		held.unknown()
		refuse(w, p, http.StatusBadGateway, f)
	case Pending:
		held.unknown()
		refuse(w, p, http.StatusPaymentRequired, f)
	case Unsettled:
		refuse(w, p, http.StatusPaymentRequired, f)
	}
}

// ask answers with the offers: of version 2 in the header, of version 1 in the body.
func (c *counter) ask(w http.ResponseWriter, resource x402.Resource, reason string) {
	asked, err := c.terms.Ask(resource, reason)
	var body []byte
	if err == nil {
		body, err = json.Marshal(asked.V1)
	}
	if err != nil {
		problem(w, http.StatusInternalServerError, "the offers cannot be written")
		return
	}
	w.Header().Set(x402.HeaderRequired, asked.Header)
	send(w, http.StatusPaymentRequired, body)
}

// refuse answers with a receipt and no offers: a buyer who pays anew now may pay twice.
func refuse(w http.ResponseWriter, p Purchase, status int, f *Failure) {
	receipt := f.RefusedReceipt(p.Offer.Network)
	SetReceipt(w.Header(), p.Payment.Dialect, receipt)
	problem(w, status, receipt.ErrorReason)
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
