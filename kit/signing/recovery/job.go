package recovery

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// tooEarly is how long to wait with a recovery whose delay is over by the server's clock and not yet by the enclave's.
const tooEarly = time.Second

// Run is the job of a recovery: it mails what is owed, and completes or expires the recovery when its time has come. It
// may run twice, also beside itself. It says when to look again; 0 ends it.
func (s *Service) Run(ctx context.Context, workspaceID, id string) (again time.Duration, err error) {
	r, err := s.c.Store.Recovery(ctx, workspaceID, id)
	if errors.Is(err, fault.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	again, err = s.advance(ctx, r)
	return again, errors.Join(err, s.mailOwed(ctx, r.WorkspaceID, r.ID))
}

// advance does what is due, and says when more will be.
func (s *Service) advance(ctx context.Context, r Recovery) (time.Duration, error) {
	now := s.c.Clock.Now()
	switch {
	case r.State == Requested && now.Before(r.ExpiresAt):
		return r.ExpiresAt.Sub(now), nil
	case r.State == Requested && r.Fingerprint == "":
		return 0, s.end(ctx, r, Expired)
	case r.State == Requested:
		return 0, s.settleForgotten(ctx, r)
	case r.State != Pending:
		return 0, nil
	case s.readyIn(r) > 0:
		return s.readyIn(r), nil
	}
	return s.finish(ctx, r)
}

func (s *Service) readyIn(r Recovery) time.Duration { return max(r.ReadyAt.Sub(s.c.Clock.Now()), 0) }

// settleForgotten is for a recovery whose link has expired, and whose new passkey was handed in with an answer that a
// crash swallowed. The enclave has either taken the passkey, or refused it and will refuse it for good.
func (s *Service) settleForgotten(ctx context.Context, r Recovery) error {
	out, err := s.c.Enclave.Outcome(ctx, r.Fingerprint)
	if err != nil {
		return err
	}
	if out.State == wire.Unknown { // it was refused, and its half has expired
		return s.end(ctx, r, Expired)
	}
	return s.settle(ctx, r, out)
}

// finish submits the body again after the delay, and the enclave adds the passkey. Where the enclave refuses, because
// the recovery was cancelled or another one took its place, the recovery is cancelled here too.
func (s *Service) finish(ctx context.Context, r Recovery) (time.Duration, error) {
	out, err := s.c.Enclave.Submit(ctx, wire.SubmitRequest{Body: r.Body}, r.Fingerprint)
	if f, ok := fault.As(err); ok && f.Kind == fault.Conflict {
		out, err = s.c.Enclave.Cancel(ctx, r.Fingerprint)
	}
	if err != nil {
		return 0, err
	}
	if out.State == wire.Held {
		return tooEarly, nil
	}
	return 0, s.settle(ctx, r, out)
}

// Sweep makes jobs of recoveries whose jobs were lost or have given up.
func (s *Service) Sweep(ctx context.Context) error {
	rows, err := s.c.Store.WaitingRecoveries(ctx, s.c.Clock.Now().Add(-record.SweepJobs), record.SweepBatch)
	if err != nil {
		return err
	}
	return record.Each(rows, func(r Recovery) error {
		return s.c.Store.Work(ctx, r.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
			job := r.job()
			job.Anew = false
			return command.Audit{}, errors.Join(tx.TouchRecovery(ctx, r.WorkspaceID, r.ID, s.c.Clock.Now()),
				tx.Enqueue(ctx, job))
		})
	})
}
