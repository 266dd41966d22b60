package enclave

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// attest makes a passkey for a challenge.
func (w *world) attest(email, challenge string, key *passkey.Authenticator) wire.Attestation {
	w.t.Helper()
	att, err := key.Create(passkey.CreationOptions{
		Challenge: challenge, RP: passkey.RelyingParty{ID: "localhost", Name: "Railkit"},
		User:             passkey.User{ID: "dXNlcg", Name: email, DisplayName: email},
		PubKeyCredParams: []passkey.CredentialParameter{{Type: "public-key", Alg: -7}},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return att
}

func (w *world) challenge(email string) string {
	w.t.Helper()
	ch, err := w.Challenge(wire.ChallengeRequest{WorkspaceID: workspaceID, Email: email})
	if err != nil {
		w.t.Fatal(err)
	}
	return ch.Challenge
}

// another is the body that adds a passkey: for the e-mail's owner, or with as for
// a new user.
func (w *world) another(o owner, email, as string, key *passkey.Authenticator) string {
	w.t.Helper()
	ch := w.challenge(email)
	return w.body(w.fresh(o, wire.CreateAuthenticator, wire.CreateAuthenticatorParams{
		Challenge: ch, Email: as, Attestation: w.attest(email, ch, key),
	}))
}

func (w *world) removal(o owner, key *passkey.Authenticator) string {
	w.t.Helper()
	return w.body(w.fresh(o, wire.DeleteAuthenticator, wire.DeleteAuthenticatorParams{
		CredentialID: key.Credentials()[0].ID,
	}))
}

// submit submits a body, stamped where there is an owner with a key.
func (w *world) submit(body string, by owner) (wire.OutcomeReply, error) {
	w.t.Helper()
	q := wire.SubmitRequest{Body: body, Volatile: volatile(0)}
	if by.Authenticator != nil {
		q.Stamp = w.stamp(by, body)
	}
	return w.Submit(q)
}

// done submits a body that has to be executed at once.
func (w *world) done(body string, by owner) *wire.Result {
	w.t.Helper()
	return w.in(wire.Done, body, by).Result
}

func (w *world) in(state wire.OutcomeState, body string, by owner) wire.Statement {
	w.t.Helper()
	out, err := w.submit(body, by)
	if err != nil || out.State != state {
		w.t.Fatalf("%s, %v, want %s", out.State, err, state)
	}
	return w.statement(out.Proof)
}

// with is the same owner with another passkey.
func (o owner) with(key *passkey.Authenticator) owner { return owner{key, o.org} }

// consent makes loosening wait for the votes of n users.
func (w *world) consent(o owner, n string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.record(decide.Event{
		Kind: decide.EventConfig, OrganizationID: o.org, TimeMs: w.clock.Now().UnixMilli(),
		Config: &wire.ApprovalConfig{Enabled: true, ThresholdUSD: "100", RequiredApprovers: n},
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// vote stamps a vote for what was held.
func (w *world) vote(body string, by owner) (*wire.Approval, error) {
	w.t.Helper()
	out, err := w.submit(w.ballot(body, by), by)
	if err != nil {
		return nil, err
	}
	return w.statement(out.Proof).Result.Approval, nil
}

func (w *world) ballot(body string, by owner) string {
	w.t.Helper()
	out, err := w.Outcome(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(body)})
	if err != nil || out.State != wire.Held {
		w.t.Fatalf("%s, %v", out.State, err)
	}
	set := w.statement(out.Proof).Result.Approval.PolicySet
	return w.body(w.fresh(by, wire.ApproveActivity, wire.ApproveActivityParams{
		Fingerprint: wire.Fingerprint(body), PolicySet: set,
	}))
}

func (w *world) owners(o owner) []string {
	w.t.Helper()
	proof, err := w.State(wire.StateRequest{OrganizationID: o.org})
	if err != nil {
		w.t.Fatal(err)
	}
	var all []string
	for _, c := range w.statement(&proof).State.Owners.Credentials {
		all = append(all, c.CredentialID)
	}
	return all
}

func idOf(keys ...*passkey.Authenticator) []string {
	var all []string
	for _, k := range keys {
		all = append(all, k.Credentials()[0].ID)
	}
	return all
}

// A further passkey of one's own takes one stamp, also where loosening waits.
func TestSigning_S16_FurtherPasskey(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	w.consent(alice, "1")
	second := passkey.New(origin)
	body := w.another(alice, "alice@example.com", "", second)
	if p, err := w.preview(body); err != nil || p.Passkey.CredentialID != idOf(second)[0] || p.Waits != nil {
		t.Fatalf("%+v, %v", p, err)
	}
	_, err := w.submit(body, owner{nil, alice.org})
	refused(t, "without a stamp", err, refusal.ErrUnstamped)
	_, err = w.submit(body, w.register("bob@example.com"))
	refused(t, "bob's stamp", err, refusal.ErrStamp)
	_, err = w.submit(body, alice.with(second))
	refused(t, "its own stamp", err, refusal.ErrStamp)
	r := w.done(body, alice)
	if r.Passkey.Email != "alice@example.com" || r.Passkey.UserID != r.Owners.Credentials[0].UserID ||
		len(r.Owners.Credentials) != 2 {
		t.Errorf("%+v, %+v", r.Passkey, r.Owners)
	}
	for range 2 {
		w.done(w.body(w.fresh(alice, wire.CreateWallet, wire.CreateWalletParams{
			WalletName: time.Now().String(), MnemonicLength: "12",
		})), alice.with(second))
		w.checkpointNow()
		w.reopen()
	}
	if got := w.owners(alice); !slices.Equal(got, idOf(alice.Authenticator, second)) {
		t.Errorf("owners %v", got)
	}
}

func TestSigning_S16_RefusedPasskeys(t *testing.T) {
	w := newWorld(t)
	alice, bob := w.register("alice@example.com"), w.register("bob@example.com")
	body := func(email, challenge, as string, att wire.Attestation) string {
		return w.body(w.fresh(alice, wire.CreateAuthenticator, wire.CreateAuthenticatorParams{
			Challenge: challenge, Email: as, Attestation: att,
		}))
	}
	fresh := func(email, as string) string { return w.another(alice, email, as, passkey.New(origin)) }
	ch, second := w.challenge("alice@example.com"), passkey.New(origin)
	att := w.attest("alice@example.com", ch, second)
	w.done(body("", ch, "", att), alice)
	twin := w.challenge("carol@example.com")
	for name, c := range map[string]struct {
		body string
		want *fault.Error
	}{
		"a challenge twice": {body("", ch, "", w.attest("alice@example.com", ch, passkey.New(origin))),
			refusal.ErrChallenge},
		"a challenge of nobody": {body("", "A"+ch[1:], "", w.attest("x@example.com", "A"+ch[1:], passkey.New(origin))),
			refusal.ErrChallenge},
		"another's challenge":             {fresh("bob@example.com", ""), refusal.ErrChallenge},
		"a challenge for oneself, as bob": {fresh("alice@example.com", "carol@example.com"), refusal.ErrChallenge},
		"an e-mail of another":            {fresh("bob@example.com", "bob@example.com"), refusal.ErrEmailTaken},
		"one's own e-mail":                {fresh("alice@example.com", "alice@example.com"), refusal.ErrEmailTaken},
		"no e-mail":                       {fresh("carol@example.com", "carol"), refusal.ErrBody},
		"an answer to another challenge":  {body("", twin, "carol@example.com", att), refusal.ErrStamp},
		"another origin": {w.another(alice, "carol@example.com", "carol@example.com",
			passkey.New("http://localhost:9999")), refusal.ErrStamp},
	} {
		_, err := w.submit(c.body, alice)
		refused(t, name, err, c.want)
	}
	_, err := w.submit(w.removal(alice, bob.Authenticator), alice)
	refused(t, "removing another organization's passkey", err, refusal.ErrPasskey)
}

// One human does not become two: neither by a credential that is known, nor by
// its key under another id.
func TestSigning_A06_OneKeyIsOneUser(t *testing.T) {
	w := newWorld(t)
	alice, bob := w.register("alice@example.com"), w.register("bob@example.com")
	ch := w.challenge("carol@example.com")
	att := w.attest("carol@example.com", ch, alice.Authenticator)
	r, err := decide.Parse(w.body(w.fresh(alice, wire.CreateAuthenticator, wire.CreateAuthenticatorParams{
		Challenge: ch, Email: "carol@example.com", Attestation: att,
	})))
	if err != nil {
		t.Fatal(err)
	}
	sub := decide.Submission{Request: r, Ceremony: w.ceremony(r)}
	if err := w.readRegistration(&sub, *sub.Ceremony); err != nil {
		t.Fatal(err)
	}
	known := map[string]passkey.Credential{"alice's": alice.Credentials()[0], "bob's": bob.Credentials()[0]}
	for of, c := range known {
		sub.Registration.CredentialID = bytesOf(t, c.ID)
		_, err = w.execute(sub)
		refused(t, of+" credential id", err, refusal.ErrCredentialTaken)
	}
	sub.Registration.CredentialID, sub.Registration.PublicKey = []byte("another credential id"), bytesOf(t,
		known["alice's"].PublicKey)
	_, err = w.execute(sub)
	refused(t, "alice's key under another id", err, refusal.ErrCredentialTaken)
}

// A second user is a loosening: it waits for votes on the very passkey that was verified.
func TestSigning_S16_SecondUserWaits(t *testing.T) {
	w := newTimed(t)
	alice, bob, carol := w.register("alice@example.com"), passkey.New(origin), passkey.New(origin)
	r := w.done(w.another(alice, "bob@example.com", "bob@example.com", bob), alice)
	if r.Passkey.Email != "bob@example.com" || r.Passkey.UserID == r.Owners.Credentials[0].UserID {
		t.Errorf("%+v", r.Passkey)
	}
	w.consent(alice, "2")
	body := w.another(alice, "carol@example.com", "carol@example.com", carol)
	if p, err := w.preview(body); err != nil || p.Waits == nil || p.Passkey.Email != "carol@example.com" {
		t.Fatalf("%+v, %v", p, err)
	}
	held := w.in(wire.Held, body, alice).Result
	if held.Passkey.Email != "carol@example.com" || held.Passkey.CredentialID != idOf(carol)[0] {
		t.Errorf("held %+v", held.Passkey)
	}
	taken := w.another(alice, "dave@example.com", "dave@example.com", passkey.New(origin))
	w.in(wire.Held, taken, owner{nil, alice.org})
	w.checkpointNow()
	w.reopen()
	w.advance(6 * time.Minute) // the challenge is gone
	if p, err := w.preview(body); err != nil || p.Passkey.CredentialID != idOf(carol)[0] {
		t.Errorf("while it waits: %+v, %v", p, err)
	}
	for i, by := range []owner{alice, alice, alice.with(bob)} {
		w.in(wire.Held, body, owner{nil, alice.org})
		if a, err := w.vote(body, by); err != nil || a.Approved != (i == 2) {
			t.Fatalf("vote %d: %+v, %v", i, a, err)
		}
	}
	r = w.done(body, owner{nil, alice.org})
	if r.Passkey.CredentialID != idOf(carol)[0] || len(r.Owners.Credentials) != 3 || !r.Approval.Approved {
		t.Errorf("%+v, %+v", r.Passkey, r.Approval)
	}
	w.done(w.body(w.fresh(alice, wire.CreateWallet, wire.CreateWalletParams{
		WalletName: "Carol's", MnemonicLength: "12",
	})), alice.with(carol))
	if _, err := w.Submit(wire.SubmitRequest{
		Body: w.registration("dave@example.com", passkey.New(origin)),
	}); err != nil {
		t.Fatal(err)
	}
	for _, by := range []owner{alice, alice.with(carol)} {
		if _, err := w.vote(taken, by); err != nil {
			t.Fatal(err)
		}
	}
	_, err := w.submit(taken, owner{nil, alice.org})
	refused(t, "an e-mail that was registered meanwhile", err, refusal.ErrEmailTaken)
}

// A deleted passkey signs nothing any more, and its vote does not count.
func TestSigning_S10_DeletedPasskey(t *testing.T) {
	w := newWorld(t)
	alice, bob, second := w.register("alice@example.com"), passkey.New(origin), passkey.New(origin)
	w.done(w.another(alice, "bob@example.com", "bob@example.com", bob), alice)
	w.done(w.another(alice, "bob@example.com", "", second), alice.with(bob))
	w.consent(alice, "2")
	waits := w.another(alice, "carol@example.com", "carol@example.com", passkey.New(origin))
	w.in(wire.Held, waits, alice)
	for _, by := range []owner{alice, alice.with(bob)} {
		if _, err := w.vote(waits, by); err != nil {
			t.Fatal(err)
		}
	}
	account := w.wallet(alice, "Main")
	before := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
	stamped := wire.SubmitRequest{Body: before, Stamp: w.stamp(alice.with(bob), before), Volatile: volatile(0)}
	w.in(wire.Held, w.removal(alice, bob), alice)
	r := w.done(w.removal(alice, bob), alice.with(bob))
	if r.Passkey.CredentialID != idOf(bob)[0] || len(r.Owners.Credentials) != 2 {
		t.Errorf("%+v, %+v", r.Passkey, r.Owners)
	}
	for range 2 {
		_, err := w.Submit(stamped)
		refused(t, "what it had stamped before", err, refusal.ErrStamp)
		_, err = w.submit(w.body(w.fresh(alice, wire.SignIntent, payment(account.Address))), alice.with(bob))
		refused(t, "its stamp", err, refusal.ErrStamp)
		_, err = w.submit(w.ballot(waits, alice), alice.with(bob))
		refused(t, "its vote", err, refusal.ErrStamp)
		w.in(wire.Held, waits, owner{nil, alice.org})
		w.checkpointNow()
		w.reopen()
	}
	if a, err := w.vote(waits, alice.with(second)); err != nil || !a.Approved {
		t.Errorf("bob's vote with his other passkey: %+v, %v", a, err)
	}
	w.done(waits, owner{nil, alice.org})
}

func TestSigning_S16_LastPasskeys(t *testing.T) {
	w := newWorld(t)
	alice, bob, second := w.register("alice@example.com"), passkey.New(origin), passkey.New(origin)
	_, err := w.submit(w.removal(alice, alice.Authenticator), alice)
	refused(t, "the last one", err, refusal.ErrLastPasskey)
	_, err = w.preview(w.removal(alice, alice.Authenticator))
	refused(t, "the last one, preview", err, refusal.ErrLastPasskey)
	w.done(w.another(alice, "bob@example.com", "bob@example.com", bob), alice)
	w.done(w.another(alice, "alice@example.com", "", second), alice)
	w.consent(alice, "2")
	_, err = w.submit(w.removal(alice, bob), alice.with(bob))
	refused(t, "a user who is needed", err, refusal.ErrUsers)
	w.done(w.removal(alice, second), alice)
	w.consent(alice, "1")
	w.done(w.removal(alice, bob), alice.with(bob))
	if _, err := w.Submit(wire.SubmitRequest{
		Body: w.registration("bob@example.com", passkey.New(origin)),
	}); err != nil {
		t.Errorf("the e-mail of a user who is gone: %v", err)
	}
}

func TestSigning_S16_PasskeysAreBounded(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	for range 9 {
		w.done(w.another(alice, "alice@example.com", "", passkey.New(origin)), alice)
	}
	_, err := w.submit(w.another(alice, "alice@example.com", "", passkey.New(origin)), alice)
	refused(t, "an eleventh passkey", err, refusal.ErrBody)
	for i := range 99 {
		email := fmt.Sprintf("user%d@example.com", i)
		w.done(w.another(alice, email, email, passkey.New(origin)), alice)
	}
	_, err = w.submit(w.another(alice, "one@example.com", "one@example.com", passkey.New(origin)), alice)
	if refused(t, "a hundred and first user", err, refusal.ErrBody); !strings.Contains(err.Error(), "100 users") {
		t.Error(err)
	}
}

func bytesOf(t testing.TB, encoded string) []byte {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
