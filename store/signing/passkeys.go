package signing

import (
	"context"
	"strings"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// SubOrganizations lists a workspace's sub-organizations, oldest first.
func (s passkeyReads) SubOrganizations(ctx context.Context, workspaceID string) ([]passkey.SubOrganization, error) {
	rows, err := s.db.Read.SubOrganizations(ctx, workspaceID)
	return sqldb.Many(rows, err, subOrganizationRow)
}

// SubOrganization finds one.
func (s passkeyReads) SubOrganization(ctx context.Context, workspaceID, id string) (passkey.SubOrganization, error) {
	row, err := s.db.Read.SubOrganization(ctx, workspaceID, id)
	return sqldb.One("Sub-organization", row, err, subOrganizationRow)
}

// Passkeys lists the passkeys of a sub-organization, or of all, oldest first.
func (s passkeyReads) Passkeys(ctx context.Context, workspaceID, subOrganizationID string) ([]passkey.Passkey, error) {
	if subOrganizationID == "" {
		rows, err := s.db.Read.Passkeys(ctx, workspaceID)
		return sqldb.Many(rows, err, passkeyRow)
	}
	rows, err := s.db.Read.PasskeysOf(ctx, workspaceID, subOrganizationID)
	return sqldb.Many(rows, err, passkeyRow)
}

// PasskeyPage lists a page of a filter, oldest first, and counts all of it.
func (s passkeyReads) PasskeyPage(ctx context.Context, f passkey.Filter) ([]passkey.Passkey, int, error) {
	q := s.db.Query(1).Equal("sub_organization_id", f.SubOrganizationID).Equal("LOWER(email)", strings.ToLower(f.Email))
	total, err := db.New(q).CountPasskeys(ctx, f.WorkspaceID)
	if err != nil {
		return nil, 0, sqldb.Reading("counting passkeys", err)
	}
	rows, err := db.New(q.Page("created_at", "asc", f.Page)).ListPasskeys(ctx, f.WorkspaceID)
	return sqldb.Listed(total, rows, err, passkeyRow)
}

// Passkey finds one.
func (s passkeyReads) Passkey(ctx context.Context, workspaceID, id string) (passkey.Passkey, error) {
	row, err := s.db.Read.Passkey(ctx, workspaceID, id)
	return sqldb.One("Passkey", row, err, passkeyRow)
}

func (t tx) InsertSubOrganization(ctx context.Context, o passkey.SubOrganization) error {
	n, err := t.Q.InsertSubOrganization(ctx, db.InsertSubOrganizationParams{
		WorkspaceID: o.WorkspaceID, ID: o.ID, UserID: o.UserID, Email: o.Email, Name: o.Name,
		RecoveryPublicKey: o.RecoveryPublicKey, Proof: o.Proof, CreatedAt: sqldb.Micros(o.CreatedAt),
	})
	return t.Told("inserting a sub-organization", n, err, event.Change{
		Type: event.OwnerCreated, WorkspaceID: o.WorkspaceID, Object: o.ID,
		Data: rest.EventSubOrganization{Name: o.Name},
	})
}

func (t tx) InsertPasskey(ctx context.Context, p passkey.Passkey) error {
	n, err := t.Q.InsertPasskey(ctx, db.InsertPasskeyParams{
		WorkspaceID: p.WorkspaceID, ID: p.ID, SubOrganizationID: p.SubOrganizationID, UserID: p.UserID, Email: p.Email,
		CredentialID: p.CredentialID, PublicKey: p.PublicKey, Aaguid: p.AAGUID, Transports: sqldb.List(p.Transports),
		Label: p.Label, CreatedAt: sqldb.Micros(p.CreatedAt), LastUsedAt: sqldb.Micros(p.LastUsedAt),
	})
	return t.Told("inserting a passkey", n, err, event.Change{
		Type: event.PasskeyAdded, WorkspaceID: p.WorkspaceID, Object: p.ID,
		Data: rest.EventPasskey{SubOrganizationID: p.SubOrganizationID, Label: p.Label},
	})
}

func (t tx) RenamePasskey(ctx context.Context, workspaceID, id, label string) error {
	n, err := t.Q.RenamePasskey(ctx, workspaceID, id, label)
	if err == nil && n == 0 {
		return fault.Missing("Passkey")
	}
	return t.Told("renaming a passkey", n, err, event.Change{
		Type: event.PasskeyRenamed, WorkspaceID: workspaceID, Object: id, Data: rest.EventPasskey{Label: label},
	})
}

func (t tx) TouchPasskey(workspaceID, subOrganizationID, credentialID string, at time.Time) {
	p := db.TouchPasskeyParams{
		At: sqldb.Micros(at), WorkspaceID: workspaceID, SubOrganizationID: subOrganizationID,
		CredentialID: credentialID,
	}
	row := strings.Join([]string{"passkey", workspaceID, subOrganizationID, credentialID}, " ")
	t.Touch("touching a passkey", row, p.At, func(ctx context.Context, q *db.Queries) error {
		return q.TouchPasskey(ctx, p)
	})
}

func (t tx) RemovePasskey(ctx context.Context, workspaceID, subOrganizationID, credentialID string) error {
	gone, err := t.Q.RemovePasskey(ctx, workspaceID, subOrganizationID, credentialID)
	for _, row := range gone {
		t.Tell(event.Change{
			Type: event.PasskeyRemoved, WorkspaceID: workspaceID, Object: row.ID,
			Data: rest.EventPasskey{SubOrganizationID: subOrganizationID, Label: row.Label},
		})
	}
	return sqldb.Doing("removing a passkey", err)
}

func subOrganizationRow(r db.SubOrganization) (passkey.SubOrganization, error) {
	return passkey.SubOrganization{
		WorkspaceID: r.WorkspaceID, ID: r.ID, UserID: r.UserID, Email: r.Email, Name: r.Name,
		RecoveryPublicKey: r.RecoveryPublicKey, EmailOnly: r.EmailOnly == 1, Proof: r.Proof,
		CreatedAt: sqldb.Instant(r.CreatedAt),
	}, nil
}

func passkeyRow(r db.Passkey) (passkey.Passkey, error) {
	transports, err := sqldb.Unlist[string](r.Transports)
	return passkey.Passkey{
		WorkspaceID: r.WorkspaceID, ID: r.ID, SubOrganizationID: r.SubOrganizationID, UserID: r.UserID, Email: r.Email,
		CredentialID: r.CredentialID, PublicKey: r.PublicKey, AAGUID: r.Aaguid, Transports: transports,
		Label: r.Label, CreatedAt: sqldb.Instant(r.CreatedAt), LastUsedAt: sqldb.Instant(r.LastUsedAt),
	}, err
}
