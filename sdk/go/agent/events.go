package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	railkit "github.com/railkit/railkit/sdk/go"
)

const typePayment = "payment" // is reported at once

// events are those that wait to be reported, oldest first.
type events struct {
	wake chan struct{} // has one element when a report is due before its time

	mu      sync.Mutex
	waiting []railkit.AgentEvent
	dropped int // too many waited
	closed  bool
}

// Track has events reported, and never waits. An event without an ID gets one, so that it counts once however often it
// is sent. Of more than 10000 that wait the oldest are dropped. After Close all are.
func (r *Runtime) Track(all ...railkit.AgentEvent) {
	urgent := false
	kept := make([]railkit.AgentEvent, 0, len(all))
	for _, e := range all {
		e, err := copied(e)
		if err != nil { // the API would refuse the whole batch
			r.log.Warn("dropped an event that is no JSON", "type", e.Type, "error", err)
			continue
		}
		urgent = urgent || e.Type == typePayment
		kept = append(kept, e)
	}
	full, dropped := r.events.add(kept, r.cfg.BatchSize)
	if dropped > 0 {
		r.log.Warn("dropped the oldest events: too many wait, or the runtime is closed", "dropped", dropped)
	}
	if full || urgent {
		select {
		case r.events.wake <- struct{}{}:
		default: // is due already
		}
	}
}

// copied gives an event an id, and metadata that its caller may change afterwards.
func copied(e railkit.AgentEvent) (railkit.AgentEvent, error) {
	if e.ID == "" {
		e.ID = uuid.NewString()
	}
	raw, err := json.Marshal(e)
	if err != nil {
		return e, err
	}
	var own struct{ Metadata map[string]json.RawMessage }
	if err := json.Unmarshal(raw, &own); err != nil {
		return e, err
	}
	if e.Metadata != nil {
		e.Metadata = make(map[string]any, len(own.Metadata))
	}
	for name, value := range own.Metadata {
		e.Metadata[name] = value
	}
	return e, nil
}

// add appends events. It tells whether a batch is full, and how many events have been dropped in all, if it dropped
// any.
func (q *events) add(all []railkit.AgentEvent, batch int) (full bool, dropped int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		q.dropped += len(all)
		return false, len(all)
	}
	q.waiting = append(q.waiting, all...)
	return len(q.waiting) >= batch, q.trim()
}

// trim drops the oldest events where too many wait, and tells how many were dropped since the start.
func (q *events) trim() int {
	over := len(q.waiting) - mostWaiting
	if over <= 0 {
		return 0
	}
	q.waiting = append([]railkit.AgentEvent(nil), q.waiting[over:]...)
	q.dropped += over
	return q.dropped
}

// take takes the oldest events out.
func (q *events) take(batch int) []railkit.AgentEvent {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(batch, len(q.waiting))
	taken := q.waiting[:n:n]
	q.waiting = q.waiting[n:]
	return taken
}

// putBack puts events in front of the others again, and tells how many wait.
func (q *events) putBack(all []railkit.AgentEvent) (waiting, dropped int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(all[:len(all):len(all)], q.waiting...)
	dropped = q.trim()
	return len(q.waiting), dropped
}

func (q *events) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
}

// report reports events when they are due, until it is stopped.
func (r *Runtime) report(ctx context.Context) {
	for {
		due := time.NewTimer(r.cfg.FlushEvery)
		select {
		case <-ctx.Done():
			return
		case <-r.events.wake:
		case <-due.C:
		}
		var late *lateError
		for errors.As(r.flush(ctx), &late) {
			select { // nothing is sent meanwhile, whatever is due
			case <-ctx.Done():
				return
			case <-time.After(late.wait):
			}
		}
	}
}

// lateError says that events could not be reported now.
type lateError struct {
	waiting int
	wait    time.Duration
	cause   error
}

func (e *lateError) Error() string {
	return fmt.Sprintf("agent: %d events were not reported: %v", e.waiting, e.cause)
}

func (e *lateError) Unwrap() error { return e.cause }

// flush reports all events that wait. Where the API does not take a batch now, its events wait again: those of them
// that it has taken count once.
func (r *Runtime) flush(ctx context.Context) error {
	for {
		batch := r.events.take(r.cfg.BatchSize)
		if len(batch) == 0 {
			return nil
		}
		err := r.deliver(ctx, batch)
		if err == nil {
			continue
		}
		late := &lateError{wait: mostPause, cause: err}
		var answer *railkit.Error
		if errors.As(err, &answer) && answer.RetryAfter > 0 {
			late.wait = answer.RetryAfter
		}
		var dropped int
		late.waiting, dropped = r.events.putBack(batch)
		r.log.Warn("events could not be reported, and wait", "events", late.waiting, "dropped", dropped, "error", err)
		return late
	}
}

// deliver reports a batch and drops what the API refuses of it, which is the whole batch where one event is wrong: it
// is halved until that one is alone. The error is why the batch has to be reported again.
func (r *Runtime) deliver(ctx context.Context, batch []railkit.AgentEvent) error {
	_, err := r.client.ReportEvents(ctx, batch...)
	var answer *railkit.Error
	if err == nil || !errors.As(err, &answer) || !final(answer.Status) {
		return err
	}
	wrong := answer.Status == http.StatusBadRequest || answer.Status == http.StatusRequestEntityTooLarge
	if half := len(batch) / 2; wrong && half > 0 {
		if err := r.deliver(ctx, batch[:half]); err != nil {
			return err
		}
		return r.deliver(ctx, batch[half:])
	}
	r.log.Warn("dropped events that the API refuses", "events", len(batch), "error", err)
	return nil
}
