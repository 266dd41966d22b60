package enclave

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// A lost passkey is replaced: by mail and recovery code, after the delay, under
// the same addresses.
func TestSigning_R06_RecoveryWaits(t *testing.T) {
	w := newTimed(t)
	c := newCode(t)
	alice := w.registerWith("alice@example.com", c)
	account := w.wallet(alice, "Main")
	r := w.rescue(alice, "Alice@example.com")
	next := newCode(t)
	r.p.RemoveOtherPasskeys, r.p.NewRecoveryPublicKey = true, next.public()
	body := r.by(c).body()
	st := w.in(wire.Held, body, r.org)
	began := *st.Result.Recovery
	if began.EmailOnly || began.RecoveryID != r.reply.RecoveryID || began.CredentialID != idOf(r.key)[0] ||
		began.Email != "alice@example.com" {
		t.Errorf("%+v", began)
	}
	if *st.RecoveryPending != began || len(st.Result.Owners.Credentials) != 1 {
		t.Errorf("%+v, %+v", st.RecoveryPending, st.Result.Owners)
	}
	_, err := w.submit(w.body(w.fresh(alice, wire.SignIntent, payment(account.Address))), alice.with(r.key))
	refused(t, "the new passkey before its time", err, refusal.ErrStamp)
	w.advance(4 * time.Second)
	w.in(wire.Held, body, r.org)
	w.checkpointNow()
	w.reopen()
	w.in(wire.Held, body, r.org)
	w.advance(2 * time.Second)
	st = w.in(wire.Done, body, r.org)
	if got := st.Result.Owners; len(got.Credentials) != 1 || got.Credentials[0].CredentialID != idOf(r.key)[0] ||
		got.RecoveryPublicKey != next.public() || st.RecoveryPending != nil {
		t.Errorf("%+v, %+v", got, st.RecoveryPending)
	}
	for range 2 {
		signed := w.in(wire.Done, w.body(w.fresh(alice, wire.SignIntent, payment(account.Address))), alice.with(r.key))
		if signed.Result.Transaction.SignWith != account.Address || signed.RecoveryPending != nil {
			t.Errorf("%+v", signed.Result.Transaction)
		}
		_, err = w.submit(w.body(w.fresh(alice, wire.SignIntent, payment(account.Address))), alice)
		refused(t, "the lost passkey", err, refusal.ErrStamp)
		w.in(wire.Done, body, r.org)
		w.checkpointNow()
		w.reopen()
	}
	again := w.rescue(alice, "alice@example.com")
	_, err = w.submit(again.by(c).body(), r.org)
	refused(t, "the old recovery code", err, refusal.ErrRecoveryKey)
	w.in(wire.Held, again.by(next).body(), r.org)
}

// R01: whoever asks, for whomever, gets the same.
func TestSigning_R01_UnknownEmail(t *testing.T) {
	w := newWorld(t)
	w.registerWith("alice@example.com", newCode(t))
	w.register("bob@example.com") // cannot be recovered
	for email, known := range map[string]bool{
		"alice@example.com": true, "bob@example.com": false, "nobody@example.com": false,
	} {
		r, i := w.began(email)
		secret, err := i.open(r)
		if err != nil || len(secret) != 43 || r.Known != known || r.ExpiresAtMs == "" || len(r.RecoveryID) != 36 {
			t.Errorf("%s: %+v, %v", email, r, err)
		}
	}
	// An address that only folds to hers is another mailbox, perhaps of a domain
	// that somebody registered for that.
	for _, email := range []string{"al\u0130ce@example.com", "alice@ex\u0101mple.com"} {
		if r, _ := w.began(email); r.Known {
			t.Errorf("%+q is taken for alice's", email)
		}
	}
	for name, q := range map[string]wire.RecoveryRequest{
		"no workspace": {Email: "alice@example.com", TargetPublicKey: priceKey},
		"no e-mail":    {WorkspaceID: workspaceID, Email: "alice", TargetPublicKey: priceKey},
		"no key":       {WorkspaceID: workspaceID, Email: "alice@example.com", TargetPublicKey: "02"},
	} {
		_, err := w.Recovery(q)
		refused(t, name, err, refusal.ErrBody)
	}
}

// R02, R08: the mailed half is good for one recovery, of one user, for 15 minutes,
// and cannot be guessed.
func TestSigning_R08_MailedHalfOnce(t *testing.T) {
	w := newTimed(t)
	c := newCode(t)
	alice := w.registerWith("alice@example.com", c)
	guessed := w.rescue(alice, "alice@example.com")
	guessed.p.Attestation = w.attest("alice@example.com", strings.Repeat("A", 43), passkey.New(origin))
	_, err := w.submit(guessed.by(c).body(), guessed.org)
	refused(t, "R02: a guess", err, refusal.ErrRecovery)
	crossed, other := w.rescue(alice, "alice@example.com"), w.rescue(alice, "alice@example.com")
	crossed.p.RecoveryID = other.reply.RecoveryID
	_, err = w.submit(crossed.by(c).body(), crossed.org)
	refused(t, "R02: the secret of another recovery", err, refusal.ErrRecovery)
	late := w.rescue(alice, "alice@example.com")
	w.advance(15*time.Minute + time.Second)
	_, err = w.submit(late.by(c).body(), late.org)
	refused(t, "after 15 minutes", err, refusal.ErrRecovery)

	r := w.rescue(alice, "alice@example.com")
	body := r.by(c).body()
	out := make(chan error, 20)
	var wait sync.WaitGroup
	for range cap(out) {
		wait.Go(func() {
			_, err := w.Submit(wire.SubmitRequest{Body: body})
			out <- err
		})
	}
	wait.Wait()
	for range cap(out) {
		if err := <-out; err != nil {
			t.Fatal(err)
		}
	}
	w.done(w.cancellation(alice, r.reply.RecoveryID), alice)
	_, err = w.submit(r.body(), r.org)
	refused(t, "a second recovery of one mail", err, refusal.ErrRecovery)
	_, err = w.submit(body, r.org)
	refused(t, "what was cancelled", err, refusal.ErrRecoveryOver)
	w.reopen()
	w.delay()
	_, err = w.submit(body, r.org)
	refused(t, "what was cancelled, later", err, refusal.ErrRecoveryOver)
	if a, err := w.Cancel(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(body)}); err != nil ||
		a.State != wire.Cancelled {
		t.Errorf("%s, %v", a.State, err)
	}
	if got := w.owners(alice); !slices.Equal(got, idOf(alice.Authenticator)) {
		t.Errorf("owners %v", got)
	}
}

// R05: who reads the mail has nothing to open it with, and who swaps the target
// key opens it, and lacks the other half.
func TestSigning_R05_MailIsHalf(t *testing.T) {
	w := newTimed(t)
	c := newCode(t)
	alice := w.registerWith("alice@example.com", c)
	mailed, owners := w.began("alice@example.com")
	if _, err := w.initiator().open(mailed); err == nil {
		t.Error("another key opened the bundle")
	}
	renamed := mailed
	renamed.RecoveryID = decide.RecoveryID("x")
	if _, err := owners.open(renamed); err == nil {
		t.Error("the bundle opens as that of another recovery")
	}
	host := func() *rescue { return w.rescue(alice, "alice@example.com") }
	swapped := host().by(c)
	for name, change := range map[string]func(r *rescue){
		"no signature":          func(r *rescue) {},
		"another's code":        func(r *rescue) { r.by(newCode(t)) },
		"no base64":             func(r *rescue) { r.p.RecoverySignature = "?" },
		"cut off":               func(r *rescue) { r.by(c); r.p.RecoverySignature = r.p.RecoverySignature[:80] },
		"for another passkey":   func(r *rescue) { r.p.RecoverySignature = swapped.p.RecoverySignature },
		"others removed":        func(r *rescue) { r.by(c); r.p.RemoveOtherPasskeys = true },
		"a recovery key put in": func(r *rescue) { r.by(c); r.p.NewRecoveryPublicKey = newCode(t).public() },
		"another user": func(r *rescue) {
			r.p.RecoverySignature = c.sign(t, wire.RecoveryMessage("sandbox", r.reply.OrganizationID, "x", r.p))
		},
		"another environment": func(r *rescue) {
			r.p.RecoverySignature = c.sign(t,
				wire.RecoveryMessage("production", r.reply.OrganizationID, r.reply.UserID, r.p))
		},
	} {
		r := host()
		change(r)
		_, err := w.submit(r.body(), r.org)
		refused(t, name, err, refusal.ErrRecoveryKey)
	}
	signed := host().by(c)
	signed.p.Attestation = host().p.Attestation
	_, err := w.submit(signed.body(), signed.org)
	refused(t, "the host's passkey under the owner's signature", err, refusal.ErrRecovery)
	bad := host()
	bad.p.NewRecoveryPublicKey = "02"
	_, err = w.submit(bad.by(c).body(), bad.org)
	refused(t, "a new recovery key that is none", err, refusal.ErrBody)
}

// R06: while a recovery waits everybody is told, nothing loosens, and any passkey
// ends it at once.
func TestSigning_R06_NothingLoosens(t *testing.T) {
	w := newTimed(t)
	c := newCode(t)
	alice, bob := w.registerWith("alice@example.com", c), passkey.New(origin)
	w.done(w.another(alice, "bob@example.com", "bob@example.com", bob), alice)
	account := w.wallet(alice, "Main")
	w.consent(alice, "2")
	waited := w.another(alice, "carol@example.com", "carol@example.com", passkey.New(origin))
	w.in(wire.Held, waited, alice)
	other := w.another(alice, "dora@example.com", "dora@example.com", passkey.New(origin))
	w.in(wire.Held, other, alice)
	for _, by := range []owner{alice, alice.with(bob)} {
		if _, err := w.vote(waited, by); err != nil {
			t.Fatal(err)
		}
	}
	ballot := w.ballot(waited, alice)
	r := w.rescue(alice, "alice@example.com").by(c)
	pending := w.in(wire.Held, r.body(), r.org).RecoveryPending

	intent := w.body(w.fresh(alice, wire.CreateWallet, wire.CreateWalletParams{
		WalletName: "Other", MnemonicLength: "12",
	}))
	proof, err := w.Preview(wire.PreviewRequest{Body: intent})
	if err != nil || *w.statement(&proof).RecoveryPending != *pending {
		t.Errorf("preview: %v", err)
	}
	if proof, err = w.State(wire.StateRequest{
		OrganizationID: alice.org, Address: account.Address,
	}); err != nil || *w.statement(&proof).RecoveryPending != *pending {
		t.Errorf("state: %v", err)
	}
	made := w.in(wire.Done, intent, alice.with(bob))
	if *made.RecoveryPending != *pending {
		t.Errorf("result: %+v", made.RecoveryPending)
	}
	if a, err := w.Cancel(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(other)}); err != nil ||
		a.State != wire.Cancelled || *w.statement(a.Proof).RecoveryPending != *pending {
		t.Errorf("the end of what waited: %+v, %v", a, err)
	}
	removed := w.removal(alice, bob)
	for name, body := range map[string]string{
		"a second user":      w.another(alice, "dave@example.com", "dave@example.com", passkey.New(origin)),
		"a further passkey":  w.another(alice, "alice@example.com", "", passkey.New(origin)),
		"one's own, removed": w.removal(alice, alice.Authenticator),
		"another's, removed": removed,
		"recovery by mail":   w.recoveryRule(alice, wire.UpdateRecoveryParams{EmailOnlyRecovery: true}),
		"fewer approvers": w.body(w.fresh(alice, wire.UpdateApprovalConfig, wire.ApprovalConfig{
			ThresholdUSD: "1", RequiredApprovers: "1",
		})),
		"a payment too large": w.body(w.fresh(alice, wire.SignIntent, payment(account.Address))),
		"another recovery":    w.rescue(alice, "bob@example.com").by(c).body(),
	} {
		_, err := w.submit(body, alice)
		refused(t, name, err, refusal.ErrRecovering)
	}
	_, err = w.preview(removed)
	refused(t, "preview of a removal", err, refusal.ErrRecovering)
	w.void(waited, ballot, alice)
	cancel := w.cancellation(alice, pending.RecoveryID)
	if p, err := w.preview(cancel); err != nil || *p.Cancels != *pending {
		t.Errorf("%+v, %v", p, err)
	}
	_, err = w.submit(cancel, owner{nil, alice.org})
	refused(t, "cancelling without a stamp", err, refusal.ErrUnstamped)
	_, err = w.submit(cancel, w.register("eve@example.com"))
	refused(t, "cancelling by another's stamp", err, refusal.ErrStamp)
	_, err = w.submit(w.cancellation(alice, decide.RecoveryID("x")), alice)
	refused(t, "cancelling another", err, refusal.ErrNoRecovery)
	st := w.in(wire.Done, cancel, alice.with(bob))
	if *st.Result.Recovery != *pending || st.RecoveryPending != nil {
		t.Errorf("%+v", st)
	}
	w.void(waited, ballot, alice)
	again, err := w.Outcome(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(intent)})
	if err != nil || *w.statement(again.Proof).RecoveryPending != *pending {
		t.Errorf("the result of then, now: %v", err)
	}
	if a, err := w.Cancel(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(waited)}); err != nil ||
		a.State != wire.Cancelled {
		t.Errorf("%s, %v", a.State, err)
	}
}

// void holds that what waited is good for nothing any more, also after a restart.
func (w *world) void(body, ballot string, o owner) {
	w.t.Helper()
	for range 2 {
		_, err := w.submit(body, owner{nil, o.org})
		refused(w.t, "what had its votes", err, refusal.ErrApprovalVoid)
		_, err = w.submit(ballot, o)
		refused(w.t, "a vote for it", err, refusal.ErrApprovalVoid)
		w.checkpointNow()
		w.reopen()
	}
}

// R07: of two recoveries the first stays, but one by code takes the place of one
// by mail alone.
func TestSigning_R07_TwoRecoveries(t *testing.T) {
	w := newTimed(t)
	c := newCode(t)
	alice := w.registerWith("alice@example.com", c)
	_, err := w.submit(w.rescue(alice, "alice@example.com").body(), alice.with(nil))
	refused(t, "by mail alone, which nobody allowed", err, refusal.ErrRecoveryKey)
	rule := w.recoveryRule(alice, wire.UpdateRecoveryParams{RecoveryPublicKey: c.public(), EmailOnlyRecovery: true})
	if p, err := w.preview(rule); err != nil || !p.Recovery.EmailOnlyRecovery || p.Waits != nil {
		t.Errorf("%+v, %v", p, err)
	}
	if r := w.done(rule, alice); !r.Owners.EmailOnlyRecovery {
		t.Errorf("%+v", r.Owners)
	}
	mail := w.rescue(alice, "alice@example.com")
	mail.p.NewRecoveryPublicKey = newCode(t).public()
	_, err = w.submit(mail.body(), mail.org)
	refused(t, "the mail alone for another recovery key", err, refusal.ErrRecoveryKey)
	mail.p.NewRecoveryPublicKey = ""
	mailBody := mail.body()
	if st := w.in(wire.Held, mailBody, mail.org); !st.RecoveryPending.EmailOnly {
		t.Errorf("%+v", st.RecoveryPending)
	}
	_, err = w.submit(w.rescue(alice, "alice@example.com").body(), mail.org)
	refused(t, "a second by mail", err, refusal.ErrRecovering)
	coded := w.rescue(alice, "alice@example.com").by(c)
	codedBody := coded.body()
	st := w.in(wire.Held, codedBody, coded.org)
	if st.RecoveryPending.CredentialID != idOf(coded.key)[0] || st.RecoveryPending.EmailOnly {
		t.Errorf("%+v", st.RecoveryPending)
	}
	_, err = w.submit(w.rescue(alice, "alice@example.com").by(c).body(), mail.org)
	refused(t, "a second by code", err, refusal.ErrRecovering)
	_, err = w.submit(w.rescue(alice, "alice@example.com").body(), mail.org)
	refused(t, "one by mail against one by code", err, refusal.ErrRecovering)
	w.delay()
	_, err = w.submit(mailBody, mail.org)
	refused(t, "the one that was pushed out", err, refusal.ErrRecoveryOver)
	w.in(wire.Done, codedBody, coded.org)
	if got := w.owners(alice); !slices.Equal(got, idOf(alice.Authenticator, coded.key)) {
		t.Errorf("owners %v", got)
	}

	w.done(w.recoveryRule(alice, wire.UpdateRecoveryParams{}), alice)
	for _, r := range []*rescue{w.rescue2(alice), w.rescue2(alice).by(c)} {
		_, err = w.submit(r.body(), r.org)
		refused(t, "recovery switched off", err, refusal.ErrRecovery)
	}
}

// rescue2 is a rescue of somebody who cannot be recovered.
func (w *world) rescue2(o owner) *rescue { return w.rescue(o, "alice@example.com") }

// A host may stop a recovery, as it may stop everything.
func TestSigning_R07_CancelledByTheHost(t *testing.T) {
	w := newTimed(t)
	c := newCode(t)
	alice := w.registerWith("alice@example.com", c)
	r := w.rescue(alice, "alice@example.com").by(c)
	body := r.body()
	w.in(wire.Held, body, r.org)
	if a, err := w.Cancel(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(body)}); err != nil ||
		a.State != wire.Cancelled || w.statement(a.Proof).RecoveryPending != nil {
		t.Fatalf("%s, %v", a.State, err)
	}
	w.checkpointNow()
	w.reopen()
	w.delay()
	if out, err := w.submit(body, r.org); err != nil || out.State != wire.Cancelled {
		t.Errorf("%s, %v", out.State, err)
	}
	if st := w.in(wire.Done, w.body(w.fresh(alice, wire.CreateWallet, wire.CreateWalletParams{
		WalletName: "W", MnemonicLength: "12",
	})), alice); st.RecoveryPending != nil {
		t.Errorf("%+v", st.RecoveryPending)
	}
}

func TestSigning_R07_RuleWaitsForVotes(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	w.in(wire.Held, w.recoveryRule(alice, wire.UpdateRecoveryParams{EmailOnlyRecovery: true}), owner{nil, alice.org})
	w.consent(alice, "1")
	rule := w.recoveryRule(alice, wire.UpdateRecoveryParams{RecoveryPublicKey: newCode(t).public()})
	if p, err := w.preview(rule); err != nil || p.Waits == nil {
		t.Errorf("%+v, %v", p, err)
	}
	w.in(wire.Held, rule, alice)
	if a, err := w.vote(rule, alice); err != nil || !a.Approved {
		t.Fatalf("%+v, %v", a, err)
	}
	if r := w.done(rule, owner{nil, alice.org}); r.Owners.RecoveryPublicKey == "" {
		t.Errorf("%+v", r.Owners)
	}
	_, err := w.submit(w.recoveryRule(alice, wire.UpdateRecoveryParams{RecoveryPublicKey: "02"}), alice)
	refused(t, "a key that is none", err, refusal.ErrBody)
}

// R09: nobody recovers for another organization, or from another workspace.
func TestSigning_R09_AnotherOrganization(t *testing.T) {
	w := newTimed(t)
	c := newCode(t)
	alice, bob := w.registerWith("alice@example.com", c), w.registerWith("bob@example.com", newCode(t))
	i := w.initiator()
	r, err := w.Recovery(wire.RecoveryRequest{
		WorkspaceID: "22222222-2222-4222-8222-222222222222", Email: "alice@example.com", TargetPublicKey: i.public(),
	})
	if err != nil || r.Known || r.OrganizationID != "" {
		t.Errorf("%+v, %v", r, err)
	}
	crossed := w.rescue(alice, "alice@example.com").by(c)
	crossed.org = owner{nil, bob.org}
	_, err = w.submit(crossed.body(), crossed.org)
	refused(t, "alice's mail for bob's organization", err, refusal.ErrRecovery)
	twin := w.rescue(alice, "alice@example.com")
	taken := w.rescue(bob, "bob@example.com")
	taken.p.Attestation.CredentialID = twin.p.Attestation.CredentialID
	_, err = w.submit(taken.body(), taken.org)
	refused(t, "an attestation of another credential", err, refusal.ErrRecovery)
}

// The secret of a bundle is in no log and in no file.
func TestSigning_R04_SecretIsNowhereElse(t *testing.T) {
	log := &logged{}
	w := newWorldWith(t, Options{Log: log.logger()})
	c := newCode(t)
	alice := w.registerWith("alice@example.com", c)
	r := w.rescue(alice, "alice@example.com")
	_, err := w.submit(r.body(), r.org)
	refused(t, "no code", err, refusal.ErrRecoveryKey)
	w.in(wire.Held, r.by(c).body(), r.org)
	var said struct {
		Challenge string `json:"challenge"`
	}
	if err := json.Unmarshal(bytesOf(t, r.p.Attestation.ClientDataJSON), &said); err != nil ||
		len(said.Challenge) != 43 {
		t.Fatalf("%d characters, %v", len(said.Challenge), err)
	}
	w.checkpointNow()
	w.reopen()
	raw := bytesOf(t, said.Challenge)
	texts := map[string]string{"the log": log.String()}
	files, err := filepath.Glob(filepath.Join(w.dir, "*"))
	if err != nil || len(files) < 3 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		if content, err := os.ReadFile(f); err == nil {
			texts[f] = string(content)
		}
	}
	for of, text := range texts {
		for _, form := range []string{
			said.Challenge, string(raw), hex.EncodeToString(raw), base64.StdEncoding.EncodeToString(raw),
		} {
			if strings.Contains(text, form) {
				t.Errorf("the secret is in %s", of)
			}
		}
	}
}

func TestSigning_R01_RecoveriesAreBounded(t *testing.T) {
	r := newRecoveries()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	add := func(id, workspace, email string, at time.Time) error {
		return r.add(&begun{workspaceID: workspace, Begun: decide.Begun{
			ID: id, OrganizationID: "o", Email: email, ExpiresAt: at.Add(recoveryLife),
		}}, at)
	}
	for i := range perEmail + 1 {
		if err := add(fmt.Sprint(i), "w", "alice@example.com", now); err != nil {
			t.Fatal(err)
		}
	}
	if r.find("0") != nil || r.find("1") == nil || r.find("4") == nil {
		t.Error("the oldest of an e-mail did not make room for the newest")
	}
	for i := range recoveriesOfOne {
		if err := add(fmt.Sprint("x", i), "w", fmt.Sprint(i, "@example.com"), now); err != nil {
			t.Fatal(err)
		}
	}
	if r.find("4") != nil || r.find("x1") == nil || len(r.order) != recoveriesOfOne || len(r.byID) != recoveriesOfOne {
		t.Errorf("%d are kept", len(r.order))
	}
	full := make([]*begun, allRecoveries)
	for i := range full {
		full[i] = &begun{Begun: decide.Begun{ExpiresAt: now.Add(recoveryLife)}}
	}
	r.order = full
	refused(t, "one too many", add("y", "z", "a@example.com", now), errBusy)
	if err := add("y", "z", "a@example.com", now.Add(recoveryLife)); err != nil || len(r.order) != 1 {
		t.Errorf("after the others expired: %d, %v", len(r.order), err)
	}
}
