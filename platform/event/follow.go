package event

import (
	"context"
	"errors"
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
// may not read on. It returns an error only before anything was sent.
func (s *Service) Follow(ctx context.Context, p auth.Principal, asked Asked, to Stream) error {
	leave, err := s.callers.enter(string(p.Kind) + ":" + p.ID)
	if err != nil {
		return err
	}
	defer leave()
	asked.Limit = readAtOnce
	after, err := s.begin(ctx, p, asked)
	if err != nil {
		return err
	}
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
			after, err = s.sendAll(ctx, p.WorkspaceID, asked, after, to)
		}
	}
	return nil
}

// begin is the number after which a stream begins: without one, it is told what comes from now on.
func (s *Service) begin(ctx context.Context, p auth.Principal, asked Asked) (int64, error) {
	if asked.After == nil {
		ends, err := s.store.EventEnds(ctx, p.WorkspaceID)
		return ends.Last, err
	}
	asked.Limit = 1
	_, _, err := s.List(ctx, p, asked) // says what is wrong with it
	return *asked.After, err
}

// sendAll sends what there is after a number, and returns the number after which nothing was sent.
func (s *Service) sendAll(ctx context.Context, workspaceID string, asked Asked, after int64, to Stream) (int64, error) {
	for {
		p, err := to.Again(ctx)
		if err != nil || p.WorkspaceID != workspaceID {
			return after, errors.Join(err, ErrStop)
		}
		asked.After = &after
		views, next, err := s.List(ctx, p, asked)
		if err != nil {
			return after, err
		}
		for i := range views {
			if i > 0 {
				if p, err = to.Again(ctx); err == nil && !may(p, views[i].Object.Type) {
					err = ErrStop // it reads less than when the list was made
				}
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
