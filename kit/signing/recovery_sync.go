package signing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/command"
)

// SyncRecoveryInput is a new passkey for whoever has lost his. Its attestation has
// answered the secret in the mailed bundle as its challenge.
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

// RecoveryView is how a recovery stands.
type RecoveryView struct {
	RecoveryID        string        `json:"recoveryId"`
	Status            RecoveryState `json:"status" enum:"requested,pending,completed,cancelled,expired"`
	SubOrganizationID string        `json:"subOrganizationId"`
	UserID            string        `json:"userId"`
	Email             string        `json:"email"`
	CredentialID      string        `json:"credentialId"`
	EmailOnly         bool          `json:"emailOnly" doc:"No recovery key vouches for it"`
	ReadyAt           *string       `json:"readyAt" format:"date-time" doc:"By the enclave's clock; any passkey can cancel it until then"`
	Proof             *wire.Proof   `json:"proof" doc:"What the enclave said last"`
}

func (r Recovery) view() (RecoveryView, error) {
	v := RecoveryView{
		RecoveryID: r.ID, Status: r.State, SubOrganizationID: r.SubOrganizationID, UserID: r.UserID, Email: r.Email, CredentialID: r.CredentialID,
		EmailOnly: r.EmailOnly, ReadyAt: isoOrNil(r.ReadyAt),
	}
	if r.Proof == "" {
		return v, nil
	}
	return v, parse(r.Proof, &v.Proof)
}

// SyncRecovery hands the new passkey to the enclave, which lets it wait. With a
// passkey that was handed in before it tells how that one's recovery stands.
func (s *Service) SyncRecovery(ctx context.Context, cmd *command.Command, in SyncRecoveryInput) (command.Answer, error) {
	r, err := s.syncedRecovery(ctx, cmd.Principal.WorkspaceID, in)
	if err != nil {
		return command.Answer{}, err
	}
	if r.State == RecoveryPending {
		if _, err := s.ripen(ctx, r); err != nil {
			return command.Answer{}, err
		}
	}
	if r, err = s.store.Recovery(ctx, r.WorkspaceID, r.ID); err != nil {
		return command.Answer{}, err
	}
	view, err := r.view()
	if err != nil {
		return command.Answer{}, err
	}
	return s.store.Commit(ctx, cmd, func(context.Context, Tx) (command.Reply, error) {
		return command.Reply{Status: 201, Data: view, Audit: command.Audit{Action: "recovery.sync", Resource: r.ID}}, nil
	})
}

// syncedRecovery is the recovery after its passkey is in the enclave.
func (s *Service) syncedRecovery(ctx context.Context, ws string, in SyncRecoveryInput) (Recovery, error) {
	known, err := s.store.RecoveryOfPasskey(ctx, ws, in.CredentialID)
	if err == nil && known.State != RecoveryRequested || err != nil && !errors.Is(err, fault.ErrNotFound) {
		return known, err
	}
	if in.RecoveryID == "" {
		return known, fault.Field("recoveryId", "is required for a passkey that was not handed in yet")
	}
	r, err := s.store.Recovery(ctx, ws, in.RecoveryID)
	if err != nil {
		return r, err
	}
	before := r
	if err := s.recoveryBody(&r, in); err != nil {
		return r, err
	}
	if err := s.tryRecovery(ctx, r, before); err != nil {
		return r, err
	}
	out, err := s.enclave.Submit(ctx, wire.SubmitRequest{Body: r.Body}, r.Fingerprint)
	if err != nil {
		return r, err
	}
	return r, s.settleRecovery(ctx, r, out)
}

// recoveryBody writes the body. It is a function of row and request, so that a
// retry after a crash sends the same.
func (s *Service) recoveryBody(r *Recovery, in SyncRecoveryInput) error {
	params, err := encode(wire.RecoverUserParams{
		RecoveryID: r.ID, RecoverySignature: in.RecoverySignature, RemoveOtherPasskeys: in.RemoveOtherPasskeys, NewRecoveryPublicKey: in.NewRecoveryPublicKey,
		Attestation: wire.Attestation{CredentialID: in.CredentialID, ClientDataJSON: in.ClientDataJSON, AttestationObject: in.AttestationObject, Transports: in.Transports},
	})
	if err != nil {
		return err
	}
	r.Body, err = text(wire.Body{
		Type: wire.RecoverUser, Environment: string(s.env), OrganizationID: r.SubOrganizationID, ActivityID: derivedID("recovery", r.WorkspaceID, r.ID),
		TimestampMs: millis(r.CreatedAt), ExpiresAtMs: millis(r.CreatedAt.Add(life)), Parameters: params,
	})
	r.Fingerprint, r.CredentialID, r.Label, r.UpdatedAt = wire.Fingerprint(r.Body), in.CredentialID, in.Label, s.clock.Now()
	if r.Label == "" {
		r.Label = "Recovery Passkey"
	}
	return err
}

// tryRecovery writes down what is handed in, first: should a crash swallow the
// answer, the job finds out what came of it. What was tried before makes room
// where the enclave has refused it; else this one is what it will refuse.
func (s *Service) tryRecovery(ctx context.Context, r, before Recovery) error {
	if r.State != RecoveryRequested || before.Fingerprint == r.Fingerprint {
		return nil
	}
	if before.Fingerprint != "" {
		out, err := s.enclave.Outcome(ctx, before.Fingerprint)
		if err != nil || out.State != wire.Unknown {
			return errors.Join(err, s.settleRecovery(ctx, before, out))
		}
	}
	err := s.store.Work(ctx, r.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, tx.TryRecovery(ctx, r, before.Fingerprint)
	})
	if !errors.Is(err, ErrStale) {
		return err
	}
	now, err := s.store.Recovery(ctx, r.WorkspaceID, r.ID)
	if err == nil && now.Fingerprint != r.Fingerprint {
		return ErrRequestExpired // another passkey was handed in beside this one
	}
	return err
}

// settleRecovery writes what the enclave made of a recovery's body.
func (s *Service) settleRecovery(ctx context.Context, r Recovery, out client.Outcome) error {
	switch out.State {
	case wire.Held:
		return s.recoveryWaits(ctx, r, out)
	case wire.Done:
		return s.recovered(ctx, r, out)
	case wire.Cancelled:
		return s.recoveryEnds(ctx, r, RecoveryCancelled)
	}
	return nil
}

// recoveryWaits notes that a recovery waits out its delay, and owes everybody a notice.
func (s *Service) recoveryWaits(ctx context.Context, r Recovery, out client.Outcome) error {
	res := out.Statement.Result
	if res == nil || res.Recovery == nil {
		return errors.New("the enclave's answer to a recovery names none")
	}
	from := r
	ready, err := time.Parse(time.RFC3339, res.Recovery.ReadyAt)
	if err != nil {
		return fmt.Errorf("reading a recovery: %w", err)
	}
	r.State, r.ReadyAt, r.EmailOnly, r.UpdatedAt = RecoveryPending, ready, res.Recovery.EmailOnly, s.clock.Now()
	if r.Proof, err = text(out.Proof); err != nil {
		return err
	}
	return s.moveRecovery(ctx, r, from.State, "recovery.begin", nil)
}

// moveRecovery writes a recovery's next state, once, with a job for what follows.
func (s *Service) moveRecovery(ctx context.Context, r Recovery, from RecoveryState, action string, more func(context.Context, Tx) error) error {
	if r.State == from {
		return nil
	}
	err := s.store.Work(ctx, r.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		audit := command.Audit{Action: action, Resource: r.ID, Detail: map[string]string{"subOrganizationId": r.SubOrganizationID, "credentialId": r.CredentialID}}
		if err := tx.MoveRecovery(ctx, r, from, r.notice()); err != nil {
			return audit, err
		}
		if more != nil {
			if err := more(ctx, tx); err != nil {
				return audit, err
			}
		}
		return audit, tx.Enqueue(ctx, r.job())
	})
	if errors.Is(err, ErrStale) {
		return nil // another was faster, with the enclave's same word
	}
	return err
}

// recovered writes the new passkey, and takes away those that the enclave has taken away.
func (s *Service) recovered(ctx context.Context, r Recovery, out client.Outcome) error {
	res := out.Statement.Result
	if res == nil || res.Passkey == nil || res.Owners == nil {
		return errors.New("the enclave's answer to a recovery names no passkey and owners")
	}
	have, err := s.store.Passkeys(ctx, r.WorkspaceID, r.SubOrganizationID)
	if err != nil {
		return err
	}
	key, err := passkeyOf(Activity{
		WorkspaceID: r.WorkspaceID, SubOrganizationID: r.SubOrganizationID, Name: r.Label, Kind: string(wire.CreateAuthenticator), Body: r.Body,
	}, out)
	if err != nil {
		return err
	}
	from := r.State
	r.State, r.UpdatedAt = RecoveryCompleted, s.clock.Now()
	if r.Proof, err = text(out.Proof); err != nil {
		return err
	}
	return s.moveRecovery(ctx, r, from, "recovery.complete", func(ctx context.Context, tx Tx) error {
		err := tx.InsertPasskey(ctx, key)
		for _, k := range have {
			if !owns(res.Owners, k.CredentialID) {
				err = errors.Join(err, tx.RemovePasskey(ctx, k.WorkspaceID, k.SubOrganizationID, k.CredentialID))
			}
		}
		return errors.Join(err, tx.SetRecoveryRule(ctx, r.WorkspaceID, r.SubOrganizationID, res.Owners.RecoveryPublicKey, res.Owners.EmailOnlyRecovery))
	})
}

func owns(all *wire.Owners, credentialID string) bool {
	for _, c := range all.Credentials {
		if c.CredentialID == credentialID {
			return true
		}
	}
	return false
}

func (s *Service) recoveryEnds(ctx context.Context, r Recovery, to RecoveryState) error {
	from := r.State
	r.State, r.UpdatedAt = to, s.clock.Now()
	action := ""
	if to == RecoveryCancelled {
		action = "recovery.cancel"
	}
	return s.moveRecovery(ctx, r, from, action, nil)
}

// notice is what everybody is told of the state, in the form of Owed.
func (r Recovery) notice() string {
	if r.State == RecoveryExpired {
		return ""
	}
	return "," + string(r.State)
}

func (s *Service) readyIn(r Recovery) time.Duration { return max(r.ReadyAt.Sub(s.clock.Now()), 0) }
