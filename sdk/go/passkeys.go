package railkit

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/sdk/go/internal/attest"
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
	q := filtered(o.query(), map[string]string{"subOrganizationId": o.SubOrganizationID, "email": o.Email})
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
	ReturnTo
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
func (s *PasskeysService) PrepareDeletion(
	ctx context.Context, id, credentialID string, back ...ReturnTo,
) (*Prepared, error) {
	return deleting("/v1/signing/passkeys", id, wire.DeleteAuthenticator).prepare(ctx, s.c, bodyOf(back),
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

// credentialOf reads which passkey an attestation is of. It is what the proof
// of a registration is compared with.
func credentialOf(a Attestation) (Credential, error) {
	object, err := base64.RawURLEncoding.DecodeString(a.AttestationObject)
	if err != nil {
		return Credential{}, attest.ErrMalformed
	}
	id, key, err := attest.Read(object)
	if err != nil {
		return Credential{}, err
	}
	c := Credential{ID: encode(id), PublicKey: encode(key)}
	if c.ID != a.CredentialID {
		return Credential{}, errors.New("railkit: the attestation is of another credential than credentialId")
	}
	return c, nil
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

// SubOrganizationsService registers sub-organizations by their first passkey, and knows who owns them.
type SubOrganizationsService struct{ c *Client }

// RegisterParams say who a new sub-organization is for.
type RegisterParams struct {
	Email             string
	Name              string
	Label             string
	RecoveryPublicKey string // P-256, compressed hex; without it no recovery
}

// RegisterRequest registers a passkey as the first of a new sub-organization.
type RegisterRequest struct {
	Email             string      `json:"email"`
	Name              string      `json:"name"`
	Label             string      `json:"label,omitempty"`
	EncodedChallenge  string      `json:"encodedChallenge"`
	Attestation       Attestation `json:"attestation"`
	RecoveryPublicKey string      `json:"recoveryPublicKey,omitempty"` // P-256, compressed hex; without it no recovery
}

// Registration is a new sub-organization.
type Registration struct {
	PasskeyID         string `json:"passkeyId"`
	SubOrganizationID string `json:"subOrganizationId"`
	UserID            string `json:"userId"`
	CreatedAt         string `json:"createdAt"`
	Proof             *Proof `json:"proof"`

	// Owners is what to store and to give to SubOrganizations.TrustOwners after a restart.
	Owners Owners `json:"-"`
}

// Create creates a passkey and registers it. The proof says that
// this passkey owns the new sub-organization, or the call fails. Each call makes
// a new passkey, so a caller's idempotency key has no meaning here.
func (s *SubOrganizationsService) Create(ctx context.Context, pk Passkey, p RegisterParams) (*Registration, error) {
	challenge, err := s.Challenge(withoutKey(ctx), p.Email)
	if err != nil {
		return nil, fmt.Errorf("asking for a challenge: %w", err)
	}
	attestation, err := pk.Create(challenge.Options)
	if err != nil {
		return nil, fmt.Errorf("creating a passkey: %w", err)
	}
	return s.Register(withoutKey(ctx), RegisterRequest{
		Email: p.Email, Name: p.Name, Label: p.Label, EncodedChallenge: challenge.EncodedChallenge,
		Attestation: attestation, RecoveryPublicKey: p.RecoveryPublicKey,
	})
}

// Challenge asks for the challenge of a registration; it holds for 5 minutes.
func (s *SubOrganizationsService) Challenge(ctx context.Context, email string) (*PasskeyChallenge, error) {
	r, err := send[PasskeyChallenge](ctx, s.c, request{
		method: http.MethodPost, path: "/v1/signing/passkeys/challenge", body: map[string]string{"email": email},
	})
	if err != nil {
		return nil, err
	}
	return checked(&r.Data, s.c.checkChallenge(&r.Data))
}

// Register registers a passkey and holds the enclave's proof against it:
// the sub-organization belongs to this passkey, this e-mail address and this
// recovery key, or the call fails.
func (s *SubOrganizationsService) Register(ctx context.Context, req RegisterRequest) (*Registration, error) {
	if req.Attestation.Transports == nil {
		req.Attestation.Transports = []string{} // the API takes no null
	}
	made, err := credentialOf(req.Attestation)
	if err != nil {
		return nil, err
	}
	r, err := send[Registration](ctx, s.c, request{
		method: http.MethodPost, path: "/v1/signing/passkeys/register", body: req,
	})
	if err != nil {
		return nil, err
	}
	reg := &r.Data
	reg.Owners = Owners{Credentials: []Credential{made}, RecoveryPublicKey: req.RecoveryPublicKey}
	if s.c.verify == nil {
		return reg, nil
	}
	if err := s.c.verify.registration(reg, req.Email); err != nil {
		return nil, err
	}
	s.TrustOwners(reg.SubOrganizationID, reg.Owners)
	return reg, nil
}

func (v *verifier) registration(reg *Registration, email string) error {
	st, err := v.open(reg.Proof, wire.KindResult)
	if err != nil {
		return err
	}
	if st.Activity != wire.CreateSubOrganization || st.Result == nil || st.Result.SubOrganization == nil {
		return tampered(ReasonKind, "the proof is not of a new sub-organization")
	}
	if err := reg.Owners.match(st.Result.Owners); err != nil {
		return err
	}
	for _, owner := range st.Result.Owners.Credentials {
		if !strings.EqualFold(owner.Email, email) {
			return tampered(ReasonOwners, "the passkey is registered for another e-mail address")
		}
	}
	sub := st.Result.SubOrganization
	if sub.ID != reg.SubOrganizationID || st.OrganizationID != sub.ID || sub.UserID != reg.UserID {
		return tampered(ReasonResult, "the answer names another sub-organization or user than the enclave made")
	}
	return nil
}
