package passkey

import (
	"context"

	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/rest"
)

// DirectoryStore is what the directory needs of a database.
type DirectoryStore interface {
	SubOrganizations(ctx context.Context, workspaceID string) ([]SubOrganization, error)
	SubOrganization(ctx context.Context, workspaceID, id string) (SubOrganization, error)
	Passkeys(ctx context.Context, workspaceID, subOrganizationID string) ([]Passkey, error) // "" = of all
}

// Directory finds sub-organizations, and the passkeys that may stamp for them.
type Directory struct{ store DirectoryStore }

// NewDirectory makes a Directory.
func NewDirectory(s DirectoryStore) *Directory { return &Directory{s} }

// SubOrganization finds the sub-organization that a call names or, if it names none, the workspace's only one.
func (d *Directory) SubOrganization(ctx context.Context, workspaceID, id string) (SubOrganization, error) {
	if id != "" {
		return d.store.SubOrganization(ctx, workspaceID, id)
	}
	all, err := d.store.SubOrganizations(ctx, workspaceID)
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

// AllowCredentials lists the passkeys that may stamp for a sub-organization.
func (d *Directory) AllowCredentials(ctx context.Context, o activity.Owner) ([]rest.AllowCredential, error) {
	keys, err := d.store.Passkeys(ctx, o.WorkspaceID, o.ID)
	if err != nil {
		return nil, err
	}
	allow := []rest.AllowCredential{}
	for _, k := range keys {
		allow = append(allow, rest.AllowCredential{Type: "public-key", ID: k.CredentialID,
			Transports: k.Transports})
	}
	return allow, nil
}
