package railkit

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/railkit/railkit/enclave/wire"
)

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

	// Owners is what to store and to give to TrustOwners after a restart.
	Owners Owners `json:"-"`
}

// PasskeyRecord is a registered passkey, as the server keeps it.
type PasskeyRecord struct {
	ID                string   `json:"id"`
	CredentialID      string   `json:"credentialId"`
	PublicKey         string   `json:"publicKey"` // COSE key, base64url
	Label             string   `json:"label"`
	AAGUID            string   `json:"aaguid"`
	Transports        []string `json:"transports"`
	UserID            string   `json:"userId"`
	Email             string   `json:"email"`
	SubOrganizationID string   `json:"subOrganizationId"`
	CreatedAt         string   `json:"createdAt"`
	LastUsedAt        *string  `json:"lastUsedAt"` // nil: never
}

// PasskeyChallenge asks for the challenge of a registration; it holds for 5 minutes.
func (c *Client) PasskeyChallenge(ctx context.Context, email string) (*PasskeyChallenge, error) {
	r, err := send[PasskeyChallenge](ctx, c, request{
		method: http.MethodPost, path: "/v1/signing/passkeys/challenge", body: map[string]string{"email": email},
	})
	if err != nil {
		return nil, err
	}
	return checked(&r.Data, c.checkChallenge(&r.Data))
}

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

// RegisterPasskey registers a passkey and holds the enclave's proof against it:
// the sub-organization belongs to this passkey, this e-mail address and this
// recovery key, or the call fails.
func (c *Client) RegisterPasskey(ctx context.Context, req RegisterRequest) (*Registration, error) {
	if req.Attestation.Transports == nil {
		req.Attestation.Transports = []string{} // the API takes no null
	}
	made, err := credentialOf(req.Attestation)
	if err != nil {
		return nil, err
	}
	r, err := send[Registration](ctx, c, request{method: http.MethodPost, path: "/v1/signing/passkeys/register", body: req})
	if err != nil {
		return nil, err
	}
	reg := &r.Data
	reg.Owners = Owners{Credentials: []Credential{made}, RecoveryPublicKey: req.RecoveryPublicKey}
	if c.verify == nil {
		return reg, nil
	}
	if err := c.verify.registration(reg, req.Email); err != nil {
		return nil, err
	}
	c.TrustOwners(reg.SubOrganizationID, reg.Owners)
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

// ListPasskeys lists the passkeys of a sub-organization or, with "", of all.
func (c *Client) ListPasskeys(ctx context.Context, subOrganizationID string) ([]PasskeyRecord, error) {
	q := url.Values{}
	if subOrganizationID != "" {
		q.Set("subOrganizationId", subOrganizationID)
	}
	r, err := send[[]PasskeyRecord](ctx, c, request{method: http.MethodGet, path: "/v1/signing/passkeys", query: q})
	if err != nil {
		return nil, err
	}
	return r.Data, nil
}

// RenamePasskey changes the label of a passkey.
func (c *Client) RenamePasskey(ctx context.Context, id, label string) (*PasskeyRecord, error) {
	r, err := send[PasskeyRecord](ctx, c, request{
		method: http.MethodPatch, path: "/v1/signing/passkeys/" + url.PathEscape(id), body: map[string]string{"label": label},
	})
	if err != nil {
		return nil, err
	}
	return &r.Data, nil
}
