package signing

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/platform/command"
)

// The sweeper looks at rows that have waited longer than a request or a job
// would let them.
const (
	sweepAfter = 10 * time.Second
	sweepBatch = 500
)

// Sweep derives missing work from the rows themselves: what the enclave signed
// and a crash kept out of the database, what has expired, and jobs that were lost.
func (s *Service) Sweep(ctx context.Context) error {
	return errors.Join(s.sweepTransactions(ctx), s.sweepActivities(ctx), s.sweepJobs(ctx))
}

func (s *Service) sweepTransactions(ctx context.Context) error {
	rows, err := s.store.WaitingTransactions(ctx, []State{Awaiting}, s.clock.Now().Add(-sweepAfter), sweepBatch)
	for _, t := range rows {
		err = errors.Join(err, s.sweepTransaction(ctx, t))
	}
	return err
}

// sweepTransaction asks the enclave about a transaction that still waits. An
// expired one is cancelled there first, so that no late stamp can sign it.
func (s *Service) sweepTransaction(ctx context.Context, t Transaction) error {
	ask := s.enclave.Outcome
	expired := s.clock.Now().After(t.ExpiresAt)
	if expired {
		ask = s.enclave.Cancel
	}
	out, err := ask(ctx, t.Fingerprint)
	if err != nil {
		return err
	}
	switch out.State {
	case wire.Done:
		signed, err := signedOf(out)
		if err != nil {
			return err
		}
		to, change := s.signedChange(ctx, t, out, signed, t.Held)
		return s.move(ctx, t, []State{Awaiting}, to, change, "transaction.recover")
	case wire.Cancelled:
		to, why := Cancelled, "cancelled by the caller"
		if expired {
			to, why = Expired, "no stamp within 15 minutes"
		}
		return s.move(ctx, t, From(to), to, TransactionChange{Now: s.clock.Now(), Reason: &why}, "transaction."+string(to))
	}
	return nil
}

func (s *Service) sweepActivities(ctx context.Context) error {
	rows, err := s.store.WaitingActivities(ctx, s.clock.Now().Add(-sweepAfter), sweepBatch)
	for _, a := range rows {
		err = errors.Join(err, s.sweepActivity(ctx, a))
	}
	return err
}

func (s *Service) sweepActivity(ctx context.Context, a Activity) error {
	ask := s.enclave.Outcome
	if s.clock.Now().After(a.ExpiresAt) {
		ask = s.enclave.Cancel
	}
	out, err := ask(ctx, a.Fingerprint)
	if err != nil || out.State == wire.Unknown {
		return err
	}
	err = s.store.Work(ctx, a.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		audit := command.Audit{Action: "activity.recover", Resource: a.ID}
		if out.State == wire.Cancelled {
			return command.Audit{}, tx.MoveActivity(ctx, a.WorkspaceID, a.ID, Awaiting, Expired, a.WalletID, s.clock.Now())
		}
		if a.Kind == string(wire.CreateWallet) {
			w, addresses, err := walletOf(a, out)
			if err != nil {
				return audit, err
			}
			return audit, s.finishWallet(ctx, tx, a, w, addresses)
		}
		addresses, err := addressesOf(a, out)
		if err != nil {
			return audit, err
		}
		return audit, s.finishAddresses(ctx, tx, a, addresses)
	})
	if errors.Is(err, ErrStale) {
		return nil
	}
	return err
}

// sweepJobs asks again for work on rows that nobody has touched for long.
func (s *Service) sweepJobs(ctx context.Context) error {
	rows, err := s.store.WaitingTransactions(ctx, []State{Pending, Broadcast}, s.clock.Now().Add(-2*time.Minute), sweepBatch)
	for _, t := range rows {
		if t.Held {
			continue
		}
		err = errors.Join(err, s.move(ctx, t, []State{t.State}, t.State, TransactionChange{Now: s.clock.Now()}, ""))
		err = errors.Join(err, s.store.Work(ctx, t.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
			return command.Audit{}, enqueueNext(ctx, tx, t)
		}))
	}
	return err
}
