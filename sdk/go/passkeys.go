package railkit

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/rest"
)

// Passkey creates credentials and stamps bodies. In a product it is the user's
// own authenticator; the package passkey has one in software, for tests and CI.
type Passkey interface {
	// Create makes a credential from PublicKeyCredentialCreationOptionsJSON.
	Create(options []byte) (Attestation, error)
	// Stamp signs a body with one of the allowed credentials (base64url ids).
	Stamp(body string, allow ...string) (Stamp, error)
}

// FromAuthenticator makes a Passkey of an authenticator with types of its own,
// as long as their JSON is that of the API:
//
//	pk := railkit.FromAuthenticator(passkey.New("http://localhost:8081"))
func FromAuthenticator[O, A, S any](a interface {
	Create(options O) (A, error)
	Stamp(body string, allow ...string) (S, error)
}) Passkey {
	return adapter[O, A, S]{create: a.Create, stamp: a.Stamp}
}

type adapter[O, A, S any] struct {
	create func(O) (A, error)
	stamp  func(string, ...string) (S, error)
}

// Create reads the options into the authenticator's own type.
func (p adapter[O, A, S]) Create(options []byte) (Attestation, error) {
	var o O
	if err := json.Unmarshal(options, &o); err != nil {
		return Attestation{}, fmt.Errorf("railkit: reading the creation options: %w", err)
	}
	made, err := p.create(o)
	if err != nil {
		return Attestation{}, err
	}
	var out Attestation
	err = convert(made, &out)
	return out, err
}

// Stamp writes the stamp in the form that a confirm takes.
func (p adapter[O, A, S]) Stamp(body string, allow ...string) (Stamp, error) {
	made, err := p.stamp(body, allow...)
	if err != nil {
		return Stamp{}, err
	}
	var out Stamp
	err = convert(made, &out)
	return out, err
}

func convert(from, to any) error {
	raw, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(raw, to)
	}
	if err != nil {
		return fmt.Errorf("railkit: reading what the authenticator made: %w", err)
	}
	return nil
}

// PasskeysService lists, adds and removes the passkeys of a sub-organization.
type PasskeysService struct{ c *Client }

// PasskeyChallenge is what a passkey is created from.
type PasskeyChallenge struct {
	// Options are PublicKeyCredentialCreationOptionsJSON, as navigator.credentials.create takes them.
	Options          json.RawMessage `json:"challenge"`
	EncodedChallenge string          `json:"encodedChallenge"`
	ExpiresAt        string          `json:"expiresAt"`
	// CeremonyURL is the page that makes the passkey and registers it, where the
	// server has one. Whoever has the link can register: send it to its owner only.
	CeremonyURL string `json:"ceremonyUrl,omitempty"`
}

// Attestation is what creating a passkey gave; all base64url without padding.
type Attestation = wire.Attestation

// PasskeyRecord is a body of the API: see package rest for its fields.
type PasskeyRecord = rest.Passkey

func (c *Client) checkChallenge(ch *PasskeyChallenge) error {
	var options struct {
		RP struct {
			ID string `json:"id"`
		} `json:"rp"`
	}
	if err := json.Unmarshal(ch.Options, &options); err != nil {
		return fmt.Errorf("railkit: reading the options of the challenge: %w", err)
	}
	if c.rpID != "" && options.RP.ID != c.rpID {
		return tampered(ReasonBody, "the passkey would be for another relying party")
	}
	return nil
}

// List lists all passkeys of a sub-organization or, with "", of all of them.
func (s *PasskeysService) List(ctx context.Context, subOrganizationID string) ([]PasskeyRecord, error) {
	all := []PasskeyRecord{}
	for key, err := range s.All(ctx, PasskeyListOptions{SubOrganizationID: subOrganizationID}) {
		if err != nil {
			return nil, err
		}
		all = append(all, key)
	}
	return all, nil
}

// PasskeyListOptions select passkeys.
type PasskeyListOptions struct {
	ListOptions
	SubOrganizationID string
	Email             string // whose they are
}

// Page reads one page of passkeys, oldest first.
func (s *PasskeysService) Page(ctx context.Context, o PasskeyListOptions) (*Page[PasskeyRecord], error) {
	q := o.query()
	for name, value := range map[string]string{"subOrganizationId": o.SubOrganizationID, "email": o.Email} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return list[PasskeyRecord](ctx, s.c, "/v1/signing/passkeys", q, nil)
}

// All walks all pages.
func (s *PasskeysService) All(ctx context.Context, o PasskeyListOptions) iter.Seq2[PasskeyRecord, error] {
	return each(o.ListOptions, func(page ListOptions) (*Page[PasskeyRecord], error) {
		o.ListOptions = page
		return s.Page(ctx, o)
	})
}

// Rename changes the label of a passkey.
func (s *PasskeysService) Rename(ctx context.Context, id, label string) (*PasskeyRecord, error) {
	r, err := send[PasskeyRecord](ctx, s.c, request{
		method: http.MethodPatch, path: "/v1/signing/passkeys/" + url.PathEscape(id),
		body: map[string]string{"label": label},
	})
	if err != nil {
		return nil, err
	}
	return &r.Data, nil
}

// AddPasskeyRequest adds a passkey: of the user who stamps, or with an e-mail the
// first of another user.
type AddPasskeyRequest struct {
	Email             string          `json:"email,omitempty"`
	Label             string          `json:"label,omitempty"`
	EncodedChallenge  string          `json:"encodedChallenge"`
	Attestation       Attestation     `json:"attestation"`
	SubOrganizationID string          `json:"subOrganizationId,omitempty"`
	SignedActivity    *SignedActivity `json:"signedActivity,omitempty"`
}

// ChangedPasskey is a passkey that was added or removed.
type ChangedPasskey struct {
	ID                string `json:"id"`
	CredentialID      string `json:"credentialId"`
	PublicKey         string `json:"publicKey"`
	Label             string `json:"label"`
	UserID            string `json:"userId"`
	Email             string `json:"email"`
	SubOrganizationID string `json:"subOrganizationId"`
	CreatedAt         string `json:"createdAt"`
	Proof             *Proof `json:"proof"`
}

func (k *ChangedPasskey) proof() *Proof { return k.Proof }

// Challenge asks for the challenge of a further passkey. The e-mail
// is that of the user whose it will be; "" is the first one's.
func (s *PasskeysService) Challenge(ctx context.Context, subOrganizationID, email string) (*PasskeyChallenge, error) {
	body := map[string]string{"subOrganizationId": subOrganizationID}
	if email != "" {
		body["email"] = email
	}
	r, err := send[PasskeyChallenge](ctx, s.c, request{
		method: http.MethodPost, path: "/v1/signing/passkeys/challenge", body: body,
	})
	if err != nil {
		return nil, err
	}
	return checked(&r.Data, s.c.checkChallenge(&r.Data))
}

func adding(req AddPasskeyRequest) change {
	return change{
		method: http.MethodPost,
		path:   "/v1/signing/passkeys/add",
		kind:   wire.CreateAuthenticator,
		sub:    req.SubOrganizationID,
	}
}

// PrepareAddition gives what to stamp for a further passkey.
func (s *PasskeysService) PrepareAddition(ctx context.Context, req AddPasskeyRequest) (*Prepared, error) {
	made, err := credentialOf(req.Attestation)
	if err != nil {
		return nil, err
	}
	return adding(req).prepare(ctx, s.c, req, func(body *wire.Body, shown *Preview) error {
		var params wire.CreateAuthenticatorParams
		if err := readParams(body, &params); err != nil {
			return err
		}
		if params.Email != req.Email || params.Challenge != req.EncodedChallenge || shown.Passkey == nil ||
			!made.is(*shown.Passkey) {
			return tampered(ReasonPreview, "the passkey is another than was made, or another user's")
		}
		return nil
	})
}

// Add adds the passkey, and trusts it from then on.
func (s *PasskeysService) Add(ctx context.Context, req AddPasskeyRequest) (*ChangedPasskey, error) {
	made, err := credentialOf(req.Attestation)
	if err != nil {
		return nil, err
	}
	return makeChange(ctx, s.c, adding(req), req, req.SignedActivity, (*ChangedPasskey).proof,
		func(k *ChangedPasskey, st *opened) error {
			is := st.Result.Passkey
			if is == nil || !made.is(*is) || k.CredentialID != is.CredentialID || k.UserID != is.UserID ||
				k.Email != is.Email || req.Email != "" && is.Email != req.Email {
				return tampered(ReasonResult, "the passkey is another than was made, or another user's")
			}
			return s.nowOwned(st, func(o Owners) Owners {
				if !slices.Contains(o.Credentials, made) {
					o.Credentials = append(o.Credentials, made)
				}
				return o
			})
		})
}

// nowOwned holds the owners after a change against those that were known, changed
// alike, and remembers them. Of who is not known here nothing is learned.
func (s *PasskeysService) nowOwned(st *opened, after func(Owners) Owners) error {
	known, ok := s.c.SubOrganizations.KnownOwners(st.OrganizationID)
	if !ok {
		return nil
	}
	next := after(known)
	if err := next.match(st.Result.Owners); err != nil {
		return err
	}
	s.c.SubOrganizations.TrustOwners(st.OrganizationID, next)
	return nil
}

// PrepareDeletion gives what to stamp for the end of a passkey, by the id
// that List tells and its credential id.
func (s *PasskeysService) PrepareDeletion(ctx context.Context, id, credentialID string) (*Prepared, error) {
	return deleting("/v1/signing/passkeys", id, wire.DeleteAuthenticator).prepare(ctx, s.c, nil,
		func(body *wire.Body, shown *Preview) error {
			var params wire.DeleteAuthenticatorParams
			if err := readParams(body, &params); err != nil {
				return err
			}
			if params.CredentialID != credentialID || shown.Passkey == nil ||
				shown.Passkey.CredentialID != credentialID {
				return tampered(ReasonPreview, "another passkey would be removed than was asked for")
			}
			return nil
		})
}

// Delete removes a passkey, by the stamp of its user, or by votes.
func (s *PasskeysService) Delete(
	ctx context.Context, id, credentialID string, signed *SignedActivity,
) (*ChangedPasskey, error) {
	ch := deleting("/v1/signing/passkeys", id, wire.DeleteAuthenticator)
	return makeChange(ctx, s.c, ch, signedBody(signed), signed, (*ChangedPasskey).proof,
		func(k *ChangedPasskey, st *opened) error {
			if st.Result.Passkey == nil || st.Result.Passkey.CredentialID != credentialID ||
				k.CredentialID != credentialID {
				return tampered(ReasonResult, "another passkey was removed than was asked for")
			}
			return s.nowOwned(st, func(o Owners) Owners { return o.Without(credentialID) })
		})
}

// Create makes a further passkey and adds it by the stamp of one that is there.
// With an e-mail it is another user's.
func (s *PasskeysService) Create(
	ctx context.Context, by, made Passkey, req AddPasskeyRequest,
) (*ChangedPasskey, error) {
	challenge, err := s.Challenge(withoutKey(ctx), req.SubOrganizationID, req.Email)
	if err != nil {
		return nil, fmt.Errorf("asking for a challenge: %w", err)
	}
	if req.Attestation, err = made.Create(challenge.Options); err != nil {
		return nil, fmt.Errorf("creating a passkey: %w", err)
	}
	req.EncodedChallenge = challenge.EncodedChallenge
	p, err := s.PrepareAddition(withoutKey(ctx), req)
	if err != nil {
		return nil, fmt.Errorf("preparing a passkey: %w", err)
	}
	signed, err := p.Stamp(by)
	if err != nil {
		return nil, err
	}
	req.SignedActivity = &signed
	return s.Add(withoutKey(ctx), req)
}

var errAttestation = errors.New("railkit: the attestation object is malformed")

// credentialOf reads which passkey an attestation is of. It is what the proof
// of a registration is compared with.
func credentialOf(a Attestation) (Credential, error) {
	object, err := base64.RawURLEncoding.DecodeString(a.AttestationObject)
	if err != nil {
		return Credential{}, errAttestation
	}
	data, err := authenticatorData(object)
	if err != nil {
		return Credential{}, err
	}
	// Layout of WebAuthn 6.1: 32 hash, 1 flags, 4 counter, 16 AAGUID, 2 length, id, COSE key.
	const fixed = 32 + 1 + 4 + 16 + 2
	if len(data) < fixed || data[32]&0x40 == 0 {
		return Credential{}, errAttestation
	}
	rest := data[fixed:]
	size := int(binary.BigEndian.Uint16(data[fixed-2:]))
	if len(rest) < size {
		return Credential{}, errAttestation
	}
	id, key := rest[:size], rest[size:]
	end, err := skipCBOR(key, 0)
	if err != nil {
		return Credential{}, err
	}
	c := Credential{ID: encode(id), PublicKey: encode(key[:end])}
	if c.ID != a.CredentialID {
		return Credential{}, errors.New("railkit: the attestation is of another credential than credentialId")
	}
	return c, nil
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

// authenticatorData finds the member "authData" of the CBOR map.
func authenticatorData(object []byte) ([]byte, error) {
	major, pairs, at, err := headCBOR(object)
	if err != nil || major != 5 {
		return nil, errAttestation
	}
	for range pairs {
		value, err := skipCBOR(object[at:], 0)
		if err != nil {
			return nil, err
		}
		key := object[at : at+value]
		at += value
		size, err := skipCBOR(object[at:], 0)
		if err != nil {
			return nil, err
		}
		if string(key) == "\x68authData" { // text of 8 bytes
			return bytesCBOR(object[at : at+size])
		}
		at += size
	}
	return nil, errAttestation
}

func bytesCBOR(item []byte) ([]byte, error) {
	major, _, start, err := headCBOR(item)
	if err != nil || major != 2 {
		return nil, errAttestation
	}
	return item[start:], nil
}

// headCBOR reads the first bytes of an item: its major type, its length or
// value, and where its content starts. Indefinite lengths do not occur in
// CTAP2's canonical form.
func headCBOR(raw []byte) (major byte, n uint64, start int, err error) {
	if len(raw) == 0 {
		return 0, 0, 0, errAttestation
	}
	major, info := raw[0]>>5, raw[0]&0x1f
	if info < 24 {
		return major, uint64(info), 1, nil
	}
	if info > 27 {
		return 0, 0, 0, errAttestation
	}
	size := 1 << (info - 24)
	if len(raw) < 1+size {
		return 0, 0, 0, errAttestation
	}
	for _, b := range raw[1 : 1+size] {
		n = n<<8 | uint64(b)
	}
	return major, n, 1 + size, nil
}

// skipCBOR says how long the first item is.
func skipCBOR(raw []byte, depth int) (int, error) {
	major, n, at, err := headCBOR(raw)
	if err != nil || depth > 8 {
		return 0, errAttestation
	}
	items := uint64(0)
	switch major {
	case 2, 3:
		if n > uint64(len(raw)-at) {
			return 0, errAttestation
		}
		return at + int(n), nil
	case 4, 6:
		items = n
		if major == 6 {
			items = 1
		}
	case 5:
		items = 2 * n
	}
	if items > uint64(len(raw)) {
		return 0, errAttestation
	}
	for range items {
		size, err := skipCBOR(raw[at:], depth+1)
		if err != nil {
			return 0, err
		}
		at += size
	}
	return at, nil
}
