package webhook

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/railkit/railkit/platform/record"
)

const (
	lookEvery   = 250 * time.Millisecond // how often a server asks for endpoints with something to do
	lookPatient = 5 * time.Second        // where the database does not answer
	mostTurns   = 256                    // endpoints that a server works on at once
	lease       = 30 * time.Second       // twice as long as the requests of a round can take
	turnLasts   = 10 * time.Second       // then an endpoint makes room for one that waits longer
	stopsWithin = 3 * time.Second        // how long requests under way may take once the server is told to stop
)

// Run sends events until the context ends. Any number of servers may run it.
func (s *Service) Run(ctx context.Context) {
	sending, abort := context.WithCancel(context.WithoutCancel(ctx))
	defer abort()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(stopsWithin, abort) })
	defer stop()
	var turns sync.WaitGroup
	defer turns.Wait()
	places := make(chan struct{}, mostTurns)
	for wait := s.c.Every; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		wait = s.c.Every
		refs, err := s.c.Store.WaitingWebhooks(ctx, s.c.Clock.Now(), mostTurns-len(places))
		if err != nil && ctx.Err() == nil {
			wait = lookPatient
			s.c.Log.ErrorContext(ctx, "no webhooks are sent: the database does not say to whom", "error", err)
		}
		for _, r := range refs {
			places <- struct{}{}
			turns.Go(func() {
				defer func() { <-places }()
				s.work(ctx, sending, r)
			})
		}
	}
}

// work is a turn, whose errors nobody waits for.
func (s *Service) work(ctx, sending context.Context, r Ref) {
	err := s.turn(ctx, sending, r)
	if err != nil && !errors.Is(err, record.ErrStale) && sending.Err() == nil {
		s.c.Log.ErrorContext(ctx, "webhooks are not sent", "workspace", r.WorkspaceID, "endpoint", r.ID, "error", err)
	}
}

// Sweep removes deliveries whose events are removed, and makes jobs of mails whose jobs were lost.
func (s *Service) Sweep(ctx context.Context) error {
	return errors.Join(s.sweepNotices(ctx), s.c.Store.DropWebhooks(ctx, s.c.Clock.Now().Add(-noticeKept)))
}
