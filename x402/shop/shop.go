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
	"github.com/railkit/railkit/chain/evm"
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
	// Offers are the ways to pay, of version 2 and the scheme exact. Of those by EIP-3009, version 1 has the first of
	// each network that it has a name for: a payment of version 1 does not say which offer it is for.
	Offers []x402.Offer
	// Resource describes what is sold. An empty URL is that of each request.
	Resource x402.Resource
}

// Exactly is the offer of an amount, in smallest units, of a listed token by EIP-3009.
func Exactly(n chain.Network, token chain.Token, amount string, payTo evm.Address) x402.Offer {
	return x402.Offer{
		Dialect: x402.V2, Scheme: x402.Exact, Network: x402.NetworkID(n.ChainID), Amount: amount, Asset: token.Address,
		PayTo: payTo.String(), MaxTimeoutSeconds: 60,
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
	id, evmNetwork := x402.ChainOf(x402.V2, o.Network)
	asset, err := evm.ParseAddress(o.Asset)
	payTo, err2 := evm.ParseAddress(o.PayTo)
	amount, err3 := chain.ParseUnits(o.Amount, 0)
	switch flow := o.Extra.PaymentFlow; {
	case o.Dialect != x402.V2 || o.Scheme != x402.Exact:
		return errors.New("it is not of version 2 and the scheme exact")
	case flow != "" && flow != x402.FlowAuthorization:
		return errors.New("its payment flow is not authorization")
	case !evmNetwork || err != nil || err2 != nil || !x402.CanBePaid(x402.NetworkOf(id), asset, payTo):
		return errors.New("it is not of an EVM network, a token's contract and an address that can be paid")
	case err3 != nil || amount.Sign() == 0:
		return errors.New("its amount is not a whole number above zero")
	case o.MaxTimeoutSeconds < 10:
		return errors.New("its maxTimeoutSeconds is below 10, in which nobody pays")
	case o.Method() != x402.Permit2 && (o.Method() != x402.EIP3009 || o.Extra.Name == "" || o.Extra.Version == ""):
		return errors.New("its extra has no known transfer method, or not the token's EIP-712 domain")
	}
	return nil
}

// versionOne are a sale's offers in version 1.
func versionOne(sale Sale) (all []x402.Offer) {
	for _, o := range sale.Offers {
		id, _ := x402.ChainOf(x402.V2, o.Network)
		name, ok := x402.NameV1(id)
		known := slices.ContainsFunc(all, func(have x402.Offer) bool { return have.Network == name })
		if !ok || known || o.Method() != x402.EIP3009 {
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
