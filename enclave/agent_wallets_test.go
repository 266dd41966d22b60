package enclave

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
)

// wants is a request for a wallet as the agent signs it now, under a new operation.
func (p *paying) wants(request string) wire.SubmitRequest {
	p.t.Helper()
	p.advance(time.Second)
	q := p.signed("POST", "/v1/agents/wallets", p.at(0), request)
	body := p.body(p.fresh(p.alice, wire.AgentWallet, wire.AgentWalletParams{AgentCall: wire.AgentCall{
		AgentID: p.id, Method: q.Method, Path: q.Path, Timestamp: q.Timestamp, Request: request,
	}}))
	return wire.SubmitRequest{Body: body, Stamp: &wire.Stamp{HeaderName: wire.AgentStamp, HeaderValue: q.MAC}}
}

// mayMake lets the agent make so many wallets.
func (p *paying) mayMake(most int) {
	p.t.Helper()
	l := limits()
	l.MaxWallets = strconv.Itoa(most)
	p.did(p.stamped(p.alice, wire.SetAgentLimits, newLimits(p.bot, l)))
}

// named is the body of a request for a wallet of this name.
func named(name string) string { return `{"walletName":"` + name + `"}` }

// An agent makes the wallets that its owner allowed. They are the sub-organization's: its passkey signs, the agent does
// not.
func TestAgents_MakesWallets(t *testing.T) {
	p := newPaying(t)
	_, err := p.Submit(p.wants(""))
	refused(t, "without maxWallets", err, refusal.ErrAgentWallets)
	p.mayMake(2)
	out := p.did(p.wants(""))
	r := p.statement(out.Proof).Result
	if out.State != wire.Done || r.Wallet == nil || len(r.Accounts) != 1 ||
		!strings.HasPrefix(r.Accounts[0].Address, "0x") || r.Wallet.ID == p.agentIs(p.bot, wire.AgentActive).WalletID {
		t.Fatalf("%s: %+v", out.State, r)
	}
	p.checkpointNow()
	p.reopen()
	q := p.wants(`{"walletName":"Two","accounts":[` +
		`{"curve":"CURVE_SECP256K1","pathFormat":"PATH_FORMAT_BIP32","path":"m/44'/60'/0'/0/0","addressFormat":"ADDRESS_FORMAT_ETHEREUM"},` +
		`{"curve":"CURVE_SECP256K1","pathFormat":"PATH_FORMAT_BIP32","path":"m/44'/60'/1'/0/0","addressFormat":"ADDRESS_FORMAT_ETHEREUM"}]}`)
	two := p.statement(p.did(q).Proof).Result
	if two.Wallet.Name != "Two" || len(two.Accounts) != 2 {
		t.Errorf("%+v", two)
	}
	if again := p.statement(p.did(q).Proof).Result; again.Wallet.ID != two.Wallet.ID {
		t.Error("the same body made another wallet")
	}
	_, err = p.Submit(p.wants(named("third")))
	refused(t, "one more than allowed, after a checkpoint and a restart", err, refusal.ErrAgentWallets)
	_, err = p.Preview(wire.PreviewRequest{Body: p.wants(named("third")).Body})
	refused(t, "its preview", err, refusal.ErrAgentWallets)
	proof, err := p.State(wire.StateRequest{OrganizationID: p.alice.org, WalletID: r.Wallet.ID})
	if err != nil || p.statement(&proof).State.Accounts[0].Address != r.Accounts[0].Address {
		t.Errorf("%+v, %v", proof, err)
	}
}

// A wallet that an agent makes without naming accounts has one for each kind of the networks on which it pays, and one
// with accounts has these. An agent on Solana alone makes wallets as the API's Solana dialect has them.
func TestAgents_WalletsAreForItsNetworks(t *testing.T) {
	p := newPaying(t)
	formats := func(request string) (all []string) {
		for _, a := range p.statement(p.did(p.wants(request)).Proof).Result.Accounts {
			all = append(all, a.Curve+" "+a.AddressFormat)
		}
		return all
	}
	const evm, sol = "CURVE_SECP256K1 ADDRESS_FORMAT_ETHEREUM", "CURVE_ED25519 ADDRESS_FORMAT_SOLANA"
	for _, tc := range []struct{ chains, want []string }{
		{[]string{"base"}, []string{evm}},
		{[]string{"solana"}, []string{sol}},
		{[]string{"solana", "polygon", "base"}, []string{evm, sol}},
	} {
		l := limits()
		l.AllowedChains, l.MaxWallets = tc.chains, "9"
		p.did(p.stamped(p.alice, wire.SetAgentLimits, newLimits(p.bot, l)))
		if got := formats(""); !slices.Equal(got, tc.want) {
			t.Errorf("on %q: %q", tc.chains, got)
		}
	}
	if got := formats(`{"accounts":[{"curve":"CURVE_ED25519","pathFormat":"PATH_FORMAT_BIP32",` +
		`"path":"m/44'/501'/3'/0'","addressFormat":"ADDRESS_FORMAT_SOLANA"}]}`); !slices.Equal(got, []string{sol}) {
		t.Errorf("with an account of Solana: %q", got)
	}
}

// renamed is a body as another operation.
func (p *paying) renamed(body string) string {
	p.t.Helper()
	old, err := decide.Parse(body)
	if err != nil {
		p.t.Fatal(err)
	}
	other, _ := decide.Parse(p.wants("").Body)
	return strings.Replace(body, old.Body.ActivityID, other.Body.ActivityID, 1)
}

// Nobody gets one wallet more by asking at once, and a request makes one wallet whatever the host does with it.
func TestAgents_WalletsAreCounted(t *testing.T) {
	p := newPaying(t)
	p.mayMake(3)
	var requests []wire.SubmitRequest
	for n := range 20 {
		requests = append(requests, p.wants(named("Wallet "+strconv.Itoa(n))))
	}
	var made atomic.Int64
	var all sync.WaitGroup
	start := make(chan struct{})
	for _, q := range requests {
		all.Go(func() {
			<-start
			if _, err := p.Submit(q); err == nil {
				made.Add(1)
			}
		})
	}
	close(start)
	all.Wait()
	if made.Load() != 3 {
		t.Errorf("%d of 20 were made, want 3", made.Load())
	}
	p.mayMake(100)
	first := p.wants(named("First"))
	p.did(first)
	again := first
	one, _ := decide.Parse(first.Body)
	again.Body = p.renamed(first.Body)
	_, err := p.Submit(again)
	refused(t, "the same signature under another operation", err, refusal.ErrAgentOnce)
	empty := p.wants("")
	p.did(empty)
	empty.Body = strings.Replace(p.renamed(empty.Body), `"request":""`, `"request":"{}"`, 1)
	_, err = p.Submit(empty)
	refused(t, "the signature over no body under {}, which counts as none", err, refusal.ErrAgentOnce)
	later := p.wants(named("Second"))
	signedAgain, _ := decide.Parse(later.Body)
	later.Body = strings.Replace(later.Body, signedAgain.Body.ActivityID, one.Body.ActivityID, 1)
	p.reopen()
	_, err = p.Submit(later)
	refused(t, "the same operation, signed again", err, refusal.ErrAgentOnce)
}

// What is not the agent's own word for this very wallet makes none.
func TestAgents_ForgedWallets(t *testing.T) {
	p := newPaying(t)
	p.mayMake(100)
	other := p.world.bot(p.register("bob@example.com"), "Buyer")
	good := p.wants(named("Mine"))
	pays := p.asks("10000", receiver)
	for name, c := range map[string]struct {
		change func(q *wire.SubmitRequest)
		want   *fault.Error
	}{
		"no stamp":            {func(q *wire.SubmitRequest) { q.Stamp = nil }, refusal.ErrStamp},
		"the owner's passkey": {func(q *wire.SubmitRequest) { q.Stamp = p.stamp(p.alice, q.Body) }, refusal.ErrStamp},
		"another name": {func(q *wire.SubmitRequest) { q.Body = strings.Replace(q.Body, "Mine", "Yours", 1) },
			decide.ErrNotSigned},
		"another agent": {func(q *wire.SubmitRequest) { q.Body = strings.ReplaceAll(q.Body, p.id, other.id) },
			decide.ErrNotSigned},
		"another organization": {func(q *wire.SubmitRequest) {
			q.Body = strings.Replace(q.Body, p.alice.org, p.register("carol@example.com").org, 1)
		}, decide.ErrNotSigned},
		"another path": {func(q *wire.SubmitRequest) {
			q.Body = strings.Replace(q.Body, "/v1/agents/wallets", "/v1/agents/wallet", 1)
		}, decide.ErrNotSigned},
		"the signature of a payment": {func(q *wire.SubmitRequest) { q.Stamp = pays.Stamp }, decide.ErrNotSigned},
	} {
		q := good
		c.change(&q)
		_, err := p.Submit(q)
		refused(t, name, err, c.want)
	}
	for name, request := range map[string]string{
		"more words": `{"walletName":"x","mnemonic":"y"}`, "no object": `[]`,
		"a name twice":          `{"walletName":"x","walletName":"y"}`,
		"space around its name": named(" x"), "a strange account": `{"accounts":[{"curve":"CURVE_P256"}]}`,
		"an account of Solana on the other curve": `{"accounts":[{"curve":"CURVE_SECP256K1",` +
			`"pathFormat":"PATH_FORMAT_BIP32","path":"m/44'/501'/0'/0'","addressFormat":"ADDRESS_FORMAT_SOLANA"}]}`,
		"one path twice": `{"accounts":[` + strings.Repeat(`{"curve":"CURVE_SECP256K1","pathFormat":"PATH_FORMAT_BIP32",`+
			`"path":"m/44'/60'/0'/0/0","addressFormat":"ADDRESS_FORMAT_ETHEREUM"},`, 2),
	} {
		request = strings.TrimSuffix(request, ",")
		if name == "one path twice" {
			request += "]}"
		}
		if out, err := p.Submit(p.wants(request)); err == nil {
			t.Errorf("%s: %s", name, out.State)
		}
	}
	q := p.signedHTTP("POST", "/v1/agents/wallets", "", p.at(0), 60, nonce(1), "")
	body := p.body(p.fresh(p.alice, wire.AgentWallet, wire.AgentWalletParams{AgentCall: wire.AgentCall{
		AgentID: p.id, Method: q.Method, Path: q.Path, HTTP: q.HTTP,
	}}))
	stamp := &wire.Stamp{HeaderName: wire.AgentStamp, HeaderValue: q.MAC}
	p.did(wire.SubmitRequest{Body: body, Stamp: stamp})
}

// Kill, halt, drain and kill switch stand in front of a wallet as of a payment.
func TestAgents_NoWalletAfterAHalt(t *testing.T) {
	p := newPaying(t)
	p.mayMake(100)
	set := func(to wire.AgentStatus) {
		t.Helper()
		p.did(p.stamped(p.alice, wire.SetAgentStatus, wire.SetAgentStatusParams{AgentID: p.id, Status: to}))
	}
	refuses := func(what string, want *fault.Error) {
		t.Helper()
		_, err := p.Submit(p.wants(named(what)))
		refused(t, what, err, want)
	}
	stale := p.wants(named("stale"))
	p.advance(61 * time.Second)
	_, err := p.Submit(stale)
	refused(t, "a request of a minute ago", err, refusal.ErrAgentTime)
	set(wire.AgentSuspended)
	refuses("suspended", refusal.ErrAgentInactive)
	set(wire.AgentDraining)
	refuses("draining", refusal.ErrAgentInactive)
	set(wire.AgentActive)
	p.did(p.stamped(p.alice, wire.SetKillSwitch, wire.SetKillSwitchParams{On: true}))
	refuses("kill switch", refusal.ErrKillSwitch)
	p.did(p.stamped(p.alice, wire.SetKillSwitch, wire.SetKillSwitchParams{}))
	p.did(p.wants(named("good")))
	set(wire.AgentKilled)
	refuses("killed", refusal.ErrAgentKilled)
}
