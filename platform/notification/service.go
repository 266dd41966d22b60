package notification

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/record"
)

// Service makes mails of events.
type Service struct{ c Config }

// Config wires a Service.
type Config struct {
	Store     Store
	Post      *mail.Post     // nil: events wait until there is one
	Dashboard mail.Dashboard // where links lead; "": mails have none
	Clock     clock.Clock
	Log       *slog.Logger
}

// New makes it.
func New(c Config) *Service { return &Service{c} }

const (
	readAtOnce   = 200
	peopleAtOnce = 100
)

// Sweep is called every few seconds, by each server: it decides who is told of new events, gathers what is due into
// mails, makes jobs of mails whose jobs were lost, and forgets what is old.
func (s *Service) Sweep(ctx context.Context) error {
	dropped := s.c.Store.Drop(ctx, s.c.Clock.Now().Add(-kept))
	if s.c.Post == nil {
		return dropped
	}
	return errors.Join(dropped, s.read(ctx), s.gatherAll(ctx), s.again(ctx))
}

// read goes through the events of each workspace that has new ones. A workspace that fails keeps no other one.
func (s *Service) read(ctx context.Context) error {
	places, err := s.c.Store.Behind(ctx)
	return errors.Join(err, record.Each(places, func(at Place) error {
		return record.UnlessStale(s.readOne(ctx, at))
	}))
}

// readOne writes who is told of some events, and in the same transaction that these events are read: a server that
// dies has done both or nothing, and of two servers at once the second one writes nothing.
func (s *Service) readOne(ctx context.Context, at Place) error {
	events, err := s.c.Store.Events(ctx, event.Filter{
		WorkspaceID: at.WorkspaceID, After: at.Seq, Types: types(), Limit: readAtOnce,
	})
	if err != nil {
		return err
	}
	all, to, failed := s.tell(ctx, events)
	switch {
	case failed != nil:
	case len(events) == readAtOnce:
		to = events[len(events)-1].Seq
	default:
		to = at.Last // the list was read after it: all up to there are in it
	}
	if failed != nil && to <= at.Seq {
		return failed
	}
	return errors.Join(failed, record.Do(ctx, s.c.Store, at.WorkspaceID, func(ctx context.Context, tx Tx) error {
		if err := tx.MoveCursor(ctx, at, to); err != nil {
			return err
		}
		for _, n := range all {
			if err := tx.Insert(ctx, n); err != nil {
				return err
			}
		}
		return nil
	}))
}

// patience is for how long a row that cannot be read holds up what is behind it: a database that is away comes back,
// a row that somebody spoilt does not.
const patience = 10 * time.Minute

// tell decides who is told of events, up to one that cannot be read now; before is the number in front of that one.
func (s *Service) tell(ctx context.Context, events []event.Event) (all []Notification, before int64, err error) {
	for _, e := range events {
		some, err := s.notifications(ctx, e)
		if err != nil && s.c.Clock.Now().Sub(e.At) < patience {
			return all, e.Seq - 1, fmt.Errorf("deciding who is told of event %d of %s: %w", e.Seq, e.WorkspaceID, err)
		}
		_ = s.unreadable(e, err)
		all = append(all, some...)
	}
	return all, 0, nil
}

// gatherAll makes mails of what is due.
func (s *Service) gatherAll(ctx context.Context) error {
	people, err := s.c.Store.Due(ctx, s.c.Clock.Now(), peopleAtOnce)
	return errors.Join(err, record.Each(people, func(p Person) error {
		return record.UnlessStale(s.gather(ctx, p))
	}))
}

// gather puts all that a person waits for into one mail, or has it wait until the gap after the last mail is over.
func (s *Service) gather(ctx context.Context, p Person) error {
	last, err := s.c.Store.LastMail(ctx, p)
	if err != nil {
		return err
	}
	now := s.c.Clock.Now()
	until := last.Add(p.gap())
	return record.Do(ctx, s.c.Store, p.WorkspaceID, func(ctx context.Context, tx Tx) error {
		if now.Before(until) {
			return tx.Postpone(ctx, p, now, until)
		}
		id := record.NewID()
		if err := tx.Gather(ctx, p, id, now); err != nil {
			return err
		}
		return tx.Enqueue(ctx, job.Job{Kind: Job, WorkspaceID: p.WorkspaceID, ID: id})
	})
}

// Send is the job that sends a mail. It may run twice, where a server dies between the mail server's answer and its
// note: the second mail has the id of the first, by which mail programs drop it.
func (s *Service) Send(ctx context.Context, workspaceID, id string) error {
	m, err := s.c.Store.Mail(ctx, workspaceID, id)
	if errors.Is(err, fault.ErrNotFound) || err == nil && (m.Status != mail.Queued || s.c.Post == nil) {
		return nil
	}
	if err != nil {
		return err
	}
	letter, err := s.letter(ctx, m)
	if err != nil {
		return err
	}
	status := mail.Dropped
	if letter != nil {
		status = mail.Sent
		err = s.c.Post.Send(ctx, workspaceID, m.Email, m.ID, letter)
	}
	if errors.Is(err, mail.ErrRefused) {
		status, err = mail.Failed, nil
		s.c.Log.ErrorContext(ctx, "somebody is not told: the mail server refuses the mail for good",
			"workspace", workspaceID, "mail", m.ID, "class", m.Class)
	}
	if err != nil {
		return err
	}
	return record.Do(ctx, s.c.Store, workspaceID, func(ctx context.Context, tx Tx) error {
		return tx.Mailed(ctx, m, status)
	})
}

// again makes jobs of mails whose jobs were lost or have given up.
func (s *Service) again(ctx context.Context) error {
	rows, err := s.c.Store.Unsent(ctx, s.c.Clock.Now().Add(-mail.Alone), record.SlowBatch)
	return errors.Join(err, record.Each(rows, func(m Mail) error {
		return record.Do(ctx, s.c.Store, m.WorkspaceID, func(ctx context.Context, tx Tx) error {
			return tx.Enqueue(ctx, job.Job{Kind: Job, WorkspaceID: m.WorkspaceID, ID: m.ID})
		})
	}))
}
