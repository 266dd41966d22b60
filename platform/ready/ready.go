// Package ready tells whether a server can work now, and which of its parts (database, signer, Redis) does not answer.
// Load balancers ask often, and so may anyone; the parts are asked at most once a second, and by one probe at a time.
package ready

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/railkit/railkit/fault"
)

// ErrNotReady is the answer to a load balancer. It only names the parts. Their errors are in the log, since they may
// name machines and users.
var ErrNotReady = fault.Define(fault.Unavailable, "not_ready", "Not ready: %s",
	"GET /readyz: the server lacks a part that it needs, by name: database, "+
		"schema (its tables are older than the program), signer, redis; the log says why")

const (
	// Patience is how long a part may take to answer.
	Patience = 2 * time.Second
	// Fresh is how long an answer is good.
	Fresh = time.Second
)

// Part is something that the server cannot work without. Ask must end soon after its
// context has.
type Part struct {
	Name string
	Ask  func(context.Context) error
}

// Probe asks the parts.
type Probe struct {
	parts []Part
	log   *slog.Logger

	mu      sync.Mutex
	looking chan struct{} // closed when the look under way ends; nil: there is none
	looked  time.Time     // when the last one ended, by the monotonic clock
	missing []string      // by the last one, in the order of the parts
}

// New makes a Probe.
func New(log *slog.Logger, parts ...Part) *Probe { return &Probe{parts: parts, log: log} }

// Parts names all parts.
func (p *Probe) Parts() []string {
	names := make([]string, len(p.parts))
	for i, part := range p.parts {
		names[i] = part.Name
	}
	return names
}

// Missing names the parts that do not answer as they should. It is empty where the
// server is ready.
func (p *Probe) Missing(ctx context.Context) ([]string, error) {
	select {
	case <-p.look():
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.missing, nil
}

// Err is nil where the server is ready.
func (p *Probe) Err(ctx context.Context) error {
	missing, err := p.Missing(ctx)
	if err != nil || len(missing) == 0 {
		return err
	}
	return ErrNotReady.Msg(strings.Join(missing, ", ")).With("missing", missing).After(Fresh)
}

// look gives what is closed once the last answer is fresh. The caller who finds it
// stale begins a look, which does not end when the caller hangs up.
func (p *Probe) look() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.looking != nil {
		return p.looking
	}
	done := make(chan struct{})
	if !p.looked.IsZero() && time.Since(p.looked) < Fresh {
		close(done)
		return done
	}
	p.looking = done
	go p.ask(done)
	return done
}

// ask asks all parts at once.
func (p *Probe) ask(done chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	faults := make([]error, len(p.parts))
	var wg sync.WaitGroup
	for i, part := range p.parts {
		wg.Go(func() { faults[i] = part.Ask(ctx) })
	}
	wg.Wait()
	p.learn(faults)
	close(done)
}

// learn keeps the answers. The log has a line when they change, not for each.
func (p *Probe) learn(faults []error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var missing []string
	var why []error
	for i, err := range faults {
		if err != nil {
			missing = append(missing, p.parts[i].Name)
			why = append(why, fmt.Errorf("%s: %w", p.parts[i].Name, err))
		}
	}
	switch {
	case slices.Equal(missing, p.missing):
	case len(missing) == 0:
		p.log.Info("ready again")
	default:
		p.log.Error("not ready", slog.Any("missing", missing), slog.String("error", errors.Join(why...).Error()))
	}
	p.missing, p.looked, p.looking = missing, time.Now(), nil
}
