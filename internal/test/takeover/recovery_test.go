package takeover

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// mailed begins a recovery, and reads the mail.
func (h *host) mailed(p *person) (id, secret string) {
	h.t.Helper()
	key := h.recipient()
	var r wire.RecoveryReply
	if err := h.call(wire.MRecovery,
		wire.RecoveryRequest{WorkspaceID: workspaceID, Email: p.email, TargetPublicKey: key.public}, &r); err != nil {
		h.t.Fatal(err)
	}
	raw := key.open(r.Bundle, wire.RecoveryInfo("sandbox", r.RecoveryID))
	return r.RecoveryID, base64.RawURLEncoding.EncodeToString(raw)
}

// intruder is a passkey of the actor that is to become p's, with the body of its recovery.
func (p *person) intruder(id, secret string, code *ecdsa.PrivateKey) (m *person, body string) {
	p.h.t.Helper()
	other := *p
	m = &other
	m.key = synced()
	att, err := m.key.Create(passkey.CreationOptions{
		Challenge: secret, RP: passkey.RelyingParty{ID: "localhost", Name: "Railkit"},
		User:             passkey.User{ID: "dXNlcg", Name: p.email, DisplayName: p.email},
		PubKeyCredParams: []passkey.CredentialParameter{{Type: "public-key", Alg: -7}},
	})
	if err != nil {
		p.h.t.Fatal(err)
	}
	m.credential = att.CredentialID
	r := wire.RecoverUserParams{RecoveryID: id, Attestation: att}
	if code != nil {
		digest := sha256.Sum256([]byte(wire.RecoveryMessage("sandbox", p.org, p.user, r)))
		x, y, err := ecdsa.Sign(rand.Reader, code, digest[:])
		if err != nil {
			p.h.t.Fatal(err)
		}
		r.RecoverySignature = base64.RawURLEncoding.EncodeToString(append(x.FillBytes(make([]byte, 32)),
			y.FillBytes(make([]byte, 32))...))
	}
	return m, p.body(wire.RecoverUser, r)
}

// withSignature is a body with what the recovery key signed for another.
func withSignature(body, other string) string {
	b, _ := decode[wire.Body]([]byte(body))
	p, _ := decode[wire.RecoverUserParams](b.Parameters)
	o, _ := decode[wire.Body]([]byte(other))
	signed, _ := decode[wire.RecoverUserParams](o.Parameters)
	p.RecoverySignature = signed.RecoverySignature
	b.Parameters, _ = json.Marshal(p)
	raw, _ := json.Marshal(b)
	return string(raw)
}

// steals pays the robber with a passkey that may have become p's by now.
func (p *person) steals() {
	p.h.t.Helper()
	body := p.pays(robber)
	_, _, _ = p.h.submit(body, p.stamp(p.key, body))
}

const delay = 5 * time.Second // of the sandbox

// until waits for something, or so long. It looks once more after that time, however long a look takes.
func (h *host) until(done func() bool, most time.Duration) {
	for end := time.Now().Add(most); ; {
		last := time.Now().After(end)
		if done() || last {
			return
		}
		<-time.After(50 * time.Millisecond) // between two looks
	}
}

// recovered waits out the delay of a recovery, and asks again for its end.
func (h *host) recovered(body string) {
	h.until(func() bool {
		state, _, err := h.submit(body, nil)
		return err == nil && state == wire.Done
	}, delay+time.Second)
}

func recoveryKey(h *host) *ecdsa.PrivateKey {
	h.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		h.t.Fatal(err)
	}
	return key
}

// keeper is a user with a recovery code.
func (h *host) keeper() (*person, *ecdsa.PrivateKey) {
	h.t.Helper()
	p, code := h.newcomer(), recoveryKey(h)
	p.must(wire.UpdateRecovery, wire.UpdateRecoveryParams{RecoveryPublicKey: wire.CompressP256(&code.PublicKey)})
	return p, code
}

// recoveries are the attacks on the way back in: R.
var recoveries = []attack{
	{"R05", "a recovery by all of the mail and no code", "recoveryKey", func(h *host) {
		p, _ := h.keeper()
		m, body := p.intruder0(h.mailed(p))
		_, _, _ = h.submit(body, nil)
		h.recovered(body)
		m.steals()
	}},
	{"R05", "a recovery by the mail and another code", "recoveryKey", func(h *host) {
		p, _ := h.keeper()
		id, secret := h.mailed(p)
		m, body := p.intruder(id, secret, recoveryKey(h))
		_, _, _ = h.submit(body, nil)
		h.recovered(body)
		m.steals()
	}},
	{"R05", "a stolen code without the mail", "challenge", func(h *host) {
		p, code := h.keeper()
		id, _ := h.mailed(p)
		m, body := p.intruder(id, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", code)
		_, _, _ = h.submit(body, nil)
		h.recovered(body)
		m.steals()
	}},
	{"R05", "another passkey in the place of its owner's", "recoveryKey", func(h *host) {
		p, code := h.keeper()
		id, secret := h.mailed(p)
		_, own := p.intruder(id, secret, code) // the owner's page makes it
		m, body := p.intruder0(id, secret)
		body = withSignature(body, own)
		_, _, _ = h.submit(body, nil)
		h.recovered(body)
		m.steals()
	}},
	{"R08", "a recovery twice, for a phone that was lost since", "used", func(h *host) {
		p, code := h.keeper()
		id, secret := h.mailed(p)
		phone, body := p.intruder(id, secret, code)
		_, _, _ = h.submit(body, nil)
		h.recovered(body)
		gone := p.body(wire.DeleteAuthenticator, wire.DeleteAuthenticatorParams{CredentialID: phone.credential})
		_, _, _ = h.submit(gone, p.agree(gone))
		b, _ := decode[wire.Body]([]byte(body))
		again := p.body(wire.RecoverUser, b.Parameters)
		_, _, _ = h.submit(again, nil)
		h.recovered(again)
		phone.steals()
	}},
	{"R06", "a recovery that does not wait", "delay", func(h *host) {
		p, code := h.keeper()
		id, secret := h.mailed(p)
		m, body := p.intruder(id, secret, code)
		_, _, _ = h.submit(body, nil)
		_, _, _ = h.submit(body, nil)
		m.steals()
	}},
	{"R06", "a recovery that its owner ended", "recoveryCancel", func(h *host) {
		p, code := h.keeper()
		id, secret := h.mailed(p)
		m, body := p.intruder(id, secret, code)
		_, _, _ = h.submit(body, nil)
		end := p.body(wire.CancelRecovery, wire.CancelRecoveryParams{RecoveryID: id})
		_, _, _ = h.submit(end, p.agree(end))
		h.recovered(body)
		m.steals()
	}},
	{"R06", "a delegation during a recovery", "recovering", func(h *host) {
		p, code := h.keeper()
		kept := p.body(wire.CreatePolicy,
			wire.CreatePolicyParams{WalletID: p.wallet, Rules: wire.Rules{Delegation: &wire.Delegation{AnyRequest: true,
				ExpiresAtMs: millis(time.Now().Add(time.Hour)), MaxValueUSD: "5", DailyUSD: "10",
				AllowedDestinations: []string{shop},
			}}})
		stamp := p.agree(kept) // and the host keeps it to itself
		id, secret := h.mailed(p)
		_, body := p.intruder(id, secret, code)
		_, _, _ = h.submit(body, nil)
		_, _, _ = h.submit(kept, stamp)
		toTheShop(p)
	}},
	{"R07", "votes from before a recovery", "void", func(h *host) {
		p, q := h.family("0", "1")
		code := recoveryKey(h)
		rule := p.body(wire.UpdateRecovery, wire.UpdateRecoveryParams{
			RecoveryPublicKey: wire.CompressP256(&code.PublicKey),
		})
		_, _, _ = h.submit(rule, p.agree(rule))
		q.vote(rule)
		_, _, _ = h.submit(rule, nil)
		body := p.pays(shop)
		_, _, _ = h.submit(body, p.agree(body))
		q.vote(body)
		id, secret := h.mailed(p)
		_, recovery := p.intruder(id, secret, code)
		_, _, _ = h.submit(recovery, nil)
		h.ledger.recovering(p.org)
		_, _, _ = h.submit(body, nil)
	}},
	{"R07", "the mail alone, as nobody allowed it", "stamp", func(h *host) {
		p, _ := h.keeper()
		_, _, _ = h.submit(p.body(wire.UpdateRecovery, wire.UpdateRecoveryParams{EmailOnlyRecovery: true}), nil)
		m, body := p.intruder0(h.mailed(p))
		_, _, _ = h.submit(body, nil)
		h.recovered(body)
		m.steals()
	}},
}

func (p *person) intruder0(id, secret string) (*person, string) { return p.intruder(id, secret, nil) }
