package facilitator

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/facilitator"
)

// When the node is asked for blocks while something waits: soon after each settlement, then less and less often; and
// when nothing waits. And how often it gets the bytes again.
const (
	lookSoon    = 10 * time.Millisecond
	lookAtLeast = 500 * time.Millisecond
	idleEvery   = 5 * time.Second
	resendEvery = 2 * time.Second
)

// looks is how often a settlement was missed: its nonce was used, and its transaction in no block.
type looks struct {
	missed int
	since  time.Time
}

// lostAfter is how often a settlement is missed before it is lost: its account's owner had another transaction under
// its nonce.
const lostAfter = 10

// follow looks after the settlements until ctx ends.
func (l *line) follow(ctx context.Context) {
	var sent time.Time
	every := lookSoon
	for {
		after := idleEvery
		if len(l.waiting()) > 0 {
			after, every = every, min(every*3/2, lookAtLeast)
		}
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
			every = lookSoon
		case <-time.After(after):
		}
		again := time.Since(sent) >= resendEvery
		if again {
			sent = time.Now()
		}
		if err := l.look(ctx, again); err != nil && ctx.Err() == nil {
			l.log.WarnContext(ctx, "following settlements", "error", err)
			time.Sleep(lookSoon)
		}
	}
}

// look asks which nonces are mined, ends what is, and sends again what is not.
func (l *line) look(ctx context.Context, again bool) error {
	next, err := l.node.NextNonce(ctx, l.f.Signer.Address().String())
	if err != nil {
		return err
	}
	var all error
	for _, s := range l.waiting() {
		if s.nonce < next && l.hashOf(s) != "" {
			all = errors.Join(all, l.ask(ctx, s)) // one that cannot be read keeps nobody else's end
		}
	}
	if !again {
		return all
	}
	return errors.Join(all, l.resign(ctx), l.resend(ctx, next))
}

// resend sends everything from the first nonce on that is not mined. That may be more than what is open: a block that
// had a settlement may be gone.
func (l *line) resend(ctx context.Context, next uint64) error {
	all, err := l.f.journal.from(ctx, l.chain, next)
	if err != nil {
		return err
	}
	for _, s := range all {
		l.send(ctx, s)
	}
	return nil
}

// ask ends a settlement whose nonce is used.
func (l *line) ask(ctx context.Context, s *settlement) error {
	succeeded, logs, found, err := l.node.Mined(ctx, s.hash)
	if err != nil {
		return err
	}
	plan, err := l.f.judge.Recall(s.request)
	if err != nil {
		return err
	}
	if found {
		return l.end(ctx, s, plan.Receipt(facilitator.Mined{Hash: s.hash, Success: succeeded, Logs: logs}))
	}
	if s.seen.missed == 0 {
		s.seen.since = time.Now()
	}
	if s.seen.missed++; s.seen.missed < lostAfter || time.Since(s.seen.since) < l.f.Lost {
		return nil
	}
	return l.end(ctx, s, plan.Lost(s.hash))
}

func (l *line) end(ctx context.Context, s *settlement, r x402.Receipt) error {
	if err := l.f.journal.end(ctx, s.id, r); err != nil {
		return err
	}
	l.drop(s)
	s.receipt = r
	close(s.done)
	l.log.InfoContext(ctx, "settled", "success", r.Success, "reason", r.ErrorReason, "hash", s.hash, "nonce", s.nonce,
		"payer", r.Payer)
	return l.f.journal.discover(ctx, s, l.f.Clock.Now())
}
