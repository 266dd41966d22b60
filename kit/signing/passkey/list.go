package passkey

import (
	"context"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
)

// PasskeyView is a passkey as the API shows it.
type PasskeyView struct {
	ID                string   `json:"id"`
	CredentialID      string   `json:"credentialId"`
	PublicKey         string   `json:"publicKey" doc:"COSE key, base64url"`
	Label             string   `json:"label"`
	AAGUID            string   `json:"aaguid"`
	Transports        []string `json:"transports"`
	UserID            string   `json:"userId"`
	Email             string   `json:"email"`
	SubOrganizationID string   `json:"subOrganizationId"`
	CreatedAt         string   `json:"createdAt" format:"date-time"`
	LastUsedAt        *string  `json:"lastUsedAt" format:"date-time"`
}

// List lists passkeys of one sub-organization, or of all.
func (s *Service) List(ctx context.Context, p auth.Principal, subOrganizationID string) ([]PasskeyView, error) {
	if subOrganizationID != "" {
		if _, err := s.store.SubOrganization(ctx, p.WorkspaceID, subOrganizationID); err != nil {
			return nil, err
		}
	}
	keys, err := s.store.Passkeys(ctx, p.WorkspaceID, subOrganizationID)
	if err != nil {
		return nil, err
	}
	views := []PasskeyView{}
	for _, k := range keys {
		views = append(views, k.view())
	}
	return views, nil
}

// RenameInput is a passkey's new label.
type RenameInput struct {
	Label string `json:"label" minLength:"1" maxLength:"64"`
}

// Rename changes a label. Labels are not in the enclave, and give no rights.
func (s *Service) Rename(ctx context.Context, cmd *command.Command, id string, in RenameInput) (command.Answer, error) {
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

func (k Passkey) view() PasskeyView {
	v := PasskeyView{
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
