package passkey

import (
	"context"
	"fmt"
	"strings"

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
	return SubOrganization{}, needed(all)
}

// mostChoices of an error that lists them.
const mostChoices = 20

// needed is the error of a call that names none of several sub-organizations: it says which there are.
func needed(all []SubOrganization) error {
	type choice struct {
		SubOrganizationID string `json:"subOrganizationId"`
		Email             string `json:"email"`
	}
	var choices []choice
	var names []string
	for _, o := range all[:min(len(all), mostChoices)] {
		choices = append(choices, choice{o.ID, o.Email})
		names = append(names, o.ID+" ("+o.Email+")")
	}
	if len(all) > mostChoices {
		names = append(names, fmt.Sprintf("and %d more", len(all)-mostChoices))
	}
	return ErrSubOrganizationNeeded.Msg(strings.Join(names, ", ")).With("choices", choices)
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
