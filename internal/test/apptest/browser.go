package apptest

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/descope/virtualwebauthn"
)

// Browser is a person's browser on the dashboard: its passkeys, its cookies, and
// the access token that the page holds.
type Browser struct {
	app           *App
	Origin        string
	Authenticator virtualwebauthn.Authenticator
	Cookies       map[string]*http.Cookie
	Access        string
	MemberID      string
}

// NewBrowser is one that nobody has logged in with.
func (a *App) NewBrowser() *Browser {
	return &Browser{
		app:           a,
		Origin:        Dashboard,
		Authenticator: virtualwebauthn.NewAuthenticator(),
		Cookies:       map[string]*http.Cookie{},
	}
}

// Post calls as the dashboard's page does, with its cookies and without a token.
// Headers come in pairs; an empty value leaves the header out.
func (b *Browser) Post(path string, body any, headers ...string) Answer {
	b.app.t.Helper()
	text, ok := body.(string)
	if !ok {
		text = JSON(b.app.t, body)
	}
	req, err := http.NewRequest(http.MethodPost, b.app.BaseURL+path, strings.NewReader(text))
	if err != nil {
		b.app.t.Fatal(err)
	}
	if text != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Origin", b.Origin)
	for _, c := range b.Cookies {
		req.AddCookie(c)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
		if headers[i+1] == "" {
			req.Header.Del(headers[i])
		}
	}
	answer := send(b.app.t, req)
	b.keep(answer)
	return answer
}

// keep takes the answer's cookies, as a browser does.
func (b *Browser) keep(answer Answer) {
	for _, c := range (&http.Response{Header: answer.Header}).Cookies() {
		b.Cookies[c.Name] = c
		if c.MaxAge < 0 {
			delete(b.Cookies, c.Name)
		}
	}
}

// Do calls with the page's access token.
func (b *Browser) Do(method, path, body string, headers ...string) Answer {
	b.app.t.Helper()
	return b.app.Do("", method, path, body, append(headers, "Authorization", "Bearer "+b.Access)...)
}

// Opened is the data of a login.
type Opened struct {
	AccessToken, ExpiresAt, IntegratorID string
	Member                               struct{ ID, Email, Role string }
}

// Take keeps the access token of an answer that has one.
func (b *Browser) Take(answer Answer) Opened {
	b.app.t.Helper()
	var o Opened
	if err := answer.Into(&o); err != nil || o.AccessToken == "" {
		b.app.t.Fatalf("no session in %d %s", answer.Status, answer.Body)
	}
	b.Access, b.MemberID = o.AccessToken, o.Member.ID
	return o
}

func (b *Browser) party() virtualwebauthn.RelyingParty {
	return virtualwebauthn.RelyingParty{ID: "localhost", Name: "Railkit", Origin: b.Origin}
}

// Create answers creation options by a new passkey, as JSON.
func (b *Browser) Create(options json.RawMessage) string {
	b.app.t.Helper()
	asked, err := virtualwebauthn.ParseAttestationOptions(string(options))
	if err != nil {
		b.app.t.Fatalf("%v: %s", err, options)
	}
	b.Authenticator.Options.UserHandle = []byte(asked.UserID)
	key := newPasskey()
	b.Authenticator.AddCredential(key)
	return virtualwebauthn.CreateAttestationResponse(b.party(), b.Authenticator, key, *asked)
}

// wholeKey is how long a key is in COSE with both of its coordinates at 32 bytes.
const wholeKey = 77

// newPasskey makes one. The library cuts leading zeros off a coordinate, which no
// authenticator does: one key in 128 would be refused.
func newPasskey() virtualwebauthn.Credential {
	for {
		if key := virtualwebauthn.NewCredential(
			virtualwebauthn.KeyTypeEC2,
		); len(key.Key.AttestationData()) == wholeKey {
			return key
		}
	}
}

// Again answers creation options by a passkey that exists, which no browser does.
func (b *Browser) Again(options json.RawMessage, key virtualwebauthn.Credential) string {
	b.app.t.Helper()
	asked, err := virtualwebauthn.ParseAttestationOptions(string(options))
	if err != nil {
		b.app.t.Fatalf("%v: %s", err, options)
	}
	return virtualwebauthn.CreateAttestationResponse(b.party(), b.Authenticator, key, *asked)
}

// Assert answers request options by the newest passkey, as JSON.
func (b *Browser) Assert(options json.RawMessage) string {
	b.app.t.Helper()
	asked, err := virtualwebauthn.ParseAssertionOptions(string(options))
	if err != nil {
		b.app.t.Fatalf("%v: %s", err, options)
	}
	key := &b.Authenticator.Credentials[len(b.Authenticator.Credentials)-1]
	key.Counter++
	return virtualwebauthn.CreateAssertionResponse(b.party(), b.Authenticator, *key, *asked)
}

// Data is the raw data of an answer.
func (a Answer) Data() json.RawMessage {
	var e struct{ Data json.RawMessage }
	_ = json.Unmarshal([]byte(a.Body), &e) // what is not JSON has no data
	return e.Data
}

// Accept opens an invitation and accepts it by a new passkey.
func (b *Browser) Accept(token string) Answer {
	b.app.t.Helper()
	opened := b.Post("/v1/auth/invitations/open", map[string]string{"token": token})
	if opened.Status != http.StatusOK {
		return opened
	}
	var v struct{ Options json.RawMessage }
	if err := opened.Into(&v); err != nil {
		b.app.t.Fatal(err)
	}
	return b.Post("/v1/auth/invitations/accept",
		`{"token":"`+token+`","label":"Laptop","credential":`+b.Create(v.Options)+`}`)
}

// Login logs in by the newest passkey.
func (b *Browser) Login() Answer {
	b.app.t.Helper()
	begun := b.Post("/v1/auth/login/begin", "")
	if begun.Status != http.StatusOK {
		return begun
	}
	return b.Post("/v1/auth/login/finish", `{"credential":`+b.Assert(begun.Data())+`}`)
}
