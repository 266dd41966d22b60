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
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// AddPasskeyInput is a further passkey: of the user who stamps, or with an e-mail
// the first of another user.
type AddPasskeyInput struct {
	Email             string            `json:"email,omitempty" format:"email" maxLength:"254" doc:"Of a new user, and of the challenge; without it the passkey is the stamping user's"`
	Label             string            `json:"label,omitempty" maxLength:"64" doc:"Default Passkey"`
	EncodedChallenge  string            `json:"encodedChallenge" minLength:"43" maxLength:"43"`
	Attestation       Attestation       `json:"attestation"`
	SubOrganizationID string            `json:"subOrganizationId,omitempty" maxLength:"64" doc:"Needed where the workspace has several"`
	SignedActivity    *activity.Stamped `json:"signedActivity,omitempty" doc:"What prepare=true answered, stamped"`
	rest.ReturnTo
}

// PasskeyChanged is a passkey that was added or removed.
type PasskeyChanged struct {
	ID                string     `json:"id"`
	CredentialID      string     `json:"credentialId"`
	PublicKey         string     `json:"publicKey" doc:"COSE key, base64url"`
	Label             string     `json:"label"`
	UserID            string     `json:"userId"`
	Email             string     `json:"email"`
	SubOrganizationID string     `json:"subOrganizationId"`
	CreatedAt         string     `json:"createdAt" format:"date-time" doc:"Of a removed one: when it was removed"`
	Proof             wire.Proof `json:"proof" doc:"Names all passkeys of the sub-organization after it"`
}

// Add adds a passkey to a sub-organization.
func (s *Service) Add(ctx context.Context, cmd *command.Command, in AddPasskeyInput,
	prepare bool,
) (command.Answer, error) {
	sub, err := s.SubOrganization(ctx, cmd.Principal.WorkspaceID, in.SubOrganizationID)
	if err != nil {
		return command.Answer{}, err
	}
	return s.c.Changes.Do(ctx, cmd, activity.Change{
		Kind: wire.CreateAuthenticator, Owner: sub.Owner(), Name: in.Label, URL: "/v1/signing/passkeys/add",
		Params: wire.CreateAuthenticatorParams{
			Challenge: in.EncodedChallenge, Email: in.Email, Attestation: wire.Attestation(in.Attestation),
		},
	}, activity.Stamping{Prepare: prepare, SignedActivity: in.SignedActivity})
}

// Delete removes a passkey. The last one stays.
func (s *Service) Delete(ctx context.Context, cmd *command.Command, id string, in activity.StampInput,
	prepare bool,
) (command.Answer, error) {
	how := activity.Stamping{Prepare: prepare, SignedActivity: in.SignedActivity}
	key, err := s.c.Store.Passkey(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return s.c.Changes.Again(ctx, cmd, activity.Gone{Kind: wire.DeleteAuthenticator, Is: deletes(id)}, how, err)
	}
	return s.c.Changes.Do(ctx, cmd, activity.Change{
		Kind: wire.DeleteAuthenticator, Owner: activity.Owner{WorkspaceID: key.WorkspaceID,
			ID: key.SubOrganizationID}, Name: key.Label,
		URL: "/v1/signing/passkeys/" + key.ID, Params: wire.DeleteAuthenticatorParams{CredentialID: key.CredentialID},
	}, how)
}

// deletes tells whether a body deletes the passkey with this id.
func deletes(id string) func(json.RawMessage) bool {
	return func(params json.RawMessage) bool {
		var p wire.DeleteAuthenticatorParams
		return json.Unmarshal(params, &p) == nil && idOf(p.CredentialID) == id
	}
}

// idOf is the id of a passkey's row.
func idOf(credentialID string) string { return record.DerivedID("passkey", credentialID) }

// Of reads a passkey from the enclave's result. The enclave has no label and no transports: the label is in the
// activity's row, the transports in its body.
func Of(a activity.Activity, out client.Outcome) (Passkey, error) {
	r := out.Statement.Result
	if r == nil || r.Passkey == nil {
		return Passkey{}, errors.New("the enclave's answer about a passkey names none")
	}
	at, err := time.Parse(time.RFC3339, out.Statement.Time)
	if err != nil {
		return Passkey{}, fmt.Errorf("reading the time of a statement: %w", err)
	}
	k := Passkey{
		WorkspaceID: a.WorkspaceID, ID: idOf(r.Passkey.CredentialID), SubOrganizationID: a.SubOrganizationID,
		UserID: r.Passkey.UserID, Email: r.Passkey.Email, CredentialID: r.Passkey.CredentialID,
		PublicKey: r.Passkey.PublicKey, AAGUID: r.Passkey.AAGUID, Label: a.Name, CreatedAt: at,
	}
	if k.Label == "" {
		k.Label = "Passkey"
	}
	var body wire.Body
	var params wire.CreateAuthenticatorParams
	if wire.ActivityType(a.Kind) == wire.CreateAuthenticator {
		if err = json.Unmarshal([]byte(a.Body), &body); err == nil {
			err = json.Unmarshal(body.Parameters, &params)
		}
		k.Transports = params.Attestation.Transports
	}
	return k, err
}

// finish writes the enclave's result once: if the addition is repeated after the passkey was removed, its row must not
// come back.
func (s *Service) finish(ctx context.Context, tx Tx, a activity.Activity, out client.Outcome) error {
	k, err := Of(a, out)
	if err != nil {
		return err
	}
	moved, err := s.c.Activities.FinishFirst(ctx, tx, a)
	if err != nil || !moved {
		return err
	}
	if wire.ActivityType(a.Kind) == wire.DeleteAuthenticator {
		return tx.RemovePasskey(ctx, k.WorkspaceID, k.SubOrganizationID, k.CredentialID)
	}
	return tx.InsertPasskey(ctx, k)
}

// changed is the answer to a passkey that was added or removed.
func changed(_ context.Context, a activity.Activity, out client.Outcome) (any, error) {
	k, err := Of(a, out)
	return PasskeyChanged{
		ID: k.ID, CredentialID: k.CredentialID, PublicKey: k.PublicKey, Label: k.Label, UserID: k.UserID,
		Email: k.Email, SubOrganizationID: k.SubOrganizationID, CreatedAt: clock.ISO(k.CreatedAt), Proof: out.Proof,
	}, err
}

// auditOf is the audit row of a passkey that was added or removed.
func auditOf(_ context.Context, a activity.Activity, out client.Outcome) (command.Audit, error) {
	k, err := Of(a, out)
	return command.Audit{
		Resource: k.ID, Detail: map[string]string{"userId": k.UserID, "subOrganizationId": k.SubOrganizationID},
	}, err
}
