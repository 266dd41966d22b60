package store

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/signing/recovery"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
)

// Recovery reads one.
func (s Signing) Recovery(ctx context.Context, workspaceID, id string) (recovery.Recovery, error) {
	row, err := s.read.Recovery(ctx, workspaceID, id)
	return one("Recovery", row, err, recoveryRow)
}

// RecoveryOfPasskey reads the newest that a passkey was made for.
func (s Signing) RecoveryOfPasskey(ctx context.Context, workspaceID, credentialID string) (recovery.Recovery, error) {
	row, err := s.read.RecoveryOfPasskey(ctx, workspaceID, credentialID)
	return one("Recovery", row, err, recoveryRow)
}

// WaitingRecoveries lists those of every workspace that have had work since before
// the instant.
func (s Signing) WaitingRecoveries(ctx context.Context, before time.Time, limit int) ([]recovery.Recovery, error) {
	rows, err := s.read.WaitingRecoveries(ctx, micros(before), int32(limit))
	return many(rows, err, recoveryRow)
}

// EarlierRecoveries counts those of the same e-mail that were asked for since the instant and before this one.
func (s Signing) EarlierRecoveries(ctx context.Context, r recovery.Recovery, since time.Time) (int, error) {
	n, err := s.read.EarlierRecoveries(ctx, db.EarlierRecoveriesParams{
		WorkspaceID: r.WorkspaceID, Email: r.Email, Since: micros(since), CreatedAt: micros(r.CreatedAt), ID: r.ID,
	})
	return int(n), doing("counting recoveries", postgres.Tell(err))
}

// AdminEmails lists those of a workspace's admins.
func (s Signing) AdminEmails(ctx context.Context, workspaceID string) ([]string, error) {
	rows, err := s.read.AdminEmails(ctx, workspaceID)
	return many(rows, err, func(email string) (string, error) { return email, nil })
}

func (t *tx) InsertRecovery(ctx context.Context, r recovery.Recovery) error {
	return doing("inserting a recovery", t.q.InsertRecovery(ctx, db.InsertRecoveryParams{
		WorkspaceID: r.WorkspaceID, ID: r.ID, SubOrganizationID: r.SubOrganizationID, UserID: r.UserID, Email: r.Email,
		State: string(r.State), Bundle: r.Bundle, CreatedAt: micros(r.CreatedAt), UpdatedAt: micros(r.UpdatedAt), ExpiresAt: micros(r.ExpiresAt),
	}))
}

// TryRecovery notes the body that is about to be submitted, in the place of one
// that was refused.
func (t *tx) TryRecovery(ctx context.Context, r recovery.Recovery, tried string) error {
	n, err := t.q.TryRecovery(ctx, db.TryRecoveryParams{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Body: r.Body, Fingerprint: r.Fingerprint, CredentialID: r.CredentialID, Label: r.Label,
		Now: micros(r.UpdatedAt), Tried: tried,
	})
	return swapped("noting a recovery's body", n, err)
}

// MoveRecovery sets what the enclave said, and owes a notice of it.
func (t *tx) MoveRecovery(ctx context.Context, r recovery.Recovery, from recovery.State, notice string) error {
	n, err := t.q.MoveRecovery(ctx, db.MoveRecoveryParams{
		WorkspaceID: r.WorkspaceID, ID: r.ID, FromState: string(from), ToState: string(r.State), Proof: r.Proof, EmailOnly: flag(r.EmailOnly),
		ReadyAt: micros(r.ReadyAt), Notice: notice, Now: micros(r.UpdatedAt),
	})
	return swapped("moving a recovery", n, err)
}

// MailedRecovery notes that the link and all notices but those still owed are mailed.
func (t *tx) MailedRecovery(ctx context.Context, r recovery.Recovery, owed string) error {
	n, err := t.q.MailedRecovery(ctx, db.MailedRecoveryParams{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Owed: owed, WasOwed: r.Owed, Now: micros(r.UpdatedAt),
	})
	return swapped("noting a recovery's mail", n, err)
}

func (t *tx) TouchRecovery(ctx context.Context, workspaceID, id string, now time.Time) error {
	return doing("touching a recovery", t.q.TouchRecovery(ctx, micros(now), workspaceID, id))
}

func (t *tx) SetRecoveryRule(ctx context.Context, workspaceID, subOrganizationID, publicKey string, emailOnly bool) error {
	return doing("setting how a sub-organization is recovered", t.q.SetRecoveryRule(ctx, db.SetRecoveryRuleParams{
		WorkspaceID: workspaceID, ID: subOrganizationID, RecoveryPublicKey: publicKey, EmailOnly: flag(emailOnly),
	}))
}

func recoveryRow(r db.Recovery) (recovery.Recovery, error) {
	return recovery.Recovery{
		WorkspaceID: r.WorkspaceID, ID: r.ID, SubOrganizationID: r.SubOrganizationID, UserID: r.UserID, Email: r.Email,
		State: recovery.State(r.State), Bundle: r.Bundle, Body: r.Body, Fingerprint: r.Fingerprint, CredentialID: r.CredentialID,
		Label: r.Label, EmailOnly: r.EmailOnly == 1, Proof: r.Proof, Owed: r.Owed, ReadyAt: instant(r.ReadyAt),
		CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt), ExpiresAt: instant(r.ExpiresAt),
	}, nil
}
