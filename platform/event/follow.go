package event

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
)

const (
	// beat is how often a stream that has nothing to say says so: proxies close what is silent for a minute. The
	// caller's right is checked with each.
	beat = 10 * time.Second
	// readAtOnce is how many events a stream keeps in memory.
	readAtOnce = 100
)

// ErrStop ends a stream without an error.
var ErrStop = errors.New("event: the stream ends")

// Stream is who listens, and how.
type Stream struct {
	// Again checks the caller's credential anew, and returns what it may do now.
	Again func(context.Context) (auth.Principal, error)
	// Send sends an event, and nil as a sign of life.
	Send func(*rest.Event) error
}

// Follow sends what a caller asked for, first what there is and then what comes, until the context ends or the caller
// may no longer read all that it was told of. It returns an error only before anything was sent.
func (s *Service) Follow(ctx context.Context, p auth.Principal, asked Asked, to Stream) error {
	leave, err := s.callers.enter(string(p.Kind) + ":" + p.ID)
	if err != nil {
		return err
	}
	defer leave()
	asked.Limit = readAtOnce
	told, err := Readable(p, asked.Types)
	if err != nil {
		return err
	}
	after, err := s.begin(ctx, p, asked)
	if err != nil {
		return err
	}
	to.Again = to.unlessLess(p.WorkspaceID, told)
	news, end := s.tail.listen(p.WorkspaceID)
	defer end()
	life := time.NewTicker(beat)
	defer life.Stop()
	for err = to.Send(nil); err == nil; {
		select {
		case <-ctx.Done():
			return nil
		case <-s.stopped:
			return nil
		case <-life.C:
			if _, err = to.Again(ctx); err == nil {
				err = to.Send(nil)
			}
		case <-news:
			after, err = s.sendAll(ctx, asked, after, to)
		}
	}
	return nil
}

// unlessLess is Again that refuses also who may read less than when the stream began. Such a stream would say nothing
// of what it leaves out; whoever connects again knows that it is another one.
func (to Stream) unlessLess(workspaceID string, told []Type) func(context.Context) (auth.Principal, error) {
	return func(ctx context.Context) (auth.Principal, error) {
		now, err := to.Again(ctx)
		gone := func(t Type) bool { return !may(now, t.Object()) }
		if err == nil && (now.WorkspaceID != workspaceID || slices.ContainsFunc(told, gone)) {
			err = ErrStop
		}
		return now, err
	}
}

// begin is the number after which a stream begins: without one, it is told what comes from now on.
func (s *Service) begin(ctx context.Context, p auth.Principal, asked Asked) (int64, error) {
	if asked.After == nil {
		ends, err := s.store.EventEnds(ctx, p.WorkspaceID)
		return ends.Last, err
	}
	asked.Limit = 1
	_, _, err := s.List(ctx, p, asked) // says whether events after it are gone
	return *asked.After, err
}

// sendAll sends what there is after a number, and returns the number after which nothing was sent.
func (s *Service) sendAll(ctx context.Context, asked Asked, after int64, to Stream) (int64, error) {
	for {
		p, err := to.Again(ctx)
		if err != nil {
			return after, err
		}
		asked.After = &after
		views, next, err := s.List(ctx, p, asked)
		if err != nil {
			return after, err
		}
		for i := range views {
			if i > 0 {
				_, err = to.Again(ctx)
			}
			if err == nil {
				err = to.Send(&views[i])
			}
			if err != nil {
				return after, err
			}
		}
		after = next
		if len(views) < asked.Limit {
			return after, nil
		}
	}
}
