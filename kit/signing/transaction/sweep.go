package transaction

import (
	"context"
	"errors"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/denial"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
)

// Sweep settles transactions that have waited for their stamp longer than a request takes: the enclave may have signed
// them before a crash, or their 15 minutes may be over.
func (s *Service) Sweep(ctx context.Context) error {
	rows, err := s.c.Store.WaitingTransactions(ctx, []State{Awaiting}, s.c.Clock.Now().Add(-record.SweepAfter),
		s.sweptTransactions, record.SweepBatch)
	if err != nil {
		return err
	}
	s.sweptTransactions = record.Resume(rows,
		func(t Transaction) page.Cursor { return page.Cursor{CreatedAt: t.UpdatedAt, ID: t.ID} })
	rows, err = signer.Due(ctx, s.c.Enclave, rows, s.c.Clock.Now(), Transaction.waiting)
	return errors.Join(err, record.Each(rows, func(t Transaction) error { return s.SweepOne(ctx, t) }))
}

func (t Transaction) waiting() signer.Waiting {
	if t.External() {
		return signer.Waiting{}
	}
	return signer.Waiting{Fingerprint: t.Fingerprint, ExpiresAt: t.ExpiresAt}
}

// SweepOne asks the enclave what became of a transaction that awaits its stamp, and writes it.
func (s *Service) SweepOne(ctx context.Context, t Transaction) error {
	if t.External() {
		return s.sweepExternal(ctx, t)
	}
	expired := s.c.Clock.Now().After(t.ExpiresAt)
	out, err := signer.AskOrCancel(ctx, s.c.Enclave, t.Fingerprint, expired)
	if err != nil {
		return err
	}
	switch out.State {
	case wire.Done:
		change, err := t.SignedChange(out, s.c.Clock.Now())
		if err != nil {
			return err
		}
		return s.c.Rows.moveWith(ctx, t, []State{Awaiting}, Pending, change, "transaction.recover",
			func(ctx context.Context, tx Tx) error {
				return t.Succeed(ctx, tx, change)
			}) // a job sends it
	case wire.Held:
		return s.recoverHeld(ctx, t, out)
	case wire.Denied:
		return denial.UnlessDenied(s.endDenied(ctx, t, out))
	case wire.Cancelled:
		to, why := Cancelled, "cancelled by the caller"
		if expired {
			to, why = Expired, "no stamp within 15 minutes"
		}
		change := Change{Now: s.c.Clock.Now(), Reason: &why}
		return s.c.Rows.Move(ctx, t, From(to), to, change, "transaction."+string(to))
	}
	return nil
}

// sweepExternal lets time run out. Nobody has to be asked: what was signed
// outside counts from the moment it is stored.
func (s *Service) sweepExternal(ctx context.Context, t Transaction) error {
	now := s.c.Clock.Now()
	if !now.After(t.ExpiresAt) {
		return nil
	}
	why := "no signature within 15 minutes"
	return s.c.Rows.Move(ctx, t, From(Expired), Expired, Change{Now: now, Reason: &why}, "transaction.expired")
}

// SweepLostJobs asks again for work on rows that nobody has touched for long.
func (s *Service) SweepLostJobs(ctx context.Context) error {
	rows, err := s.c.Store.WaitingTransactions(ctx, []State{Pending, Broadcast}, s.c.Clock.Now().Add(-record.SweepJobs),
		page.Cursor{}, record.SweepBatch)
	if err != nil {
		return err
	}
	return record.Each(rows, func(t Transaction) error {
		err := s.c.Store.Work(ctx, t.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
			touched := tx.MoveTransaction(ctx, t.WorkspaceID, t.ID, []State{t.State}, t.State,
				Change{Now: s.c.Clock.Now()})
			if touched != nil {
				return command.Audit{}, touched
			}
			return command.Audit{}, EnqueueNext(ctx, tx, t)
		})
		if errors.Is(err, record.ErrStale) {
			return nil
		}
		return err
	})
}
