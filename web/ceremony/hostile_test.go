package ceremony_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/internal/test/webtest"
	"github.com/railkit/railkit/web/ceremony"
)

// lies are what a host tries before the passkey is asked. The page must not ask it.
var lies = []struct {
	name string
	tell func(t *testing.T, h *host, stamp object)
	why  string // what the page says is wrong
}{
	{"another body under the old preview",
		func(_ *testing.T, _ *host, s object) { s["body"] = transferBody(payer) }, "another body"},
	{"the preview of another body",
		func(_ *testing.T, h *host, s object) { s["preview"] = h.signer.preview(transferBody(payee)) }, "another body"},
	{"a preview by another key", func(t *testing.T, _ *host, s object) {
		s["preview"] = newSigner(t).preview(s["body"].(string))
	}, "another key"},
	{"a preview by another key under the pinned one's name", func(t *testing.T, h *host, s object) {
		p := newSigner(t).preview(s["body"].(string))
		p.PublicKey = h.signer.key()
		s["preview"] = p
	}, "signature is not the signer’s"},
	{"words changed in the preview", func(_ *testing.T, _ *host, s object) {
		p := s["preview"].(wire.Proof)
		p.Payload = strings.Replace(p.Payload, payee, payer, 1)
		s["preview"] = p
	}, "signature is not the signer’s"},
	{"a preview of another environment", func(_ *testing.T, h *host, s object) {
		st := h.signer.statement(s["preview"].(wire.Proof))
		st.Environment = "production"
		s["preview"] = h.signer.sign(st)
	}, "another environment"},
	{"no preview", func(_ *testing.T, _ *host, s object) { delete(s, "preview") }, "not an object"},
	{"another website's passkey",
		func(_ *testing.T, _ *host, s object) { s["rpId"] = "example.com" }, "another website"},
	{"another kind", func(_ *testing.T, h *host, _ object) { h.opening["kind"] = "wallet" }, "another act"},
	{"another environment", func(_ *testing.T, h *host, _ object) { h.opening["environment"] = "production" },
		"another environment"},
}

func TestSigning_A10_PageRefusesALyingHost(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	credential := b.givePasskey()
	for _, lie := range testenv.Sample(t, lies, 4) {
		stamp := h.asks("transaction", transferBody(payee), credential)
		h.set(func() { lie.tell(t, h, stamp) })
		b.Go(h.link())
		text := strings.ReplaceAll(b.Wait("unverified"), "'", "’")
		if !strings.Contains(text, lie.why) || !strings.Contains(text, "Contact the operator") {
			t.Errorf("%s: the page says\n%s", lie.name, text)
		}
		if b.button() != "undefined" {
			t.Errorf("%s: there is a way on", lie.name)
		}
	}
	if len(h.stamps()) != 0 || b.passkeys()[0].SignCount != 1 {
		t.Error("the passkey was used")
	}
}

// After the passkey has signed, a wrong answer is not shown as done.
func TestSigning_A10_PageRefusesALyingAnswer(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	credential := b.givePasskey()
	hash := "0x" + strings.Repeat("5d", 32)
	result := wire.Result{Transaction: &wire.Transaction{TxHash: hash}}
	for name, answer := range testenv.SampleMap(t, map[string]func(body string) object{
		"no proof": func(string) object { return object{"txHash": hash, "status": "broadcast"} },
		"another body": func(string) object {
			return object{"txHash": hash, "proof": h.signer.result(transferBody(payer), result)}
		},
		"another hash": func(b string) object {
			return object{"txHash": "0x00", "proof": h.signer.result(b, result)}
		},
		"the preview again": func(b string) object { return object{"txHash": hash, "proof": h.signer.preview(b)} },
		"another key": func(b string) object {
			return object{"txHash": hash, "proof": newSigner(t).result(b, result)}
		},
	}, 2) {
		body := transferBody(payee)
		h.asks("transaction", body, credential)
		h.set(func() { h.finish = func(request) (int, any) { return 200, answer(body) } })
		b.Go(h.link())
		b.Wait("ready")
		b.press()
		if text := b.Wait("unverified"); !strings.Contains(text, "It may have been done") {
			t.Errorf("%s: the page says\n%s", name, text)
		}
	}
}

// A passkey swapped while it is registered is seen: the proof names another.
func TestSigning_A10_PageRefusesASwappedPasskey(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	for name, swap := range testenv.SampleMap(t, map[string]func(*wire.Owners){
		"another passkey": func(o *wire.Owners) { o.Credentials[0].CredentialID = "AQ" },
		"another key":     func(o *wire.Owners) { o.Credentials[0].PublicKey = "AQ" },
		"a second owner":  func(o *wire.Owners) { o.Credentials = append(o.Credentials, o.Credentials[0]) },
		"a recovery key":  func(o *wire.Owners) { o.RecoveryPublicKey = h.signer.key() },
		"none":            func(o *wire.Owners) { o.RecoveryPublicKey = "" },
		"a mail alone":    func(o *wire.Owners) { o.EmailOnlyRecovery = true },
	}, 2) {
		b.forget()
		h.registers("ada@example.com")
		honest := h.finish
		h.set(func() {
			h.finish = func(r request) (int, any) {
				_, data := honest(r)
				st := h.signer.statement(data.(object)["proof"].(wire.Proof))
				swap(st.Result.Owners)
				return 200, object{"subOrganizationId": organization, "proof": h.signer.sign(st)}
			}
		})
		b.Go(h.link())
		b.Wait("ready")
		b.press()
		if text := b.Wait("unverified"); !strings.Contains(text, "passkey") {
			t.Errorf("%s: the page says\n%s", name, text)
		}
	}
}

// What the browser has seen of the signer it does not forget with the next link.
func TestSigning_A10_PageRemembersTheSigner(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	credential := b.givePasskey()
	old := h.signer.seq
	h.asks("transaction", transferBody(payee), credential)
	b.Go(h.link())
	b.Wait("ready")
	b.press()
	b.Wait("done")

	h.signer.seq = old // as an older copy of the signer would
	h.asks("transaction", transferBody(payee), credential)
	b.Go(h.link())
	webtest.Contains(t, b.Wait("unverified"), "ends before an entry that this browser has seen")

	h.signer.seq = old + 1 // where the browser has seen another head
	h.asks("transaction", transferBody(payee), credential)
	stamp := h.opening["stamp"].(object)
	st := h.signer.statement(stamp["preview"].(wire.Proof))
	st.Head = strings.Repeat("0", 64)
	h.set(func() { stamp["preview"] = h.signer.sign(st) })
	b.Go(h.link())
	webtest.Contains(t, b.Wait("unverified"), "not of the journal")

	first := h.signer.key()
	h.set(func() { h.signer = newSigner(t); h.page = ceremony.Static(h.signer.pin()) })
	h.asks("transaction", transferBody(payee), credential)
	b.Go(h.link())
	webtest.Contains(t, b.Wait("unverified"), "another signer", first, h.signer.key())
}

// The signer is put back to a copy from before the payment, and its journal passes
// the number that the browser remembers. Nothing is asked of the passkey.
func TestSigning_A10_PageOfARestoredSigner(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	credential := b.givePasskey()
	before := h.signer.seq
	h.asks("transaction", transferBody(payee), credential)
	b.Go(h.link())
	b.Wait("ready")
	b.press()
	b.Wait("done")

	h.signer.seq += 20
	for _, told := range []struct {
		journal func(opening object)
		why     string
	}{
		{nil, "put back to an older copy"},
		{func(o object) { delete(o, "journal") }, "not an object"},
		{func(o object) { o["journal"], _ = h.signer.journal(nil) }, "not about its journal"},
		{func(o object) { // of the journal that it was, which the preview is not of
			h.signer.forked, h.signer.seq = 0, h.signer.seq+1
			o["journal"], _ = h.signer.journal([]string{"41", "42", "62"})
		}, "not of the journal"},
	} {
		h.set(func() { h.signer.forked, h.journal = before+1, told.journal })
		h.asks("transaction", transferBody(payee), credential)
		b.Go(h.link())
		webtest.Contains(t, b.Wait("unverified"), told.why)
		if b.button() != "undefined" {
			t.Errorf("%s: there is a way on", told.why)
		}
	}
	if len(h.stamps()) != 1 {
		t.Errorf("%d stamps", len(h.stamps()))
	}

	h.set(func() { h.signer.forked, h.journal = 0, nil }) // the signer that it was is still believed
	h.asks("transaction", transferBody(payee), credential)
	b.Go(h.link())
	b.Wait("ready")
}

func TestSigning_A10_PageTellsHowItEnds(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	credential := b.givePasskey()
	b.Go(h.origin() + "/")
	webtest.Contains(t, b.Wait("unknown"), "This link does not work")
	b.Go(h.origin() + "/#another")
	webtest.Contains(t, b.Wait("unknown"), "This link does not work")

	for reason, title := range map[string]string{
		"finished": "This link is over", "cancelled": "It was cancelled", "expired": "The time is up",
	} {
		h.set(func() { h.over = reason })
		b.Go(h.link())
		state := map[bool]string{true: "expired", false: "over"}[reason == "expired"]
		webtest.Contains(t, b.Wait(state), title)
	}

	stamp := h.asks("transaction", transferBody(payee), credential)
	h.set(func() { h.opening["expiresAt"] = clock.ISO(time.Now().Add(300 * time.Millisecond)) })
	b.Go(h.link())
	webtest.Contains(t, b.Wait("expired"), "The time is up", "Nothing was signed")

	h.set(func() {
		h.opening["expiresAt"] = ""
		h.finish = func(request) (int, any) { return 422, "passkey_signature_invalid" }
	})
	b.Go(h.link())
	b.Wait("ready")
	b.press()
	webtest.Contains(t, b.Wait("denied"), "The server refuses", "Passkey signature invalid", "could still be done")

	h.set(func() {
		h.over, h.finish = "finished", func(request) (int, any) { return 410, "ceremony_over" }
	})
	b.Go(h.link())
	b.Wait("ready")
	b.press()
	webtest.Contains(t, b.Wait("over"), "It was done already", "another answer to this link came first")

	body := stamp["body"].(string)
	h.asks("transaction", body, credential)
	h.set(func() { h.down = true })
	b.Go(h.link())
	webtest.Contains(t, b.Wait("down"), "Nothing was signed", "Try again")
	h.set(func() { h.down = false })
	b.press()
	b.Wait("ready")
	h.set(func() { h.down = true })
	b.press()
	webtest.Contains(t, b.Wait("down"), "Your passkey has signed", "Send again")
	h.set(func() { h.down = false })
	b.press()
	b.Wait("done")
}

// A host's own script in the page does not run, whichever way it comes in.
func TestSigning_H09_PageRunsNoOtherScript(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	honest := h.page
	h.page = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		honest.ServeHTTP(rec, r)
		for name, values := range rec.Header() {
			w.Header()[name] = values
		}
		_, _ = w.Write(bytes.Replace(rec.Body.Bytes(), []byte("<body>"),
			[]byte(`<body><script>window.injected = 1</script><img src=x onerror="window.injected = 2">`), 1))
	})
	h.asks("transaction", transferBody(payee), b.givePasskey())
	b.Go(h.link())
	b.Wait("ready")
	if got := b.Eval("window.injected"); got != "undefined" {
		t.Errorf("the injected script ran: %s", got)
	}
	for what, script := range map[string]string{
		"markup": "(() => { try { document.body.innerHTML = '<b>x</b>'; " +
			"return 'taken' } catch (e) { return e.name } })()",
		"eval": "(() => { try { return new Function('return \"taken\"')() } catch (e) { return e.name } })()",
		"a script": "(() => { try { const s = document.createElement('script'); s.text = 'window.injected = 3'; " +
			"document.body.append(s); return window.injected ? 'taken' : 'refused' } catch (e) { return e.name } })()",
		"a call": "fetch('http://127.0.0.1:1/').then(() => 'taken', e => e.name)",
	} {
		if got := b.Eval(script); got == "taken" || got == "" {
			t.Errorf("%s: %s", what, got)
		}
	}
}

func TestSigning_H09_PageIsNotFramed(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	h.asks("transaction", transferBody(payee), b.givePasskey())
	outer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<iframe src="%s" onload="document.title = 'loaded'"></iframe>`, h.link())
	}))
	t.Cleanup(outer.Close)
	b.Go(strings.Replace(outer.URL, "127.0.0.1", "localhost", 1))
	if got := b.Eval("new Promise(done => { const look = () => document.title ? done(document.title) : " +
		"setTimeout(look, 10); look() })"); got != "loaded" {
		t.Fatal(got)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if got := strings.Join(h.requests, ", "); got != "GET /" {
		t.Errorf("the frame asked for %s", got)
	}
}
