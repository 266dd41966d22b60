package ceremony

import (
	"context"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/rest"
)

// CeremonyView is what the passkey page shows and needs for the passkey.
type CeremonyView struct {
	rest.CeremonyNames
	Kind        link.Kind             `json:"kind"`
	Environment string                `json:"environment" enum:"sandbox,production"`
	ExpiresAt   string                `json:"expiresAt" format:"date-time"`
	Register    *CeremonyRegistration `json:"register,omitempty"`
	Stamp       *CeremonyStamp        `json:"stamp,omitempty"`
	Recover     *CeremonyRecovering   `json:"recover,omitempty"`
	Journal     *wire.Proof           `json:"journal,omitempty" doc:"Where the page named entries: the heads that the enclave's journal had there, and at the proofs of this answer"`
}

// CeremonyRecovering is a recovery. With only the e-mail set, the page asks for its mail; with the other fields the
// page makes the new passkey.
type CeremonyRecovering struct {
	Email             string                   `json:"email"`
	RecoveryID        string                   `json:"recoveryId,omitempty"`
	SubOrganizationID string                   `json:"subOrganizationId,omitempty"`
	UserID            string                   `json:"userId,omitempty"`
	NeedsCode         bool                     `json:"needsCode"`
	Options           *passkey.CreationOptions `json:"options,omitempty" doc:"Its challenge is in the mail"`
}

// CeremonyRegistration describes the passkey to make.
type CeremonyRegistration struct {
	Email   string                  `json:"email"`
	Options passkey.CreationOptions `json:"options"`
}

// CeremonyStamp is a body to stamp, with the enclave's preview of its effects.
type CeremonyStamp struct {
	Body             string                 `json:"body"`
	Preview          wire.Proof             `json:"preview"`
	State            *wire.Proof            `json:"state,omitempty" doc:"Of a vote: who the users of the sub-organization are"`
	AllowCredentials []rest.AllowCredential `json:"allowCredentials"`
	RPID             string                 `json:"rpId"`
}

// Open shows what a link is for. It can be repeated until the link is finished. The seqs are the numbers of the
// journal entries that the page remembers, and workspace is what the one that made the link is called.
func (s *Service) Open(ctx context.Context, c link.Ceremony, workspace string, seqs []string) (CeremonyView, error) {
	sub, err := s.subjectOf(ctx, c)
	if err == nil {
		err = s.over(c, sub.state)
	}
	if err != nil {
		return CeremonyView{}, err
	}
	v := CeremonyView{Kind: c.Kind, Environment: string(s.c.Environment), ExpiresAt: clock.ISO(c.ExpiresAt)}
	v.WorkspaceName = workspace
	if v.WalletName, err = s.walletName(ctx, c, sub); err != nil {
		return CeremonyView{}, err
	}
	switch c.Kind {
	case link.Register, link.Add:
		v.Register, err = s.registration(ctx, c)
	case link.Lost:
		v.Recover = &CeremonyRecovering{Email: c.Email}
	case link.Recover:
		v.Recover, err = s.recovering(ctx, c)
	default:
		v.Stamp, err = s.stamp(ctx, c, sub)
	}
	if err != nil {
		return CeremonyView{}, err
	}
	if err := s.journal(ctx, &v, seqs); err != nil {
		return CeremonyView{}, err
	}
	return v, s.sweep(ctx, c, sub)
}

func (s *Service) stamp(ctx context.Context, c link.Ceremony, sub subject) (*CeremonyStamp, error) {
	// The page refuses a preview that is older than a journal entry which its browser has seen. So it gets a new
	// preview, not the one from the time when the link was made.
	allow, err := s.c.Passkeys.AllowCredentials(ctx,
		activity.Owner{WorkspaceID: c.WorkspaceID, ID: sub.subOrganizationID})
	if err != nil {
		return nil, err
	}
	v := &CeremonyStamp{Body: sub.body, AllowCredentials: allow, RPID: s.c.RPID}
	if c.Kind == link.Approval {
		return v, s.voteStamp(ctx, c.WorkspaceID, sub, v)
	}
	v.Preview, _, err = s.c.Enclave.Preview(ctx, sub.body)
	return v, err
}

// voteStamp also returns the users as the enclave states them: the waiting request names its requester by id only.
func (s *Service) voteStamp(ctx context.Context, workspaceID string, sub subject, v *CeremonyStamp) error {
	a, err := s.approvalOf(ctx, workspaceID, sub.body)
	if err != nil {
		return err
	}
	if !a.Open() {
		return ended("decided", "others have decided it already")
	}
	held, err := s.c.Votes.HeldBody(ctx, a)
	if err != nil {
		return err
	}
	if v.Preview, _, err = s.c.Enclave.PreviewVote(ctx, sub.body, held); err != nil {
		return err
	}
	state, err := s.c.Enclave.State(ctx, wire.StateRequest{OrganizationID: sub.subOrganizationID})
	v.State = &state
	return err
}

func (s *Service) recovering(ctx context.Context, c link.Ceremony) (*CeremonyRecovering, error) {
	r, err := s.c.Recoveries.ContextOf(ctx, c)
	options := s.c.Passkeys.Options("", r.Email)
	return &CeremonyRecovering{
		Email: r.Email, RecoveryID: r.RecoveryID, SubOrganizationID: r.SubOrganizationID, UserID: r.UserID,
		NeedsCode: r.NeedsCode, Options: &options,
	}, err
}

func (s *Service) registration(ctx context.Context, c link.Ceremony) (*CeremonyRegistration, error) {
	sub, challenge := c.Adding()
	v := &CeremonyRegistration{Email: c.Email, Options: s.c.Passkeys.Options(challenge, c.Email)}
	if c.Kind == link.Register {
		return v, nil
	}
	var err error
	v.Options.ExcludeCredentials, err = s.c.Passkeys.AllowCredentials(ctx,
		activity.Owner{WorkspaceID: c.WorkspaceID, ID: sub})
	return v, err
}

// sweep writes a result of the enclave that a crash kept out of the database. Without it the page would ask for a
// second stamp, and then reject the first result, since that is older than the new preview. It runs after the preview
// was made, so that every later result is newer than the preview.
func (s *Service) sweep(ctx context.Context, c link.Ceremony, sub subject) error {
	if sub.sweep == nil {
		return nil
	}
	if err := sub.sweep(ctx); err != nil {
		return err
	}
	sub, err := s.subjectOf(ctx, c)
	if err != nil {
		return err
	}
	return s.over(c, sub.state)
}
