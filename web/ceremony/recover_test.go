package ceremony_test

import (
	"context"
	"crypto/ecdh"
	"crypto/hpke"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/internal/test/webtest"
)

// sealed is a bundle as the signer seals it.
func sealed(t *testing.T, to *ecdh.PublicKey, info, secret []byte) string {
	t.Helper()
	key, err := hpke.NewDHKEMPublicKey(to)
	must(t, err)
	raw, err := hpke.Seal(key, hpke.HKDFSHA256(), hpke.AES256GCM(), info, secret)
	must(t, err)
	return base64.RawURLEncoding.EncodeToString(raw)
}

func bundleVector(t *testing.T) object {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	must(t, err)
	secret, info := make([]byte, 32), wire.RecoveryInfo("sandbox", "r1")
	_, _ = rand.Read(secret) // never fails
	return object{
		"secret": hex.EncodeToString(key.Bytes()), "point": hex.EncodeToString(key.PublicKey().Bytes()),
		"info": string(info), "bundle": sealed(t, key.PublicKey(), info, secret), "plain": hex.EncodeToString(secret),
	}
}

func recoveryVectors() (all []object) {
	for _, p := range []wire.RecoverUserParams{
		{RecoveryID: "r1", Attestation: wire.Attestation{CredentialID: "AQID", AttestationObject: "o2NmbXRk"},
			NewRecoveryPublicKey: "02ab"},
		{RecoveryID: "r2", Attestation: wire.Attestation{CredentialID: "AQIE", AttestationObject: "AA"},
			RemoveOtherPasskeys: true, NewRecoveryPublicKey: "03cd"},
	} {
		all = append(all, object{
			"environment": "sandbox", "subOrganizationId": organization, "userId": "u1",
			"message": wire.RecoveryMessage("sandbox", organization, "u1", p),
			"handed": object{
				"recoveryId": p.RecoveryID, "credentialId": p.Attestation.CredentialID,
				"attestationObject": p.Attestation.AttestationObject, "removeOtherPasskeys": p.RemoveOtherPasskeys,
				"newRecoveryPublicKey": p.NewRecoveryPublicKey,
			},
		})
	}
	return all
}

// recovers asks for a recovery on the page, and gives the link that would be mailed.
func (h *host) recovers(t *testing.T, b *tab, secret []byte) (link string) {
	t.Helper()
	expires := clock.ISO(time.Now().Add(15 * time.Minute))
	h.set(func() {
		h.opening = object{
			"kind":        "lost",
			"environment": "sandbox",
			"expiresAt":   expires,
			"recover":     object{"email": "ada@example.com"},
		}
		h.finish = func(request) (int, any) {
			return 201, object{"recoveryId": "r1", "status": "requested", "expiresAt": expires}
		}
	})
	b.Go(h.link())
	webtest.Contains(t, b.Wait("ready"), "Recover your account", "ada@example.com")
	b.press()
	apptest.Eventually(t, "the page that waits", func() bool {
		return strings.Contains(b.Text(), "Look into your mailbox")
	})
	came := h.stamps()
	target, err := wire.ParseP256(came[len(came)-1].TargetPublicKey)
	must(t, err)
	key, err := target.ECDH()
	must(t, err)
	options := h.registrationOptions("ada@example.com")
	h.set(func() {
		h.opening = object{"kind": "recover", "environment": "sandbox", "expiresAt": expires, "recover": object{
			"email": "ada@example.com", "recoveryId": "r1", "subOrganizationId": organization, "userId": "u1",
			"needsCode": true, "options": options,
		}}
	})
	return h.origin() + "/#" + token1 + "." + sealed(t, key, wire.RecoveryInfo("sandbox", "r1"), secret)
}

// answers is the signer's word on a recovery that was handed in.
func (h *host) answers(change func(*wire.RecoveryPending)) {
	h.set(func() {
		h.finish = func(r request) (int, any) {
			key := h.signer.statement(h.registration("ada@example.com", request{
				Attestation: &r.Recovery.Attestation,
			})["proof"].(wire.Proof)).Result.Owners.Credentials[0]
			p := wire.RecoveryPending{
				RecoveryID: "r1", Email: key.Email, CredentialID: key.CredentialID, PublicKey: key.PublicKey,
				ReadyAt: "2030-01-02T03:04:05.000Z", EmailOnly: r.Recovery.RecoverySignature == "",
			}
			change(&p)
			return 201, object{"status": "pending", "proof": h.signer.state(wire.Statement{
				Kind: wire.KindResult, Outcome: wire.Held, OrganizationID: organization, Activity: wire.RecoverUser,
				Result: &wire.Result{Recovery: &p},
			})}
		}
	})
}

func (b *tab) types(text string) {
	b.T.Helper()
	b.Do(chromedp.SendKeys(chromedp.CSS("textarea"), text))
}

// The mailed secret is the challenge, the code vouches, and neither code leaves the page.
func TestSigning_R05_PageRecovers(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	secret := []byte(strings.Repeat("s", 32))
	link := h.recovers(t, b, secret)
	h.answers(func(*wire.RecoveryPending) {})
	code := someCodes(t)[0]
	b.Go(link)
	webtest.Contains(t, b.Wait("ready"), "Make a new passkey", "Recovery code")
	b.types("0" + code.Code[1:])
	b.press()
	apptest.Eventually(t, "a word about the slip", func() bool { return strings.Contains(b.Text(), "is not right") })
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector("textarea").value = ""`))
	b.types(strings.ToLower(code.Code))
	b.Do(chromedp.Click(chromedp.CSS(".check input")))
	b.press()
	b.Wait("code")
	next := b.shownCode()
	b.press()
	webtest.Contains(t, b.Wait("done"), "You can sign from January 2, 2030", "other passkeys end")

	came := h.stamps()
	got := came[len(came)-1].Recovery
	p := wire.RecoverUserParams{
		RecoveryID:           "r1",
		Attestation:          got.Attestation,
		RemoveOtherPasskeys:  true,
		NewRecoveryPublicKey: publicOf(t, next),
	}
	if !wire.VerifyP256(code.Public, wire.RecoveryMessage("sandbox", organization, "u1", p), got.RecoverySignature) {
		t.Error("the recovery key has not signed the passkey, the removal of others and the next key")
	}
	raw, err := base64.RawURLEncoding.DecodeString(got.Attestation.ClientDataJSON)
	if err != nil || !strings.Contains(string(raw), `"challenge":"`+base64.RawURLEncoding.EncodeToString(secret)+`"`) {
		t.Errorf("the passkey has answered %s, %v", raw, err)
	}
	sent := strings.ToUpper(h.sent.String())
	_, bundle, _ := strings.Cut(link, ".")
	for _, canary := range []string{
		code.Code, strings.ReplaceAll(code.Code, "-", ""), code.Secret, next, strings.ReplaceAll(next, "-", ""), bundle,
	} {
		if strings.Contains(sent, strings.ToUpper(canary)) {
			t.Error("a code or the bundle was sent")
		}
	}
}

// A link that is opened elsewhere shows nothing and spends nothing; the page that
// waits takes it.
func TestSigning_R05_PageNeedsItsOwnBrowser(t *testing.T) {
	t.Parallel()
	h, b, other := newHost(t), newTab(t), newTab(t)
	link := h.recovers(t, b, make([]byte, 32))
	other.Go(link)
	webtest.Contains(t, other.Wait("elsewhere"), "Open it where you began")
	other.Go(strings.Split(link, ".")[0])
	webtest.Contains(t, other.Wait("unknown"), "not complete")
	b.types("https://example.com/")
	b.press()
	apptest.Eventually(t, "a word about the link", func() bool {
		return strings.Contains(b.Text(), "not the link of the mail")
	})
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector("textarea").value = ""`))
	b.types(link)
	b.press()
	apptest.Eventually(t, "the recovery", func() bool { return strings.Contains(b.Text(), "Make a new passkey") })
}

// What the signer says of another passkey, or without the code, is not shown as done.
func TestSigning_R05_PageRefusesAnotherRecovery(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	code := someCodes(t)[0].Code
	for name, lie := range testenv.SampleMap(t, map[string]func(*wire.RecoveryPending){
		"another passkey":  func(p *wire.RecoveryPending) { p.CredentialID = "AQ" },
		"another key":      func(p *wire.RecoveryPending) { p.PublicKey = "AQ" },
		"without the code": func(p *wire.RecoveryPending) { p.EmailOnly = true },
	}, 1) {
		b.forget()
		link := h.recovers(t, b, make([]byte, 32))
		h.answers(lie)
		b.Go(link)
		b.Wait("ready")
		b.types(code)
		b.press()
		if text := b.Wait("unverified"); !strings.Contains(text, "What is wrong") {
			t.Errorf("%s: the page says\n%s", name, text)
		}
	}
}

var mailed = regexp.MustCompile(`http://localhost:[0-9]+/#[A-Za-z0-9_.-]+`)

// Register with a code, lose the passkey, recover by mail and code, and the same
// address signs again.
func TestSigning_R06_PageRecoveryStory(t *testing.T) {
	t.Parallel()
	a := apptest.New(t)
	p := newPerson(t, a)
	p.forget()
	begin := apiCall[linked](t, a, "POST", "/v1/signing/recovery/initiate", `{"email":"ada@example.com"}`)
	known := a.Mail.Mails()
	p.Go(begin.CeremonyURL)
	webtest.Contains(t, p.Wait("ready"), "Recover your account", "ada@example.com")
	p.press()
	apptest.Eventually(t, "the page that waits", func() bool {
		return strings.Contains(p.Text(), "Look into your mailbox")
	})
	link := mailed.FindString(a.MailTo("ada@example.com", known...).Text)

	newTabHasNoKey := newTab(t)
	newTabHasNoKey.Go(link)
	newTabHasNoKey.Wait("elsewhere")

	p.Go(link)
	p.Wait("ready")
	p.types(someCodes(t)[0].Code) // somebody else's
	p.press()
	apptest.Eventually(t, "a word about the code", func() bool {
		return strings.Contains(p.Text(), "not the one of this account")
	})
	p.types(p.code)
	p.press()
	p.Wait("code")
	p.code = p.shownCode()
	p.press()
	webtest.Contains(t, p.Wait("done"), "You can sign from")

	id := base64.RawURLEncoding.EncodeToString(p.passkeys()[0].CredentialID)
	apptest.Eventually(t, "the new passkey", func() bool {
		keys, err := p.client.Passkeys.List(context.Background(), p.sub)
		return err == nil && len(keys) == 2 && (keys[0].CredentialID == id || keys[1].CredentialID == id)
	})
	p.trust()
	webtest.Contains(t, p.agree(p.pay("25.50").CeremonyURL, "Send 25.50 USDC"), "The signer has signed it")
}
