package activity

import (
	"context"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/kit/signing/denial"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// Approval is the approval of an activity that the enclave holds.
func (s *Service) Approval(a Activity, out client.Outcome) (approval.Approval, error) {
	return approval.Of(approval.Approval{WorkspaceID: a.WorkspaceID, Kind: approval.SubjectActivity, Subject: a.ID,
		WalletID: a.WalletID}, out, s.c.Clock.Now())
}

// Hold writes that an activity waits for votes. It may run beside another caller,
// and in the sweeper.
func (s *Service) Hold(ctx context.Context, tx Tx, cmd *command.Command, a Activity, held approval.Approval) error {
	if err := approval.Insert(ctx, tx, cmd, held); err != nil {
		return err
	}
	return record.UnlessStale(tx.MoveActivity(ctx, a.WorkspaceID, a.ID, Awaiting, Held, a.WalletID, s.c.Clock.Now()))
}

// Deny writes that a rule refused an activity for good, and gives the error that the caller is told.
func (s *Service) Deny(ctx context.Context, a Activity, out client.Outcome) error {
	d, err := denial.Of(out)
	if err != nil {
		return err
	}
	return denial.Deny(ctx, s.c.Denials, s.c.Store.Work, a.Refused(), *d, func(ctx context.Context, tx Tx) error {
		return tx.MoveActivity(ctx, a.WorkspaceID, a.ID, Awaiting, Failed, a.WalletID, s.c.Clock.Now())
	})
}
