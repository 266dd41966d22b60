// Package passkey is a software passkey for tests, demos and CI.
//
// It answers the two WebAuthn ceremonies as a browser and its authenticator
// would, with no person in the loop: it claims that the user was present and
// verified and asks nobody. Its keys live in memory or, after Save, unencrypted
// in a file. Do not guard anything of value with it. People use the passkeys of
// their devices, in a browser.
//
// Keys are ES256, attestation is "none", and the sign counter rises by one with
// each signature.
package passkey

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// What a browser reports as a DOMException.
var (
	ErrExcluded     = errors.New("passkey: the authenticator already holds an excluded credential")
	ErrNotSupported = errors.New("passkey: only public keys with ES256 (-7) are supported")
	ErrSecurity     = errors.New("passkey: the relying party id does not belong to the origin")
	ErrNoCredential = errors.New("passkey: the authenticator holds no such credential")
)

// Authenticator is one virtual authenticator on one page's origin. It may be
// used from several goroutines.
type Authenticator struct {
	*vault
	origin string
	tamper Tamper
}

// vault holds the passkeys. Views made by Misbehaving share it.
type vault struct {
	mu   sync.Mutex
	keys []*held // oldest first
}

// held is a passkey with its private part.
type held struct {
	id        []byte
	private   *ecdsa.PrivateKey
	rpID      string
	user      User
	signCount uint32
}

// New makes an empty authenticator that says it is on a page of origin, for
// example "http://localhost:8081".
func New(origin string) *Authenticator {
	return &Authenticator{vault: &vault{}, origin: origin}
}

// Create makes a passkey, as navigator.credentials.create does.
func (a *Authenticator) Create(options CreationOptions) (Attestation, error) {
	challenge, err := base64.RawURLEncoding.DecodeString(options.Challenge)
	if err != nil || len(challenge) == 0 {
		return Attestation{}, errors.New("passkey: the challenge is not base64url")
	}
	if !slices.Contains(options.PubKeyCredParams, CredentialParameter{"public-key", algES256}) {
		return Attestation{}, ErrNotSupported
	}
	rpID, err := a.relyingParty(options.RP.ID)
	if err != nil {
		return Attestation{}, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, excluded := range options.ExcludeCredentials {
		if a.find(rpID, excluded.ID) != nil {
			return Attestation{}, ErrExcluded
		}
	}
	key, err := newHeld(rpID, options.User)
	if err != nil {
		return Attestation{}, err
	}
	att, err := a.attest(key, challenge)
	if err != nil {
		return Attestation{}, err
	}
	a.keys = append(a.keys, key)
	return att, nil
}

func newHeld(rpID string, user User) (*held, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	id := make([]byte, 32)
	if _, err := rand.Read(id); err != nil {
		return nil, fmt.Errorf("making a credential id: %w", err)
	}
	return &held{id: id, private: private, rpID: rpID, user: user}, nil
}

// Browser is an authenticator behind a page's navigator.credentials: it takes
// the options as JSON, as a challenge answer carries them. It is what the SDK's
// client asks for as its Passkey.
type Browser struct{ *Authenticator }

// Create makes a passkey from PublicKeyCredentialCreationOptionsJSON. Members
// that this authenticator does not read are ignored, as browsers do.
func (b Browser) Create(options []byte) (Attestation, error) {
	var parsed CreationOptions
	if err := json.Unmarshal(options, &parsed); err != nil {
		return Attestation{}, errors.New("passkey: the options are not PublicKeyCredentialCreationOptionsJSON")
	}
	return b.Authenticator.Create(parsed)
}

// Stamp signs body with a passkey of this page's relying party: the first of
// allow that is held here or, without allow, the newest.
func (a *Authenticator) Stamp(body string, allow ...string) (Stamp, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := a.choose(allow)
	if key == nil {
		return Stamp{}, ErrNoCredential
	}
	key.signCount++
	return a.assert(key, body)
}

func (a *Authenticator) choose(allow []string) *held {
	for _, id := range allow {
		for _, key := range a.keys {
			if key.is(id) && a.serves(key.rpID) {
				return key
			}
		}
	}
	if len(allow) > 0 {
		return nil
	}
	for _, key := range slices.Backward(a.keys) {
		if a.serves(key.rpID) {
			return key
		}
	}
	return nil
}

// Credentials lists the passkeys, oldest first.
func (a *Authenticator) Credentials() []Credential {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := make([]Credential, 0, len(a.keys))
	for _, key := range a.keys {
		list = append(list, Credential{
			ID:        encode(key.id),
			PublicKey: encode(key.cose()),
			RPID:      key.rpID,
			UserID:    key.user.ID,
			UserName:  key.user.Name,
			SignCount: key.signCount,
		})
	}
	return list
}

func (v *vault) find(rpID, id string) *held {
	for _, key := range v.keys {
		if key.rpID == rpID && key.is(id) {
			return key
		}
	}
	return nil
}

func (h *held) is(id string) bool {
	raw, err := base64.RawURLEncoding.DecodeString(id)
	return err == nil && bytes.Equal(raw, h.id)
}

// relyingParty is the id that a page of this origin may use.
func (a *Authenticator) relyingParty(asked string) (string, error) {
	if asked == "" {
		asked = a.host()
	}
	if !a.serves(asked) {
		return "", ErrSecurity
	}
	return asked, nil
}

// serves tells whether rpID is the origin's host or a parent domain of it.
func (a *Authenticator) serves(rpID string) bool {
	host := a.host()
	return rpID != "" && (host == rpID || strings.HasSuffix(host, "."+rpID))
}

func (a *Authenticator) host() string {
	u, err := url.Parse(a.origin)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }
