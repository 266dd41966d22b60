package recovery

import (
	"context"
	"errors"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// SyncRecoveryInput is the new passkey of a user who has lost all others. Its attestation answers the secret in the
// mailed bundle as its challenge.
type SyncRecoveryInput struct {
	RecoveryID           string   `json:"recoveryId,omitempty" maxLength:"64" doc:"As in context; not needed to ask again how a passkey's recovery stands"`
	CredentialID         string   `json:"credentialId" minLength:"1" maxLength:"1400"`
	ClientDataJSON       string   `json:"clientDataJson,omitempty" maxLength:"8192"`
	AttestationObject    string   `json:"attestationObject,omitempty" maxLength:"65536"`
	Transports           []string `json:"transports,omitempty" maxItems:"8"`
	Label                string   `json:"label,omitempty" maxLength:"64" doc:"Default Recovery Passkey"`
	RecoverySignature    string   `json:"recoverySignature,omitempty" maxLength:"86" doc:"Of the recovery key over the new passkey, base64url; see docs/recovery.md"`
	RemoveOtherPasskeys  bool     `json:"removeOtherPasskeys,omitempty" doc:"Those of the same user"`
	NewRecoveryPublicKey string   `json:"newRecoveryPublicKey,omitempty" pattern:"^0[23][0-9a-f]{64}$" patternDescription:"a compressed P-256 key in lower-case hex"`
}

// Sync submits the new passkey to the enclave, where the delay begins. For a passkey that was submitted before, it
// answers the state of that recovery.
func (s *Service) Sync(ctx context.Context, cmd *command.Command, in SyncRecoveryInput) (command.Answer, error) {
	r, err := s.handIn(ctx, cmd.Principal.WorkspaceID, in)
	if err != nil {
		return command.Answer{}, err
	}
	if r.State == Pending {
		if _, err := s.advance(ctx, r); err != nil {
			return command.Answer{}, err
		}
	}
	if r, err = s.c.Store.Recovery(ctx, r.WorkspaceID, r.ID); err != nil {
		return command.Answer{}, err
	}
	view, err := r.view()
	if err != nil {
		return command.Answer{}, err
	}
	return s.c.Store.Commit(ctx, cmd, func(context.Context, Tx) (command.Reply, error) {
		return command.Reply{Status: 201, Data: view,
			Audit: command.Audit{Action: "recovery.sync", Resource: r.ID}}, nil
	})
}

// handIn is the recovery after its new passkey is in the enclave. A passkey that was handed in before is not handed in
// again.
func (s *Service) handIn(ctx context.Context, ws string, in SyncRecoveryInput) (Recovery, error) {
	known, err := s.c.Store.RecoveryOfPasskey(ctx, ws, in.CredentialID)
	if err == nil && known.State != Requested || err != nil && !errors.Is(err, fault.ErrNotFound) {
		return known, err
	}
	if in.RecoveryID == "" {
		return known, fault.Field("recoveryId", "is required for a passkey that was not handed in yet")
	}
	r, err := s.c.Store.Recovery(ctx, ws, in.RecoveryID)
	if err != nil {
		return r, err
	}
	before := r
	if err := s.writeBody(&r, in); err != nil {
		return r, err
	}
	if err := s.remember(ctx, r, before); err != nil {
		return r, err
	}
	out, err := s.c.Enclave.Submit(ctx, wire.SubmitRequest{Body: r.Body}, r.Fingerprint)
	if err != nil {
		return r, err
	}
	return r, s.settle(ctx, r, out)
}

// writeBody writes the body that is handed in. It depends on the row and the request alone, so that a retry after a
// crash sends the same body.
func (s *Service) writeBody(r *Recovery, in SyncRecoveryInput) error {
	params, err := signer.Encode(wire.RecoverUserParams{
		RecoveryID: r.ID, RecoverySignature: in.RecoverySignature, RemoveOtherPasskeys: in.RemoveOtherPasskeys,
		NewRecoveryPublicKey: in.NewRecoveryPublicKey,
		Attestation: wire.Attestation{CredentialID: in.CredentialID, ClientDataJSON: in.ClientDataJSON,
			AttestationObject: in.AttestationObject, Transports: in.Transports},
	})
	if err != nil {
		return err
	}
	r.Body, err = signer.Text(wire.Body{
		Type: wire.RecoverUser, Environment: string(s.c.Environment), OrganizationID: r.SubOrganizationID,
		ActivityID:  record.DerivedID("recovery", r.WorkspaceID, r.ID),
		TimestampMs: signer.Millis(r.CreatedAt), ExpiresAtMs: signer.Millis(r.CreatedAt.Add(activity.PreparedTTL)),
		Parameters: params,
	})
	r.Fingerprint, r.CredentialID, r.Label, r.UpdatedAt = wire.Fingerprint(r.Body), in.CredentialID, in.Label,
		s.c.Clock.Now()
	if r.Label == "" {
		r.Label = "Recovery Passkey"
	}
	return err
}

// remember writes down what is about to be handed in. Should a crash swallow the enclave's answer, the job finds out
// what came of it. A body that was tried before makes room where the enclave has refused it; otherwise the enclave has
// taken that one, and will refuse the new one.
func (s *Service) remember(ctx context.Context, r, before Recovery) error {
	if r.State != Requested || before.Fingerprint == r.Fingerprint {
		return nil
	}
	if before.Fingerprint != "" {
		out, err := s.c.Enclave.Outcome(ctx, before.Fingerprint)
		if err != nil || out.State != wire.Unknown {
			return errors.Join(err, s.settle(ctx, before, out))
		}
	}
	err := s.c.Store.Work(ctx, r.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, tx.TryRecovery(ctx, r, before.Fingerprint)
	})
	if !errors.Is(err, record.ErrStale) {
		return err
	}
	now, err := s.c.Store.Recovery(ctx, r.WorkspaceID, r.ID)
	if err == nil && now.Fingerprint != r.Fingerprint {
		return activity.ErrRequestExpired // another passkey was handed in beside this one
	}
	return err
}
