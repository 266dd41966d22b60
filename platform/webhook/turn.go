package webhook

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/record"
)

const (
	spreadAtOnce = 200 // events of which deliveries are made in one transaction
	width        = 16  // deliveries of an endpoint that are sent at once, each about another object
)

// turn is what a server does for one endpoint while it has the lease.
type turn struct {
	*Service
	ref    Ref
	lease  string
	sender Sender
}

// turn takes the lease of an endpoint and works until nothing is due, the lease is lost, or it is another one's turn.
func (s *Service) turn(ctx, sending context.Context, r Ref) error {
	t := turn{s, r, record.NewID(), s.c.Sender()}
	defer t.sender.Close()
	if err := t.claim(ctx); err != nil {
		return err
	}
	ends := s.c.Clock.Now().Add(turnLasts)
	more, err := true, error(nil)
	for more && err == nil && ctx.Err() == nil && s.c.Clock.Now().Before(ends) {
		more, err = t.step(sending)
	}
	left := t.leave(context.WithoutCancel(ctx), err)
	return errors.Join(record.UnlessStale(err), record.UnlessStale(left)) // a lost lease hides no other error
}

// claim takes the lease, and gives up what has waited for too long.
func (t turn) claim(ctx context.Context) error {
	now, objects := t.c.Clock.Now(), []string(nil)
	err := record.Do(ctx, t.c.Store, t.ref.WorkspaceID, func(ctx context.Context, tx Tx) error {
		_, err := tx.Claim(ctx, t.ref, t.lease, now, now.Add(lease))
		if err != nil {
			return err
		}
		objects, err = tx.Expire(ctx, t.ref, now, now.Add(-pendingLife), now.Add(-waitingLife))
		if err != nil {
			return err
		}
		return promote(ctx, tx, t.ref, slices.Clone(objects), now)
	})
	if err == nil {
		t.told(slices.Repeat([]State{Failed}, len(objects))...)
	}
	return err
}

func promote(ctx context.Context, tx Tx, r Ref, objects []string, now time.Time) error {
	slices.Sort(objects)
	for _, id := range slices.Compact(objects) {
		if err := tx.Promote(ctx, r, id, now); err != nil {
			return err
		}
	}
	return nil
}

// holding changes rows in a transaction that holds the endpoint as it is now, if the lease is still this turn's.
func (t turn) holding(
	ctx context.Context, do func(ctx context.Context, tx Tx, e *Endpoint, now time.Time) (command.Audit, error),
) error {
	return t.c.Store.Work(ctx, t.ref.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		now := t.c.Clock.Now()
		e, err := tx.Renew(ctx, t.ref, t.lease, now.Add(lease))
		if err != nil {
			return command.Audit{}, err
		}
		done, err := do(ctx, tx, &e, now)
		if err == nil {
			err = tx.Save(ctx, e)
		}
		return done, err
	})
}

// leave lets go of the lease, and writes down when the endpoint has something to do again. After an error of this
// server, such as a secret that does not open, it is left alone for a moment.
func (t turn) leave(ctx context.Context, failed error) error {
	return t.holding(ctx, func(ctx context.Context, tx Tx, e *Endpoint, now time.Time) (command.Audit, error) {
		e.LeasedUntil = now
		if failed != nil && !errors.Is(failed, context.Canceled) {
			e.PausedUntil = now.Add(lookPatient)
		}
		var err error
		e.NextAt, err = tx.NextDue(ctx, t.ref)
		return command.Audit{}, err
	})
}

// step makes deliveries of new events and sends some that are due. Those of a range that is sent again are made when
// nothing else is due, so that they hold up nothing new.
func (t turn) step(ctx context.Context) (more bool, err error) {
	e, err := t.c.Store.WebhookEndpoint(ctx, t.ref)
	if err != nil || e.Status != Active || t.c.Clock.Now().Before(e.PausedUntil) {
		return false, err
	}
	types, err := t.readable(ctx, e)
	if err != nil {
		return false, err
	}
	fresh, err := t.spread(ctx, e, types, false)
	if err != nil {
		return false, err
	}
	sent, err := t.round(ctx, e, types)
	if err != nil || sent || fresh || !e.replays() {
		return sent || fresh, err
	}
	return t.spread(ctx, e, types, true)
}

// spread makes deliveries of the next events, and moves the cursor that it read from. It tells whether there were any.
func (t turn) spread(ctx context.Context, e Endpoint, types []event.Type, replay bool) (bool, error) {
	ends, err := t.c.Store.EventEnds(ctx, t.ref.WorkspaceID)
	if err != nil {
		return false, err
	}
	after, upTo, again := e.Cursor, ends.Last, Never
	if replay {
		after, upTo, again = e.ReplayAfter, e.ReplayTo, Unheard
		if e.ReplayAll {
			again = Always
		}
	}
	if after >= upTo {
		return false, nil
	}
	events, next, err := t.read(ctx, types, after, upTo)
	if err != nil {
		return false, err
	}
	return true, t.holding(ctx, func(ctx context.Context, tx Tx, e *Endpoint, now time.Time) (command.Audit, error) {
		at := &e.Cursor
		if replay {
			at = &e.ReplayAfter
		}
		if *at != after {
			return command.Audit{}, record.ErrStale
		}
		*at = next
		return command.Audit{}, add(ctx, tx, t.ref, events, again, now)
	})
}

// read lists events after a number, and says up to which number there are no others.
func (t turn) read(ctx context.Context, types []event.Type, after, upTo int64) ([]event.Event, int64, error) {
	if len(types) == 0 {
		return nil, upTo, nil
	}
	events, err := t.c.Store.Events(ctx, event.Filter{
		WorkspaceID: t.ref.WorkspaceID, After: after, Types: types, Limit: spreadAtOnce,
	})
	if err != nil {
		return nil, 0, err
	}
	if len(events) == spreadAtOnce {
		upTo = min(upTo, events[len(events)-1].Seq)
	}
	return slices.DeleteFunc(events, func(e event.Event) bool { return e.Seq > upTo }), upTo, nil
}

func add(ctx context.Context, tx Tx, r Ref, events []event.Event, again Again, now time.Time) error {
	if len(events) == 0 {
		return nil
	}
	all, objects := make([]Delivery, len(events)), make([]string, len(events))
	for i, e := range events {
		all[i] = Delivery{
			WorkspaceID: r.WorkspaceID, EndpointID: r.ID, Seq: e.Seq, ID: e.ID, Type: e.Type, ObjectID: e.Object,
			Since: now, CreatedAt: now,
		}
		objects[i] = e.Object
	}
	if err := tx.Add(ctx, all, again); err != nil {
		return err
	}
	return promote(ctx, tx, r, objects, now)
}

// round sends what is due, some at once, and writes down what came of all. It tells whether there was anything.
func (t turn) round(ctx context.Context, e Endpoint, types []event.Type) (bool, error) {
	now, most := t.c.Clock.Now(), width
	if e.Failures >= troubled {
		most = 1
	}
	due, err := t.c.Store.DueWebhooks(ctx, t.ref, now, most)
	if err != nil || len(due) == 0 {
		return false, err
	}
	keys, err := e.signers(t.c.Vault, now)
	if err != nil {
		return false, err
	}
	results := make([]result, len(due))
	var sending sync.WaitGroup
	for i, d := range due {
		sending.Go(func() { results[i] = t.deliver(ctx, e.URL, keys, types, d) })
	}
	sending.Wait()
	// Also where this server stops: what was answered is written down.
	err = t.holding(context.WithoutCancel(ctx), func(
		ctx context.Context, tx Tx, e *Endpoint, now time.Time,
	) (command.Audit, error) {
		return t.write(ctx, tx, e, due, results, now)
	})
	if err != nil {
		return true, err
	}
	for i, d := range due {
		if results[i].outcome != unknown {
			t.told(d.after(results[i], now).State)
		}
	}
	return true, nil
}

// deliver makes one attempt, unless there is nothing to send any more.
func (t turn) deliver(ctx context.Context, url string, keys [][]byte, types []event.Type, d Delivery) result {
	nothing := result{outcome: unsent}
	if d.Event.ID == "" {
		nothing.attempt.Reason = reasonRemoved
		return nothing
	}
	if !slices.Contains(types, d.Type) {
		nothing.attempt.Reason = reasonUnread
		return nothing
	}
	body, err := bodyOf(d.Event)
	if err != nil {
		t.c.Log.ErrorContext(ctx, "an event has no JSON", "event", d.ID, "error", err)
		nothing.attempt.Reason = reasonRemoved
		return nothing
	}
	return t.send(ctx, t.sender, url, keys, message{d.ID, body})
}

// write writes down a round.
func (t turn) write(
	ctx context.Context, tx Tx, e *Endpoint, due []Delivery, results []result, now time.Time,
) (command.Audit, error) {
	var objects []string
	closed := false
	for i, d := range due {
		if results[i].outcome == unknown {
			continue
		}
		d = d.after(results[i], now)
		if err := tx.End(ctx, d); err != nil {
			return command.Audit{}, err
		}
		if d.State != Pending {
			objects = append(objects, d.ObjectID)
		}
		closed = closed || results[i].outcome == gone
	}
	if err := promote(ctx, tx, t.ref, objects, now); err != nil {
		return command.Audit{}, err
	}
	e.heard(results, now)
	if !closed {
		return command.Audit{}, nil
	}
	return t.disable(ctx, tx, e, now)
}

// disable is what an endpoint asks for that answers 410. Its admins are mailed; a ping that it answers has it go on.
func (t turn) disable(ctx context.Context, tx Tx, e *Endpoint, now time.Time) (command.Audit, error) {
	e.Status, e.Reason, e.UpdatedAt = Disabled, ReasonGone, now
	err := tx.Update(ctx, *e)
	if err == nil {
		err = announce(ctx, tx, *e, notice(*e, changeGone, now))
	}
	return command.Audit{Action: "webhook.gone", Resource: e.ID, Detail: map[string]string{"url": e.URL}}, err
}
