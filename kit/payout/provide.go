package payout

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/work"
	"github.com/railkit/railkit/platform/command"
)

const (
	asking   = 10 * time.Second // how long the partner may take, with all it is asked for
	lease    = 15 * time.Second // after which who asked is believed to be dead
	patience = 10 * time.Second // of a caller while another one asks
	glance   = 50 * time.Millisecond
)

// errMaking is a row that another caller has the partner make.
var errMaking = errors.New("another caller is asking the partner")

func making() error { return fiat.ErrLater.After(time.Second).Because(errMaking) }

// maker brings one kind of row from provisioning to active: the row is there
// before the partner is asked, and one caller at a time asks.
type maker[T any] struct {
	s      *Service
	find   func(context.Context) (T, error)
	insert func(context.Context, Tx) error // the row, taken by who inserts it
	state  func(*T) *Provision
	take   func(ctx context.Context, tx Tx, row T, was time.Time) error
	leave  func(context.Context, Tx, T) error
	ask    func(context.Context, T) (T, error) // the partner
	finish func(context.Context, Tx, T) error
	audit  func(T) command.Audit
}

// commit is Store.Commit or Store.Work of one change.
type commit func(ctx context.Context, done command.Audit, change func(context.Context, Tx) error) error

// get gives the row, and has it made where it is not. made tells that this call
// did, under its own commit.
func (m *maker[T]) get(ctx context.Context, workspaceID string, own commit) (row T, made bool, err error) {
	row, mine, err := m.claim(ctx, workspaceID)
	switch {
	case err != nil || m.state(&row).Status == AddressActive:
		return row, false, err
	case !mine:
		row, err = m.wait(ctx)
		return row, false, err
	}
	return m.make(ctx, workspaceID, row, own)
}

// claim finds the row, or takes it for this caller.
func (m *maker[T]) claim(ctx context.Context, workspaceID string) (row T, mine bool, err error) {
	row, err = m.find(ctx)
	if errors.Is(err, fault.ErrNotFound) && m.insert != nil {
		err = work.Do(ctx, m.s.store, workspaceID, m.insert)
		if mine = err == nil; mine || errors.Is(err, work.ErrStale) {
			row, err = m.find(ctx)
		}
		return row, mine, err
	}
	if err != nil || m.state(&row).Status == AddressActive || !m.free(row) {
		return row, false, err
	}
	return m.takeOver(ctx, workspaceID, row)
}

func (m *maker[T]) free(row T) bool { return m.s.clock.Now().Sub(m.state(&row).TriedAt) >= lease }

// takeOver goes on where another caller died or failed. It is that one's key,
// unless the partner has forgotten it.
func (m *maker[T]) takeOver(ctx context.Context, workspaceID string, row T) (T, bool, error) {
	p, now := m.state(&row), m.s.clock.Now()
	was := p.TriedAt
	p.TriedAt = now
	if now.Sub(p.KeyedAt) > fiat.KeyLife {
		p.Key, p.KeyedAt = newKey(), now
	}
	err := work.Do(ctx, m.s.store, workspaceID, func(ctx context.Context, tx Tx) error { return m.take(ctx, tx, row, was) })
	if errors.Is(err, work.ErrStale) {
		row, err = m.find(ctx)
		return row, false, err
	}
	return row, err == nil, err
}

// wait looks whether another caller gets it.
func (m *maker[T]) wait(ctx context.Context) (row T, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		row, err = m.find(ctx)
		switch {
		case ctx.Err() != nil:
			return row, making()
		case err != nil || m.state(&row).Status == AddressActive:
			return row, err
		case m.state(&row).TriedAt.IsZero():
			return row, making()
		}
		select {
		case <-ctx.Done():
		case <-time.After(glance):
		}
	}
}

// make asks the partner and writes down what it said. Where that fails, the row
// is the next caller's.
func (m *maker[T]) make(ctx context.Context, workspaceID string, row T, own commit) (T, bool, error) {
	got, err := m.asked(ctx, row)
	if err == nil {
		err = own(ctx, m.audit(got), func(ctx context.Context, tx Tx) error { return m.finish(ctx, tx, got) })
		if errors.Is(err, work.ErrStale) { // this one was taken for dead, and another one had the same answer
			got, err = m.find(ctx)
			return got, false, err
		}
		if err == nil {
			return got, true, nil
		}
	}
	left := work.Do(context.WithoutCancel(ctx), m.s.store, workspaceID, func(ctx context.Context, tx Tx) error { return m.leave(ctx, tx, row) })
	if left != nil {
		m.s.log.Warn("a row stays with a caller who has gone", "workspace", workspaceID, "error", left)
	}
	return row, false, err
}

func (m *maker[T]) asked(ctx context.Context, row T) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	got, err := m.ask(ctx, row)
	return got, fiat.Fault(err)
}

// newKey is a partner key that is stored before it is used.
func newKey() string { return uuid.NewString() }

// recorded is work with a line in the record.
func (s *Service) recorded(workspaceID string) commit {
	return func(ctx context.Context, done command.Audit, change func(context.Context, Tx) error) error {
		return s.store.Work(ctx, workspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
			return done, change(ctx, tx)
		})
	}
}

// called is a change by a caller, whose answer it leaves in a.
func (s *Service) called(cmd *command.Command, a *command.Answer, reply func(done command.Audit) command.Reply) commit {
	return func(ctx context.Context, done command.Audit, change func(context.Context, Tx) error) (err error) {
		*a, err = s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
			return reply(done), change(ctx, tx)
		})
		return err
	}
}

// provisioned is no error where another caller is asking.
func provisioned(err error) error {
	if errors.Is(err, errMaking) {
		return nil
	}
	return err
}
