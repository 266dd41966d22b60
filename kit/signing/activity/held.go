package activity

import (
	"context"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/kit/signing/denial"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// Approval is the approval of an activity that the enclave holds. One of a kind that is not previewed before the
// enclave executes it is previewed now, for whoever is to vote.
func (s *Service) Approval(ctx context.Context, a *Activity, out client.Outcome) (approval.Approval, error) {
	if a.previewedLate() {
		if err := s.previewLate(ctx, a); err != nil {
			return approval.Approval{}, err
		}
	}
	return approval.Of(approval.Approval{WorkspaceID: a.WorkspaceID, Kind: approval.SubjectActivity, Subject: a.ID,
		WalletID: a.WalletID}, out, s.c.Clock.Now())
}

// previewedLate says that the enclave is asked what a body does only once it holds it: most purchases of agents are
// executed at once, and nobody is shown anything.
func (a Activity) previewedLate() bool { return a.Kind == string(wire.AgentX402) }

// previewLate has the enclave say what a body does that it holds. What it refuses to show, since the agent was deleted
// meanwhile for example, waits without a preview all the same: a vote shows it, or is refused.
func (s *Service) previewLate(ctx context.Context, a *Activity) error {
	if signer.Preview(a.Preview) != nil {
		return nil
	}
	proof, _, err := s.c.Enclave.Preview(ctx, a.Body)
	if f, ok := fault.As(err); ok && f.Refusal() {
		return nil
	}
	if err == nil {
		a.Preview, err = signer.Text(proof)
	}
	return err
}

// Hold writes that an activity waits for votes. It may run beside another caller,
// and in the sweeper.
func (s *Service) Hold(ctx context.Context, tx Tx, cmd *command.Command, a Activity, held approval.Approval) error {
	if err := approval.Insert(ctx, tx, cmd, held); err != nil {
		return err
	}
	if a.previewedLate() {
		if err := tx.ShowActivity(ctx, a.WorkspaceID, a.ID, a.Preview); err != nil {
			return err
		}
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
