package vote

import (
	"context"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/platform/auth"
)

// lookAgain is how often an approval is read while somebody waits for its decision.
const lookAgain = 500 * time.Millisecond

// Await returns an approval as soon as it is decided and executed, or as it is after the time.
func (s *Service) Await(ctx context.Context, p auth.Principal, id string, most time.Duration) (ApprovalView, error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	for {
		v, err := s.Get(context.WithoutCancel(ctx), p, id)
		if err != nil || v.ResolvedAt != nil {
			return v, err
		}
		select {
		case <-ctx.Done():
			return v, nil
		case <-time.After(lookAgain):
		}
	}
}

// mayRead lets an agent read the approvals of its own payments: any other one is as unknown to it as one that does not
// exist.
func (s *Service) mayRead(ctx context.Context, p auth.Principal, a approval.Approval) error {
	if p.Kind != auth.ByAgent {
		return nil
	}
	asked, err := s.askedBy(ctx, a)
	if err == nil && asked != p.ID {
		err = fault.Missing("Approval")
	}
	return err
}

// askedBy is the id of the agent that asked for what waits, "" where it was no agent.
func (s *Service) askedBy(ctx context.Context, a approval.Approval) (string, error) {
	if a.Activity != string(wire.AgentPayment) && a.Activity != string(wire.AgentX402) {
		return "", nil
	}
	held, err := s.HeldBody(ctx, a)
	return activity.AgentOf(held), err
}
