package ceremony_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"os"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"

	"github.com/railkit/railkit/internal/test/webtest"
)

func TestMain(m *testing.M) { os.Exit(webtest.Unpainted(m.Run)) }

// tab is a person's browser: storage of its own, and a platform authenticator.
type tab struct {
	*webtest.Tab
	authenticator webauthn.AuthenticatorID
}

func newTab(t *testing.T) *tab {
	t.Helper()
	if testing.Short() && t.Name() != "TestSigning_A10_PageStory" {
		t.Skip("the race detector sees nothing of a browser: one story is enough for the server's side")
	}
	b := &tab{Tab: webtest.Open(t)}
	webtest.Call(b.Tab, webauthn.Enable, webauthn.EnableParams{})
	b.authenticator = webtest.Call(b.Tab, webauthn.AddVirtualAuthenticator,
		webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
			HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
		}}).AuthenticatorID
	return b
}

// press clicks the button that names the act.
func (b *tab) press() {
	b.T.Helper()
	b.Do(chromedp.Click(chromedp.CSS(".actions button:enabled")))
}

func (b *tab) button() string { return b.Eval("document.querySelector('.actions button')?.innerText") }

// userVerifies says whether the person at the device agrees.
func (b *tab) userVerifies(yes bool) {
	b.T.Helper()
	webtest.Call(b.Tab, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{
		AuthenticatorID: b.authenticator, IsUserVerified: yes,
	})
}

// givePasskey puts a passkey into the device, and gives its id.
func (b *tab) givePasskey() string {
	b.T.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		b.T.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		b.T.Fatal(err)
	}
	id := make([]byte, 16)
	_, _ = rand.Read(id) // never fails
	// The library's own type sends members that this authenticator refuses.
	add := cdp.Command[object, cdp.Empty]{Method: webauthn.CommandAddCredential}
	webtest.Call(b.Tab, add, object{"authenticatorId": b.authenticator, "credential": object{
		"credentialId": id, "isResidentCredential": true, "rpId": "localhost", "privateKey": der,
		"userHandle": []byte("user"), "signCount": 1,
	}})
	return base64.RawURLEncoding.EncodeToString(id)
}

// forget empties the device, which has room for three passkeys.
func (b *tab) forget() {
	b.T.Helper()
	webtest.Call(b.Tab, webauthn.ClearCredentials, webauthn.ClearCredentialsParams{AuthenticatorID: b.authenticator})
}

// passkeys are those in the device.
func (b *tab) passkeys() []*webauthn.Credential {
	b.T.Helper()
	return webtest.Call(b.Tab, webauthn.GetCredentials,
		webauthn.GetCredentialsParams{AuthenticatorID: b.authenticator}).Credentials
}
