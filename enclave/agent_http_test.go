package enclave

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

const apiHost = "api.example"

// signedHTTP is a request under a signature of the second form, which lasts for so many seconds.
func (b bot) signedHTTP(method, path, query, at string, life int, nonce, body string) wire.VerifyAgentRequest {
	created, _ := strconv.Atoi(at)
	return b.resigned(wire.VerifyAgentRequest{
		AgentID: b.id, Method: method, Path: path, BodyHash: wire.Digest(body), HTTP: &wire.HTTPSignature{
			Authority: apiHost, Query: "?" + query, Created: at, Expires: strconv.Itoa(created + life), Nonce: nonce,
		},
	})
}

// resigned has the agent sign whatever the request says now.
func (b bot) resigned(q wire.VerifyAgentRequest) wire.VerifyAgentRequest {
	q.MAC = wire.AgentMAC(b.secret, q.Message())
	return q
}

// nonce is another one for each number.
func nonce(n int) string { return "nonce-" + strconv.Itoa(1_000_000_000+n) }

func TestAgents_HTTPSignatureForged(t *testing.T) {
	w := newTimed(t)
	w.later()
	b := w.bot(w.register("alice@example.com"), "Buyer")
	other := w.bot(w.register("bob@example.com"), "Buyer")
	const path, body = "/v1/agents/events/batch", `{"events":[]}`
	good := b.signedHTTP("POST", path, "a=b", w.at(0), 60, nonce(1), body)
	for name, change := range map[string]func(*wire.VerifyAgentRequest){
		"another authority":     func(q *wire.VerifyAgentRequest) { q.HTTP.Authority = "shop.example" },
		"another port":          func(q *wire.VerifyAgentRequest) { q.HTTP.Authority += ":8443" },
		"authority in capitals": func(q *wire.VerifyAgentRequest) { q.HTTP.Authority = "API.example" },
		"no authority":          func(q *wire.VerifyAgentRequest) { q.HTTP.Authority = "" },
		"another query":         func(q *wire.VerifyAgentRequest) { q.HTTP.Query = "?a=c" },
		"no query":              func(q *wire.VerifyAgentRequest) { q.HTTP.Query = "?" },
		"a query without ?":     func(q *wire.VerifyAgentRequest) { q.HTTP.Query = "" },
		"query in the path":     func(q *wire.VerifyAgentRequest) { q.Path, q.HTTP.Query = path+"?a=b", "?" },
		"another path":          func(q *wire.VerifyAgentRequest) { q.Path += "/" },
		"another method":        func(q *wire.VerifyAgentRequest) { q.Method = "GET" },
		"another body":          func(q *wire.VerifyAgentRequest) { q.BodyHash = wire.Digest(body + " ") },
		"no body":               func(q *wire.VerifyAgentRequest) { q.BodyHash = wire.Digest("") },
		"another nonce":         func(q *wire.VerifyAgentRequest) { q.HTTP.Nonce = nonce(2) },
		"another second":        func(q *wire.VerifyAgentRequest) { q.HTTP.Created = w.at(-1) },
		"a later life": func(q *wire.VerifyAgentRequest) {
			q.HTTP.Created, q.HTTP.Expires = w.at(1), w.at(61)
		},
		"another agent":     func(q *wire.VerifyAgentRequest) { q.AgentID = other.id },
		"agent in capitals": func(q *wire.VerifyAgentRequest) { q.AgentID = strings.ToUpper(q.AgentID) },
		"as one of the first form": func(q *wire.VerifyAgentRequest) {
			q.HTTP, q.Timestamp = nil, w.at(0)
		},
		"its text as one of the first form": func(q *wire.VerifyAgentRequest) {
			q.Method, q.Path, q.HTTP, q.Timestamp = "", q.Message(), nil, w.at(0)
		},
	} {
		q, said := good, *good.HTTP
		q.HTTP = &said
		change(&q)
		_, err := w.VerifyAgent(q)
		refused(t, name, err, refusal.ErrAgentAuth)
	}
	w.accepted("the good one", good)
	first := b.signed("POST", path, w.at(0), body)
	first.HTTP = good.HTTP
	_, err := w.VerifyAgent(first)
	refused(t, "a signature of the first form as one of the second", err, refusal.ErrAgentAuth)
}

// What the agent itself signs has to have the form, too: one signature has one text.
func TestAgents_HTTPSignatureMalformed(t *testing.T) {
	w := newTimed(t)
	w.later()
	b := w.bot(w.register("alice@example.com"), "Buyer")
	for name, change := range map[string]func(*wire.VerifyAgentRequest){
		"61 seconds":            func(q *wire.VerifyAgentRequest) { q.HTTP.Expires = w.at(61) },
		"an hour":               func(q *wire.VerifyAgentRequest) { q.HTTP.Expires = w.at(3600) },
		"no life":               func(q *wire.VerifyAgentRequest) { q.HTTP.Expires = w.at(0) },
		"expired as it is made": func(q *wire.VerifyAgentRequest) { q.HTTP.Expires = w.at(-1) },
		"no expiry":             func(q *wire.VerifyAgentRequest) { q.HTTP.Expires = "" },
		"a zero in front":       func(q *wire.VerifyAgentRequest) { q.HTTP.Created = "0" + w.at(0) },
		"negative":              func(q *wire.VerifyAgentRequest) { q.HTTP.Created, q.HTTP.Expires = "-1", "1" },
		"too large":             func(q *wire.VerifyAgentRequest) { q.HTTP.Created = "18446744073709551616" },
		"no nonce":              func(q *wire.VerifyAgentRequest) { q.HTTP.Nonce = "" },
		"a short nonce":         func(q *wire.VerifyAgentRequest) { q.HTTP.Nonce = "123456789012345" },
		"a long nonce":          func(q *wire.VerifyAgentRequest) { q.HTTP.Nonce = strings.Repeat("n", 65) },
		"a quote in the nonce":  func(q *wire.VerifyAgentRequest) { q.HTTP.Nonce = `0123456789";x="1` },
		"a line in the query":   func(q *wire.VerifyAgentRequest) { q.HTTP.Query = "?a\n\"@x\": y" },
		"a line in the host":    func(q *wire.VerifyAgentRequest) { q.HTTP.Authority = "a.example\n" },
		"a line in the path":    func(q *wire.VerifyAgentRequest) { q.Path = "/v1\n" },
		"a letter in the path":  func(q *wire.VerifyAgentRequest) { q.Path = "/v1/é" },
		"user-info":             func(q *wire.VerifyAgentRequest) { q.HTTP.Authority = "a@api.example" },
		"an endless query":      func(q *wire.VerifyAgentRequest) { q.HTTP.Query = "?" + strings.Repeat("x", 2048) },
		"a timestamp as well":   func(q *wire.VerifyAgentRequest) { q.Timestamp = w.at(0) },
	} {
		q := b.signedHTTP("POST", "/v1/agents", "", w.at(0), 60, nonce(1), "")
		change(&q)
		_, err := w.VerifyAgent(b.resigned(q))
		refused(t, name, err, refusal.ErrAgentAuth)
		if err != nil && !strings.Contains(err.Error(), "expires at most 60") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A write is accepted once. Equal ones of one second differ by their nonce; a signature ends with its expiry.
func TestAgents_HTTPSignatureOnceAndInTime(t *testing.T) {
	w := newTimed(t)
	b := w.bot(w.register("alice@example.com"), "Buyer")
	w.later()
	write := b.signedHTTP("POST", "/v1/agents", "", w.at(0), 60, nonce(1), "{}")
	w.accepted("a write", write)
	w.refusedClaim("again", write, decide.ErrReplayed)
	second := b.signedHTTP("POST", "/v1/agents", "", w.at(0), 60, nonce(2), "{}")
	w.accepted("an equal one", second)
	w.refusedClaim("the first one again", write, decide.ErrReplayed)
	again := b.signedHTTP("POST", "/v1/agents", "x=1", w.at(0), 60, nonce(1), "{}")
	w.accepted("its nonce in another request", again)
	read := b.signedHTTP("GET", "/v1/agents", "", w.at(0), 5, nonce(3), "")
	for range 2 {
		w.accepted("a read", read)
	}
	w.reopen()
	if _, err := w.VerifyAgent(write); err == nil {
		t.Error("accepted again after a restart")
	}
	w.advance(5 * time.Second)
	w.accepted("a read in its last second", read)
	w.advance(time.Second)
	w.refusedClaim("a read that has expired", read, refusal.ErrAgentTime)
	w.advance(time.Minute)
	w.refusedClaim("the write, later", write, refusal.ErrAgentTime)
	w.accepted("60 seconds ahead", b.signedHTTP("POST", "/v1/agents", "", w.at(60), 60, nonce(4), ""))
	w.refusedClaim("61 seconds ahead",
		b.signedHTTP("POST", "/v1/agents", "", w.at(61), 60, nonce(5), ""), refusal.ErrAgentTime)
}

// An agent whose limits ask for the second form is not known by the first, whatever it wants.
func TestAgents_HTTPSignatureRequired(t *testing.T) {
	p := newPaying(t)
	waiting := p.asks("600000", receiver)
	p.did(waiting)
	only := limits()
	only.RequireHTTPSignature = true
	if got, err := p.bare(p.alice, wire.SetAgentLimits, newLimits(p.bot, only)); err != nil || got != wire.Done {
		t.Fatalf("asking for it: %s, %v", got, err)
	}
	wants := refusal.ErrAgentAuth.Msg("the agent's limits take requests under an HTTP signature (RFC 9421) only")
	p.refusedClaim("a read of the first form", p.signed("GET", "/v1/agents", p.at(0), ""), wants)
	p.refusedClaim("a write of the first form", p.signed("POST", "/v1/agents", p.at(0), ""), wants)
	p.accepted("a write of the second", p.signedHTTP("POST", "/v1/agents", "", p.at(0), 60, nonce(1), ""))
	_, err := p.Submit(p.asks("10000", receiver))
	refused(t, "a payment of the first form", err, refusal.ErrAgentAuth)
	if out := p.did(p.asksHTTP("10000", nonce(2), "")); out.State != wire.Done {
		t.Errorf("a payment of the second: %s", out.State)
	}
	if _, err := p.vote(waiting.Body, p.alice); err != nil {
		t.Fatal(err)
	}
	if out := p.did(wire.SubmitRequest{Body: waiting.Body, Volatile: volatile(0)}); out.State != wire.Done {
		t.Errorf("what waited before: %s", out.State)
	}
	if got, err := p.bare(p.alice, wire.SetAgentLimits, newLimits(p.bot, limits())); err != nil || got != wire.Held {
		t.Errorf("not asking for it any more: %s, %v", got, err)
	}
}

// asksHTTP is a payment under a signature of the second form.
func (p *paying) asksHTTP(micro, nonce, query string) wire.SubmitRequest {
	p.t.Helper()
	request := paymentRequest(micro, receiver)
	q := p.signedHTTP("POST", "/v1/agents/"+p.id+"/sign-transaction", query, p.at(0), 60, nonce, request)
	body := p.body(p.fresh(p.alice, wire.AgentPayment, wire.AgentPaymentParams{
		AgentCall: wire.AgentCall{AgentID: p.id, Method: q.Method, Path: q.Path, Request: request, HTTP: q.HTTP},
		GasLimit:  "65000", MaxTotalFee: "130000000000000",
	}))
	return wire.SubmitRequest{
		Body: body, Stamp: &wire.Stamp{HeaderName: wire.AgentStamp, HeaderValue: q.MAC}, Volatile: volatile(0),
	}
}

// A payment under the second form is as much the agent's own word, and pays once.
func TestAgents_HTTPSignaturePays(t *testing.T) {
	p := newPaying(t)
	good := p.asksHTTP("10000", nonce(1), "")
	for name, change := range map[string][2]string{
		"another host":   {`"authority":"api.example"`, `"authority":"shop.example"`},
		"another amount": {`\"10000\"`, `\"90000\"`},
		"another nonce":  {nonce(1), nonce(2)},
		"another expiry": {`"expires":"` + p.at(60), `"expires":"` + p.at(59)},
		"a query":        {`"query":"?"`, `"query":"?a"`},
	} {
		q := good
		if q.Body = strings.Replace(q.Body, change[0], change[1], 1); q.Body == good.Body {
			t.Fatalf("%s changes nothing", name)
		}
		_, err := p.Submit(q)
		refused(t, name, err, refusal.ErrAgentAuth)
	}
	_, err := p.Submit(p.asksHTTP("10000", nonce(3), "dryRun=true"))
	refused(t, "a query that the agent signed", err, refusal.ErrBody)
	p.did(good)
	again := good
	again.Body = strings.Replace(good.Body, `"gasLimit":"65000"`, `"gasLimit":"65001"`, 1)
	_, err = p.Submit(again)
	refused(t, "the same signature under another body", err, refusal.ErrAgentOnce)
	expired := p.asksHTTP("10000", nonce(4), "")
	p.advance(61 * time.Second)
	_, err = p.Submit(expired)
	refused(t, "a request of a minute ago", err, refusal.ErrAgentTime)
	if got := p.agentIs(p.bot, wire.AgentActive).Payments.Spent; got != "0.01" {
		t.Errorf("spent %s", got)
	}
}
