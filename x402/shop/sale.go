package shop

import (
	"context"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/railkit/railkit/x402"
)

// Terms are what a sale costs, in both versions. They say which payments pay, and ask for one. A counter of net/http
// has them for one handler, and the API makes them for each request.
type Terms struct {
	sale Sale
	v1   []x402.Offer
}

// Purchase is a payment that matches an offer, and what the facilitator is asked of it.
type Purchase struct {
	Payment x402.Payload
	Offer   x402.Offer
	Asked   x402.Request
}

// Match finds the offer that a payment is for. A payment of another resource, payee or price matches none. Of version
// 1, which does not name the payee, it is the facilitator that compares what was signed with the offer.
func (t Terms) Match(payment x402.Payload, resource x402.Resource) (p Purchase, ok bool) {
	if payment.Resource != nil && payment.Resource.URL != resource.URL {
		return p, false
	}
	offers, fits := t.sale.Offers, func(o x402.Offer) bool { return o.Accepts(payment.Accepted) }
	if payment.Dialect == x402.V1 {
		offers = t.v1
		fits = func(o x402.Offer) bool { return o.Scheme == payment.Scheme && o.Network == payment.Network }
	}
	i := slices.IndexFunc(offers, fits)
	if i < 0 {
		return p, false
	}
	p = Purchase{Payment: payment, Offer: offers[i]}
	p.Offer.Resource = resource.URL
	requirements, err := json.Marshal(p.Offer)
	p.Asked = x402.Request{Version: payment.Dialect.Version(), Payload: payment.Raw, Requirements: requirements}
	return p, err == nil
}

// Why a buyer is asked for a payment where the facilitator has no word for it.
const (
	NoPayment = "Payment required"
	NoMatch   = "No matching payment requirements"
)

// Ask is what a buyer is told who has to pay: the offers of version 2, also as the header PAYMENT-REQUIRED, and those
// of version 1.
type Ask struct {
	Header string
	V2, V1 x402.Offers
}

// Ask asks for a payment, and says why the one that came, if any, does not pay.
func (t Terms) Ask(resource x402.Resource, reason string) (a Ask, err error) {
	a.V2 = x402.Offers{Dialect: x402.V2, Error: reason, Resource: &resource, List: t.sale.Offers}
	a.V1 = x402.Offers{Dialect: x402.V1, Error: reason}
	for _, o := range t.v1 {
		o.Resource = resource.URL
		a.V1.List = append(a.V1.List, o)
	}
	a.Header, err = x402.EncodeHeader(a.V2)
	return a, err
}

// Stage is where a purchase ended that sold nothing.
type Stage int

// The stages, in their order.
const (
	Unverified Stage = iota // the facilitator did not answer, and nothing was taken
	Unpaid                  // the facilitator says that the payment does not pay
	Unmade                  // there is nothing to be sold, and nothing was taken
	Unsettled               // the settlement was refused
	Pending                 // it was sent, and is in no block yet
	Unknown                 // it has no known end: the money may have moved
)

// Failure is a purchase that sold nothing.
type Failure struct {
	Stage   Stage
	Receipt x402.Receipt // its ErrorReason says why, where somebody has said it
	cause   error
}

func (f *Failure) Error() string {
	if f.cause != nil {
		return f.Receipt.ErrorReason + ": " + f.cause.Error()
	}
	return f.Receipt.ErrorReason
}

// Unwrap gives what went wrong with the facilitator, or with what was to be sold.
func (f *Failure) Unwrap() error { return f.cause }

// Take has a purchase verified, then has made what is sold, and then has the payment settled. Only with a receipt may
// what was made go out; any error is a Failure. A payment that was verified before and may have been handed in is not
// verified again, since its nonce may be used by now. Where make says no, or the buyer has left meanwhile, nothing is
// taken. A settlement that has begun is ended all the same.
func Take(
	ctx context.Context, f Facilitator, asked x402.Request, verified bool, make func(context.Context) (bool, error),
) (x402.Receipt, error) {
	if !verified {
		if err := verify(ctx, f, asked); err != nil {
			return x402.Receipt{}, err
		}
	}
	made, err := make(ctx)
	if err == nil {
		err = ctx.Err()
	}
	if !made || err != nil {
		return x402.Receipt{}, &Failure{Stage: Unmade, cause: err}
	}
	receipt, err := settle(context.WithoutCancel(ctx), f, asked)
	switch {
	case err != nil:
		unknown := x402.Receipt{ErrorReason: x402.ReasonUnexpectedSettleError}
		return x402.Receipt{}, &Failure{Stage: Unknown, Receipt: unknown, cause: err}
	case receipt.Pending():
		return x402.Receipt{}, &Failure{Stage: Pending, Receipt: receipt}
	case !receipt.Success:
		return x402.Receipt{}, &Failure{Stage: Unsettled, Receipt: receipt}
	}
	return receipt, nil
}

func verify(ctx context.Context, f Facilitator, asked x402.Request) error {
	verdict, err := f.Verify(ctx, asked)
	switch {
	case err != nil:
		return &Failure{Stage: Unverified, cause: err}
	case verdict.Valid:
		return nil
	case verdict.InvalidReason == "":
		verdict.InvalidReason = x402.ReasonInvalidPayload
	}
	return &Failure{Stage: Unpaid, Receipt: x402.Receipt{ErrorReason: verdict.InvalidReason}}
}

// settle asks once more, for the same payment, where the transaction was sent and not yet seen in a block.
func settle(ctx context.Context, f Facilitator, asked x402.Request) (x402.Receipt, error) {
	receipt, err := f.Settle(ctx, asked)
	if err != nil || !receipt.Pending() {
		return receipt, err
	}
	again, err := f.Settle(ctx, asked)
	if err != nil {
		return receipt, nil // it is still sent
	}
	return again, nil
}

// RefusedReceipt is the receipt of a purchase that sold nothing, as a buyer gets it who pays on a network.
func (f *Failure) RefusedReceipt(network string) x402.Receipt {
	receipt := f.Receipt
	receipt.Success = false
	if receipt.Network == "" {
		receipt.Network = network
	}
	if receipt.ErrorReason == "" {
		receipt.ErrorReason = x402.ReasonUnexpectedSettleError
	}
	return receipt
}

// mostTold is how long a facilitator's word in a receipt may be. A longer one is left out: else the header would have
// no room, and whoever has paid would get no receipt at all.
const mostTold = 256

// SetReceipt writes a receipt into the header of the payment's version.
func SetReceipt(h http.Header, d x402.Dialect, receipt x402.Receipt) {
	for _, word := range []*string{
		&receipt.ErrorReason, &receipt.ErrorMessage, &receipt.Payer,
		&receipt.Transaction, &receipt.Network, &receipt.Amount,
	} {
		if len(*word) > mostTold {
			*word = ""
		}
	}
	name := x402.HeaderReceipt
	if d == x402.V1 {
		name = x402.HeaderReceiptV1
	}
	receipt.Extensions, receipt.Extra = nil, nil // of any size, and the facilitator's word to the shop
	if value, err := x402.EncodeHeader(receipt); err == nil {
		h.Set(name, value)
	}
}
