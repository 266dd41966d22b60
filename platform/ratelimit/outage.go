package ratelimit

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/railkit/railkit/fault"
)

// ErrUnavailable is the error of a call that cannot be counted during an outage.
var ErrUnavailable = fault.Define(fault.Unavailable, "rate_limit_unavailable",
	"Rate limits are temporarily unavailable",
	"The server that counts calls does not answer, and calls of this class are not let through uncounted; "+
		"retry after Retry-After")

// Policy is the treatment of a call while the shared count does not answer.
type Policy string

// The policies.
const (
	Open   Policy = "open"   // counted by this process alone
	Closed Policy = "closed" // refused
)

// Policies are the policies by class; a class without one has that of Standard. If each process counts by itself, four
// processes together admit up to four times the limit. That is bearable for reads, not for calls that move money.
type Policies map[Class]Policy

func (p Policies) of(c Class) Policy {
	if _, named := p[c]; !named {
		c = Standard
	}
	return p[c]
}

const (
	// pause is how long after a failure no call asks the shared count. Then one call asks.
	pause = 250 * time.Millisecond
	// logEvery is how often an outage that goes on is written to the log.
	logEvery = 10 * time.Second
)

// Decision is a decision that was made without the shared count.
type Decision struct {
	Class  Class
	Policy Policy
}

// Outage records whether a Redis is down, and the decisions made meanwhile. All limiters that count in it share one.
type Outage struct {
	policies Policies
	log      *slog.Logger
	now      func() time.Time // monotonic, so that a clock that is set back makes no pause longer

	mu        sync.Mutex
	away      bool
	askAgain  time.Time // while away
	logged    time.Time // the time of the last log line about the outage
	toldAway  bool      // an outage was logged, and its end was not yet
	decisions map[Decision]uint64
	failures  uint64
}

// NewOutage makes an Outage.
func NewOutage(p Policies, log *slog.Logger) *Outage {
	return &Outage{policies: p, log: log, now: time.Now, decisions: map[Decision]uint64{}}
}

// Counts are the decisions, and how many questions to the shared count failed, since the process started.
func (o *Outage) Counts() (decisions map[Decision]uint64, failures uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.decisions), o.failures
}

// Guard makes a limiter that counts in shared, and decides by the policies while shared is down. It counts in own as
// well, so that when an outage begins, the calls of the last minute in this process are known.
func (o *Outage) Guard(shared Limiter, own *Memory) Limiter { return &guarded{o, shared, own} }

type guarded struct {
	outage *Outage
	shared Limiter
	own    *Memory
}

// Take counts a call and reports whether it is admitted. A caller for whom this process has no exact window is counted
// in this process alone: a million networks would fill the memory of Redis, and while Redis is down, calls that move
// money are refused.
func (g *guarded) Take(ctx context.Context, who string, class Class, limit int) (Verdict, error) {
	if g.own.full(who, class) {
		return g.own.Take(ctx, who, class, limit)
	}
	if g.outage.ask() {
		v, err := g.shared.Take(ctx, who, class.Counted(), limit)
		g.outage.learn(err)
		if err == nil {
			if v.Admitted {
				_, _ = g.own.Take(ctx, who, class, limit) // Memory returns no error, and shared has decided already
			}
			return v, nil
		}
	}
	if g.outage.decide(class) == Open {
		return g.own.Take(ctx, who, class, limit)
	}
	return Verdict{}, ErrUnavailable.After(time.Second)
}

// ask reports whether to ask the shared count. During an outage only one call asks after each pause, so that thousands
// of calls do not wait for an answer that does not come.
func (o *Outage) ask() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.away {
		return true
	}
	now := o.now()
	if now.Before(o.askAgain) {
		return false
	}
	o.askAgain = now.Add(pause)
	return true
}

// learn records whether the shared count answered. In ten seconds it logs at most two lines if the shared count comes
// and goes, and one if it stays down.
func (o *Outage) learn(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err == nil {
		if o.away = false; o.toldAway {
			o.toldAway = false
			o.log.Info("rate limits: the shared count answers again", o.attrs()...)
		}
		return
	}
	now := o.now()
	o.failures++
	o.away, o.askAgain = true, now.Add(pause)
	if o.logged.IsZero() || now.Sub(o.logged) >= logEvery {
		o.logged, o.toldAway = now, true
		o.log.Error("rate limits: the shared count does not answer",
			append(o.attrs(), slog.String("error", err.Error()))...)
	}
}

func (o *Outage) decide(c Class) Policy {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := o.policies.of(c)
	o.decisions[Decision{c, p}]++
	return p
}

// attrs are the counts so far, for the log.
func (o *Outage) attrs() []any {
	byPolicy := map[Policy]uint64{}
	for d, n := range o.decisions {
		byPolicy[d.Policy] += n
	}
	return []any{slog.Uint64("failures", o.failures), slog.Uint64("open", byPolicy[Open]),
		slog.Uint64("closed", byPolicy[Closed])}
}
