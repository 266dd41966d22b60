package passkey

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
)

const (
	origin    = "http://localhost:8081"
	challenge = "xMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMQ"
	body      = `{"type":"ACTIVITY_TYPE_CREATE_WALLET"}`
	// hash is SHA-256 of body in hex, by sha256sum.
	hash = "edb9960c903b55fb3567355579c924efd8cff7262f1b610869a098c0fdf71ffa"
)

func options() CreationOptions {
	return CreationOptions{
		Challenge:        challenge,
		RP:               RelyingParty{ID: "localhost", Name: "Railkit"},
		User:             User{ID: "dXNlcg", Name: "ada@example.com", DisplayName: "Ada"},
		PubKeyCredParams: []CredentialParameter{{"public-key", -257}, {"public-key", -7}},
	}
}

func created(t *testing.T, a *Authenticator) Attestation {
	t.Helper()
	att, err := a.Create(options())
	if err != nil {
		t.Fatal(err)
	}
	return att
}

func stamped(t *testing.T, a *Authenticator, allow ...string) Stamp {
	t.Helper()
	s, err := a.Stamp(body, allow...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// credentialOf tells whose stamp it is, and what the authenticator counted.
func credentialOf(t *testing.T, s Stamp) (id string, count byte) {
	t.Helper()
	var form struct{ CredentialID, AuthenticatorData string }
	if err := json.Unmarshal([]byte(s.HeaderValue), &form); err != nil {
		t.Fatal(err)
	}
	auth, err := base64.RawURLEncoding.DecodeString(form.AuthenticatorData)
	if err != nil || len(auth) != 37 {
		t.Fatalf("authenticator data of %d bytes: %v", len(auth), err)
	}
	return form.CredentialID, auth[36]
}

// judge has go-webauthn, which others wrote, verify a stamp.
func judge(t *testing.T, s Stamp, key string) error {
	t.Helper()
	var form map[string]string
	if err := json.Unmarshal([]byte(s.HeaderValue), &form); err != nil {
		t.Fatal(err)
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(credentialJSON(t, form["credentialId"], map[string]any{
		"authenticatorData": form["authenticatorData"], "clientDataJSON": form["clientDataJson"],
		"signature": form["signature"],
	}))
	if err != nil {
		return err
	}
	cose, err := base64.RawURLEncoding.DecodeString(key)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Verify(base64.RawURLEncoding.EncodeToString([]byte(hash)), "localhost", "",
		[]string{origin}, nil, nil,
		protocol.TopOriginExplicitVerificationMode, false, true, true, cose, protocol.SignaturePolicy{})
}

func judgeRegistration(t *testing.T, att Attestation) error {
	t.Helper()
	parsed, err := protocol.ParseCredentialCreationResponseBytes(credentialJSON(t, att.CredentialID, map[string]any{
		"attestationObject": att.AttestationObject, "clientDataJSON": att.ClientDataJSON, "transports": att.Transports,
	}))
	if err != nil {
		return err
	}
	_, err = parsed.Verify(challenge, "localhost", []string{origin}, nil, nil,
		protocol.TopOriginExplicitVerificationMode, false, true, true,
		nil, []protocol.CredentialParameter{{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgES256}},
		protocol.AttestationPolicy{}, protocol.SignaturePolicy{})
	return err
}

func credentialJSON(t *testing.T, id string, response map[string]any) []byte {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"id": id, "rawId": id, "type": "public-key", "response": response})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestPasskey_GoWebAuthnAccepts(t *testing.T) {
	a := New(origin)
	att := created(t, a)
	if err := judgeRegistration(t, att); err != nil {
		t.Errorf("registration refused: %v", err)
	}
	list := a.Credentials()
	if len(list) != 1 || list[0].ID != att.CredentialID || list[0].RPID != "localhost" ||
		list[0].UserName != "ada@example.com" {
		t.Fatalf("credentials %+v", list)
	}
	s := stamped(t, a)
	if s.HeaderName != "X-Stamp-WebAuthn" {
		t.Errorf("header %s", s.HeaderName)
	}
	if err := judge(t, s, list[0].PublicKey); err != nil {
		t.Errorf("stamp refused: %v", err)
	}
}

func TestPasskey_MisbehaviourIsSeen(t *testing.T) {
	a := New(origin)
	created(t, a)
	key := a.Credentials()[0].PublicKey
	for name, tamper := range map[string]Tamper{
		"not present":   {NotPresent: true},
		"not verified":  {NotVerified: true},
		"type":          {Type: "webauthn.create"},
		"origin":        {Origin: "http://localhost:9"},
		"cross origin":  {CrossOrigin: true},
		"top origin":    {TopOrigin: "https://evil.example"},
		"raw challenge": {RawChallenge: true},
		"relying party": {RPID: "evil.example"},
		"signature":     {Signature: func(s []byte) []byte { s[len(s)-1] ^= 1; return s }},
	} {
		if err := judge(t, stamped(t, a.Misbehaving(tamper)), key); err == nil {
			t.Errorf("%s: go-webauthn sees nothing wrong", name)
		}
	}
	if err := judge(t, stamped(t, a.Misbehaving(Tamper{})), key); err != nil {
		t.Errorf("nothing tampered, but refused: %v", err)
	}
	frozen := a.Misbehaving(Tamper{SignCount: func(uint32) uint32 { return 9 }})
	if _, count := credentialOf(t, stamped(t, frozen)); count != 9 {
		t.Errorf("count %d, want 9", count)
	}
	if err := judgeRegistration(t, created(t, a.Misbehaving(Tamper{RawChallenge: true}))); err == nil {
		t.Error("a registration with another challenge passes")
	}
}

func TestPasskey_ChoosesTheCredential(t *testing.T) {
	a := New(origin)
	if _, err := a.Stamp(body); !errors.Is(err, ErrNoCredential) {
		t.Errorf("empty authenticator: %v", err)
	}
	first, second := created(t, a).CredentialID, created(t, a).CredentialID
	for _, row := range []struct {
		allow []string
		want  string
	}{
		{nil, second},
		{[]string{first}, first},
		{[]string{second, first}, second},
		{[]string{"dW5rbm93bg", first}, first},
	} {
		if got, _ := credentialOf(t, stamped(t, a, row.allow...)); got != row.want {
			t.Errorf("allow %v chose another credential", row.allow)
		}
	}
	if _, err := a.Stamp(body, "dW5rbm93bg"); !errors.Is(err, ErrNoCredential) {
		t.Errorf("unknown credential: %v", err)
	}
	elsewhere := &Authenticator{vault: a.vault, origin: "https://evil.example"}
	if _, err := elsewhere.Stamp(body, first); !errors.Is(err, ErrNoCredential) {
		t.Errorf("another site uses the passkey: %v", err)
	}
}

func TestPasskey_CreationRefuses(t *testing.T) {
	a := New("https://pay.shop.example")
	for _, row := range []struct {
		name string
		edit func(*CreationOptions)
		want error
	}{
		{"no ES256", func(o *CreationOptions) { o.PubKeyCredParams = o.PubKeyCredParams[:1] }, ErrNotSupported},
		{"foreign relying party", func(o *CreationOptions) { o.RP.ID = "localhost" }, ErrSecurity},
		{"suffix without a dot", func(o *CreationOptions) { o.RP.ID = "op.example" }, ErrSecurity},
		{"parent domain", func(o *CreationOptions) { o.RP.ID = "shop.example" }, nil},
		{"host by default", func(o *CreationOptions) { o.RP.ID = "" }, nil},
	} {
		o := options()
		row.edit(&o)
		if _, err := a.Create(o); !errors.Is(err, row.want) {
			t.Errorf("%s: %v, want %v", row.name, err, row.want)
		}
	}
	o := options()
	o.RP.ID = "shop.example"
	o.ExcludeCredentials = []CredentialDescriptor{{Type: "public-key", ID: a.Credentials()[0].ID}}
	if _, err := a.Create(o); !errors.Is(err, ErrExcluded) {
		t.Errorf("excluded credential: %v", err)
	}
	o.ExcludeCredentials, o.Challenge = nil, "not base64url!"
	if _, err := a.Create(o); err == nil {
		t.Error("made a passkey for a challenge that is none")
	}
}

func TestBrowser_TakesOptionsAsJSON(t *testing.T) {
	var page interface {
		Create(options []byte) (Attestation, error)
		Stamp(body string, allow ...string) (Stamp, error)
	} = Browser{New(origin)}
	raw := `{"challenge":"` + challenge +
		`","rp":{"id":"localhost","name":"x"},"user":{"id":"dQ","name":"a","displayName":"a"},
		"pubKeyCredParams":[{"type":"public-key","alg":-7}],"timeout":300000,"attestation":"none",
		"authenticatorSelection":{"residentKey":"required","userVerification":"required"}}`
	att, err := page.Create([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	if err := judgeRegistration(t, att); err != nil {
		t.Error(err)
	}
	if _, err := page.Create([]byte("[]")); err == nil {
		t.Error("took an array")
	}
}

func TestPasskey_FileKeepsKeysAndCounts(t *testing.T) {
	a := New(origin)
	created(t, a)
	stamped(t, a)
	path := filepath.Join(t.TempDir(), "passkey.json")
	if err := a.Save(path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v, %v", info.Mode(), err)
	}
	loaded, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := loaded.Credentials(), a.Credentials(); len(got) != 1 || got[0] != want[0] {
		t.Errorf("loaded %+v, saved %+v", got, want)
	}
	s := stamped(t, loaded)
	if _, count := credentialOf(t, s); count != 2 {
		t.Errorf("count %d after one stamp before saving, want 2", count)
	}
	if err := judge(t, s, a.Credentials()[0].PublicKey); err != nil {
		t.Error(err)
	}
}

func TestPasskey_LoadRefuses(t *testing.T) {
	a := New(origin)
	created(t, a)
	path := filepath.Join(t.TempDir(), "passkey.json")
	if err := a.Save(path); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func() error{
		"nothing wrong":  func() error { return nil },
		"open to others": func() error { return os.Chmod(path, 0o640) },
		"not JSON":       func() error { return os.WriteFile(path, content[1:], 0o600) },
		"damaged key": func() error {
			return os.WriteFile(path, []byte(strings.Replace(string(content), "MIG", "MIH", 1)), 0o600)
		},
		"no credential id": func() error {
			return os.WriteFile(path, []byte(strings.Replace(string(content), `"id"`, `"x"`, 1)), 0o600)
		},
		"gone": func() error { return os.Remove(path) },
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(os.Chmod(path, 0o600), damage()); err != nil {
				t.Fatal(err)
			}
			_, err := Load(path)
			if wrong := name != "nothing wrong"; wrong != (err != nil) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestPasskey_CountsOnceForEachStamp(t *testing.T) {
	a := New(origin)
	created(t, a)
	const stamps = 20
	var all sync.WaitGroup
	var mu sync.Mutex
	seen := map[byte]bool{}
	for range stamps {
		all.Go(func() {
			s, err := a.Stamp(body)
			if err != nil {
				t.Error(err)
				return
			}
			_, count := credentialOf(t, s)
			mu.Lock()
			defer mu.Unlock()
			seen[count] = true
		})
	}
	all.Wait()
	if len(seen) != stamps || a.Credentials()[0].SignCount != stamps {
		t.Errorf("%d different counts, last %d", len(seen), a.Credentials()[0].SignCount)
	}
}
