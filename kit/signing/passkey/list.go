package passkey

import (
	"context"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

// List lists passkeys of one sub-organization, or of all.
func (s *Service) List(ctx context.Context, p auth.Principal, subOrganizationID string) ([]rest.Passkey, error) {
	if subOrganizationID != "" {
		if _, err := s.store.SubOrganization(ctx, p.WorkspaceID, subOrganizationID); err != nil {
			return nil, err
		}
	}
	keys, err := s.store.Passkeys(ctx, p.WorkspaceID, subOrganizationID)
	if err != nil {
		return nil, err
	}
	views := []rest.Passkey{}
	for _, k := range keys {
		views = append(views, k.view())
	}
	return views, nil
}

// Rename changes a label. Labels are not in the enclave, and give no rights.
func (s *Service) Rename(
	ctx context.Context, cmd *command.Command, id string, in rest.RenamePasskeyRequest,
) (command.Answer, error) {
	ws := cmd.Principal.WorkspaceID
	key, err := s.store.Passkey(ctx, ws, id)
	if err != nil {
		return command.Answer{}, err
	}
	before := key.Label
	key.Label = in.Label
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
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
