package reconcile

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/platform/record"
)

// MatchRun is the progress of the comparison with the partner, shared by all servers.
type MatchRun struct {
	Version int64
	TakenAt time.Time  // when a server took the next step; zero: nobody is at it
	At      UsedWallet // the last one of this round; kept is its place alone, as WalletID
	BeganAt time.Time  // zero: no round is under way
	Found   MatchTally // in this round
	EndedAt time.Time  // of the last whole round
	Last    MatchTally // in that one
}

// MatchTally counts what a round found. Account numbers are counted as wallets.
type MatchTally struct{ Wallets, Differences, Failed int64 }

const (
	matchEvery  = time.Hour // from the end of a round to the beginning of the next
	matchBack   = 7 * 24 * time.Hour
	walletsPage = 20               // wallets of one list
	matchBudget = 2 * time.Second  // of one sweep: others wait behind it
	matchLease  = 10 * time.Minute // after which a step's server is taken for lost
)

// Sweep compares a few more wallets of the current round, or begins the next round when it is due. One server at a
// time does so; any server can continue where another stopped.
func (m *Matcher) Sweep(ctx context.Context) error {
	if m.partner == nil {
		return nil
	}
	run, err := m.store.MatchRun(ctx)
	now := m.clock.Now()
	if err != nil || now.Sub(run.TakenAt) < matchLease {
		return err
	}
	if run.BeganAt.IsZero() {
		if now.Sub(run.EndedAt) < matchEvery {
			return nil
		}
		run.BeganAt, run.At, run.Found = now, UsedWallet{}, MatchTally{}
	}
	run.TakenAt = now
	if run, err = m.put(ctx, run); err != nil {
		return record.UnlessStale(err)
	}
	failed := m.goOn(ctx, &run)
	if failed == nil {
		run.TakenAt = time.Time{} // else whoever is next goes on after a while
	}
	_, err = m.put(ctx, run)
	return errors.Join(failed, record.UnlessStale(err))
}

func (m *Matcher) put(ctx context.Context, run MatchRun) (MatchRun, error) {
	run.Version++
	return run, m.store.PutMatchRun(ctx, run)
}

// goOn compares wallets until the time of a sweep is used up. If the partner does not answer it stops, and a later
// sweep continues.
func (m *Matcher) goOn(ctx context.Context, run *MatchRun) error {
	began, enough := m.clock.Now(), false
	var down error
	err := m.Match(ctx, run.At, began.Add(-matchBack), func(found Matched) bool {
		if errors.Is(found.Err, fiat.ErrUnavailable) || errors.Is(found.Err, fiat.ErrBusy) {
			down = found.Err
			return true
		}
		m.report(ctx, found)
		run.At = found.UsedWallet
		run.Found.Wallets++
		run.Found.Differences += int64(len(found.Differences))
		if found.Err != nil {
			run.Found.Failed++
		}
		enough = m.clock.Now().Sub(began) > matchBudget
		return enough
	})
	if err = errors.Join(err, down); err != nil || enough {
		return err
	}
	run.EndedAt, run.Last, run.BeganAt = m.clock.Now(), run.Found, time.Time{}
	m.log.InfoContext(ctx, "compared with the partner and the chains",
		"wallets", run.Last.Wallets, "differences", run.Last.Differences, "notCompared", run.Last.Failed)
	return nil
}

// report logs the differences of a wallet, for an operator.
func (m *Matcher) report(ctx context.Context, found Matched) {
	for _, d := range found.Differences {
		m.log.ErrorContext(ctx,
			"the partner, the chain and the books differ", "workspace", found.WorkspaceID, "of", found.Name(),
			"check", d.Check, "about", d.About, "want", d.Want, "got", d.Got)
	}
	if found.Err != nil {
		m.log.WarnContext(ctx,
			"a wallet or account number could not be compared", "workspace", found.WorkspaceID, "of", found.Name(),
			"error", found.Err,
		)
	}
}
