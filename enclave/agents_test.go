package enclave

import (
	"crypto/ecdh"
	"crypto/hpke"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
)

// timed is a world whose machine's clock stands still until it is set.
type timed struct {
	*world
	now atomic.Pointer[time.Time]
}

func newTimed(t *testing.T) *timed {
	w := &timed{}
	w.set(time.Now().Truncate(time.Second).Add(500 * time.Millisecond))
	w.world = newWorldWith(t, Options{wall: func() time.Time { return *w.now.Load() }})
	if started := w.clock.Now(); started.After(*w.now.Load()) { // the genesis has the machine's time, and took its own
		w.set(started.Truncate(time.Second).Add(500 * time.Millisecond))
	}
	return w
}

func (w *timed) set(to time.Time) { w.now.Store(&to) }

func (w *timed) advance(by time.Duration) {
	w.set(w.now.Load().Add(by))
	w.clock.accept()
}

// later is after the second of the start, whose writes are refused.
func (w *timed) later() { w.advance(time.Second) }

// at is a timestamp some seconds from now.
func (w *timed) at(seconds int) string {
	return strconv.FormatInt(w.now.Load().Unix()+int64(seconds), 10)
}

// bot is an agent and its secret.
type bot struct{ id, secret string }

// limits let an agent pay anybody on Base: 10 USDC a month, 1 USDC at once, and above 0.5 USDC with approval.
func limits() wire.AgentLimits {
	return wire.AgentLimits{
		InfraMonthlyUSD: "50", TokensMonthlyUSD: "200", PaymentsMonthlyUSDC: "10", PerTxUSDC: "1",
		ApprovalThresholdUSDC: "0.5", MaxFeeUSD: "1", AllowedChains: []string{"base"}, AnyRecipient: true,
	}
}

// createAgent makes and activates one; the answer is that of the body that made its secret.
func (w *world) createAgent(o owner, name, recipient string) (wire.SubmitRequest, wire.OutcomeReply) {
	w.t.Helper()
	made := w.did(w.stamped(o, wire.CreateAgent, wire.CreateAgentParams{AgentName: name}))
	q := w.stamped(o, wire.ActivateAgent, wire.ActivateAgentParams{
		AgentID: w.statement(made.Proof).Result.Agent.ID, Limits: limits(), RecipientPublicKey: recipient,
	})
	return q, w.did(q)
}

func (w *world) did(q wire.SubmitRequest) wire.OutcomeReply {
	w.t.Helper()
	out, err := w.Submit(q)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func (w *world) bot(o owner, name string) bot {
	w.t.Helper()
	_, out := w.createAgent(o, name, "")
	return bot{w.statement(out.Proof).Result.Agent.ID, out.AgentSecret}
}

// signed is a request of an agent.
func (b bot) signed(method, path, at, body string) wire.VerifyAgentRequest {
	hash := wire.Digest(body)
	return wire.VerifyAgentRequest{
		AgentID: b.id, Method: method, Path: path, Timestamp: at, BodyHash: hash,
		MAC: wire.AgentMAC(b.secret, wire.AgentMessage(method, path, at, hash)),
	}
}

func (w *world) accepted(what string, q wire.VerifyAgentRequest) {
	w.t.Helper()
	if a, err := w.VerifyAgent(q); err != nil || a.AgentID != q.AgentID {
		w.t.Errorf("%s: %+v, %v", what, a, err)
	}
}

func (w *world) refusedClaim(what string, q wire.VerifyAgentRequest, want *fault.Error) {
	w.t.Helper()
	a, err := w.VerifyAgent(q)
	f, _ := fault.As(err)
	if f == nil || f.Code != want.Code || f.Message != want.Message || !reflect.DeepEqual(a, wire.AgentReply{}) {
		w.t.Errorf("%s: %+v, %v, want %q", what, a, err, want.Message)
	}
}

// The wallet of a new agent has an account for each family of the networks that its body names, and the agent is known
// by each. Its owner is shown them before the stamp.
func TestAgents_WalletForItsNetworks(t *testing.T) {
	w := newTimed(t)
	alice := w.register("alice@example.com")
	for name, tc := range map[string]struct {
		networks []string
		kinds    []chain.Kind
	}{
		"as before":   {nil, []chain.Kind{chain.EVM}},
		"on EVM":      {[]string{"polygon", "base"}, []chain.Kind{chain.EVM}},
		"on Solana":   {[]string{"solana"}, []chain.Kind{chain.Solana}},
		"on both":     {[]string{"solana", "base"}, []chain.Kind{chain.EVM, chain.Solana}},
		"named twice": {[]string{"solana", "solana"}, []chain.Kind{chain.Solana}},
	} {
		q := w.stamped(alice, wire.CreateAgent, wire.CreateAgentParams{AgentName: name, Networks: tc.networks})
		shown, err := w.preview(q.Body)
		if err != nil || len(shown.Accounts) != len(tc.kinds) {
			t.Errorf("%s: the preview is %+v, %v", name, shown, err)
		}
		r := w.statement(w.did(q).Proof).Result
		is, err := w.Agent(wire.AgentRequest{AgentID: r.Agent.ID})
		if err != nil || len(r.Accounts) != len(tc.kinds) || len(is.Addresses) != len(tc.kinds) {
			t.Fatalf("%s: %+v, %+v, %v", name, r.Accounts, is, err)
		}
		for i, kind := range tc.kinds {
			a := r.Accounts[i]
			if f, _ := families.OfFormat(a.AddressFormat); f.Kind() != kind || is.AddressOn(kind) != a.Address {
				t.Errorf("%s: %+v, known at %q", name, a, is.Addresses)
			}
		}
		if is.Address != r.Accounts[0].Address {
			t.Errorf("%s: its first address is %s", name, is.Address)
		}
	}
	_, err := w.Submit(w.stamped(alice, wire.CreateAgent, wire.CreateAgentParams{
		AgentName: "Nowhere", Networks: []string{"devnet"},
	}))
	refused(t, "a network that there is not", err, refusal.ErrBody)
	_, err = w.Submit(w.stamped(alice, wire.CreateAgent, wire.CreateAgentParams{
		AgentName: "Poor", Networks: []string{"base", "tron"},
	}))
	refused(t, "a network without USDC", err, refusal.ErrBody)
}

func TestAgents_CreatedAndKnown(t *testing.T) {
	w := newTimed(t)
	alice := w.register("alice@example.com")
	b := w.bot(alice, "Buyer")
	want, err := w.Agent(wire.AgentRequest{AgentID: b.id})
	if err != nil || want.AgentID != b.id || want.OrganizationID != alice.org || want.WorkspaceID != workspaceID ||
		want.Name != "Buyer" || want.Status != wire.AgentActive || want.Limits == nil ||
		!reflect.DeepEqual(*want.Limits, limits()) || want.Address == "" || want.Payments.Spent != "0" {
		t.Fatalf("%+v, %v", want, err)
	}
	for range 2 {
		if got, err := w.Agent(wire.AgentRequest{AgentID: b.id}); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v", got, err)
		}
		if got, err := w.VerifyAgent(b.signed("GET", "/v1/agents", w.at(0), "")); err != nil ||
			!reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v", got, err)
		}
		w.checkpointNow()
		w.reopen()
	}
	for _, id := range []string{"", "x", alice.org} {
		_, err := w.Agent(wire.AgentRequest{AgentID: id})
		refused(t, "agent "+id, err, refusal.ErrAgent)
	}
}

func TestAgents_RefusedBodies(t *testing.T) {
	w := newWorld(t)
	alice, bob := w.register("alice@example.com"), w.register("bob@example.com")
	w.bot(alice, "Buyer")
	w.bot(bob, "Buyer")
	pending := w.statement(w.did(w.stamped(alice, wire.CreateAgent, wire.CreateAgentParams{AgentName: "New"})).Proof).
		Result.Agent.ID
	active := func(recipient string, change func(*wire.AgentLimits)) wire.ActivateAgentParams {
		p := wire.ActivateAgentParams{AgentID: pending, Limits: limits(), RecipientPublicKey: recipient}
		change(&p.Limits)
		return p
	}
	as := func(*wire.AgentLimits) {}
	for name, c := range map[string]struct {
		kind   wire.ActivityType
		params any
		want   *fault.Error
	}{
		"the same name":   {wire.CreateAgent, wire.CreateAgentParams{AgentName: "Buyer"}, refusal.ErrAgentExists},
		"no name":         {wire.CreateAgent, wire.CreateAgentParams{}, refusal.ErrBody},
		"space around it": {wire.CreateAgent, wire.CreateAgentParams{AgentName: " x"}, refusal.ErrBody},
		"invisible":       {wire.CreateAgent, wire.CreateAgentParams{AgentName: "a\u200bb"}, refusal.ErrBody},
		"a long name": {wire.CreateAgent, wire.CreateAgentParams{AgentName: strings.Repeat("x", 101)},
			refusal.ErrBody},
		"a secret": {wire.CreateAgent, map[string]string{"agentName": "a", "secret": "mine"},
			refusal.ErrBody},
		"no key":            {wire.ActivateAgent, active("02", as), refusal.ErrBody},
		"a key in capitals": {wire.ActivateAgent, active(strings.ToUpper(priceKey), as), refusal.ErrBody},
		"no limits":         {wire.ActivateAgent, wire.ActivateAgentParams{AgentID: pending}, refusal.ErrBody},
		"nobody to pay": {wire.ActivateAgent, active("", func(l *wire.AgentLimits) { l.AnyRecipient = false }),
			refusal.ErrBody},
		"two ways to pay": {wire.ActivateAgent, active("", func(l *wire.AgentLimits) { l.PayeesOnly = true }),
			refusal.ErrBody},
		"an unknown chain": {wire.ActivateAgent,
			active("", func(l *wire.AgentLimits) { l.AllowedChains = []string{"moon"} }), refusal.ErrBody},
		"a negative limit": {wire.ActivateAgent, active("", func(l *wire.AgentLimits) { l.PerTxUSDC = "-1" }),
			refusal.ErrBody},
		"an unknown agent": {wire.ActivateAgent, wire.ActivateAgentParams{AgentID: bob.org, Limits: limits()},
			refusal.ErrAgent},
		"new limits too early": {wire.SetAgentLimits, wire.SetAgentLimitsParams{AgentID: pending, Limits: limits()},
			refusal.ErrAgentPending},
		"a new secret too early": {wire.RotateAgentSecret, wire.RotateAgentSecretParams{AgentID: pending},
			refusal.ErrAgentPending},
		"resumed too early": {wire.SetAgentStatus,
			wire.SetAgentStatusParams{AgentID: pending, Status: wire.AgentActive}, refusal.ErrAgentPending},
		"no status": {wire.SetAgentStatus,
			wire.SetAgentStatusParams{AgentID: pending, Status: "gone"}, refusal.ErrBody},
	} {
		q := w.stamped(alice, c.kind, c.params)
		_, err := w.Submit(q)
		refused(t, name, err, c.want)
		_, err = w.Preview(wire.PreviewRequest{Body: q.Body})
		refused(t, name+", preview", err, c.want)
	}
	body := w.body(w.fresh(alice, wire.CreateAgent, wire.CreateAgentParams{AgentName: "Other"}))
	for name, st := range map[string]*wire.Stamp{"no stamp": nil, "another's stamp": w.stamp(bob, body)} {
		out, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: st})
		want := refusal.ErrStamp
		if st == nil {
			want = refusal.ErrUnstamped
		}
		if refused(t, name, err, want); out.AgentSecret != "" {
			t.Errorf("%s: with a secret", name)
		}
	}
	for i := range 98 {
		w.did(w.stamped(alice, wire.CreateAgent, wire.CreateAgentParams{AgentName: "Agent " + strconv.Itoa(i)}))
	}
	_, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body)})
	refused(t, "the 101st", err, refusal.ErrBody)
	w.wallet(alice, "Main") // a hundred agents leave room for wallets
}

func TestAgents_Preview(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	made := w.did(w.stamped(alice, wire.CreateAgent, wire.CreateAgentParams{AgentName: "Buyer"}))
	id := w.statement(made.Proof).Result.Agent.ID
	q := w.stamped(alice, wire.ActivateAgent, wire.ActivateAgentParams{
		AgentID: id, Limits: limits(), RecipientPublicKey: priceKey,
	})
	proof, err := w.Preview(wire.PreviewRequest{Body: q.Body})
	if err != nil {
		t.Fatal(err)
	}
	shown := w.statement(&proof).Preview
	if shown.AgentName != "Buyer" || shown.AgentID != id || shown.RecipientPublicKey != priceKey || !shown.NewSecret ||
		shown.Agent.Limits.PerTxUSDC != "1" || shown.Agent.Status != wire.AgentActive {
		t.Errorf("shown %+v", shown)
	}
	if got := w.statement(w.did(q).Proof).Result.Agent; !reflect.DeepEqual(got.Limits, shown.Agent.Limits) {
		t.Errorf("shown %+v, made %+v", shown.Agent, got)
	}
}

// A secret for a recipient is in every answer, and is its alone.
func TestAgents_SecretForARecipient(t *testing.T) {
	w := newTimed(t)
	alice := w.register("alice@example.com")
	point, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := hpke.NewDHKEMPrivateKey(point)
	if err != nil {
		t.Fatal(err)
	}
	public := point.PublicKey().Bytes()
	compressed := hex.EncodeToString(append([]byte{2 + public[64]&1}, public[1:33]...))
	q, out := w.createAgent(alice, "Buyer", compressed)
	made := w.statement(out.Proof).Result.Agent
	sealed, err := base64.RawURLEncoding.DecodeString(made.SealedSecret.Sealed)
	if err != nil || out.AgentSecret != "" || made.SealedSecret.RecipientPublicKey != compressed {
		t.Fatalf("%v, or in clear as well", err)
	}
	fp := wire.Fingerprint(q.Body)
	secret, err := hpke.Open(key, hpke.HKDFSHA256(), hpke.AES256GCM(),
		wire.AgentSecretInfo("sandbox", made.ID, fp), sealed)
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range [][]byte{nil, wire.AgentSecretInfo("production", made.ID, fp), wire.AgentSecretInfo("sandbox",
		alice.org, fp), wire.AgentSecretInfo("sandbox", made.ID, "")} {
		if _, err := hpke.Open(key, hpke.HKDFSHA256(), hpke.AES256GCM(), other, sealed); err == nil {
			t.Errorf("opened as %q", other)
		}
	}
	w.accepted("its request", bot{made.ID, string(secret)}.signed("GET", "/v1/agents", w.at(0), ""))
	w.reopen()
	for name, ask := range map[string]func() (wire.OutcomeReply, error){
		"Submit":  func() (wire.OutcomeReply, error) { return w.Submit(q) },
		"Outcome": func() (wire.OutcomeReply, error) { return w.Outcome(wire.FingerprintRequest{Fingerprint: fp}) },
	} {
		if again, err := ask(); err != nil || *again.Proof != *out.Proof || again.AgentSecret != "" {
			t.Errorf("%s again: %v", name, err)
		}
	}
}

// A secret without a recipient is answered in clear beside the proof, to its
// stamp, until the body expires or the agent is heard of.
func TestAgents_SecretInClear(t *testing.T) {
	w := newTimed(t)
	alice, bob := w.register("alice@example.com"), w.register("bob@example.com")
	q, out := w.createAgent(alice, "Buyer", "")
	b := bot{w.statement(out.Proof).Result.Agent.ID, out.AgentSecret}
	want := func(what, secret string, q wire.SubmitRequest) {
		t.Helper()
		again, err := w.Submit(q)
		if err != nil || *again.Proof != *out.Proof || again.AgentSecret != secret {
			t.Errorf("%s: %v, %d characters of a secret", what, err, len(again.AgentSecret))
		}
	}
	if strings.Contains(out.Proof.Payload, b.secret) || len(b.secret) != len(wire.AgentSecretPrefix)+43 {
		t.Error("the proof has the secret, or there is none")
	}
	want("again", b.secret, q)
	w.reopen()
	want("after a restart", b.secret, q)
	want("without a stamp", "", wire.SubmitRequest{Body: q.Body})
	other, err := w.Submit(wire.SubmitRequest{Body: q.Body, Stamp: w.stamp(bob, q.Body)})
	if refused(t, "under another's stamp", err, refusal.ErrStamp); other.AgentSecret != "" {
		t.Error("another's stamp got the secret")
	}
	for name, ask := range map[string]func(wire.FingerprintRequest) (wire.OutcomeReply, error){
		"Outcome": w.Outcome, "Cancel": w.Cancel,
	} {
		if again, err := ask(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(q.Body)}); err != nil ||
			again.AgentSecret != "" {
			t.Errorf("%s: %v, or with the secret", name, err)
		}
	}
	w.refusedClaim("a wrong signature", bot{b.id, "x"}.signed("GET", "/v1/agents", w.at(0), ""), decide.ErrNotSigned)
	want("after a wrong signature", b.secret, q)
	w.accepted("the first request", b.signed("GET", "/v1/agents", w.at(0), ""))
	want("after the first request", "", q)
	w.reopen()
	want("after that and a restart", "", q)
	w.checkpointNow()
	w.reopen()
	want("after that and a checkpoint", "", q)

	q, out = w.createAgent(alice, "Seller", "")
	w.advance(14 * time.Minute)
	want("before it expires", out.AgentSecret, q)
	w.advance(2 * time.Minute)
	want("expired", "", q)
}

// Whoever signs with the secret has it: it is told no more after any signature that was right, by whichever door that
// came, and whatever became of what was asked.
func TestAgents_SecretToldUntilAnySignedUse(t *testing.T) {
	w := newTimed(t)
	alice := w.register("alice@example.com")
	for name, use := range map[string]func(b bot) error{
		"a payment's stamp": func(b bot) error {
			_, err := w.Submit(w.unlimited(alice, b))
			return err
		},
		"a payment's stamp, asked about": func(b bot) error {
			q := w.unlimited(alice, b)
			q.Again = true
			_, err := w.Submit(q)
			return err
		},
		"a request that is too old": func(b bot) error {
			_, err := w.VerifyAgent(b.signed("GET", "/v1/agents", w.at(-3600), ""))
			return err
		},
	} {
		q, out := w.createAgent(alice, name, "")
		b := bot{w.statement(out.Proof).Result.Agent.ID, out.AgentSecret}
		if again, err := w.Submit(q); err != nil || again.AgentSecret != b.secret {
			t.Fatalf("%s: %v, not told before", name, err)
		}
		t.Log(name, use(b))
		w.reopen()
		if again, err := w.Submit(q); err != nil || again.AgentSecret != "" {
			t.Errorf("%s: %v, %d characters of a secret are told again", name, err, len(again.AgentSecret))
		}
	}
}

// unlimited is a request for a wallet by an agent that may make none.
func (w *timed) unlimited(o owner, b bot) wire.SubmitRequest {
	w.t.Helper()
	q := b.signed("POST", "/v1/agents/wallets", w.at(0), "")
	return wire.SubmitRequest{
		Body: w.body(w.fresh(o, wire.AgentWallet, wire.AgentWalletParams{AgentCall: wire.AgentCall{
			AgentID: b.id, Method: q.Method, Path: q.Path, Timestamp: q.Timestamp,
		}})),
		Stamp: &wire.Stamp{HeaderName: wire.AgentStamp, HeaderValue: q.MAC},
	}
}

func TestAgents_SecretIsNowhereElse(t *testing.T) {
	log := &logged{}
	w := newWorldWith(t, Options{Log: log.logger()})
	alice := w.register("alice@example.com")
	b := w.bot(alice, "Buyer")
	w.refusedClaim("a wrong signature", bot{b.id, b.secret + "x"}.signed("GET", "/v1",
		strconv.FormatInt(time.Now().Unix(), 10), ""), decide.ErrNotSigned)
	w.accepted("a request", b.signed("GET", "/v1", strconv.FormatInt(time.Now().Unix(), 10), ""))
	w.checkpointNow()
	w.reopen()
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(b.secret, wire.AgentSecretPrefix))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(w.dir, "*"))
	if err != nil || len(files) < 3 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	texts := map[string]string{"the log": log.String()}
	for _, f := range files {
		if content, err := os.ReadFile(f); err == nil {
			texts[f] = string(content)
		}
	}
	for of, text := range texts {
		for _, form := range []string{
			b.secret[len(wire.AgentSecretPrefix):], string(raw), hex.EncodeToString(raw),
			base64.StdEncoding.EncodeToString(raw),
		} {
			if strings.Contains(text, form) {
				t.Errorf("the secret is in %s", of)
			}
		}
	}
}
