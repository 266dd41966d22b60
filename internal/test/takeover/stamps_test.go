package takeover

import (
	"strings"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// fooling is an attack with a stamp that the passkey made, but not on the page, or
// not as it should.
func fooling(how passkey.Tamper) func(*host) {
	return func(h *host) {
		p := h.newcomer()
		body := p.pays(robber)
		_, _, _ = h.submit(body, p.fooled(body, how))
	}
}

// written is an attack with a body that its owner stamps although it says two things.
func written(old, text string) func(*host) {
	return func(h *host) {
		p := h.newcomer()
		body := strings.Replace(p.pays(shop), old, text, 1)
		_, _, _ = h.submit(body, p.agree(body))
	}
}

// timed is an attack with a body that its owner stamps for another time.
func timed(made, ends time.Duration) func(*host) {
	return func(h *host) {
		p, now := h.newcomer(), time.Now()
		body := p.pays(shop, func(b *wire.Body) {
			b.TimestampMs, b.ExpiresAtMs = millis(now.Add(made)), millis(now.Add(ends))
		})
		_, _, _ = h.submit(body, p.agree(body))
	}
}

// stamps are the attacks on what a stamp proves: S of the list.
var stamps = []attack{
	{"S01", "a stamp for another payment", "challenge", func(h *host) {
		p := h.newcomer()
		_, _, _ = h.submit(p.pays(robber), p.agree(p.pays(shop)))
	}},
	{"S01", "a stamp for the same payment with one more space", "challenge", func(h *host) {
		p := h.newcomer()
		body := p.pays(shop)
		stamp := p.agree(body)
		_, _, _ = h.submit(body+" ", stamp)
		_, _, _ = h.submit(strings.Replace(body, ":", ": ", 1), stamp)
	}},
	{"S02", "a stamped body twice", "once", func(h *host) {
		p := h.newcomer()
		body := p.pays(shop)
		stamp := p.agree(body)
		for range 3 {
			_, _, _ = h.submit(body, stamp)
		}
	}},
	{"S02", "a stamped body fifty times at once", "once", func(h *host) {
		p := h.newcomer()
		body := p.pays(shop)
		stamp := p.agree(body)
		h.atOnce(50, func(int) { _, _, _ = h.submit(body, stamp) })
	}},
	{"S03", "a body with two receivers", "strict", written(`"to":`, `"to":"`+robber+`","to":`)},
	{"S03", "a body with two types of parameters", "strict", written(`"parameters":`, `"parameters":{},"parameters":`)},
	{"S03", "a body with a note that no signer reads", "strict",
		written(`"environment":`, `"note":"for a test only","environment":`)},
	{"S04", "the hash itself as challenge", "challenge", fooling(passkey.Tamper{RawChallenge: true})},
	{"S05", "the stamp of a registration", "ceremony", fooling(passkey.Tamper{Type: "webauthn.create"})},
	{"S06", "a page on another host", "origin", fooling(passkey.Tamper{Origin: "https://evil.example"})},
	{"S06", "a page on another port", "origin", fooling(passkey.Tamper{Origin: "http://localhost:9091"})},
	{"S06", "a page of another scheme", "origin", fooling(passkey.Tamper{Origin: "https://localhost:9090"})},
	{"S06", "a host that begins alike", "origin",
		fooling(passkey.Tamper{Origin: "http://localhost:9090.evil.example"})},
	{"S06", "a sub-domain", "origin", fooling(passkey.Tamper{Origin: "http://evil.localhost:9090"})},
	{"S06", "a trailing dot", "origin", fooling(passkey.Tamper{Origin: "http://localhost.:9090"})},
	{"S06", "no origin", "origin", fooling(passkey.Tamper{Origin: "null"})},
	{"S06", "the page in a frame of another", "crossOrigin", fooling(passkey.Tamper{CrossOrigin: true})},
	{"S06", "the page in a frame that is named", "crossOrigin",
		fooling(passkey.Tamper{TopOrigin: "https://evil.example"})},
	{"S07", "another relying party", "rpid", fooling(passkey.Tamper{RPID: "evil.example"})},
	{"S08", "nobody present", "present", fooling(passkey.Tamper{NotPresent: true})},
	{"S08", "nobody verified", "verified", fooling(passkey.Tamper{NotVerified: true})},
	{"S09", "a copy of the passkey that is behind", "counter", func(h *host) {
		count := func(n uint32) uint32 { return n }
		p := h.arrival(passkey.New(origin))
		body := p.pays(shop)
		_, _, _ = h.submit(body, p.agree(body))
		stolen := p.pays(robber)
		_, _, _ = h.submit(stolen,
			p.fooled(stolen, passkey.Tamper{SignCount: func(n uint32) uint32 { return count(n) - 1 }}))
	}},
	{"S10", "the passkey of another sub-organization", "organization", func(h *host) {
		p, m := h.newcomer(), h.mallory()
		body := p.pays(robber)
		_, _, _ = h.submit(body, m.stamp(m.key, body))
	}},
	{"S10", "the address of another sub-organization", "account", func(h *host) {
		m := h.mallory()
		p := h.newcomer()
		body := h.body(m.org, wire.SignIntent, p.intent(robber, someWei, noData))
		_, _, _ = h.submit(body, m.stamp(m.key, body))
	}},
	{"S10", "a passkey that was removed", "deleted", func(h *host) {
		p := h.newcomer()
		lost := p.spare()
		p.must(wire.DeleteAuthenticator, wire.DeleteAuthenticatorParams{CredentialID: lost.credential})
		h.ledger.gone(lost)
		body := p.pays(robber)
		_, _, _ = h.submit(body, lost.stamp(lost.key, body))
	}},
	{"S11", "a signature of no key", "signature",
		fooling(passkey.Tamper{Signature: func(s []byte) []byte { s[len(s)-1] ^= 1; return s }})},
	{"S11", "a signature with an end that is not its own", "signature",
		fooling(passkey.Tamper{Signature: func(s []byte) []byte { return append(s, 0) }})},
	{"S11", "a signature of zeros", "signature",
		fooling(passkey.Tamper{Signature: func([]byte) []byte { return []byte{0x30, 6, 2, 1, 0, 2, 1, 0} }})},
	{"S12", "a signature by another key under the same name", "signature", func(h *host) {
		p, m := h.newcomer(), h.mallory()
		body := p.pays(robber)
		forged := m.stamp(m.key, body)
		forged.HeaderValue = strings.Replace(forged.HeaderValue, m.credential, p.credential, 1)
		_, _, _ = h.submit(body, forged)
	}},
	{"S14", "a body for production", "environment", func(h *host) {
		p := h.newcomer()
		body := p.pays(shop, func(b *wire.Body) { b.Environment = "production" })
		_, _, _ = h.submit(body, p.agree(body))
	}},
	{"S14", "a payment without a stamp", "stamp", func(h *host) { _, _, _ = h.submit(h.newcomer().pays(robber), nil) }},
	{"S15", "a body from more than an hour ago", "times", timed(-61*time.Minute, -time.Minute)},
	{"S15", "a body that has expired", "times", timed(-10*time.Minute, -time.Second)},
	{"S15", "a body from the future", "times", timed(6*time.Minute, 20*time.Minute)},
	{"S15", "a body that lives for two hours", "times", timed(0, 2*time.Hour)},
	{"S16", "a passkey that nobody stamped", "loosens", func(h *host) {
		p, m := h.newcomer(), h.mallory()
		m.key = synced()
		challenge, att := m.attest("intruder@example.com")
		body := h.body(p.org, wire.CreateAuthenticator, wire.CreateAuthenticatorParams{
			Challenge: challenge, Email: "intruder@example.com", Attestation: att,
		})
		_, _, _ = h.submit(body, nil)
		_, _, _ = h.submit(body, nil)
		m.credential = att.CredentialID
		stolen := p.pays(robber)
		_, _, _ = h.submit(stolen, m.stamp(m.key, stolen))
	}},
}
