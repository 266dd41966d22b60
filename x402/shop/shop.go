// Package shop sells handlers of net/http by x402, version 1 and 2: it asks for a payment with 402, has it verified
// by a facilitator, runs the handler, has the payment settled, and only then lets the answer out. What is sold by
// another program than a handler has the same steps: Sale.Terms, Terms.Match, Terms.Ask and Take (sale.go).
//
// One Shop is one process. It remembers which payments it takes, so that one payment that is sent many times sells
// once. Two processes do not know of each other's, and ask the facilitator each under another x402.Request.Identifier:
// one of ours says success to one of them. Where a facilitator answers a settlement that it has already made with the
// first receipt, whoever asks, both would sell: whoever runs several then lets one payment always reach the same one.
package shop

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/x402"
)

// Facilitator verifies payments and settles them. An error is an outage: of a settlement it leaves open whether the
// money moved.
type Facilitator interface {
	Verify(ctx context.Context, r x402.Request) (x402.Verdict, error)
	Settle(ctx context.Context, r x402.Request) (x402.Receipt, error)
}

// Shop sells handlers, all by one facilitator.
type Shop struct {
	facilitator Facilitator
	origin      string
	taken       *taken
}

// New makes a shop. The origin ("https://shop.example") is where buyers find it; where it is empty, the origin of
// each request is taken, which is wrong behind a proxy that changes it.
func New(f Facilitator, origin string, c clock.Clock) *Shop {
	return &Shop{facilitator: f, origin: origin, taken: newTaken(c)}
}

// Sale is what a handler costs.
type Sale struct {
	// Offers are the ways to pay, of version 2 and the scheme exact. Of those that are not by Permit2, version 1 has
	// the first of each network that it has a name for: a payment of version 1 does not say which offer it is for.
	Offers []x402.Offer
	// Resource describes what is sold. An empty URL is that of each request.
	Resource x402.Resource
}

// Exactly is the offer of an amount, in smallest units, of a listed token: on EVM by EIP-3009, on Solana by a
// transaction, for which Extra.FeePayer has to be set to what the facilitator says in GET /supported.
func Exactly(n chain.Network, token chain.Token, amount, payTo string) x402.Offer {
	return x402.Offer{
		Dialect: x402.V2, Scheme: x402.Exact, Network: x402.NetworkID(n), Amount: amount, Asset: token.Address,
		PayTo: payTo, MaxTimeoutSeconds: 60,
		Extra: x402.Extra{Name: token.DomainName, Version: token.DomainVersion},
	}
}

// Sell makes a handler that costs what the sale says. Only an answer below 400 is paid for.
func (s *Shop) Sell(sale Sale, next http.Handler) (http.Handler, error) {
	terms, err := sale.Terms()
	if err != nil {
		return nil, err
	}
	return &counter{shop: s, terms: terms, next: next}, nil
}

// Terms are what the sale costs, once its offers are found to be ones that somebody can pay.
func (s Sale) Terms() (Terms, error) {
	if len(s.Offers) == 0 {
		return Terms{}, errors.New("a sale needs an offer")
	}
	for i, o := range s.Offers {
		if err := check(o); err != nil {
			return Terms{}, fmt.Errorf("offer %d: %w", i, err)
		}
	}
	return Terms{s, versionOne(s)}, nil
}

// check refuses what no buyer could pay, or what this shop could not keep.
func check(o x402.Offer) error {
	n, known := x402.ReadNetwork(x402.V2, o.Network)
	_, canBePaid := x402.CanBePaid(n, o.Asset, o.PayTo)
	amount, err := chain.ParseUnits(o.Amount, 0)
	switch flow := o.Extra.PaymentFlow; {
	case o.Dialect != x402.V2 || o.Scheme != x402.Exact:
		return errors.New("it is not of version 2 and the scheme exact")
	case flow != "" && flow != x402.FlowAuthorization:
		return errors.New("its payment flow is not authorization")
	case !known || !canBePaid || !isAddress(n, o.Asset):
		return errors.New("it is not of a known network, a token's address and an address that can be paid")
	case err != nil || amount.Sign() == 0:
		return errors.New("its amount is not a whole number above zero")
	case o.MaxTimeoutSeconds < 10:
		return errors.New("its maxTimeoutSeconds is below 10, in which nobody pays")
	case !hasMethod(n, o):
		return errors.New("its extra has no known transfer method, not the token's EIP-712 domain, " +
			"or on Solana not who pays the fee")
	}
	return nil
}

func isAddress(n chain.Network, text string) bool {
	family, ok := families.Of(n.Kind)
	if !ok {
		return false
	}
	_, err := family.ParseAddress(text)
	return err == nil
}

// hasMethod reports whether extra says all that a buyer needs to move the token.
func hasMethod(n chain.Network, o x402.Offer) bool {
	switch o.Method() {
	case x402.Permit2:
		return n.Kind == chain.EVM
	case x402.EIP3009:
		return n.Kind == chain.EVM && o.Extra.Name != "" && o.Extra.Version != ""
	case x402.Sponsored:
		return n.Kind == chain.Solana && isAddress(n, o.Extra.FeePayer)
	}
	return false
}

// versionOne are a sale's offers in version 1.
func versionOne(sale Sale) (all []x402.Offer) {
	for _, o := range sale.Offers {
		n, _ := x402.ReadNetwork(x402.V2, o.Network)
		name, ok := x402.NameV1(n)
		known := slices.ContainsFunc(all, func(have x402.Offer) bool { return have.Network == name })
		if !ok || known || o.Method() == x402.Permit2 {
			continue
		}
		o.Dialect, o.Network = x402.V1, name
		o.Description, o.MimeType = sale.Resource.Description, sale.Resource.MimeType
		all = append(all, o)
	}
	return all
}

// resource is what a request is for.
func (s *Shop) resource(sale Sale, r *http.Request) x402.Resource {
	res := sale.Resource
	if res.URL != "" {
		return res
	}
	origin := s.origin
	if origin == "" {
		origin = "http://" + r.Host
		if r.TLS != nil {
			origin = "https://" + r.Host
		}
	}
	res.URL = strings.TrimSuffix(origin, "/") + r.URL.RequestURI()
	return res
}
