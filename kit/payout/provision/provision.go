// Package provision has the partner make something once: a withdrawal address, a
// virtual account.
//
// A row is provisioning until the partner has made what it stands for, and active for
// ever after. It is there, with the key of the calls, before the partner is asked, and
// one caller at a time asks (TriedAt). Whoever comes meanwhile waits for at most ten
// seconds; who dies while it asks is relieved after fifteen, by the next caller or by
// a sweep, with the same key: so the partner makes it once.
package provision

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// Status is how far a withdrawal address, or a virtual account, is.
type Status string

// The statuses. Both are there for ever once they are active.
const (
	Provisioning Status = "provisioning" // the partner is being asked
	Active       Status = "active"
)

// Provision is what a row that the partner has to make remembers of asking it:
// the key is written before the call, and one caller at a time asks.
type Provision struct {
	Status  Status
	Key     string
	KeyedAt time.Time // a key is good for a day
	TriedAt time.Time // when somebody began to ask; zero: nobody does
}

// New is the provision of a row that the caller who inserts it asks for.
func New(now time.Time) Provision {
	return Provision{Status: Provisioning, Key: uuid.NewString(), KeyedAt: now, TriedAt: now}
}

const (
	asking   = 10 * time.Second // how long the partner may take, with all it is asked for
	Lease    = 15 * time.Second // after which a caller who asked is believed to be dead
	patience = 10 * time.Second // of a caller while another one asks
	glance   = 50 * time.Millisecond
)

// errAsked is a row that another caller has the partner make.
var errAsked = errors.New("another caller is asking the partner")

// asked is the answer while another caller asks: come again in a second.
func asked() error { return fiat.ErrLater.After(time.Second).Because(errAsked) }

// Maker brings one kind of row from provisioning to active. T is the row, Tx what it
// is written with.
type Maker[T, Tx any] struct {
	In     record.Writer[Tx]
	Find   func(context.Context) (T, error)
	Insert func(context.Context, Tx) error // the row, taken by whoever inserts it
	State  func(*T) *Provision
	Take   func(ctx context.Context, tx Tx, row T, was time.Time) error
	Leave  func(context.Context, Tx, T) error
	Ask    func(context.Context, T) (T, error) // the partner
	Finish func(context.Context, Tx, T) error
	Audit  func(T) command.Audit
	Clock  clock.Clock
	Log    *slog.Logger
}

// Commit is how the row is written that the partner has made: Work, or Commit of a command.
type Commit[T, Tx any] func(ctx context.Context, made T, change func(context.Context, Tx) error) error

// Get gives the row, and has it made where it is not. made tells that this call
// did, under its own commit.
func (m *Maker[T, Tx]) Get(ctx context.Context, workspaceID string, own Commit[T, Tx]) (row T, made bool, err error) {
	row, mine, err := m.claim(ctx, workspaceID)
	switch {
	case err != nil || m.State(&row).Status == Active:
		return row, false, err
	case !mine:
		row, err = m.wait(ctx)
		return row, false, err
	}
	return m.make(ctx, workspaceID, row, own)
}

// claim finds the row, or takes it for this caller.
func (m *Maker[T, Tx]) claim(ctx context.Context, workspaceID string) (row T, mine bool, err error) {
	row, err = m.Find(ctx)
	if errors.Is(err, fault.ErrNotFound) && m.Insert != nil {
		err = record.Do(ctx, m.In, workspaceID, m.Insert)
		if mine = err == nil; mine || errors.Is(err, record.ErrStale) {
			row, err = m.Find(ctx)
		}
		return row, mine, err
	}
	if err != nil || m.State(&row).Status == Active || !m.free(row) {
		return row, false, err
	}
	return m.takeOver(ctx, workspaceID, row)
}

func (m *Maker[T, Tx]) free(row T) bool { return m.Clock.Now().Sub(m.State(&row).TriedAt) >= Lease }

// takeOver goes on where another caller died or failed. It is that one's key,
// unless the partner has forgotten it.
func (m *Maker[T, Tx]) takeOver(ctx context.Context, workspaceID string, row T) (T, bool, error) {
	p, now := m.State(&row), m.Clock.Now()
	was := p.TriedAt
	p.TriedAt = now
	if now.Sub(p.KeyedAt) > fiat.KeyLife {
		p.Key, p.KeyedAt = uuid.NewString(), now
	}
	err := record.Do(ctx, m.In, workspaceID, func(ctx context.Context, tx Tx) error {
		return m.Take(ctx, tx, row, was)
	})
	if errors.Is(err, record.ErrStale) {
		row, err = m.Find(ctx)
		return row, false, err
	}
	return row, err == nil, err
}

// wait looks whether another caller gets it.
func (m *Maker[T, Tx]) wait(ctx context.Context) (row T, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		row, err = m.Find(ctx)
		switch {
		case ctx.Err() != nil:
			return row, asked()
		case err != nil || m.State(&row).Status == Active:
			return row, err
		case m.State(&row).TriedAt.IsZero():
			return row, asked()
		}
		select {
		case <-ctx.Done():
		case <-time.After(glance):
		}
	}
}

// make asks the partner and writes down what it said. Where that fails, the row
// is the next caller's.
func (m *Maker[T, Tx]) make(ctx context.Context, workspaceID string, row T, own Commit[T, Tx]) (T, bool, error) {
	got, err := m.askInTime(ctx, row)
	if err == nil {
		err = own(ctx, got, func(ctx context.Context, tx Tx) error { return m.Finish(ctx, tx, got) })
		if errors.Is(err, record.ErrStale) { // this one was taken for dead, and another one had the same answer
			got, err = m.Find(ctx)
			return got, false, err
		}
		if err == nil {
			return got, true, nil
		}
	}
	left := record.Do(context.WithoutCancel(ctx), m.In, workspaceID, func(ctx context.Context, tx Tx) error {
		return m.Leave(ctx, tx, row)
	})
	if left != nil {
		m.Log.Warn("a row stays with a caller who has gone", "workspace", workspaceID, "error", left)
	}
	return row, false, err
}

func (m *Maker[T, Tx]) askInTime(ctx context.Context, row T) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	got, err := m.Ask(ctx, row)
	return got, fiat.Fault(err)
}

// ByServer commits as the server itself, with a line in the audit record.
func (m *Maker[T, Tx]) ByServer(workspaceID string) Commit[T, Tx] {
	return func(ctx context.Context, made T, change func(context.Context, Tx) error) error {
		return m.In.Work(ctx, workspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
			return m.Audit(made), change(ctx, tx)
		})
	}
}

// ByCaller commits as a caller, and leaves in a what the caller is answered.
func (m *Maker[T, Tx]) ByCaller(
	cmd *command.Command, a *command.Answer, message string, view func(T) any,
) Commit[T, Tx] {
	return func(ctx context.Context, made T, change func(context.Context, Tx) error) (err error) {
		*a, err = m.In.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
			return command.Reply{Status: 201, Message: message, Data: view(made), Audit: m.Audit(made)}, change(ctx, tx)
		})
		return err
	}
}

// IgnoreAsked is no error where another caller is asking.
func IgnoreAsked(err error) error {
	if errors.Is(err, errAsked) {
		return nil
	}
	return err
}
