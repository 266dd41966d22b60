package change

import (
	"context"
	"errors"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/kit/signing/denial"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
)

// Sweep settles activities that have waited for their stamp longer than a request takes: the enclave may have executed
// them before a crash, or their 15 minutes may be over.
func (s *Service) Sweep(ctx context.Context) error {
	rows, err := s.store.WaitingActivities(ctx, s.clock.Now().Add(-record.SweepAfter), s.sweptActivities,
		record.SweepBatch)
	if err != nil {
		return err
	}
	s.sweptActivities = record.Resume(rows,
		func(a activity.Activity) page.Cursor { return page.Cursor{CreatedAt: a.CreatedAt, ID: a.ID} })
	rows, err = signer.Due(ctx, s.enclave, rows, s.clock.Now(), func(a activity.Activity) signer.Waiting {
		return signer.Waiting{Fingerprint: a.Fingerprint, ExpiresAt: a.ExpiresAt}
	})
	return errors.Join(err, record.Each(rows, func(a activity.Activity) error { return s.SweepOne(ctx, a) }))
}

// SweepOne asks the enclave what became of an activity that awaits its stamp, and writes it.
func (s *Service) SweepOne(ctx context.Context, a activity.Activity) error {
	out, err := signer.AskOrCancel(ctx, s.enclave, a.Fingerprint, s.clock.Now().After(a.ExpiresAt))
	if err != nil || out.State == wire.Unknown {
		return err
	}
	if kind := s.kinds[wire.ActivityType(a.Kind)]; out.State == wire.Done && kind.Recover != nil {
		return record.UnlessStale(kind.Recover(ctx, a, out))
	}
	if out.State == wire.Denied {
		return denial.UnlessDenied(s.activities.Deny(ctx, a, out))
	}
	var held approval.Approval
	if out.State == wire.Held {
		if held, err = s.activities.Approval(ctx, &a, out); err != nil {
			return err
		}
	}
	work := func(ctx context.Context, tx activity.Tx) (command.Audit, error) {
		switch out.State {
		case wire.Cancelled:
			return command.Audit{}, tx.MoveActivity(ctx, a.WorkspaceID, a.ID, activity.Awaiting, activity.Expired,
				a.WalletID, s.clock.Now())
		case wire.Held:
			return command.Audit{Action: "activity.recover", Resource: a.ID}, s.activities.Hold(ctx, tx, nil, a, held)
		}
		return command.Audit{Action: "activity.recover", Resource: a.ID}, s.Finish(ctx, tx, a, out)
	}
	return record.UnlessStale(s.store.Work(ctx, a.WorkspaceID, work))
}
