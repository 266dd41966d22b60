package passkey

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// RegisterInput is a passkey that was just made for a challenge.
type RegisterInput struct {
	Email             string      `json:"email" format:"email" maxLength:"254"`
	Name              string      `json:"name" minLength:"1" maxLength:"100" doc:"Name of the user whose passkey it is"`
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
	out, err := s.c.Enclave.Submit(ctx, wire.SubmitRequest{Body: body}, a.Fingerprint)
	if err == nil && out.State != wire.Done {
		err = activity.ErrRequestExpired
	}
	if err != nil {
		return command.Answer{}, err
	}
	sub, key, err := registeredBy(ws, in, out.Statement, out.Proof)
	if err != nil {
		return command.Answer{}, err
	}
	view := Registered{PasskeyID: key.ID, SubOrganizationID: sub.ID, UserID: sub.UserID,
		CreatedAt: clock.ISO(sub.CreatedAt), Proof: out.Proof}
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		err := s.finishRegistration(ctx, tx, a, sub, key)
		return command.Reply{
			Status: 201, Data: view, Audit: command.Audit{Action: "sub_organization.create", Resource: sub.ID,
				Detail: map[string]string{"passkeyId": key.ID}},
		}, err
	})
}

// registrationBody depends on the request alone, so that a retry after a crash sends the same body and gets the
// enclave's first result.
func (s *Service) registrationBody(workspaceID string, in RegisterInput) (string, error) {
	params, err := signer.Encode(wire.CreateSubOrganizationParams{
		WorkspaceID: workspaceID, Email: in.Email, Challenge: in.EncodedChallenge,
		RecoveryPublicKey: in.RecoveryPublicKey, Attestation: wire.Attestation(in.Attestation),
	})
	if err != nil {
		return "", err
	}
	return signer.Text(wire.Body{
		Type: wire.CreateSubOrganization, Environment: string(s.c.Environment),
		ActivityID: record.DerivedID("registration", workspaceID, in.EncodedChallenge), Parameters: params,
	})
}

// registration is the activity of a registration. It has no prepare call, so its row is written just before the
// enclave is asked. The enclave takes each e-mail once: without the row, a crash after the enclave's success would
// leave the e-mail registered there and unknown here for good.
func (s *Service) registration(workspaceID, body string, in RegisterInput) activity.Activity {
	now := s.c.Clock.Now()
	return activity.Activity{
		WorkspaceID: workspaceID, ID: record.DerivedID("registration", workspaceID,
			in.EncodedChallenge), Kind: string(wire.CreateSubOrganization),
		Name: in.Name, Body: body, Fingerprint: wire.Fingerprint(body), State: activity.Awaiting, CreatedAt: now,
		ExpiresAt: now.Add(activity.PreparedTTL),
	}
}

// remember writes the registration's row. It replaces the row of an earlier attempt with the same challenge, once the
// enclave has made sure never to execute that attempt.
func (s *Service) remember(ctx context.Context, a activity.Activity) error {
	tried, err := s.c.Store.Activity(ctx, a.WorkspaceID, a.ID)
	if errors.Is(err, fault.ErrNotFound) {
		return s.c.Store.Work(ctx, a.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
			return command.Audit{}, tx.InsertActivity(ctx, a)
		})
	}
	if err != nil || tried.State != activity.Awaiting || tried.Fingerprint == a.Fingerprint {
		return err
	}
	out, err := s.c.Enclave.Cancel(ctx, tried.Fingerprint)
	if err != nil || out.State != wire.Cancelled {
		return err // done: the sweeper writes it, and the enclave refuses this one
	}
	err = s.c.Store.Work(ctx, a.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, tx.RetryActivity(ctx, tried.Fingerprint, a)
	})
	if errors.Is(err, record.ErrStale) {
		return activity.ErrRequestExpired // a third attempt was faster
	}
	return err
}

func registeredBy(ws string, in RegisterInput, st wire.Statement, proof wire.Proof) (SubOrganization, Passkey, error) {
	if st.Result == nil || st.Result.SubOrganization == nil || st.Result.Owners == nil ||
		len(st.Result.Owners.Credentials) != 1 {
		return SubOrganization{}, Passkey{},
			errors.New("the enclave's answer to a registration names no sub-organization and passkey")
	}
	made, cred := st.Result.SubOrganization, st.Result.Owners.Credentials[0]
	at, err := time.Parse(time.RFC3339, made.CreatedAt)
	if err != nil {
		return SubOrganization{}, Passkey{}, err
	}
	raw, err := signer.Text(proof)
	if err != nil {
		return SubOrganization{}, Passkey{}, err
	}
	label := in.Label
	if label == "" {
		label = "Passkey"
	}
	sub := SubOrganization{
		WorkspaceID: ws, ID: made.ID, UserID: made.UserID, Email: in.Email, Name: in.Name,
		RecoveryPublicKey: in.RecoveryPublicKey, Proof: raw, CreatedAt: at,
	}
	key := Passkey{
		WorkspaceID: ws, ID: idOf(cred.CredentialID), SubOrganizationID: made.ID, UserID: made.UserID, Email: in.Email,
		CredentialID: cred.CredentialID, PublicKey: cred.PublicKey, AAGUID: cred.AAGUID,
		Transports: in.Attestation.Transports, Label: label, CreatedAt: at,
	}
	return sub, key, nil
}

func (s *Service) finishRegistration(ctx context.Context, tx Tx, a activity.Activity, sub SubOrganization,
	key Passkey,
) error {
	if err := errors.Join(tx.InsertSubOrganization(ctx, sub), tx.InsertPasskey(ctx, key)); err != nil {
		return err
	}
	return s.c.Activities.Finish(ctx, tx, a)
}

// finishLostRegistration is for the sweeper. It writes the default label, since the enclave does not have the caller's.
func (s *Service) finishLostRegistration(ctx context.Context, tx Tx, a activity.Activity, out client.Outcome) error {
	var body wire.Body
	var params wire.CreateSubOrganizationParams
	if err := json.Unmarshal([]byte(a.Body), &body); err != nil {
		return fmt.Errorf("reading a registration: %w", err)
	}
	if err := json.Unmarshal(body.Parameters, &params); err != nil {
		return fmt.Errorf("reading a registration: %w", err)
	}
	sub, key, err := registeredBy(a.WorkspaceID, RegisterInput{
		Email: params.Email, Name: a.Name, RecoveryPublicKey: params.RecoveryPublicKey,
		Attestation: Attestation{Transports: params.Attestation.Transports},
	}, out.Statement, out.Proof)
	if err != nil {
		return err
	}
	return s.finishRegistration(ctx, tx, a, sub, key)
}
