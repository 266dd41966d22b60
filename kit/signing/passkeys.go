package signing

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
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
	Timeout                int                    `json:"timeout" doc:"Milliseconds"`
	ExcludeCredentials     []AllowCredential      `json:"excludeCredentials"`
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

// ChallengeInput asks for a registration challenge.
type ChallengeInput struct {
	Email             string `json:"email,omitempty" format:"email" maxLength:"254" doc:"Whose passkey it will be; with subOrganizationId by default that of its first user"`
	SubOrganizationID string `json:"subOrganizationId,omitempty" maxLength:"64" doc:"Of a further passkey: then those that are there are excluded"`
}

// ChallengeView is a challenge for navigator.credentials.create.
type ChallengeView struct {
	Challenge        CreationOptions `json:"challenge"`
	EncodedChallenge string          `json:"encodedChallenge" doc:"base64url; send it back in register"`
	ExpiresAt        string          `json:"expiresAt" format:"date-time"`
	CeremonyURL      string          `json:"ceremonyUrl,omitempty" doc:"Page that makes the passkey and registers it, or has one of subOrganizationId add it; once, and a secret until then"`
}

// Challenge has the enclave make a registration challenge: single use, 5 minutes.
func (s *Service) Challenge(ctx context.Context, cmd *command.Command, in ChallengeInput) (command.Answer, error) {
	exclude, err := s.challengeFor(ctx, cmd.Principal.WorkspaceID, &in)
	if err != nil {
		return command.Answer{}, err
	}
	ch, err := s.enclave.Challenge(ctx, cmd.Principal.WorkspaceID, in.Email)
	if err != nil {
		return command.Answer{}, err
	}
	ms, err := strconv.ParseInt(ch.ExpiresAtMs, 10, 64)
	if err != nil {
		return command.Answer{}, err
	}
	c := Ceremony{
		WorkspaceID: cmd.Principal.WorkspaceID, Kind: CeremonyRegister, Subject: ch.Challenge, Email: in.Email,
		CreatedAt: s.clock.Now(), ExpiresAt: time.UnixMilli(ms),
	}
	if in.SubOrganizationID != "" {
		c.Kind, c.Subject = CeremonyAdd, in.SubOrganizationID+"/"+ch.Challenge
	}
	c, link := s.newCeremony(c)
	view := ChallengeView{
		Challenge: s.creationOptions(ch.Challenge, in.Email), EncodedChallenge: ch.Challenge,
		ExpiresAt: clock.ISO(time.UnixMilli(ms)), CeremonyURL: link,
	}
	view.Challenge.ExcludeCredentials = exclude
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{Status: 201, Data: view, Audit: command.Audit{Action: "passkey.challenge"}}, c.insert(ctx, tx)
	})
}

// challengeFor completes what is asked for, and lists the passkeys that an
// authenticator must not have already.
func (s *Service) challengeFor(ctx context.Context, workspaceID string, in *ChallengeInput) ([]AllowCredential, error) {
	if in.SubOrganizationID == "" {
		if in.Email == "" {
			return nil, fault.Field("email", "is required")
		}
		return []AllowCredential{}, nil
	}
	sub, err := s.store.SubOrganization(ctx, workspaceID, in.SubOrganizationID)
	if err != nil {
		return nil, err
	}
	if in.Email == "" {
		in.Email = sub.Email
	}
	return s.allowCredentials(ctx, sub)
}

func (s *Service) creationOptions(challenge, email string) CreationOptions {
	o := CreationOptions{
		Challenge: challenge, Timeout: 300_000, Attestation: "none", ExcludeCredentials: []AllowCredential{},
		PubKeyCredParams:       []CredentialParam{{"public-key", -7}, {"public-key", -8}, {"public-key", -257}},
		AuthenticatorSelection: AuthenticatorSelection{ResidentKey: "required", UserVerification: "required"},
	}
	o.RP.ID, o.RP.Name = s.rpID, "Railkit"
	o.User.ID, o.User.Name, o.User.DisplayName = userHandle(challenge), email, email
	return o
}

// userHandle is another one for each challenge, and tells a page nothing. With the
// handle of an earlier registration an authenticator would put the new passkey in
// the place of the old one, also where the registration is refused then: whose
// wallets hang on the old one could never sign again.
func userHandle(challenge string) string {
	sum := sha256.Sum256([]byte("railkit user|" + challenge))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// RegisterInput is a passkey that was just made for a challenge.
type RegisterInput struct {
	Email             string      `json:"email" format:"email" maxLength:"254"`
	Name              string      `json:"name" minLength:"1" maxLength:"100" doc:"Of the user"`
	Label             string      `json:"label,omitempty" maxLength:"64" doc:"Of the passkey; default Passkey"`
	EncodedChallenge  string      `json:"encodedChallenge" minLength:"43" maxLength:"43"`
	Attestation       Attestation `json:"attestation"`
	RecoveryPublicKey string      `json:"recoveryPublicKey,omitempty" pattern:"^0[23][0-9a-f]{64}$" patternDescription:"a compressed P-256 key in lower-case hex" doc:"Without it no recovery is possible"`
}

// Attestation is what navigator.credentials.create returned, base64url.
type Attestation struct {
	CredentialID      string   `json:"credentialId" minLength:"1" maxLength:"1400"`
	ClientDataJSON    string   `json:"clientDataJson" minLength:"1" maxLength:"8192"`
	AttestationObject string   `json:"attestationObject" minLength:"1" maxLength:"65536"`
	Transports        []string `json:"transports,omitempty" maxItems:"8"`
}

// Registered is a new sub-organization. The proof names its passkey, e-mail and
// recovery key; a client compares them with what it just made.
type Registered struct {
	PasskeyID         string     `json:"passkeyId"`
	SubOrganizationID string     `json:"subOrganizationId"`
	UserID            string     `json:"userId"`
	CreatedAt         string     `json:"createdAt" format:"date-time"`
	Proof             wire.Proof `json:"proof"`
}

// Register has the enclave make a sub-organization whose only authority is the passkey.
func (s *Service) Register(ctx context.Context, cmd *command.Command, in RegisterInput) (command.Answer, error) {
	ws := cmd.Principal.WorkspaceID
	body, err := s.registrationBody(ws, in)
	if err != nil {
		return command.Answer{}, err
	}
	a := s.registration(ws, body, in)
	if err := s.remember(ctx, a); err != nil {
		return command.Answer{}, err
	}
	out, err := s.enclave.Submit(ctx, wire.SubmitRequest{Body: body}, a.Fingerprint)
	if err == nil && out.State != wire.Done {
		err = ErrRequestExpired
	}
	if err != nil {
		return command.Answer{}, err
	}
	sub, key, err := registered(ws, in, out.Statement, out.Proof)
	if err != nil {
		return command.Answer{}, err
	}
	view := Registered{PasskeyID: key.ID, SubOrganizationID: sub.ID, UserID: sub.UserID, CreatedAt: clock.ISO(sub.CreatedAt), Proof: out.Proof}
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		err := s.finishRegistration(ctx, tx, a, sub, key)
		return command.Reply{
			Status: 201, Data: view, Audit: command.Audit{Action: "sub_organization.create", Resource: sub.ID, Detail: map[string]string{"passkeyId": key.ID}},
		}, err
	})
}

// registrationBody is a function of the request alone: a retry after a crash
// sends the same body, and gets the enclave's first result.
func (s *Service) registrationBody(workspaceID string, in RegisterInput) (string, error) {
	params, err := encode(wire.CreateSubOrganizationParams{
		WorkspaceID: workspaceID, Email: in.Email, Challenge: in.EncodedChallenge, RecoveryPublicKey: in.RecoveryPublicKey,
		Attestation: wire.Attestation(in.Attestation),
	})
	if err != nil {
		return "", err
	}
	return text(wire.Body{
		Type: wire.CreateSubOrganization, Environment: string(s.env),
		ActivityID: derivedID("registration", workspaceID, in.EncodedChallenge), Parameters: params,
	})
}

func registered(ws string, in RegisterInput, st wire.Statement, proof wire.Proof) (SubOrganization, Passkey, error) {
	if st.Result == nil || st.Result.SubOrganization == nil || st.Result.Owners == nil || len(st.Result.Owners.Credentials) != 1 {
		return SubOrganization{}, Passkey{}, errors.New("the enclave's answer to a registration names no sub-organization and passkey")
	}
	made, cred := st.Result.SubOrganization, st.Result.Owners.Credentials[0]
	at, err := time.Parse(time.RFC3339, made.CreatedAt)
	if err != nil {
		return SubOrganization{}, Passkey{}, err
	}
	raw, err := text(proof)
	if err != nil {
		return SubOrganization{}, Passkey{}, err
	}
	label := in.Label
	if label == "" {
		label = "Passkey"
	}
	sub := SubOrganization{
		WorkspaceID: ws, ID: made.ID, UserID: made.UserID, Email: in.Email, Name: in.Name, RecoveryPublicKey: in.RecoveryPublicKey,
		Proof: raw, CreatedAt: at,
	}
	key := Passkey{
		WorkspaceID: ws, ID: derivedID("passkey", cred.CredentialID), SubOrganizationID: made.ID, UserID: made.UserID, Email: in.Email,
		CredentialID: cred.CredentialID, PublicKey: cred.PublicKey, AAGUID: cred.AAGUID, Transports: in.Attestation.Transports,
		Label: label, CreatedAt: at,
	}
	return sub, key, nil
}

// PasskeyView is a passkey as the API shows it.
type PasskeyView struct {
	ID                string   `json:"id"`
	CredentialID      string   `json:"credentialId"`
	PublicKey         string   `json:"publicKey" doc:"COSE key, base64url"`
	Label             string   `json:"label"`
	AAGUID            string   `json:"aaguid"`
	Transports        []string `json:"transports"`
	UserID            string   `json:"userId"`
	Email             string   `json:"email"`
	SubOrganizationID string   `json:"subOrganizationId"`
	CreatedAt         string   `json:"createdAt" format:"date-time"`
	LastUsedAt        *string  `json:"lastUsedAt" format:"date-time"`
}

// Passkeys lists them, of one sub-organization or of all.
func (s *Service) Passkeys(ctx context.Context, p auth.Principal, subOrganizationID string) ([]PasskeyView, error) {
	if subOrganizationID != "" {
		if _, err := s.store.SubOrganization(ctx, p.WorkspaceID, subOrganizationID); err != nil {
			return nil, err
		}
	}
	keys, err := s.store.Passkeys(ctx, p.WorkspaceID, subOrganizationID)
	if err != nil {
		return nil, err
	}
	views := []PasskeyView{}
	for _, k := range keys {
		views = append(views, k.view())
	}
	return views, nil
}

// RenameInput is a passkey's new label.
type RenameInput struct {
	Label string `json:"label" minLength:"1" maxLength:"64"`
}

// RenamePasskey changes a label. Labels are the server's: no authority hangs on them.
func (s *Service) RenamePasskey(ctx context.Context, cmd *command.Command, id string, in RenameInput) (command.Answer, error) {
	ws := cmd.Principal.WorkspaceID
	key, err := s.store.Passkey(ctx, ws, id)
	if err != nil {
		return command.Answer{}, err
	}
	before := key.Label
	key.Label = in.Label
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{
			Status: 200, Data: key.view(),
			Audit: command.Audit{
				Action: "passkey.rename", Resource: key.ID, Before: map[string]any{"label": before}, After: map[string]any{"label": in.Label},
			},
		}, tx.RenamePasskey(ctx, ws, key.ID, in.Label)
	})
}

func (k Passkey) view() PasskeyView {
	v := PasskeyView{
		ID: k.ID, CredentialID: k.CredentialID, PublicKey: k.PublicKey, Label: k.Label, AAGUID: k.AAGUID, Transports: k.Transports,
		UserID: k.UserID, Email: k.Email, SubOrganizationID: k.SubOrganizationID, CreatedAt: clock.ISO(k.CreatedAt),
		LastUsedAt: isoOrNil(k.LastUsedAt),
	}
	if v.Transports == nil {
		v.Transports = []string{}
	}
	return v
}

func isoOrNil(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	iso := clock.ISO(t)
	return &iso
}

// subOrganization is the one that a call means: the named one, or the only one.
func (s *Service) subOrganization(ctx context.Context, workspaceID, id string) (SubOrganization, error) {
	if id != "" {
		return s.store.SubOrganization(ctx, workspaceID, id)
	}
	all, err := s.store.SubOrganizations(ctx, workspaceID)
	if err != nil {
		return SubOrganization{}, err
	}
	switch len(all) {
	case 0:
		return SubOrganization{}, ErrPasskeyFirst
	case 1:
		return all[0], nil
	}
	return SubOrganization{}, ErrSubOrganizationNeeded
}
