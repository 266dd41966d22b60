// Package provision has the partner create something exactly once: a withdrawal address or
// a virtual account.
//
// The row is stored, with an idempotency key, before the first call to the partner. Its
// status is provisioning until the partner has created the thing, and active for ever after.
// Only one request at a time calls the partner: it claims the row by setting TriedAt. Other
// requests wait up to 10 seconds for its result. If the claiming request dies, its claim
// ends after 15 seconds: the next request, or a sweep, claims the row and calls the partner
// with the same key, so the partner does not create the thing twice.
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

// Status is the status of a withdrawal address or a virtual account.
type Status string

// The statuses. Active is final.
const (
	Provisioning Status = "provisioning" // the partner has not created it yet
	Active       Status = "active"
)

// Provision is the part of a row that keeps the calls to the partner apart: the idempotency
// key, stored before the first call, and the claim of the request that is calling.
type Provision struct {
	Status  Status
	Key     string
	KeyedAt time.Time // when Key was made; a key older than fiat.KeyLife is replaced
	TriedAt time.Time // when a request claimed the row to call the partner; zero: no request is calling
}

// New is the Provision of a new row, claimed by the request that inserts it.
func New(now time.Time) Provision {
	return Provision{Status: Provisioning, Key: uuid.NewString(), KeyedAt: now, TriedAt: now}
}

const (
	asking   = 10 * time.Second      // limit for all calls to the partner together
	Lease    = 15 * time.Second      // how long a claim lasts: an older one belongs to a request that died
	patience = 10 * time.Second      // how long a request waits for another one's result
	glance   = 50 * time.Millisecond // how often the waiting request reads the row
)

// errAsked means that another request has claimed the row and is calling the partner.
var errAsked = errors.New("another caller is asking the partner")

// asked is the error for a request that waited in vain for another one: retry in a second.
func asked() error { return fiat.ErrLater.After(time.Second).Because(errAsked) }

// Maker brings one row from provisioning to active. T is the type of the row, Tx the
// transaction that writes it. It has no methods: those of a generic type are compiled again in every package that the
// type can be reached from.
type Maker[T, Tx any] struct {
	In     record.Writer[Tx]
	Find   func(context.Context) (T, error) // reads the row
	Insert func(context.Context, Tx) error  // inserts the row with the inserting request's claim; nil: never insert
	State  func(*T) *Provision              // the Provision within the row
	// Take writes the new claim and key, or fails with record.ErrStale if TriedAt is no longer was.
	Take   func(ctx context.Context, tx Tx, row T, was time.Time) error
	Leave  func(context.Context, Tx, T) error  // gives up the claim after a failure
	Ask    func(context.Context, T) (T, error) // calls the partner and fills in its answer
	Finish func(context.Context, Tx, T) error  // writes the active row
	Audit  func(T) command.Audit
	Clock  clock.Clock
	Log    *slog.Logger
}

// Commit writes the finished row in a transaction, either the server's (ByServer) or a command's (ByCaller).
type Commit[T, Tx any] func(ctx context.Context, made T, change func(context.Context, Tx) error) error

// Get returns the active row. If it is not active yet, Get has the partner create the thing,
// or waits for another request that does. made is true if this call finished the row; own
// has then committed it.
func Get[T, Tx any](
	ctx context.Context, m *Maker[T, Tx], workspaceID string, own Commit[T, Tx],
) (row T, made bool, err error) {
	row, mine, err := claim(ctx, m, workspaceID)
	switch {
	case err != nil || m.State(&row).Status == Active:
		return row, false, err
	case !mine:
		row, err = wait(ctx, m)
		return row, false, err
	}
	return create(ctx, m, workspaceID, row, own)
}

// claim finds or inserts the row. mine is true if this request has claimed it and must call the partner.
func claim[T, Tx any](ctx context.Context, m *Maker[T, Tx], workspaceID string) (row T, mine bool, err error) {
	row, err = m.Find(ctx)
	if errors.Is(err, fault.ErrNotFound) && m.Insert != nil {
		err = record.Do(ctx, m.In, workspaceID, m.Insert)
		if mine = err == nil; mine || errors.Is(err, record.ErrStale) {
			row, err = m.Find(ctx)
		}
		return row, mine, err
	}
	if err != nil || m.State(&row).Status == Active || !free(m, row) {
		return row, false, err
	}
	return takeOver(ctx, m, workspaceID, row)
}

func free[T, Tx any](m *Maker[T, Tx], row T) bool {
	return m.Clock.Now().Sub(m.State(&row).TriedAt) >= Lease
}

// takeOver claims a row whose last claim was given up or is older than Lease. It keeps the
// key, so that the partner recognizes an earlier call, unless the key is older than
// fiat.KeyLife, because the partner forgets keys after a day. mine is false if another request was faster.
func takeOver[T, Tx any](ctx context.Context, m *Maker[T, Tx], workspaceID string, row T) (T, bool, error) {
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

// wait reads the row until another request has finished it, given up, or taken longer than patience.
func wait[T, Tx any](ctx context.Context, m *Maker[T, Tx]) (row T, err error) {
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

// create calls the partner and commits its answer. If either fails, create gives up the claim,
// so that the next request can claim the row at once.
func create[T, Tx any](
	ctx context.Context, m *Maker[T, Tx], workspaceID string, row T, own Commit[T, Tx],
) (T, bool, error) {
	got, err := askInTime(ctx, m, row)
	if err == nil {
		err = own(ctx, got, func(ctx context.Context, tx Tx) error { return m.Finish(ctx, tx, got) })
		if errors.Is(err, record.ErrStale) { // this claim ended, and another request finished the row with that key
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
		m.Log.WarnContext(ctx, "a row stays with a caller who has gone", "workspace", workspaceID, "error", left)
	}
	return row, false, err
}

func askInTime[T, Tx any](ctx context.Context, m *Maker[T, Tx], row T) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	got, err := m.Ask(ctx, row)
	return got, fiat.Fault(err)
}

// ByServer commits in the server's own name, with a line in the audit record.
func ByServer[T, Tx any](m *Maker[T, Tx], workspaceID string) Commit[T, Tx] {
	return func(ctx context.Context, made T, change func(context.Context, Tx) error) error {
		return m.In.Work(ctx, workspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
			return m.Audit(made), change(ctx, tx)
		})
	}
}

// ByCaller commits as part of the command cmd and stores its answer in a.
func ByCaller[T, Tx any](
	m *Maker[T, Tx], cmd *command.Command, a *command.Answer, message string, view func(T) any,
) Commit[T, Tx] {
	return func(ctx context.Context, made T, change func(context.Context, Tx) error) (err error) {
		*a, err = m.In.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
			return command.Reply{Status: 201, Message: message, Data: view(made), Audit: m.Audit(made)}, change(ctx, tx)
		})
		return err
	}
}

// IgnoreAsked is err, or nil if err only says that another request is calling the partner.
func IgnoreAsked(err error) error {
	if errors.Is(err, errAsked) {
		return nil
	}
	return err
}
