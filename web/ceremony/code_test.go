package ceremony_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/webtest"
)

const codeDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// codeOf spells a private key the way docs/recovery.md says.
func codeOf(secret []byte) string {
	sum := sha256.Sum256(append([]byte("railkit recovery code v1\n"), secret...))
	number := new(big.Int).SetBytes(append(bytes.Clone(secret), sum[:3]...))
	var b strings.Builder
	for at := 55; at >= 0; at-- {
		digit := new(big.Int).Rsh(number, uint(5*at))
		b.WriteByte(codeDigits[digit.And(digit, big.NewInt(31)).Int64()])
		if at%4 == 0 && at > 0 {
			b.WriteByte('-')
		}
	}
	return b.String()
}

// keyOf is the private key of a code.
func keyOf(t *testing.T, code string) *ecdsa.PrivateKey {
	t.Helper()
	number := new(big.Int)
	for _, c := range strings.ReplaceAll(code, "-", "") {
		number.Lsh(number, 5).Or(number, big.NewInt(int64(strings.IndexRune(codeDigits, c))))
	}
	secret := number.FillBytes(make([]byte, 35))[:32]
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), secret)
	if err != nil || codeOf(secret) != code {
		t.Fatalf("the code is not one: %v", err)
	}
	return key
}

func publicOf(t *testing.T, code string) string { return wire.CompressP256(&keyOf(t, code).PublicKey) }

type codeVector struct {
	Secret string `json:"secret"` // hex
	Code   string `json:"code"`
	Public string `json:"public"` // compressed, hex
}

// someCodes are codes, the first of them fixed: it is the one of docs/recovery.md.
func someCodes(t *testing.T) (all []codeVector) {
	t.Helper()
	fixed := sha256.Sum256([]byte("railkit"))
	secrets := [][]byte{fixed[:], append(make([]byte, 31), 1), append(make([]byte, 31), 2), append(make([]byte, 31), 3)}
	for range 6 {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		must(t, err)
		raw, err := key.Bytes()
		must(t, err)
		secrets = append(secrets, raw)
	}
	for _, s := range secrets {
		code := codeOf(s)
		all = append(all, codeVector{hex.EncodeToString(s), code, publicOf(t, code)})
	}
	return all
}

func TestRecoveryCodeOfTheDocuments(t *testing.T) {
	text, err := os.ReadFile("../../docs/recovery.md")
	must(t, err)
	v := someCodes(t)[0]
	webtest.Contains(t, string(text), v.Secret, v.Code, v.Public)
}

func (b *tab) shownCode() string {
	b.T.Helper()
	return b.Eval("Array.from(document.querySelectorAll('.recovery span'), (s) => s.textContent).join('-')")
}

// What the code opens is the key that was registered, and none of it has left the page.
func TestSigning_R_RecoveryCodeStaysOnThePage(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	h.registers("ada@example.com")
	b.Go(h.link())
	b.Wait("ready")
	b.press()
	b.Wait("code")
	code := b.shownCode()
	webtest.Contains(t, readDownload(t, b), code, "ada@example.com", "localhost")
	b.Do(chromedp.Click(chromedp.CSS(".beside button:first-child")))
	b.press()
	b.Wait("done")

	key := keyOf(t, code)
	if got := h.stamps()[0].RecoveryPublicKey; got != wire.CompressP256(&key.PublicKey) {
		t.Errorf("registered is %s", got)
	}
	secret, err := key.Bytes()
	must(t, err)
	h.mu.Lock()
	sent := strings.ToUpper(h.sent.String())
	h.mu.Unlock()
	if !strings.Contains(sent, strings.ToUpper(wire.CompressP256(&key.PublicKey))) {
		t.Error("the record of what was sent is not complete")
	}
	for name, canary := range map[string]string{
		"code": code, "code without gaps": strings.ReplaceAll(code, "-", ""), "hex": hex.EncodeToString(secret),
		"base64url": base64.RawURLEncoding.EncodeToString(secret), "a part": code[:14], "the end": code[len(code)-14:],
	} {
		if strings.Contains(sent, strings.ToUpper(canary)) {
			t.Errorf("the secret was sent: %s", name)
		}
	}
	if got := b.Eval(
		"document.documentElement.outerHTML + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)",
	); strings.Contains(got, code[:4]+"-") || strings.Contains(got, code[:4]+"<") {
		t.Error("the page keeps the code")
	}
}

// readDownload presses Download and reads what came.
func readDownload(t *testing.T, b *tab) string {
	t.Helper()
	folder := t.TempDir()
	webtest.Call(b.Tab, cdp.Command[object, cdp.Empty]{Method: browser.CommandSetDownloadBehavior}, object{
		"behavior": "allow", "downloadPath": folder, "browserContextId": chromedp.FromContext(b.Ctx).BrowserContextID,
	})
	b.Do(chromedp.Click(chromedp.CSS(".beside button:last-child")))
	var text []byte
	apptest.Eventually(t, "the file", func() (came bool) {
		var err error
		text, err = os.ReadFile(filepath.Join(folder, "recovery-code.txt"))
		return err == nil && len(text) > 0
	})
	return string(text)
}

// Who wants no recovery code gets none, and is told what that means.
func TestSigning_R_RegistrationWithoutRecoveryCode(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	h.registers("ada@example.com")
	b.Go(h.link())
	b.Wait("ready")
	b.Do(chromedp.Click(chromedp.CSS("button.quiet")))
	webtest.Contains(t, b.Text(), "Without a recovery code", "nobody can bring back")
	b.Do(chromedp.Click(chromedp.CSS("button.quiet"))) // and back
	webtest.Contains(t, b.Text(), "Create your passkey")
	b.Do(chromedp.Click(chromedp.CSS("button.quiet")))
	if got := b.button(); got != "Create passkey without a code" {
		t.Errorf("the button says %q", got)
	}
	b.press()
	webtest.Contains(t, b.Wait("done"), "There is no recovery code")
	if got := h.stamps()[0].RecoveryPublicKey; got != "" {
		t.Errorf("registered is %s", got)
	}
}
