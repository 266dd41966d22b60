package recovery

import (
	"context"
	"errors"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/platform/auth"
)

// RecoveryContext is all that a page needs to continue a recovery from its mailed link.
type RecoveryContext struct {
	RecoveryID        string  `json:"recoveryId"`
	SubOrganizationID string  `json:"subOrganizationId"`
	UserID            string  `json:"userId"`
	Email             string  `json:"email"`
	RPID              string  `json:"rpId"`
	Environment       string  `json:"environment" enum:"sandbox,production"`
	Status            State   `json:"status" enum:"requested,pending,completed,cancelled,expired"`
	ExpiresAt         string  `json:"expiresAt" format:"date-time" doc:"When the mailed link ends"`
	ReadyAt           *string `json:"readyAt" format:"date-time" doc:"When the new passkey can sign; once it waits"`
	NeedsCode         bool    `json:"needsCode" doc:"false: a passkey of the sub-organization has allowed recovery by mail alone"`
	CeremonyURL       string  `json:"ceremonyUrl,omitempty" doc:"Page on which it is done, with the bundle of the mail behind a dot. There is no iframe: the page forbids to be framed, since a page around it could have its clicks"`
}

// Context describes the recovery of a mailed link. It can be repeated, so that a scanner that opens links of mails
// does not use the link up.
func (s *Service) Context(ctx context.Context, p auth.Principal, token string) (RecoveryContext, error) {
	c, err := s.c.Links.Find(ctx, token)
	if errors.Is(err, link.ErrUnknown) || err == nil && (c.Kind != link.Recover || c.WorkspaceID != p.WorkspaceID) {
		return RecoveryContext{}, fault.Missing("Recovery")
	}
	if err != nil {
		return RecoveryContext{}, err
	}
	v, err := s.ContextOf(ctx, c)
	if s.c.CeremonyOrigin != "" {
		v.CeremonyURL = s.c.CeremonyOrigin + "/#" + token
	}
	return v, err
}

// ContextOf is Context for a link that the caller has already looked up.
func (s *Service) ContextOf(ctx context.Context, c link.Ceremony) (RecoveryContext, error) {
	r, err := s.c.Store.Recovery(ctx, c.WorkspaceID, c.Subject)
	if err != nil {
		return RecoveryContext{}, err
	}
	sub, err := s.c.Store.SubOrganization(ctx, r.WorkspaceID, r.SubOrganizationID)
	return RecoveryContext{
		RecoveryID: r.ID, SubOrganizationID: r.SubOrganizationID, UserID: r.UserID, Email: r.Email, RPID: s.c.RPID,
		Environment: string(s.c.Environment),
		Status:      r.State, ExpiresAt: clock.ISO(r.ExpiresAt), ReadyAt: clock.ISOOrNil(r.ReadyAt),
		NeedsCode: !sub.EmailOnly,
	}, err
}

// MigrationEligibility tells whether a sub-organization has enough passkeys to lose one.
type MigrationEligibility struct {
	SubOrganizationID string `json:"subOrganizationId"`
	Eligible          bool   `json:"eligible"`
	Passkeys          int    `json:"passkeys"`
	Required          int    `json:"required"`
}

// enoughPasskeys is the number of passkeys with which one may be lost.
const enoughPasskeys = 2

// MigrationEligibility counts passkeys.
func (s *Service) MigrationEligibility(ctx context.Context, p auth.Principal,
	subOrganizationID string,
) (MigrationEligibility, error) {
	sub, err := s.c.Passkeys.SubOrganization(ctx, p.WorkspaceID, subOrganizationID)
	if err != nil {
		return MigrationEligibility{}, err
	}
	keys, err := s.c.Store.Passkeys(ctx, p.WorkspaceID, sub.ID)
	return MigrationEligibility{SubOrganizationID: sub.ID, Eligible: len(keys) >= enoughPasskeys, Passkeys: len(keys),
		Required: enoughPasskeys}, err
}
