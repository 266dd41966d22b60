package enclave

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/signed"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

const shop = "https://shop.example/report"

// buying is a world whose agent may pay at shop.example.
func buying(t *testing.T) *paying {
	p := newPaying(t)
	l := limits()
	l.AllowedHosts = []string{"shop.example"}
	p.did(p.stamped(p.alice, wire.SetAgentLimits, wire.SetAgentLimitsParams{AgentID: p.id, Limits: l}))
	return p
}

// offer is what a seller of 0.01 USDC asks for.
func offer() wire.AgentX402Params {
	return wire.AgentX402Params{
		Chain: "base", Transfer: "eip3009", To: receiver, Amount: "10000", Nonce: nonceOf(1), Seconds: "60",
	}
}

func nonceOf(n int) string { return fmt.Sprintf("0x%064x", n) }

// buys is a request of the agent, under the offer that the host chose for it.
func (p *paying) buys(request string, o wire.AgentX402Params) wire.SubmitRequest {
	p.t.Helper()
	p.advance(time.Second)
	path := "/v1/agents/" + p.id + "/x402-pay"
	q := p.bot.signed("POST", path, p.at(0), request)
	o.AgentCall = wire.AgentCall{AgentID: p.id, Method: "POST", Path: path, Timestamp: q.Timestamp, Request: request}
	return wire.SubmitRequest{
		Body:  p.body(p.fresh(p.alice, wire.AgentX402, o)),
		Stamp: &wire.Stamp{HeaderName: wire.AgentStamp, HeaderValue: q.MAC},
	}
}

const wanted = `{"url":"` + shop + `","maxAmount":"10000"}`

// What is signed is the transfer that a facilitator recovers the agent's address from, until so many seconds from now.
func TestAgents_X402Signs(t *testing.T) {
	p := buying(t)
	address := p.agentIs(p.bot, wire.AgentActive).Address
	from, _ := evm.ParseAddress(address)
	to, _ := evm.ParseAddress(receiver)
	token, _ := evm.ParseAddress(usdc)
	facilitator, _ := evm.ParseAddress("0x70997970C51812dc3A010C7d01b50e0d17dc79C8")
	for i, name := range []string{"eip3009", "permit2", "upto"} {
		o := offer()
		if o.Nonce = nonceOf(i); name != "eip3009" {
			o.Transfer = "permit2"
		}
		if name == "upto" {
			o.Facilitator = facilitator.String()
		}
		q := p.buys(wanted, o)
		ends := big.NewInt(p.now.Load().Unix() + 60)
		st := p.statement(p.did(q).Proof)
		digest := signed.Authorization{
			From: from, To: to, Value: big.NewInt(10000), ValidAfter: new(big.Int), ValidBefore: ends,
			Nonce: [32]byte{31: byte(i)},
		}.Digest(signed.Domain{Name: "USDC", Version: "2", ChainID: 84532, Contract: token})
		if name != "eip3009" {
			permit := signed.Permit2Transfer{
				From: from, Token: token, Amount: big.NewInt(10000), Nonce: big.NewInt(int64(i)), Deadline: ends,
				To: to, ValidAfter: new(big.Int),
			}
			if name == "upto" {
				permit.Facilitator = facilitator
			}
			digest = permit.Digest(84532)
		}
		raw, err := hex.DecodeString(strings.TrimPrefix(st.Result.Signature.Signature, "0x"))
		if err != nil {
			t.Fatal(err)
		}
		sig, err := signed.ReadSignature(raw)
		if err == nil {
			err = evm.Verify(from, digest, sig)
		}
		if a := st.Result.Authorization; err != nil || a == nil || a.Effects[0].To != receiver ||
			a.EndsAt != time.Unix(ends.Int64(), 0).UTC().Format("2006-01-02T15:04:05.000Z") {
			t.Errorf("%s: %v, %+v", name, err, a)
		}
	}
	if got := p.agentIs(p.bot, wire.AgentActive).Payments.Spent; got != "0.03" {
		t.Errorf("spent %s", got)
	}
}

// The host chooses among offers, and within what the agent signed and the owner stamped.
func TestAgents_X402LyingHost(t *testing.T) {
	p := buying(t)
	other := "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
	byRecipient := `{"resource_url":"` + shop + `","amount":"10000","recipient":"` + receiver + `","cluster":"base"}`
	older := `{"paymentRequirement":{"amount":"0.01","currency":"USDC","network":"base","recipient":"` +
		receiver + `"}}`
	for name, c := range map[string]struct {
		request string
		change  func(o *wire.AgentX402Params)
	}{
		"more than the agent allows":        {wanted, func(o *wire.AgentX402Params) { o.Amount = "10001" }},
		"nothing":                           {wanted, func(o *wire.AgentX402Params) { o.Amount = "0" }},
		"another recipient":                 {byRecipient, func(o *wire.AgentX402Params) { o.To = other }},
		"another recipient, older":          {older, func(o *wire.AgentX402Params) { o.To = other }},
		"another network":                   {byRecipient, func(o *wire.AgentX402Params) { o.Chain = "polygon" }},
		"a network that is not allowed":     {wanted, func(o *wire.AgentX402Params) { o.Chain = "polygon" }},
		"a long life":                       {wanted, func(o *wire.AgentX402Params) { o.Seconds = "121" }},
		"a long nonce":                      {wanted, func(o *wire.AgentX402Params) { o.Nonce += "00" }},
		"another way":                       {wanted, func(o *wire.AgentX402Params) { o.Transfer = "approve" }},
		"a facilitator of an authorization": {wanted, func(o *wire.AgentX402Params) { o.Facilitator = other }},
		"the zero address":                  {wanted, func(o *wire.AgentX402Params) { o.To = evm.Address{}.String() }},
		"another host":                      {`{"url":"https://shop.example.evil/","maxAmount":"10000"}`, nil},
		"a recipient at another host":       {strings.Replace(byRecipient, "shop.", "chop.", 1), nil},
		"two networks":                      {strings.Replace(older, `{"pay`, `{"cluster":"solana","pay`, 1), nil},
		"two forms":                         {`{"url":"` + shop + `","maxAmount":"10000","amount":"10000"}`, nil},
		"no amount":                         {`{"url":"` + shop + `"}`, nil},
		"a decimal amount":                  {`{"url":"` + shop + `","maxAmount":"0.01"}`, nil},
		"an unknown member":                 {`{"url":"` + shop + `","maxAmount":"10000","to":"x"}`, nil},
		"a member twice":                    {`{"url":"` + shop + `","maxAmount":"10000","maxAmount":"20000"}`, nil},
	} {
		o := offer()
		if c.change != nil {
			c.change(&o)
		}
		if out, err := p.Submit(p.buys(c.request, o)); err == nil {
			t.Errorf("%s: %s", name, out.State)
		}
	}
	if got := p.agentIs(p.bot, wire.AgentActive).Payments; got.Spent != "0" {
		t.Errorf("%+v", got)
	}
	for i, request := range []string{wanted, byRecipient, older} {
		o := offer()
		o.Nonce = nonceOf(i)
		if out := p.did(p.buys(request, o)); out.State != wire.Done {
			t.Errorf("%s: %s", request, out.State)
		}
	}
	q := p.buys(wanted, offer())
	p.did(q)
	again := q // the agent's signature, under another offer
	again.Body = strings.Replace(q.Body, nonceOf(1), nonceOf(7), 1)
	_, err := p.Submit(again)
	refused(t, "the same signature under another offer", err, refusal.ErrAgentOnce)
}

// A transfer that its seller never handed in does not shut the budget: its nonce takes nothing more when it is signed
// for again, and at most one of the two can move money.
func TestAgents_X402NonceCountsOnce(t *testing.T) {
	p := buying(t)
	spent := func(want string) {
		t.Helper()
		if got := p.agentIs(p.bot, wire.AgentActive).Payments.Spent; got != want {
			t.Errorf("spent %s, want %s", got, want)
		}
	}
	buy := func(nonce int, micro string) {
		t.Helper()
		o := offer()
		o.Nonce, o.Amount = nonceOf(nonce), micro
		request := strings.Replace(wanted, "10000", micro, 1)
		if out := p.did(p.buys(request, o)); out.State != wire.Done {
			t.Fatalf("%s: %s", micro, out.State)
		}
	}
	buy(1, "20000")
	spent("0.02")
	buy(1, "10000") // less: nothing more
	spent("0.02")
	buy(1, "30000")
	spent("0.03")
	p.checkpointNow()
	p.reopen()
	p.later()
	buy(1, "30000")
	spent("0.03")
	buy(2, "30000")
	spent("0.06")
	o := offer() // the same nonce of another contract is another one
	o.Transfer = "permit2"
	p.did(p.buys(wanted, o))
	spent("0.07")
	now := p.now.Load().UTC()
	p.set(time.Date(now.Year(), now.Month()+1, 1, 0, 0, 1, 0, time.UTC)) // the old one moves money in this month now
	p.clock.accept()
	p.later()
	buy(2, "30000")
	spent("0.03")
}

// What is above the threshold waits for the passkey, which sees whom it pays, and ends only after the vote.
func TestAgents_X402Waits(t *testing.T) {
	p := buying(t)
	o := offer()
	o.Amount = "600000"
	q := p.buys(strings.Replace(wanted, "10000", "600000", 1), o)
	preview, err := p.Preview(wire.PreviewRequest{Body: q.Body})
	if err != nil {
		t.Fatal(err)
	}
	shown := p.statement(&preview).Preview
	if len(shown.Effects) != 1 || shown.Effects[0].To != receiver || shown.Resource != shop || shown.AgentID != p.id {
		t.Errorf("%+v", shown)
	}
	if out := p.did(q); out.State != wire.Held {
		t.Fatal(out.State)
	}
	if got := p.agentIs(p.bot, wire.AgentActive).Payments; got.Held != "0.6" || got.Spent != "0" {
		t.Errorf("%+v", got)
	}
	p.advance(4 * time.Minute)
	if _, err := p.vote(q.Body, p.alice); err != nil {
		t.Fatal(err)
	}
	out := p.did(wire.SubmitRequest{Body: q.Body})
	a := p.statement(out.Proof).Result.Authorization
	if ends, err := time.Parse(time.RFC3339, a.EndsAt); out.State != wire.Done || err != nil ||
		ends.Sub(*p.now.Load()) < 59*time.Second {
		t.Errorf("%s: %+v, %v", out.State, a, err)
	}
}

// After the kill there is no signature, and what was signed before is listed until nobody can hand it in any more.
func TestAgents_X402OpenExposure(t *testing.T) {
	p := buying(t)
	p.did(p.buys(wanted, offer()))
	p.did(p.stamped(p.alice, wire.SetAgentStatus, wire.SetAgentStatusParams{AgentID: p.id, Status: wire.AgentKilled}))
	if out, err := p.Submit(p.buys(wanted, offer())); err == nil {
		t.Errorf("after the kill: %s", out.State)
	}
	listed := func() int {
		t.Helper()
		proof, err := p.State(wire.StateRequest{OrganizationID: p.alice.org, Lent: &wire.LentRequest{AgentID: p.id}})
		if err != nil {
			t.Fatal(err)
		}
		return len(p.statement(&proof).State.Lent.Signed)
	}
	if n := listed(); n != 1 {
		t.Errorf("%d listed", n)
	}
	p.advance(20 * time.Minute)
	if n := listed(); n != 0 {
		t.Errorf("%d listed after the end", n)
	}
}
