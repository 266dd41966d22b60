package enclave

import (
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
)

// agentIs asks for the agent's state and fails where it is another.
func (w *world) agentIs(b bot, want wire.AgentStatus) wire.AgentReply {
	w.t.Helper()
	a, err := w.Agent(wire.AgentRequest{AgentID: b.id})
	if err != nil || a.Status != want {
		w.t.Fatalf("the agent is %s, %v, want %s", a.Status, err, want)
	}
	return a
}

// bare hands a body in that nobody stamped, and tells what became of it.
func (w *world) bare(o owner, kind wire.ActivityType, params any) (wire.OutcomeState, error) {
	w.t.Helper()
	out, err := w.Submit(wire.SubmitRequest{Body: w.body(w.fresh(o, kind, params))})
	return out.State, err
}

func newLimits(b bot, l wire.AgentLimits) wire.SetAgentLimitsParams {
	return wire.SetAgentLimitsParams{AgentID: b.id, Limits: l}
}

// Whoever runs the server may halt an agent and may not let it go on: a step towards more freedom takes the owner.
func TestAgents_HostHaltsAndOwnerResumes(t *testing.T) {
	w := newTimed(t)
	alice := w.register("alice@example.com")
	b := w.bot(alice, "Buyer")
	set := func(to wire.AgentStatus) wire.SetAgentStatusParams {
		return wire.SetAgentStatusParams{AgentID: b.id, Status: to}
	}
	for _, step := range []struct {
		to    wire.AgentStatus
		bare  wire.OutcomeState
		after wire.AgentStatus
	}{
		{wire.AgentDraining, wire.Done, wire.AgentDraining},
		{wire.AgentActive, wire.Held, wire.AgentDraining},
		{wire.AgentSuspended, wire.Done, wire.AgentSuspended},
		{wire.AgentDraining, wire.Held, wire.AgentSuspended},
		{wire.AgentSuspended, wire.Done, wire.AgentSuspended},
	} {
		if got, err := w.bare(alice, wire.SetAgentStatus, set(step.to)); err != nil || got != step.bare {
			t.Fatalf("to %s: %s, %v", step.to, got, err)
		}
		w.agentIs(b, step.after)
	}
	w.did(w.stamped(alice, wire.SetAgentStatus, set(wire.AgentActive)))
	w.agentIs(b, wire.AgentActive)
	w.accepted("a request after all that, under the secret of the start", b.signed("GET", "/v1/agents", w.at(0), ""))
	for range 2 { // again: nothing else
		if got, err := w.bare(alice, wire.SetAgentStatus, set(wire.AgentKilled)); err != nil || got != wire.Done {
			t.Fatalf("killing: %s, %v", got, err)
		}
		w.agentIs(b, wire.AgentKilled)
		w.checkpointNow()
		w.reopen()
	}
	w.refusedClaim("its request", b.signed("GET", "/v1/agents", w.at(0), ""), refusal.ErrAgentKilled)
	for what, q := range map[string]wire.SubmitRequest{
		"resuming":     w.stamped(alice, wire.SetAgentStatus, set(wire.AgentActive)),
		"a new secret": w.stamped(alice, wire.RotateAgentSecret, wire.RotateAgentSecretParams{AgentID: b.id}),
		"new limits":   w.stamped(alice, wire.SetAgentLimits, newLimits(b, limits())),
	} {
		_, err := w.Submit(q)
		refused(t, what, err, refusal.ErrAgentKilled)
	}
}

// Lower limits count at once on anybody's word; for higher ones the owner has to be there.
func TestAgents_LimitsTightenWithoutAStamp(t *testing.T) {
	w := newTimed(t)
	alice := w.register("alice@example.com")
	b := w.bot(alice, "Buyer")
	lower, higher := limits(), limits()
	lower.PerTxUSDC, higher.PerTxUSDC = "0.5", "2"
	for _, step := range []struct {
		limits wire.AgentLimits
		want   wire.OutcomeState
	}{{higher, wire.Held}, {lower, wire.Done}, {limits(), wire.Held}} {
		if got, err := w.bare(alice, wire.SetAgentLimits, newLimits(b, step.limits)); err != nil || got != step.want {
			t.Errorf("to %s: %s, %v", step.limits.PerTxUSDC, got, err)
		}
	}
	if a := w.agentIs(b, wire.AgentActive); a.Limits.PerTxUSDC != "0.5" {
		t.Errorf("the limit is %s", a.Limits.PerTxUSDC)
	}
	w.did(w.stamped(alice, wire.SetAgentLimits, newLimits(b, higher)))
	if a := w.agentIs(b, wire.AgentActive); a.Limits.PerTxUSDC != "2" {
		t.Errorf("the limit is %s", a.Limits.PerTxUSDC)
	}
}

// The old secret is worth nothing as soon as there is a new one. Without a stamp a new one goes to the recipient of the
// old one only: else whoever runs the server could make himself the agent.
func TestAgents_Rotation(t *testing.T) {
	w := newTimed(t)
	alice := w.register("alice@example.com")
	b := w.bot(alice, "Buyer")
	rotate := func(to string) wire.RotateAgentSecretParams {
		return wire.RotateAgentSecretParams{AgentID: b.id, RecipientPublicKey: to}
	}
	for what, to := range map[string]string{"in clear": "", "to a key of the host's": priceKey} {
		if got, err := w.bare(alice, wire.RotateAgentSecret, rotate(to)); err != nil || got != wire.Held {
			t.Errorf("%s, without a stamp: %s, %v", what, got, err)
		}
	}
	w.accepted("under the first secret", b.signed("GET", "/v1/agents", w.at(0), ""))
	q := w.stamped(alice, wire.RotateAgentSecret, rotate(""))
	out := w.did(q)
	next := bot{b.id, out.AgentSecret}
	if next.secret == "" || next.secret == b.secret {
		t.Fatal("no new secret")
	}
	if again := w.did(q); again.AgentSecret != next.secret {
		t.Error("the same body does not tell the same secret")
	}
	w.refusedClaim("under the old secret", b.signed("GET", "/v1/agents", w.at(0), ""), decide.ErrNotSigned)
	w.accepted("under the new one", next.signed("GET", "/v1/agents", w.at(0), ""))
	w.did(w.stamped(alice, wire.RotateAgentSecret, rotate(priceKey)))
	w.refusedClaim("under the second", next.signed("GET", "/v1/agents", w.at(0), ""), decide.ErrNotSigned)
	got, err := w.bare(alice, wire.RotateAgentSecret, rotate(priceKey))
	if err != nil || got != wire.Done {
		t.Errorf("to the same key again, without a stamp: %s, %v", got, err)
	}
}

// What was checked under the old secret, and then had to wait for the rotation, is refused.
func TestAgents_RotationDuringARequest(t *testing.T) {
	p := newPaying(t)
	sub, _, err := p.Service.read(p.asks("10000", receiver))
	if err != nil {
		t.Fatal(err)
	}
	claim, err := decide.ReadClaim(p.signed("GET", "/v1/agents", p.at(0), ""))
	if err != nil || p.checkMAC(&claim) != nil {
		t.Fatal(err)
	}
	p.did(p.stamped(p.alice, wire.RotateAgentSecret, wire.RotateAgentSecretParams{AgentID: p.id}))
	_, err = p.execute(sub)
	refused(t, "a payment under the old secret", err, decide.ErrNotSigned)
	_, _, err = p.admit(claim)
	refused(t, "a read under the old secret", err, decide.ErrNotSigned)
}

// An agent that was never activated can be deleted, and its name taken again. Its wallet stays its owner's.
func TestAgents_Deletion(t *testing.T) {
	w := newTimed(t)
	alice := w.register("alice@example.com")
	made := w.statement(w.did(w.stamped(alice, wire.CreateAgent, wire.CreateAgentParams{AgentName: "Buyer"})).Proof)
	b := bot{id: made.Result.Agent.ID}
	address := made.Result.Accounts[0].Address
	if a := w.agentIs(b, wire.AgentPending); a.Address != address {
		t.Errorf("it pays from %s, and was shown with %s", a.Address, address)
	}
	got, err := w.bare(alice, wire.DeleteAgent, wire.DeleteAgentParams{AgentID: b.id})
	if err != nil || got != wire.Done {
		t.Fatalf("%s, %v", got, err)
	}
	_, err = w.Agent(wire.AgentRequest{AgentID: b.id})
	refused(t, "the deleted one", err, refusal.ErrAgent)
	again := w.bot(alice, "Buyer")
	_, err = w.bare(alice, wire.DeleteAgent, wire.DeleteAgentParams{AgentID: again.id})
	refused(t, "deleting an active one", err, refusal.ErrAgentActivated)
	q := w.stamped(alice, wire.ActivateAgent, wire.ActivateAgentParams{AgentID: again.id, Limits: limits()})
	_, err = w.Submit(q)
	refused(t, "activating it again", err, refusal.ErrAgentActivated)
	if _, err := w.State(wire.StateRequest{OrganizationID: alice.org, Address: address}); err != nil {
		t.Errorf("the wallet of the deleted one: %v", err)
	}
}

// Where approvals are on, activating takes the votes of others: from then on the agent spends without a passkey.
func TestAgents_ActivationTakesVotes(t *testing.T) {
	w := newTimed(t)
	alice := w.register("alice@example.com")
	w.consent(alice, "1")
	made := w.statement(w.did(w.stamped(alice, wire.CreateAgent, wire.CreateAgentParams{AgentName: "Buyer"})).Proof)
	b := bot{id: made.Result.Agent.ID}
	q := w.stamped(alice, wire.ActivateAgent, wire.ActivateAgentParams{AgentID: b.id, Limits: limits()})
	if out := w.did(q); out.State != wire.Held || out.AgentSecret != "" {
		t.Fatalf("%s, or with a secret", out.State)
	}
	w.agentIs(b, wire.AgentPending)
	if _, err := w.vote(q.Body, alice); err != nil {
		t.Fatal(err)
	}
	out := w.did(q)
	if out.State != wire.Done || out.AgentSecret == "" {
		t.Fatalf("%s, or without a secret", out.State)
	}
	b.secret = out.AgentSecret
	w.accepted("its request", b.signed("GET", "/v1/agents", w.at(0), ""))
}

// paying is an agent that can pay, and the requests it makes.
type paying struct {
	*timed
	alice owner
	bot
}

func newPaying(t *testing.T) *paying {
	w := newTimed(t)
	w.prices(*w.now.Load(), market)
	alice := w.register("alice@example.com")
	p := &paying{timed: w, alice: alice, bot: w.bot(alice, "Buyer")}
	w.later()
	return p
}

// asks is a payment of so many micro-USDC as the agent signs it now, under a new operation.
func (p *paying) asks(micro, to string) wire.SubmitRequest {
	return p.request(paymentRequest(micro, to))
}

func paymentRequest(micro, to string) string {
	return `{"action_type":"payment","amount":"` + micro + `","destination":"` + to +
		`","token_mint":"USDC","cluster":"base"}`
}

func (p *paying) request(request string) wire.SubmitRequest {
	p.t.Helper()
	p.advance(time.Second) // each has another timestamp: else equal requests would have one signature
	return p.asked(p.alice, p.bot, p.at(0), request)
}

// asked is a payment that an agent asks for, as the host hands it in.
func (w *world) asked(o owner, b bot, at, request string) wire.SubmitRequest {
	w.t.Helper()
	path := "/v1/agents/" + b.id + "/sign-transaction"
	q := b.signed("POST", path, at, request)
	body := w.body(w.fresh(o, wire.AgentPayment, wire.AgentPaymentParams{
		AgentCall: wire.AgentCall{AgentID: b.id, Method: "POST", Path: path, Timestamp: q.Timestamp, Request: request},
		GasLimit:  "65000", MaxTotalFee: "130000000000000",
	}))
	return wire.SubmitRequest{
		Body: body, Stamp: &wire.Stamp{HeaderName: wire.AgentStamp, HeaderValue: q.MAC}, Volatile: volatile(0),
	}
}

func (p *paying) pays(micro string) {
	p.t.Helper()
	if out := p.did(p.asks(micro, receiver)); out.State != wire.Done {
		p.t.Fatalf("%s micro-USDC: %s", micro, out.State)
	}
}

func (p *paying) refuses(what, micro string, want *fault.Error) *fault.Error {
	p.t.Helper()
	_, err := p.Submit(p.asks(micro, receiver))
	refused(p.t, what, err, want)
	f, _ := fault.As(err)
	return f
}
