package passkey

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

// CreationOptions is PublicKeyCredentialCreationOptionsJSON (WebAuthn Level 3).
type CreationOptions struct {
	Challenge string `json:"challenge"`
	RP        struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"rp"`
	User struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		DisplayName string `json:"displayName"`
	} `json:"user"`
	PubKeyCredParams       []CredentialParam      `json:"pubKeyCredParams"`
	Timeout                int                    `json:"timeout" doc:"How many milliseconds the browser waits for the passkey"`
	ExcludeCredentials     []rest.AllowCredential `json:"excludeCredentials"`
	AuthenticatorSelection AuthenticatorSelection `json:"authenticatorSelection"`
	Attestation            string                 `json:"attestation"`
}

// CredentialParam is an algorithm that is accepted (COSE number).
type CredentialParam struct {
	Type string `json:"type"`
	Alg  int    `json:"alg"`
}

// AuthenticatorSelection asks for a passkey that verifies its user.
type AuthenticatorSelection struct {
	ResidentKey      string `json:"residentKey"`
	UserVerification string `json:"userVerification"`
}

// ChallengeView is a challenge for navigator.credentials.create.
type ChallengeView struct {
	Challenge        CreationOptions `json:"challenge"`
	EncodedChallenge string          `json:"encodedChallenge" doc:"base64url; send it back in register"`
	ExpiresAt        string          `json:"expiresAt" format:"date-time"`
	CeremonyURL      string          `json:"ceremonyUrl,omitempty" doc:"Page that makes the passkey and registers it, or has one of subOrganizationId add it; once, and a secret until then"`
}

// Challenge has the enclave make a registration challenge: single use, 5 minutes.
func (s *Service) Challenge(
	ctx context.Context, cmd *command.Command, in rest.ChallengeRequest,
) (command.Answer, error) {
	exclude, err := s.excluded(ctx, cmd.Principal.WorkspaceID, &in)
	if err != nil {
		return command.Answer{}, err
	}
	ch, err := s.c.Enclave.Challenge(ctx, cmd.Principal.WorkspaceID, in.Email)
	if err != nil {
		return command.Answer{}, err
	}
	ms, err := strconv.ParseInt(ch.ExpiresAtMs, 10, 64)
	if err != nil {
		return command.Answer{}, err
	}
	c := link.Ceremony{
		WorkspaceID: cmd.Principal.WorkspaceID, Kind: link.Register, Subject: ch.Challenge, Email: in.Email,
		CreatedAt: s.c.Clock.Now(), ExpiresAt: time.UnixMilli(ms),
	}
	if in.SubOrganizationID != "" {
		c.Kind, c.Subject = link.Add, in.SubOrganizationID+"/"+ch.Challenge
	}
	c, link := s.c.Links.New(c)
	view := ChallengeView{
		Challenge: s.Options(ch.Challenge, in.Email), EncodedChallenge: ch.Challenge,
		ExpiresAt: clock.ISO(time.UnixMilli(ms)), CeremonyURL: link,
	}
	view.Challenge.ExcludeCredentials = exclude
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{Status: 201, Data: view, Audit: command.Audit{Action: "passkey.challenge"}},
			c.Insert(ctx, tx, cmd.Return)
	})
}

// excluded fills in the sub-organization of the request, and lists its passkeys: a device that has one of them must
// not make another.
func (s *Service) excluded(ctx context.Context, workspaceID string,
	in *rest.ChallengeRequest,
) ([]rest.AllowCredential, error) {
	if in.SubOrganizationID == "" {
		if in.Email == "" {
			return nil, fault.Field("email", "is required")
		}
		return []rest.AllowCredential{}, nil
	}
	sub, err := s.c.Store.SubOrganization(ctx, workspaceID, in.SubOrganizationID)
	if err != nil {
		return nil, err
	}
	if in.Email == "" {
		in.Email = sub.Email
	}
	return s.AllowCredentials(ctx, sub.Owner())
}

// Options are what a browser needs to make a passkey for a challenge.
func (s *Service) Options(challenge, email string) CreationOptions {
	o := CreationOptions{
		Challenge: challenge, Timeout: 300_000, Attestation: "none", ExcludeCredentials: []rest.AllowCredential{},
		PubKeyCredParams:       []CredentialParam{{"public-key", -7}, {"public-key", -8}, {"public-key", -257}},
		AuthenticatorSelection: AuthenticatorSelection{ResidentKey: "required", UserVerification: "required"},
	}
	o.RP.ID, o.RP.Name = s.c.RPID, "Railkit"
	o.User.ID, o.User.Name, o.User.DisplayName = userHandle(challenge), email, email
	return o
}

// userHandle is a new WebAuthn user handle for each challenge; it identifies no user. If a registration reused the
// handle of an earlier one, the device would overwrite the earlier passkey, even if the signer then refused the new
// one. The owner of the overwritten passkey could never sign again.
func userHandle(challenge string) string {
	sum := sha256.Sum256([]byte("railkit user|" + challenge))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
