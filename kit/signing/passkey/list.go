package passkey

import (
	"context"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// Filter selects passkeys, oldest first. Empty fields do not filter.
type Filter struct {
	WorkspaceID              string
	SubOrganizationID, Email string
	Page                     page.Page
}

// List lists a page of passkeys: of one sub-organization or of all, of one person's address or of everybody.
func (s *Service) List(ctx context.Context, f Filter) ([]rest.Passkey, *page.Cursor, int, error) {
	if f.SubOrganizationID != "" {
		if _, err := s.c.Store.SubOrganization(ctx, f.WorkspaceID, f.SubOrganizationID); err != nil {
			return nil, nil, 0, err
		}
	}
	keys, total, err := s.c.Store.PasskeyPage(ctx, f)
	if err != nil {
		return nil, nil, 0, err
	}
	views := []rest.Passkey{}
	for _, k := range keys {
		views = append(views, k.view())
	}
	return views, page.Next(f.Page, keys, total, Passkey.cursor), total, nil
}

func (k Passkey) cursor() page.Cursor { return page.Cursor{CreatedAt: k.CreatedAt, ID: k.ID} }

// Rename changes a label. Labels are not in the enclave, and give no rights.
func (s *Service) Rename(
	ctx context.Context, cmd *command.Command, id string, in rest.RenamePasskeyRequest,
) (command.Answer, error) {
	ws := cmd.Principal.WorkspaceID
	key, err := s.c.Store.Passkey(ctx, ws, id)
	if err != nil {
		return command.Answer{}, err
	}
	before := key.Label
	key.Label = in.Label
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{
			Status: 200, Data: key.view(),
			Audit: command.Audit{
				Action: "passkey.rename", Resource: key.ID, Before: map[string]any{"label": before},
				After: map[string]any{"label": in.Label},
			},
		}, tx.RenamePasskey(ctx, ws, key.ID, in.Label)
	})
}

func (k Passkey) view() rest.Passkey {
	v := rest.Passkey{
		ID: k.ID, CredentialID: k.CredentialID, PublicKey: k.PublicKey, Label: k.Label, AAGUID: k.AAGUID,
		Transports: k.Transports,
		UserID:     k.UserID, Email: k.Email, SubOrganizationID: k.SubOrganizationID, CreatedAt: clock.ISO(k.CreatedAt),
		LastUsedAt: clock.ISOOrNil(k.LastUsedAt),
	}
	if v.Transports == nil {
		v.Transports = []string{}
	}
	return v
}
