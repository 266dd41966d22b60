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
	"slices"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
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
	if n, _, ok := s.c.Nodes.USDC(w.terms.Chain); (!ok || n.Kind != chain.EVM) && w.terms.Chain != "" {
		field := "cluster"
		if in.PaymentRequirement != nil {
			field = "paymentRequirement.network"
		}
		return w, fault.Field(field, "must be a network on which agents pay: "+s.c.Nodes.USDCNetworks()+
			". Solana is not among them yet")
	}
	w.self, w.older = q.URL == "", in.PaymentRequirement
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

// offer asks the seller what it wants, and chooses. The seller sees neither who asks nor any payment.
func (s *Service) offer(ctx context.Context, w wanted) (x402.Choice, answer402, error) {
	a, err := s.answered(ctx, w)
	if err != nil {
		return x402.Choice{}, a, err
	}
	offers, err := a.offers()
	if err != nil {
		return x402.Choice{}, a, unreadable(err)
	}
	if r := offers.Resource; r != nil && w.terms.URL != "" && !sameServer(r.URL, w.terms.URL) {
		return x402.Choice{}, a, ErrOffers.With("resource", r.URL)
	}
	wants := s.wants(w)
	offers.List = slices.DeleteFunc(offers.List, func(o x402.Offer) bool { return !w.pays(o.PayTo) })
	c, skipped, ok := x402.Choose(offers, wants)
	if !ok {
		return c, a, ErrNoOffer.With("skipped", told(skipped))
	}
	refusal := s.allowed(ctx, w, c)
	if errors.Is(refusal, ErrAllowance) { // another offer may need none
		wants.Methods = []x402.Method{x402.EIP3009}
		if other, _, ok := x402.Choose(offers, wants); ok {
			return other, a, nil
		}
	}
	return c, a, refusal
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
		body, err := json.Marshal(map[string]any{"paymentRequirement": w.older})
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

// wants are the networks that agent, operator and caller agree on.
func (s *Service) wants(w wanted) x402.Wants {
	var networks []chain.Network
	for _, n := range s.c.Nodes.Networks() {
		if n.Kind == chain.EVM && slices.Contains(w.agent.Limits.AllowedChains, n.Slug) &&
			(w.terms.Chain == "" || w.terms.Chain == n.Slug) {
			if _, err := s.c.Nodes.Node(n.Slug); err == nil {
				networks = append(networks, n)
			}
		}
	}
	return x402.Wants{
		Networks: networks, Tokens: []string{paysIn}, Methods: []x402.Method{x402.EIP3009, x402.Permit2}, Upto: true,
		Own: []string{w.agent.Address}, Max: big.NewInt(w.terms.Micro), Now: s.c.Clock.Now(),
	}
}

// pays reports whether the agent may pay somebody: the recipient that it names itself, and those of its limits. Who is
// in the book of payees the enclave knows.
func (w wanted) pays(to string) bool {
	same := func(text string) bool { return strings.EqualFold(text, to) }
	return (w.terms.Recipient == "" || same(w.terms.Recipient)) &&
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

// funded refuses an offer that the wallet has too little for: the transfer would fail, and stay counted.
func (s *Service) funded(ctx context.Context, w wanted, c x402.Choice) (since int64, err error) {
	n, err := s.c.Nodes.Node(c.Network.Slug)
	if err != nil {
		return 0, err
	}
	asking, cancel := context.WithTimeout(ctx, nodes.AskTimeout)
	defer cancel()
	has, err := nodes.TokenBalance(asking, n, c.Token.Address, w.agent.Address)
	if err != nil {
		return 0, err
	}
	if has.Cmp(c.Amount) < 0 {
		return 0, ErrBalance.With("asset", c.Token.Symbol).
			With("need", chain.FormatUnits(c.Amount, c.Token.Decimals)).
			With("have", chain.FormatUnits(has, c.Token.Decimals))
	}
	if since, err = n.Head(asking); err != nil {
		return 0, nodes.ErrNode.Because(err)
	}
	return since, nil
}

// nonce is that of an unused payment of this month, if there is one whose transfer is by the same contract: the largest
// that is no larger than the amount, else the smallest. Else it is a new one.
//
// Example: 0.01 and 0.02 USDC are unused. A payment of 0.03 has the nonce of the 0.02, for which 0.01 more are counted.
func (s *Service) nonce(ctx context.Context, p *Payment) error {
	unused, err := s.c.Store.UnusedX402Payments(ctx, p.WorkspaceID, p.AgentID, s.month(), mostUnused)
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
