package signing

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/command"
)

// The sweeper looks at rows that have waited longer than a request or a job
// would let them, so many at a time.
const (
	sweepAfter = 10 * time.Second
	sweepJobs  = 2 * time.Minute
	sweepBatch = 500
)

// Sweep derives missing work from the rows themselves: what the enclave signed
// and a crash kept out of the database, what has expired, and jobs that were
// lost. Where more rows wait than one sweep takes, the next goes on behind them.
func (s *Service) Sweep(ctx context.Context) error {
	s.sweeping.Lock()
	defer s.sweeping.Unlock()
	return errors.Join(
		s.sweepTransactions(ctx), s.sweepActivities(ctx), s.sweepApprovals(ctx), s.sweepLostJobs(ctx), s.sweepUnsent(ctx), s.sweepRecoveries(ctx),
	)
}

func (s *Service) sweepTransactions(ctx context.Context) error {
	rows, err := s.store.WaitingTransactions(ctx, []State{Awaiting}, s.clock.Now().Add(-sweepAfter), s.sweptTransactions, sweepBatch)
	if err != nil {
		return err
	}
	s.sweptTransactions = resume(rows, func(t Transaction) Cursor { return Cursor{CreatedAt: t.UpdatedAt, ID: t.ID} })
	return each(rows, func(t Transaction) error { return s.sweepTransaction(ctx, t) })
}

// resume is where the next sweep goes on: after the last row of a full batch,
// else at the beginning.
func resume[T any](rows []T, at func(T) Cursor) Cursor {
	if len(rows) < sweepBatch {
		return Cursor{}
	}
	return at(rows[len(rows)-1])
}

// each goes on past a row that fails, but not where the next would fail alike.
func each[T any](rows []T, do func(T) error) (err error) {
	for _, row := range rows {
		failed := do(row)
		err = errors.Join(err, failed)
		if f, ok := fault.As(failed); ok && f.Kind == fault.Unavailable {
			return err
		}
	}
	return err
}

// outcome asks the enclave about a row that waits. An expired one that
// nothing came of is cancelled there, so that no late stamp can sign it.
func (s *Service) outcome(ctx context.Context, fingerprint string, expired bool) (client.Outcome, error) {
	out, err := s.enclave.Outcome(ctx, fingerprint)
	if err == nil && expired && out.State == wire.Unknown {
		return s.enclave.Cancel(ctx, fingerprint)
	}
	return out, err
}

func (s *Service) sweepTransaction(ctx context.Context, t Transaction) error {
	if t.external() {
		return s.sweepExternal(ctx, t)
	}
	expired := s.clock.Now().After(t.ExpiresAt)
	out, err := s.outcome(ctx, t.Fingerprint, expired)
	if err != nil {
		return err
	}
	switch out.State {
	case wire.Done:
		change, err := s.signedChange(out, t.Held)
		if err != nil {
			return err
		}
		return s.recoverTransaction(ctx, t, change)
	case wire.Held:
		return s.recoverQueued(ctx, t, out)
	case wire.Denied:
		return unlessDenied(s.endDenied(ctx, t, out))
	case wire.Cancelled:
		to, why := Cancelled, "cancelled by the caller"
		if expired {
			to, why = Expired, "no stamp within 15 minutes"
		}
		return s.move(ctx, t, From(to), to, TransactionChange{Now: s.clock.Now(), Reason: &why}, "transaction."+string(to))
	}
	return nil
}

// recoverTransaction writes what was signed; a job sends it.
func (s *Service) recoverTransaction(ctx context.Context, t Transaction, c TransactionChange) error {
	return s.moveWith(ctx, t, []State{Awaiting}, Pending, c, "transaction.recover", func(ctx context.Context, tx Tx) error {
		return t.succeed(ctx, tx, c)
	})
}

func (s *Service) sweepActivities(ctx context.Context) error {
	rows, err := s.store.WaitingActivities(ctx, s.clock.Now().Add(-sweepAfter), s.sweptActivities, sweepBatch)
	if err != nil {
		return err
	}
	s.sweptActivities = resume(rows, func(a Activity) Cursor { return Cursor{CreatedAt: a.CreatedAt, ID: a.ID} })
	return each(rows, func(a Activity) error { return s.sweepActivity(ctx, a) })
}

func (s *Service) sweepActivity(ctx context.Context, a Activity) error {
	out, err := s.outcome(ctx, a.Fingerprint, s.clock.Now().After(a.ExpiresAt))
	if err != nil || out.State == wire.Unknown {
		return err
	}
	if out.State == wire.Done && a.Kind == string(wire.ApproveActivity) {
		return unlessStale(s.recoverVote(ctx, a, out))
	}
	if out.State == wire.Denied {
		return unlessDenied(s.denyActivity(ctx, a, out))
	}
	return unlessStale(s.store.Work(ctx, a.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		switch out.State {
		case wire.Cancelled:
			return command.Audit{}, tx.MoveActivity(ctx, a.WorkspaceID, a.ID, Awaiting, Expired, a.WalletID, s.clock.Now())
		case wire.Held:
			approval, err := s.approvalOfActivity(a, out)
			if err != nil {
				return command.Audit{}, err
			}
			return command.Audit{Action: "activity.recover", Resource: a.ID}, s.wait(ctx, tx, nil, a, approval)
		}
		return command.Audit{Action: "activity.recover", Resource: a.ID}, s.recoverActivity(ctx, tx, a, out)
	}))
}

// unlessDenied is no error where the denial is written, of which a caller would be told.
func unlessDenied(err error) error {
	if errors.Is(err, ErrPolicyDenied) {
		return nil
	}
	return err
}

// unlessStale is no error where another was faster with the same.
func unlessStale(err error) error {
	if errors.Is(err, ErrStale) {
		return nil
	}
	return err
}

// recoverActivity writes what the enclave made and a crash kept out of the database.
func (s *Service) recoverActivity(ctx context.Context, tx Tx, a Activity, out client.Outcome) error {
	switch wire.ActivityType(a.Kind) {
	case wire.SignMessage, wire.OverridePrice:
		return s.done(ctx, tx, a) // what came of it is the enclave's to tell
	case wire.CreateSubOrganization:
		return s.recoverRegistration(ctx, tx, a, out)
	case wire.CreateWallet:
		w, addresses, err := walletOf(a, out)
		if err != nil {
			return err
		}
		return s.finishWallet(ctx, tx, a, w, addresses)
	case wire.CreatePolicy, wire.UpdatePolicy, wire.DeletePolicy:
		return s.finishPolicy(ctx, tx, a, out)
	case wire.UpdateApprovalConfig:
		return s.finishConfig(ctx, tx, a, out)
	case wire.CreateAuthenticator, wire.DeleteAuthenticator:
		return s.finishPasskey(ctx, tx, a, out)
	case wire.UpdateRecovery:
		return s.finishRecoveryRule(ctx, tx, a, out)
	case wire.CancelRecovery:
		return s.finishRecoveryCancel(ctx, tx, a, out)
	}
	addresses, err := addressesOf(a, out)
	if err != nil {
		return err
	}
	return s.finishAddresses(ctx, tx, a, addresses)
}

// sweepLostJobs asks again for work on rows that nobody has touched for long.
func (s *Service) sweepLostJobs(ctx context.Context) error {
	rows, err := s.store.WaitingTransactions(ctx, []State{Pending, Broadcast}, s.clock.Now().Add(-sweepJobs), Cursor{}, sweepBatch)
	if err != nil {
		return err
	}
	return each(rows, func(t Transaction) error {
		err := s.store.Work(ctx, t.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
			touched := tx.MoveTransaction(ctx, t.WorkspaceID, t.ID, []State{t.State}, t.State, TransactionChange{Now: s.clock.Now()})
			if touched != nil {
				return command.Audit{}, touched
			}
			return command.Audit{}, enqueueNext(ctx, tx, t)
		})
		if errors.Is(err, ErrStale) {
			return nil
		}
		return err
	})
}
