package railkit

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/railkit/railkit/enclave/wire"
)

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

// FurtherPasskeyChallenge asks for the challenge of a further passkey. The e-mail
// is that of the user whose it will be; "" is the first one's.
func (c *Client) FurtherPasskeyChallenge(ctx context.Context, subOrganizationID, email string) (*PasskeyChallenge, error) {
	body := map[string]string{"subOrganizationId": subOrganizationID}
	if email != "" {
		body["email"] = email
	}
	r, err := send[PasskeyChallenge](ctx, c, request{method: http.MethodPost, path: "/v1/signing/passkeys/challenge", body: body})
	if err != nil {
		return nil, err
	}
	return checked(&r.Data, c.checkChallenge(&r.Data))
}

func adding(req AddPasskeyRequest) change {
	return change{method: http.MethodPost, path: "/v1/signing/passkeys/add", kind: wire.CreateAuthenticator, sub: req.SubOrganizationID}
}

// PreparePasskey gives what to stamp for a further passkey.
func (c *Client) PreparePasskey(ctx context.Context, req AddPasskeyRequest) (*Prepared, error) {
	made, err := credentialOf(req.Attestation)
	if err != nil {
		return nil, err
	}
	return adding(req).prepare(ctx, c, req, func(body *wire.Body, shown *Preview) error {
		var params wire.CreateAuthenticatorParams
		if err := readParams(body, &params); err != nil {
			return err
		}
		if params.Email != req.Email || params.Challenge != req.EncodedChallenge || shown.Passkey == nil || !made.is(*shown.Passkey) {
			return tampered(ReasonPreview, "the passkey is another than was made, or another user's")
		}
		return nil
	})
}

// AddPasskey adds the passkey, and trusts it from then on.
func (c *Client) AddPasskey(ctx context.Context, req AddPasskeyRequest) (*ChangedPasskey, error) {
	made, err := credentialOf(req.Attestation)
	if err != nil {
		return nil, err
	}
	return makeChange(ctx, c, adding(req), req, req.SignedActivity, (*ChangedPasskey).proof, func(k *ChangedPasskey, st *opened) error {
		is := st.Result.Passkey
		if is == nil || !made.is(*is) || k.CredentialID != is.CredentialID || k.UserID != is.UserID || k.Email != is.Email || req.Email != "" && is.Email != req.Email {
			return tampered(ReasonResult, "the passkey is another than was made, or another user's")
		}
		return c.nowOwned(st, func(o Owners) Owners {
			if !slices.Contains(o.Credentials, made) {
				o.Credentials = append(o.Credentials, made)
			}
			return o
		})
	})
}

// nowOwned holds the owners after a change against those that were known, changed
// alike, and remembers them. Of who is not known here nothing is learned.
func (c *Client) nowOwned(st *opened, after func(Owners) Owners) error {
	known, ok := c.KnownOwners(st.OrganizationID)
	if !ok {
		return nil
	}
	next := after(known)
	if err := next.match(st.Result.Owners); err != nil {
		return err
	}
	c.TrustOwners(st.OrganizationID, next)
	return nil
}

// PreparePasskeyDeletion gives what to stamp for the end of a passkey, by the id
// that ListPasskeys tells and its credential id.
func (c *Client) PreparePasskeyDeletion(ctx context.Context, id, credentialID string) (*Prepared, error) {
	return deleting("/v1/signing/passkeys", id, wire.DeleteAuthenticator).prepare(ctx, c, nil, func(body *wire.Body, shown *Preview) error {
		var params wire.DeleteAuthenticatorParams
		if err := readParams(body, &params); err != nil {
			return err
		}
		if params.CredentialID != credentialID || shown.Passkey == nil || shown.Passkey.CredentialID != credentialID {
			return tampered(ReasonPreview, "another passkey would be removed than was asked for")
		}
		return nil
	})
}

// DeletePasskey removes a passkey, by the stamp of its user, or by votes.
func (c *Client) DeletePasskey(ctx context.Context, id, credentialID string, signed *SignedActivity) (*ChangedPasskey, error) {
	ch := deleting("/v1/signing/passkeys", id, wire.DeleteAuthenticator)
	return makeChange(ctx, c, ch, signedBody(signed), signed, (*ChangedPasskey).proof, func(k *ChangedPasskey, st *opened) error {
		if st.Result.Passkey == nil || st.Result.Passkey.CredentialID != credentialID || k.CredentialID != credentialID {
			return tampered(ReasonResult, "another passkey was removed than was asked for")
		}
		return c.nowOwned(st, func(o Owners) Owners { return o.Without(credentialID) })
	})
}

// NewPasskey makes a further passkey and adds it by the stamp of one that is there.
// With an e-mail it is another user's.
func (c *Client) NewPasskey(ctx context.Context, by, made Passkey, req AddPasskeyRequest) (*ChangedPasskey, error) {
	challenge, err := c.FurtherPasskeyChallenge(withoutKey(ctx), req.SubOrganizationID, req.Email)
	if err != nil {
		return nil, fmt.Errorf("asking for a challenge: %w", err)
	}
	if req.Attestation, err = made.Create(challenge.Options); err != nil {
		return nil, fmt.Errorf("creating a passkey: %w", err)
	}
	req.EncodedChallenge = challenge.EncodedChallenge
	p, err := c.PreparePasskey(withoutKey(ctx), req)
	if err != nil {
		return nil, fmt.Errorf("preparing a passkey: %w", err)
	}
	signed, err := p.Stamp(by)
	if err != nil {
		return nil, err
	}
	req.SignedActivity = &signed
	return c.AddPasskey(withoutKey(ctx), req)
}
