package notice

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// Inbox stores and handles the partner's notices.
type Inbox struct {
	store   Store
	partner fiat.Partner
	name    string
	follow  Follow
	keep    time.Duration
	clock   clock.Clock
	log     *slog.Logger
}

// Config wires an Inbox.
type Config struct {
	Store   Store
	Partner fiat.Partner // nil: no notice is believed
	Name    string       // of the partner, in the rows
	Follow  Follow
	Keep    time.Duration // for which bodies are kept
	Clock   clock.Clock
	Log     *slog.Logger
}

// New makes one.
func New(c Config) *Inbox {
	return &Inbox{
		store: c.Store, partner: c.Partner, name: c.Name, follow: c.Follow, keep: c.Keep, clock: c.Clock, log: c.Log,
	}
}

// Receive stores a notice and answers; a job handles it afterwards. A notice that came before only counts up.
func (n *Inbox) Receive(ctx context.Context, row Notice) (rest.ReceivedNotice, error) {
	answer := rest.ReceivedNotice{EventID: row.EventID}
	err := n.store.Work(ctx, "", func(ctx context.Context, tx Tx) (command.Audit, error) {
		first, err := tx.InsertNotice(ctx, row)
		if err != nil || !first {
			return command.Audit{}, err
		}
		answer.First = true
		return command.Audit{}, tx.Enqueue(ctx, job.Job{Kind: Job, ID: row.ID})
	})
	return answer, err
}

// Read checks the signature of a notice, and parses it.
func (n *Inbox) Read(signature string, body []byte) (Notice, error) {
	if n.partner == nil {
		return Notice{}, ErrSignature
	}
	now := n.clock.Now()
	said, err := n.partner.ReadNotice(signature, body, now)
	switch {
	case errors.Is(err, fiat.ErrSignature):
		return Notice{}, ErrSignature.Because(err)
	case errors.Is(err, fiat.ErrStale):
		return Notice{}, ErrTooOld.Because(err)
	case err != nil:
		return Notice{}, ErrUnreadable.Because(err)
	}
	return Notice{
		ID: record.NewID(), Partner: n.name, EventID: said.EventID, Category: said.Category, ObjectID: said.ObjectID,
		CustomerID: said.CustomerID,
		AddressID:  cmp.Or(said.AddressID, said.VirtualAccountID), State: StateReceived, Seen: 1, Body: string(body),
		ReceivedAt: now,
	}, nil
}

// How long an object may be unknown: the partner may say that a payout is done
// before our own row has its id.
const (
	unknownFor  = 2 * time.Minute
	failsFor    = 24 * time.Hour // after which a notice is the operator's: sweeps take the oldest first
	lookAgain   = 5 * time.Second
	noticesLost = time.Minute // after which a job is taken for lost
	noticeBatch = 200
)

// Handle passes a notice to the follower of its kind, and returns when to try again; 0 ends it.
func (n *Inbox) Handle(ctx context.Context, id string) (time.Duration, error) {
	row, err := n.store.Notice(ctx, id)
	if errors.Is(err, fault.ErrNotFound) || err == nil && row.State != StateReceived {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	state, err := n.dispatch(ctx, row)
	now := n.clock.Now()
	switch {
	case errors.Is(err, ErrUnknownObject) && now.Sub(row.ReceivedAt) < unknownFor:
		return lookAgain, nil
	case errors.Is(err, ErrUnknownObject):
		state = StateUnmatched
		n.log.WarnContext(ctx, "the partner spoke of what nobody knows here: railkit admin notice lists it",
			"partner", row.Partner, "category", row.Category, "object", row.ObjectID, "event", row.EventID)
	case err != nil && now.Sub(row.ReceivedAt) < failsFor:
		return 0, err
	case err != nil:
		state = StateUnmatched
		n.log.ErrorContext(ctx,
			"a notice of the partner failed for a day: railkit admin notice lists it", "partner", row.Partner,
			"category", row.Category, "object", row.ObjectID, "event", row.EventID, "error", err)
	}
	return 0, n.move(ctx, row, state, now)
}

func (n *Inbox) move(ctx context.Context, row Notice, to State, now time.Time) error {
	err := n.store.Work(ctx, "", func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, tx.MoveNotice(ctx, row.ID, row.State, to, now)
	})
	if errors.Is(err, record.ErrStale) {
		return nil // another caller handled it
	}
	return err
}

// dispatch passes the object to its follower.
func (n *Inbox) dispatch(ctx context.Context, row Notice) (State, error) {
	f, err := n.follow, ErrUnknownObject
	switch row.Category {
	case fiat.NoticeTransfer:
		if f.Transfer != nil {
			err = f.Transfer(ctx, row.ObjectID)
		}
	case fiat.NoticeDrain:
		if f.Drain != nil && row.AddressID != "" {
			err = f.Drain(ctx, row.AddressID)
		}
	case fiat.NoticeVirtual:
		if f.Virtual != nil && row.AddressID != "" {
			err = f.Virtual(ctx, row.AddressID)
		}
	case fiat.NoticeAccount:
		if f.Account != nil {
			err = f.Account(ctx, row.ObjectID)
		}
	case fiat.NoticeCustomer:
		if f.Customer != nil {
			err = f.Customer(ctx, row.ObjectID)
		}
	default:
		return StateIgnored, nil
	}
	return StateDone, err
}

// In lists notices in a state, newest first.
func (n *Inbox) In(ctx context.Context, state State, p page.Page) ([]Notice, *page.Cursor, int, error) {
	rows, total, err := n.store.Notices(ctx, state, p)
	at := func(row Notice) page.Cursor { return page.Cursor{CreatedAt: row.ReceivedAt, ID: row.ID} }
	return rows, page.Next(p, rows, total, at), total, err
}

// Retry handles a notice once more: one about an unknown object, or whose job was lost. It is record.ErrStale if the
// notice is handled already.
func (n *Inbox) Retry(ctx context.Context, id string) error {
	row, err := n.store.Notice(ctx, id)
	if err != nil {
		return err
	}
	return n.store.Work(ctx, "", func(ctx context.Context, tx Tx) (command.Audit, error) {
		if row.State != StateReceived {
			if err := tx.MoveNotice(ctx, id, StateUnmatched, StateReceived, time.Time{}); err != nil {
				return command.Audit{}, err
			}
		}
		return command.Audit{}, tx.Enqueue(ctx, job.Job{Kind: Job, ID: id, Anew: true})
	})
}

// Sweep makes jobs of notices whose jobs were lost, and deletes old notices.
func (n *Inbox) Sweep(ctx context.Context) error {
	now := n.clock.Now()
	rows, err := n.store.WaitingNotices(ctx, now.Add(-noticesLost), noticeBatch)
	for _, row := range rows {
		err = errors.Join(err, n.store.Work(ctx, "", func(ctx context.Context, tx Tx) (command.Audit, error) {
			return command.Audit{}, tx.Enqueue(ctx, job.Job{Kind: Job, ID: row.ID})
		}))
	}
	return errors.Join(err, n.store.DropNotices(ctx, now.Add(-n.keep)))
}
