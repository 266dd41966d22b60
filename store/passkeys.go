package store

import (
	"context"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/store/db"
)

// SubOrganizations lists a workspace's sub-organizations, oldest first.
func (s Signing) SubOrganizations(ctx context.Context, workspaceID string) ([]passkey.SubOrganization, error) {
	rows, err := s.read.SubOrganizations(ctx, workspaceID)
	return many(rows, err, subOrganizationRow)
}

// SubOrganization finds one.
func (s Signing) SubOrganization(ctx context.Context, workspaceID, id string) (passkey.SubOrganization, error) {
	row, err := s.read.SubOrganization(ctx, workspaceID, id)
	return one("Sub-organization", row, err, subOrganizationRow)
}

// Passkeys lists the passkeys of a sub-organization, or of all, oldest first.
func (s Signing) Passkeys(ctx context.Context, workspaceID, subOrganizationID string) ([]passkey.Passkey, error) {
	if subOrganizationID == "" {
		rows, err := s.read.Passkeys(ctx, workspaceID)
		return many(rows, err, passkeyRow)
	}
	rows, err := s.read.PasskeysOf(ctx, workspaceID, subOrganizationID)
	return many(rows, err, passkeyRow)
}

// Passkey finds one.
func (s Signing) Passkey(ctx context.Context, workspaceID, id string) (passkey.Passkey, error) {
	row, err := s.read.Passkey(ctx, workspaceID, id)
	return one("Passkey", row, err, passkeyRow)
}

func (t *tx) InsertSubOrganization(ctx context.Context, o passkey.SubOrganization) error {
	return doing("inserting a sub-organization", t.q.InsertSubOrganization(ctx, db.InsertSubOrganizationParams{
		WorkspaceID: o.WorkspaceID, ID: o.ID, UserID: o.UserID, Email: o.Email, Name: o.Name,
		RecoveryPublicKey: o.RecoveryPublicKey, Proof: o.Proof, CreatedAt: micros(o.CreatedAt),
	}))
}

func (t *tx) InsertPasskey(ctx context.Context, p passkey.Passkey) error {
	return doing("inserting a passkey", t.q.InsertPasskey(ctx, db.InsertPasskeyParams{
		WorkspaceID: p.WorkspaceID, ID: p.ID, SubOrganizationID: p.SubOrganizationID, UserID: p.UserID, Email: p.Email,
		CredentialID: p.CredentialID, PublicKey: p.PublicKey, Aaguid: p.AAGUID, Transports: list(p.Transports),
		Label: p.Label, CreatedAt: micros(p.CreatedAt), LastUsedAt: micros(p.LastUsedAt),
	}))
}

func (t *tx) RenamePasskey(ctx context.Context, workspaceID, id, label string) error {
	n, err := t.q.RenamePasskey(ctx, workspaceID, id, label)
	if err == nil && n == 0 {
		return fault.Missing("Passkey")
	}
	return doing("renaming a passkey", err)
}

func (t *tx) TouchPasskey(ctx context.Context, workspaceID, subOrganizationID, credentialID string, at time.Time) error {
	return doing("touching a passkey", t.q.TouchPasskey(ctx, db.TouchPasskeyParams{
		At: micros(at), WorkspaceID: workspaceID, SubOrganizationID: subOrganizationID, CredentialID: credentialID,
	}))
}

func (t *tx) RemovePasskey(ctx context.Context, workspaceID, subOrganizationID, credentialID string) error {
	return doing("removing a passkey", t.q.RemovePasskey(ctx, workspaceID, subOrganizationID, credentialID))
}

func subOrganizationRow(r db.SubOrganization) (passkey.SubOrganization, error) {
	return passkey.SubOrganization{
		WorkspaceID: r.WorkspaceID, ID: r.ID, UserID: r.UserID, Email: r.Email, Name: r.Name,
		RecoveryPublicKey: r.RecoveryPublicKey, EmailOnly: r.EmailOnly == 1, Proof: r.Proof, CreatedAt: instant(r.CreatedAt),
	}, nil
}

func passkeyRow(r db.Passkey) (passkey.Passkey, error) {
	transports, err := unlist[string](r.Transports)
	return passkey.Passkey{
		WorkspaceID: r.WorkspaceID, ID: r.ID, SubOrganizationID: r.SubOrganizationID, UserID: r.UserID, Email: r.Email,
		CredentialID: r.CredentialID, PublicKey: r.PublicKey, AAGUID: r.Aaguid, Transports: transports,
		Label: r.Label, CreatedAt: instant(r.CreatedAt), LastUsedAt: instant(r.LastUsedAt),
	}, err
}
