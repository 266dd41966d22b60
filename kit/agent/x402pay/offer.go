package x402pay

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/agent/call"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/platform/fetch"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/x402"
)

// wanted is an agent's request, read.
type wanted struct {
	agent wire.AgentReply
	terms wire.X402Terms
	asked asked // what the seller is asked for its offers
	self  bool  // the agent asks for the resource by itself
	older *rest.X402Requirement
}

// read reads a request as the enclave will read it, so that whatever is wrong is told by its name.
func (s *Service) read(a wire.AgentReply, raw []byte, in rest.X402PayRequest) (w wanted, err error) {
	var q wire.X402Request
	if err := json.Unmarshal(raw, &q); err != nil {
		return w, fault.Field("body", "must be a JSON object").Because(err)
	}
	w.agent = a
	if w.terms, err = q.Terms(); err != nil {
		var wrong *wire.TermsError
		if errors.As(err, &wrong) {
			err = fault.Field(wrong.Member, wrong.Problem)
		}
		return w, err
	}
	w.self, w.older = q.URL == "", in.PaymentRequirement
	if err := s.readNetwork(&w); err != nil {
		return w, err
	}
	w.asked = asked{Method: cmp.Or(in.Method, http.MethodGet), URL: w.terms.URL}
	if !w.self {
		if err := w.fill(in); err != nil {
			return w, err
		}
	}
	if w.terms.URL != "" {
		if err := a.Limits.AllowsURL(w.terms.URL); err != nil {
			return w, ErrHost.Because(err).With("denial", a.Limits.HostDenial(w.terms.URL))
		}
	}
	return w, nil
}

// readNetwork reads the network that a request names, if it names one.
func (s *Service) readNetwork(w *wanted) error {
	field, memo := "cluster", "memo"
	if w.older != nil {
		field, memo = "paymentRequirement.network", "paymentRequirement.memo"
	}
	if len(w.terms.Memo) > solana.MaxMemo {
		return fault.Field(memo, "must have at most 256 bytes")
	}
	if w.terms.Chain == "" {
		return nil
	}
	n, _, ok := s.c.Nodes.USDC(w.terms.Chain)
	if !ok {
		return fault.Field(field, s.c.Nodes.WhyNoUSDC(w.terms.Chain))
	}
	if w.agent.AddressOn(n.Kind) == "" {
		return fault.Field(field, call.WithoutAccount(w.agent, n))
	}
	if also, _, _ := s.c.Nodes.USDC(w.terms.Cluster); w.terms.Cluster != "" && also.Slug != n.Slug {
		return fault.Field("cluster", "must be the network of paymentRequirement, or be left out")
	}
	if w.terms.Chain = n.Slug; w.older != nil {
		r := *w.older
		r.Network, w.older = n.Slug, &r
	}
	return nil
}

// ErrHost is the refusal of a URL that the agent's owner does not allow.
var ErrHost = fault.Define(fault.Forbidden, "agent_host_not_allowed", "The agent may not pay at this URL",
	"The host of the URL is none of allowedHosts of the agent's limits, or the URL is not plain https")

// hopHeaders are not the agent's to set: they are of the connection, or pay.
var hopHeaders = []string{"Host", "Connection", "Content-Length", "Transfer-Encoding", "Upgrade", "Te", "Trailer",
	"Accept-Encoding", "X-Payment", "Payment-Signature"}

// fill takes over what the seller is to be asked.
func (w *wanted) fill(in rest.X402PayRequest) error {
	w.asked.Headers = map[string]string{}
	for name, value := range in.Headers {
		canonical := http.CanonicalHeaderKey(name)
		if slices.Contains(hopHeaders, canonical) || strings.HasPrefix(canonical, "Proxy-") {
			return fault.Field("headers", "must not set "+canonical)
		}
		if strings.ContainsAny(name+value, "\r\n\x00") || name == "" {
			return fault.Field("headers", "has a header that cannot be sent")
		}
		w.asked.Headers[canonical] = value
	}
	if len(in.Body) > 0 && !bytes.Equal(in.Body, []byte("null")) {
		w.asked.Method, w.asked.Body = http.MethodPost, in.Body
		var text string
		if json.Unmarshal(in.Body, &text) == nil {
			w.asked.Body = []byte(text)
		} else if w.asked.Headers["Content-Type"] == "" {
			w.asked.Headers["Content-Type"] = "application/json"
		}
	}
	if in.Method != "" {
		w.asked.Method = in.Method
	}
	return nil
}

func (q asked) request(private http.Header) fetch.Request {
	h := http.Header{}
	for name, value := range q.Headers {
		h.Set(name, value)
	}
	return fetch.Request{Method: q.Method, URL: q.URL, Header: h, Private: private, Body: q.Body, Coded: true}
}

// freeError is an answer that asks for no money: nothing is paid, and the agent gets it as it is.
type freeError struct{ fetch.Response }

func (freeError) Error() string { return "the seller asks for no payment" }

// mostOffers is how many offers of a seller are looked at, one after the other, for one that can be paid now.
const mostOffers = 4

// offer asks the seller what it wants, and chooses: the cheapest offer that fits, or where that one cannot be paid now,
// since there is too little money on its network, say, the next one. The seller sees neither who asks nor any payment.
func (s *Service) offer(ctx context.Context, w wanted) (c x402.Choice, a answer402, r ready, err error) {
	if a, err = s.answered(ctx, w); err != nil {
		return c, a, r, err
	}
	offers, err := a.offers()
	if err != nil {
		return c, a, r, unreadable(err)
	}
	if r := offers.Resource; r != nil && w.terms.URL != "" && !sameServer(r.URL, w.terms.URL) {
		return c, a, ready{}, ErrOffers.With("resource", r.URL)
	}
	offers.List = slices.DeleteFunc(offers.List, func(o x402.Offer) bool { return !w.pays(o) })
	var first error
	for range mostOffers {
		next, skipped, ok := x402.Choose(offers, s.wants(w))
		if !ok {
			return c, a, r, cmp.Or(first, error(ErrNoOffer.With("skipped", told(skipped))))
		}
		if r, err = s.ready(ctx, w, next); err == nil {
			return next, a, r, nil
		}
		first = cmp.Or(first, err)
		tried := func(o x402.Offer) bool { return reflect.DeepEqual(o, next.Offer) }
		offers.List = slices.DeleteFunc(offers.List, tried)
	}
	return c, a, r, first
}

// unreadable says in which way a seller asks for money.
func unreadable(err error) error {
	switch {
	case errors.Is(err, x402.ErrEmpty):
		return ErrEmpty
	case errors.Is(err, x402.ErrL402):
		return ErrL402
	case errors.Is(err, x402.ErrNoOffers):
		return ErrNotX402
	}
	return ErrOffers.Because(err)
}

// answered is the answer that has the offers.
func (s *Service) answered(ctx context.Context, w wanted) (answer402, error) {
	if w.older != nil {
		asked := *w.older
		if err := s.sponsor(ctx, &asked); err != nil {
			return answer402{}, err
		}
		body, err := json.Marshal(map[string]any{"paymentRequirement": asked})
		return answer402{Status: http.StatusPaymentRequired, Body: body, Older: true}, err
	}
	res, err := s.c.Client.Do(ctx, w.asked.request(nil))
	if err != nil {
		return answer402{}, err
	}
	if res.Status != http.StatusPaymentRequired {
		return answer402{}, freeError{res}
	}
	offers := http.Header{
		x402.HeaderRequired: res.Header.Values(x402.HeaderRequired),
		"Www-Authenticate":  res.Header.Values("Www-Authenticate"),
	}
	return answer402{Status: res.Status, Header: offers, Body: res.Body}, nil
}

// sponsor has the platform's facilitator pay the fee where a requirement on Solana does not say who does.
func (s *Service) sponsor(ctx context.Context, r *rest.X402Requirement) (err error) {
	n, ok := s.c.Nodes.BySlug(r.Network)
	if _, sponsored := s.c.Nodes.Sponsoring(r.Network); !ok || !sponsored || r.FeePayer != "" || s.c.Sponsors == nil {
		return nil
	}
	if r.FeePayer, err = s.c.Sponsors.Of(ctx, n); err != nil {
		err = ErrSponsor.Because(err)
	}
	return err
}

// ErrSponsor is of a facilitator that is needed to know who pays the fee.
var ErrSponsor = fault.Define(fault.Upstream, "x402_sponsor_unknown",
	"The platform's facilitator does not say who pays the network's fee",
	"paymentRequirement is on Solana and names no feePayer; the facilitator, which would pay, does not answer. Nothing "+
		"was signed")

// wants are the networks that agent, operator and caller agree on.
func (s *Service) wants(w wanted) x402.Wants {
	var networks []chain.Network
	var own []string
	for _, n := range s.c.Nodes.Served() {
		address := w.agent.AddressOn(n.Kind)
		if _, _, ok := s.c.Nodes.USDC(n.Slug); !ok || address == "" {
			continue
		}
		own = append(own, address)
		if slices.Contains(w.agent.Limits.AllowedChains, n.Slug) && (w.terms.Chain == "" || w.terms.Chain == n.Slug) {
			networks = append(networks, n)
		}
	}
	return x402.Wants{
		Networks: networks, Tokens: []string{paysIn},
		Methods: []x402.Method{x402.EIP3009, x402.Permit2, x402.Sponsored}, Upto: true,
		Own: own, Max: big.NewInt(w.terms.Micro), Now: s.c.Clock.Now(),
	}
}

// pays reports whether the agent may pay an offer: the recipient, sponsor and memo that it names itself, and the
// recipients of its limits. Who is in the book of payees the enclave knows.
func (w wanted) pays(o x402.Offer) bool {
	to := families.Lookup(o.PayTo)
	same := func(text string) bool { return families.Lookup(text) == to }
	return (w.terms.Recipient == "" || same(w.terms.Recipient)) &&
		(w.terms.Sponsor == "" || w.terms.Sponsor == o.Extra.FeePayer) &&
		(w.terms.Memo == "" || o.Extra.Memo == "" || w.terms.Memo == o.Extra.Memo) &&
		(len(w.agent.Limits.AllowedRecipients) == 0 || slices.ContainsFunc(w.agent.Limits.AllowedRecipients, same))
}

type skippedOffer struct {
	Number int    `json:"number"` // from 0
	Why    string `json:"why"`
	Words  string `json:"words"`
}

func told(skipped []x402.Skipped) []skippedOffer {
	all := []skippedOffer{}
	for _, s := range skipped {
		all = append(all, skippedOffer{s.Number, string(s.Why), s.Why.Sentence()})
	}
	return all
}

// sameServer compares who answers at two URLs. A seller behind a proxy that ends TLS often names its resource by http.
func sameServer(a, b string) bool {
	x, err := url.Parse(a)
	y, also := url.Parse(b)
	return err == nil && also == nil && strings.EqualFold(wire.Place(x.Scheme, x.Host), wire.Place(y.Scheme, y.Host))
}

// ready is what the nodes say of an offer that can be paid now.
type ready struct {
	since    int64          // the payment is in no block below
	memo     string         // of a sponsored one
	volatile *wire.Volatile // likewise
}

// ready refuses an offer that could not be paid as the chain is now: the transfer would fail, and stay counted.
func (s *Service) ready(ctx context.Context, w wanted, c x402.Choice) (r ready, err error) {
	n, err := s.c.Nodes.Node(c.Network.Slug)
	if err != nil {
		return r, err
	}
	asking, cancel := context.WithTimeout(ctx, nodes.AskTimeout)
	defer cancel()
	from := w.agent.AddressOn(c.Network.Kind)
	has, err := nodes.TokenBalance(asking, n, c.Token.Address, from)
	if err != nil {
		return r, err
	}
	if has.Cmp(c.Amount) < 0 {
		return r, ErrBalance.With("asset", c.Token.Symbol).
			With("need", chain.FormatUnits(c.Amount, c.Token.Decimals)).
			With("have", chain.FormatUnits(has, c.Token.Decimals))
	}
	switch c.Method {
	case x402.Sponsored:
		return s.readySponsored(asking, w, c)
	case x402.Permit2:
		if err := s.allowed(asking, from, c); err != nil {
			return r, err
		}
	}
	if r.since, err = n.Head(asking); err != nil {
		return r, nodes.ErrNode.Because(err)
	}
	return r, nil
}

// nonce is that of an unused payment of this month, if there is one whose transfer is by the same contract: the largest
// that is no larger than the amount, else the smallest. Else it is a new one.
//
// Example: 0.01 and 0.02 USDC are unused. A payment of 0.03 has the nonce of the 0.02, for which 0.01 more are counted.
//
// A sponsored payment has no nonce, and takes none: nothing that was signed before it makes it worthless.
func (s *Service) nonce(ctx context.Context, p *Payment) error {
	if p.sponsored() {
		p.Counted = p.Micro
		return nil
	}
	unused, err := s.c.Store.UnusedX402Payments(ctx, p.WorkspaceID, p.AgentID, monthOf(s.c.Clock.Now()), mostUnused)
	if err != nil {
		return err
	}
	var best *Payment
	for i, u := range unused {
		if u.Network == p.Network && u.Transfer == p.Transfer &&
			(best == nil || better(u.Counted, best.Counted, p.Micro)) {
			best = &unused[i]
		}
	}
	if best != nil {
		p.Nonce, p.Reuses, p.Counted = best.Nonce, best.ID, max(best.Counted, p.Micro)
		return nil
	}
	var nonce [32]byte
	_, err = rand.Read(nonce[:])
	p.Nonce, p.Counted = chain.Hex(nonce[:]), p.Micro
	return err
}

// better compares what is counted for two nonces: of those up to the amount the larger, else the smaller.
func better(a, b, amount int64) bool {
	if (a <= amount) != (b <= amount) {
		return a <= amount
	}
	return (a > b) == (a <= amount)
}
