package execution_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/x402test"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/x402"
)

// A payment buys one call of a skill, for the price and for whom the skill is registered; nothing of the caller reaches
// the skill's server.
func TestAgents_SkillIsBought(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	key := s.Keys.BenchKey
	all := s.offer(key, s.skill.ID)
	if o := all.List[0]; o.PayTo != s.payTo.String() || o.Amount != "1000" || o.Network != "eip155:84532" ||
		all.Resource.URL != s.BaseURL+"/v1/action/skills/"+s.skill.ID+"/execute" || s.calls() != 0 {
		t.Fatalf("%+v, %d calls", all, s.calls())
	}
	had, buyer := s.chain.Balance(s.payTo), s.chain.Buyer("1")
	paid := s.pay(buyer, all.List[0])
	g := s.call(key, s.skill.ID, `{"city":"Rome"}`, paid...)
	g.is(t, "bought", 200, "")
	if p := g.Data.Payment; p == nil || p.Amount != "1000" || p.PayTo != s.payTo.String() ||
		p.Payer != buyer.Address.String() || p.Transaction != g.receipt(t).Transaction || !g.receipt(t).Success {
		t.Errorf("%+v, %+v", p, g.receipt(t))
	}
	if got := string(g.Data.Output); got != `{"call":1,"said":"[auth_config]"}` || g.Data.Body != got ||
		g.Data.Headers["Set-Cookie"] != "" || g.Data.Headers["X-Key"] != "[auth_config]" {
		t.Errorf("%s, %+v", got, g.Data)
	}
	for name := range s.heard[0].header {
		if strings.HasPrefix(name, "Payment") || strings.HasPrefix(name, "X-Payment") || name == "Authorization" {
			t.Errorf("the skill's server got %s", name)
		}
	}
	if s.heard[0].body != `{"city":"Rome"}` || s.heard[0].header.Get("X-Api-Key") != "secret-0001" {
		t.Errorf("the skill's server got %+v", s.heard[0])
	}
	if got := s.chain.Balance(s.payTo) - had; got != price {
		t.Errorf("the seller got %d", got)
	}
	// Sent again, it gets the same answer and moves nothing; another call does not get it.
	again := s.call(key, s.skill.ID, `{"city":"Rome"}`, paid...)
	if again.Status != 200 || again.Data.Body != g.Data.Body || *again.Data.Payment != *g.Data.Payment {
		t.Errorf("again: %d %s", again.Status, again.Body)
	}
	older := []string{x402.HeaderPaymentV1, asVersion1(t, paid[1])}
	v1 := s.call(key, s.skill.ID, `{"city":"Rome"}`, older...)
	if v1.Status != 200 || v1.Data.Body != g.Data.Body || v1.Header.Get(x402.HeaderReceiptV1) == "" {
		t.Errorf("the same in version 1: %d %s", v1.Status, v1.Body)
	}
	other := s.sell(func(r *railkit.SkillRequest) { r.Name = "Tides" })
	_, stranger := s.NewWorkspace(integrator, agents)
	for what, g := range map[string]got{
		"another input":  s.call(key, s.skill.ID, `{"city":"Oslo"}`, paid...),
		"in version 1":   s.call(key, other.ID, `{"city":"Rome"}`, older...),
		"another skill":  s.call(key, other.ID, `{"city":"Rome"}`, paid...),
		"another caller": s.call(stranger, s.skill.ID, `{"city":"Rome"}`, paid...),
	} {
		g.is(t, what, 402, "x402_payment_used")
		if r := g.receipt(t); r.Success || r.ErrorReason != x402.ReasonDuplicateSettlement ||
			g.Header.Get(x402.HeaderRequired) != "" {
			t.Errorf("%s: %+v", what, r)
		}
	}
	if got := s.chain.Balance(s.payTo) - had; got != price || s.calls() != 1 {
		t.Errorf("the seller got %d for %d calls", got, s.calls())
	}
}

// asVersion1 is the same signed transfer in a header of version 1.
func asVersion1(t *testing.T, value string) string {
	t.Helper()
	raw, err := x402.DecodeHeader(value)
	var in struct {
		Payload json.RawMessage `json:"payload"`
	}
	if err == nil {
		err = json.Unmarshal(raw, &in)
	}
	if err != nil {
		t.Fatal(err)
	}
	header, err := x402.EncodeHeader(map[string]any{
		"x402Version": 1, "scheme": "exact", "network": "base-sepolia", "payload": in.Payload,
	})
	if err != nil {
		t.Fatal(err)
	}
	return header
}

// What does not pay the registered price to the registered payee at its network buys nothing.
func TestAgents_SkillWrongPayments(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	key, buyer := s.Keys.BenchKey, s.chain.Buyer("1")
	offer := s.offer(key, s.skill.ID).List[0]
	with := func(change func(*x402.Offer)) []string {
		o := offer
		o = s.chain.Offer(o.Amount, s.payTo)
		change(&o)
		return s.pay(buyer, o)
	}
	thief := x402test.NewKey(t)
	// The buyer's copy of the offer is right, and what is signed is not.
	_, name, lying := s.chain.Pay(buyer, s.chain.Offer("1", s.payTo))
	poor := s.pay(x402test.NewKey(t), offer)
	for what, c := range map[string]struct {
		headers []string
		reason  string
	}{
		"another payee": {with(func(o *x402.Offer) { o.PayTo = thief.Address.String() }), "No matching"},
		"less":          {with(func(o *x402.Offer) { o.Amount = "999" }), "No matching"},
		"less than it says": {[]string{name, swap(t, lying, `"accepted":{"scheme":"exact","network":"eip155:84532",`+
			`"amount":"1"`, `"accepted":{"scheme":"exact","network":"eip155:84532","amount":"1000"`)}, x402.ReasonValue},
		"another network": {[]string{name, swap(t, lying, `eip155:84532`, `eip155:80002`)}, "No matching"},
		"no money":        {poor, x402.ReasonBalance},
		"garbage":         {[]string{"X-Payment", "!"}, x402.ReasonInvalidPayload},
		"another URL": {[]string{name, swap(t, lying, `"x402Version":2`,
			`"x402Version":2,"resource":{"url":"https://elsewhere.example.com"}`)}, "No matching"},
	} {
		g := s.call(key, s.skill.ID, `{}`, c.headers...)
		g.is(t, what, 402, "x402_payment_required")
		if !strings.Contains(g.Details.Error, c.reason) {
			t.Errorf("%s: %q", what, g.Details.Error)
		}
	}
	// Once the owner is paid elsewhere, the offer of before is none.
	paid, to := s.pay(buyer, offer), s.Fund(s.seller, "second@example.com").Address.Address
	if _, err := s.seller.Skills.Update(t.Context(), s.skill.ID, railkit.SkillUpdate{PayTo: &to}); err != nil {
		t.Fatal(err)
	}
	s.call(key, s.skill.ID, `{}`, paid...).is(t, "a payee of before", 402, "x402_payment_required")
	if s.calls() != 0 || s.asked.Load() != 0 {
		t.Errorf("%d calls, %d settlements", s.calls(), s.asked.Load())
	}
	if got := s.call(key, s.skill.ID, `{}`, s.pay(buyer, s.offer(key, s.skill.ID).List[0])...); got.Status != 200 {
		t.Errorf("the new payee: %s", got.Body)
	}
}

// A skill that fails is not paid, and its answer is told; the payment may come again.
func TestAgents_SkillFailureIsFree(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	key, buyer := s.Keys.BenchKey, s.chain.Buyer("1")
	paid := s.pay(buyer, s.offer(key, s.skill.ID).List[0])
	for status, how := range map[int]http.HandlerFunc{
		500: func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "rain", 500) },
		404: func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no city", 404) },
	} {
		s.forecast(how)
		g := s.call(key, s.skill.ID, `{}`, paid...)
		g.is(t, "a failure", 200, "")
		if g.Data.Status != status || g.Data.Payment != nil {
			t.Errorf("%+v", g.Data)
		}
	}
	s.forecast(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 300<<10)) })
	s.call(key, s.skill.ID, `{}`, paid...).is(t, "a long answer", 502, "remote_too_large")
	if s.asked.Load() != 0 {
		t.Errorf("%d settlements", s.asked.Load())
	}
	s.forecast(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte{0xff, 0xfe}) })
	g := s.call(key, s.skill.ID, `{}`, paid...)
	if g.Status != 200 || g.Data.Body != "//4=" || g.Data.Encoding != "base64" || g.Data.Payment == nil {
		t.Errorf("the same payment, once the skill works: %s", g.Body)
	}
}
