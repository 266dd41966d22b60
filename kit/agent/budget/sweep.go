package budget

import (
	"context"
	"errors"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
)

// Sweep ends the holds of calls whose server died in their middle. After two minutes no server works on the call any
// more, and the signer takes no request of the agent that is so old: what it says of the body now stays so.
func (s *Service) Sweep(ctx context.Context) (failed error) {
	now, err := s.c.Store.Now(ctx)
	if err != nil {
		return err
	}
	for after := (page.Cursor{}); ; {
		rows, err := s.c.Store.HoldsWaiting(ctx, now.Add(-record.SweepJobs), after, record.SweepBatch)
		if err != nil {
			return errors.Join(failed, err)
		}
		err = record.Each(rows, func(h Hold) error { return s.settle(ctx, h) })
		failed = errors.Join(failed, err)
		after = record.Resume(rows, Hold.cursor)
		if after == (page.Cursor{}) || errors.Is(err, fault.ErrUnavailable) { // the signer is away
			return failed
		}
	}
}

// settle ends a hold by what the signer says. The server cancels a body of an agent only after it waited for a passkey:
// such a call did its work, as one that still waits. A call that needs no signer may have done it.
func (s *Service) settle(ctx context.Context, h Hold) error {
	if h.Fingerprint == "" {
		return s.Capture(ctx, h.WorkspaceID, h.ID)
	}
	out, err := s.c.Signer.Outcome(ctx, h.Fingerprint)
	if err != nil {
		return err
	}
	switch out.State {
	case wire.Done, wire.Held, wire.Cancelled:
		return s.Capture(ctx, h.WorkspaceID, h.ID)
	}
	return s.Void(ctx, h.WorkspaceID, h.ID)
}
