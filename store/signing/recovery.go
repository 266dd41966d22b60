package signing

import (
	"context"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/signing/recovery"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Recovery reads one.
func (s recoveryReads) Recovery(ctx context.Context, workspaceID, id string) (recovery.Recovery, error) {
	row, err := s.db.Read.Recovery(ctx, workspaceID, id)
	return sqldb.One("Recovery", row, err, recoveryRow)
}

// RecoveryOfPasskey reads the newest that a passkey was made for.
func (s recoveryReads) RecoveryOfPasskey(
	ctx context.Context, workspaceID, credentialID string,
) (recovery.Recovery, error) {
	row, err := s.db.Read.RecoveryOfPasskey(ctx, workspaceID, credentialID)
	return sqldb.One("Recovery", row, err, recoveryRow)
}

// WaitingRecoveries lists those of every workspace that have had work since before
// the instant.
func (s recoveryReads) WaitingRecoveries(
	ctx context.Context, before time.Time, limit int,
) ([]recovery.Recovery, error) {
	rows, err := s.db.Read.WaitingRecoveries(ctx, sqldb.Micros(before), int32(limit))
	return sqldb.Many(rows, err, recoveryRow)
}

// EarlierRecoveries counts those of the same e-mail that were asked for since the instant and before this one.
func (s recoveryReads) EarlierRecoveries(ctx context.Context, r recovery.Recovery, since time.Time) (int, error) {
	n, err := s.db.Read.EarlierRecoveries(ctx, db.EarlierRecoveriesParams{
		WorkspaceID: r.WorkspaceID, Email: r.Email, Since: sqldb.Micros(since), CreatedAt: sqldb.Micros(r.CreatedAt),
		ID: r.ID,
	})
	return int(n), sqldb.Reading("counting recoveries", err)
}

// AdminEmails lists those of a workspace's admins.
func (s recoveryReads) AdminEmails(ctx context.Context, workspaceID string) ([]string, error) {
	rows, err := s.db.Read.AdminEmails(ctx, workspaceID)
	return sqldb.Many(rows, err, func(email string) (string, error) { return email, nil })
}

func (t tx) InsertRecovery(ctx context.Context, r recovery.Recovery) error {
	n, err := t.Q.InsertRecovery(ctx, db.InsertRecoveryParams{
		WorkspaceID: r.WorkspaceID, ID: r.ID, SubOrganizationID: r.SubOrganizationID, UserID: r.UserID, Email: r.Email,
		State: string(r.State), Bundle: r.Bundle, CreatedAt: sqldb.Micros(r.CreatedAt),
		UpdatedAt: sqldb.Micros(r.UpdatedAt), ExpiresAt: sqldb.Micros(r.ExpiresAt),
	})
	return t.Told("inserting a recovery", n, err, recoveryChange(r))
}

func recoveryChange(r recovery.Recovery) event.Change {
	data := rest.EventRecovery{Status: string(r.State), SubOrganizationID: r.SubOrganizationID}
	if !r.ReadyAt.IsZero() {
		data.ReadyAt = clock.ISO(r.ReadyAt)
	}
	return event.Change{
		Type: event.Type("recovery." + r.State), WorkspaceID: r.WorkspaceID, Object: r.ID, Data: data,
	}
}

// TryRecovery notes the body that is about to be submitted, in the place of one
// that was refused.
func (t tx) TryRecovery(ctx context.Context, r recovery.Recovery, tried string) error {
	n, err := t.Q.TryRecovery(ctx, db.TryRecoveryParams{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Body: r.Body, Fingerprint: r.Fingerprint, CredentialID: r.CredentialID,
		Label: r.Label,
		Now:   sqldb.Micros(r.UpdatedAt), Tried: tried,
	})
	return sqldb.Swapped("noting a recovery's body", n, err)
}

// MoveRecovery sets what the enclave said, and owes a notice of it.
func (t tx) MoveRecovery(ctx context.Context, r recovery.Recovery, from recovery.State, notice string) error {
	n, err := t.Q.MoveRecovery(ctx, db.MoveRecoveryParams{
		WorkspaceID: r.WorkspaceID, ID: r.ID, FromState: string(from), ToState: string(r.State), Proof: r.Proof,
		EmailOnly: sqldb.Flag(r.EmailOnly),
		ReadyAt:   sqldb.Micros(r.ReadyAt), Notice: notice, Now: sqldb.Micros(r.UpdatedAt),
	})
	return t.ToldSwapped("moving a recovery", n, err, recoveryChange(r))
}

// MailedRecovery notes that the link and all notices but those still owed are mailed.
func (t tx) MailedRecovery(ctx context.Context, r recovery.Recovery, owed string) error {
	n, err := t.Q.MailedRecovery(ctx, db.MailedRecoveryParams{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Owed: owed, WasOwed: r.Owed, Now: sqldb.Micros(r.UpdatedAt),
	})
	return sqldb.Swapped("noting a recovery's mail", n, err)
}

func (t tx) TouchRecovery(ctx context.Context, workspaceID, id string, now time.Time) error {
	return sqldb.Doing("touching a recovery", t.Q.TouchRecovery(ctx, sqldb.Micros(now), workspaceID, id))
}

func (t tx) SetRecoveryRule(
	ctx context.Context, workspaceID, subOrganizationID, publicKey string, emailOnly bool, at time.Time,
) error {
	return sqldb.Doing("setting how a sub-organization is recovered", t.Q.SetRecoveryRule(ctx, db.SetRecoveryRuleParams{
		WorkspaceID: workspaceID, ID: subOrganizationID, RecoveryPublicKey: publicKey, EmailOnly: sqldb.Flag(emailOnly),
		At: sqldb.Micros(at),
	}))
}

func recoveryRow(r db.Recovery) (recovery.Recovery, error) {
	return recovery.Recovery{
		WorkspaceID: r.WorkspaceID, ID: r.ID, SubOrganizationID: r.SubOrganizationID, UserID: r.UserID, Email: r.Email,
		State: recovery.State(r.State), Bundle: r.Bundle, Body: r.Body, Fingerprint: r.Fingerprint,
		CredentialID: r.CredentialID,
		Label:        r.Label, EmailOnly: r.EmailOnly == 1, Proof: r.Proof, Owed: r.Owed,
		ReadyAt:   sqldb.Instant(r.ReadyAt),
		CreatedAt: sqldb.Instant(r.CreatedAt), UpdatedAt: sqldb.Instant(r.UpdatedAt),
		ExpiresAt: sqldb.Instant(r.ExpiresAt),
	}, nil
}
