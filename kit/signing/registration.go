package signing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/command"
)

// registration is a registration that is on its way to the enclave. It has no
// prepare, so its row is written just before: the enclave knows an e-mail once,
// and a crash in between must not lock its owner out.
func (s *Service) registration(workspaceID, body string, in RegisterInput) Activity {
	now := s.clock.Now()
	return Activity{
		WorkspaceID: workspaceID, ID: derivedID("registration", workspaceID, in.EncodedChallenge), Kind: string(wire.CreateSubOrganization),
		Name: in.Name, Body: body, Fingerprint: wire.Fingerprint(body), State: Awaiting, CreatedAt: now, ExpiresAt: now.Add(life),
	}
}

// remember writes the registration's row. One that another attempt under the
// challenge has left makes room once the enclave will never do that attempt.
func (s *Service) remember(ctx context.Context, a Activity) error {
	tried, err := s.store.Activity(ctx, a.WorkspaceID, a.ID)
	if errors.Is(err, fault.ErrNotFound) {
		return s.store.Work(ctx, a.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
			return command.Audit{}, tx.InsertActivity(ctx, a)
		})
	}
	if err != nil || tried.State != Awaiting || tried.Fingerprint == a.Fingerprint {
		return err
	}
	out, err := s.enclave.Cancel(ctx, tried.Fingerprint)
	if err != nil || out.State != wire.Cancelled {
		return err // done: the sweeper writes it, and the enclave refuses this one
	}
	err = s.store.Work(ctx, a.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, tx.RetryActivity(ctx, tried.Fingerprint, a)
	})
	if errors.Is(err, ErrStale) {
		return ErrRequestExpired // a third attempt was faster
	}
	return err
}

func (s *Service) finishRegistration(ctx context.Context, tx Tx, a Activity, sub SubOrganization, key Passkey) error {
	if err := errors.Join(tx.InsertSubOrganization(ctx, sub), tx.InsertPasskey(ctx, key)); err != nil {
		return err
	}
	return s.done(ctx, tx, a)
}

// recoverRegistration is the sweeper's half: the label, which the enclave never
// saw, is the default again.
func (s *Service) recoverRegistration(ctx context.Context, tx Tx, a Activity, out client.Outcome) error {
	var body wire.Body
	var params wire.CreateSubOrganizationParams
	if err := json.Unmarshal([]byte(a.Body), &body); err != nil {
		return fmt.Errorf("reading a registration: %w", err)
	}
	if err := json.Unmarshal(body.Parameters, &params); err != nil {
		return fmt.Errorf("reading a registration: %w", err)
	}
	sub, key, err := registered(a.WorkspaceID, RegisterInput{
		Email: params.Email, Name: a.Name, RecoveryPublicKey: params.RecoveryPublicKey,
		Attestation: Attestation{Transports: params.Attestation.Transports},
	}, out.Statement, out.Proof)
	if err != nil {
		return err
	}
	return s.finishRegistration(ctx, tx, a, sub, key)
}

// used notes that a passkey stamped, where one did. The enclave verified the
// stamp; here only its credential's name is read.
func (s *Service) used(ctx context.Context, tx Tx, workspaceID, subOrganizationID string, stamp *wire.Stamp) error {
	if stamp == nil {
		return nil
	}
	var named struct{ CredentialID, ID string }
	if err := json.Unmarshal([]byte(stamp.HeaderValue), &named); err != nil {
		return nil // another kind of stamp
	}
	if named.CredentialID == "" {
		named.CredentialID = named.ID // as of PublicKeyCredential.toJSON()
	}
	return tx.TouchPasskey(ctx, workspaceID, subOrganizationID, named.CredentialID, s.clock.Now())
}
