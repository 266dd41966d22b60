package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/railkit/railkit/kit/payout/reconcile"
	"github.com/railkit/railkit/kit/signing/rollback"
	"github.com/railkit/railkit/platform/issuer"
	"github.com/railkit/railkit/platform/ratelimit"
	"github.com/railkit/railkit/platform/ratelimit/redislimit"
	"github.com/railkit/railkit/platform/ready"
)

// newGuard compares the signer with what servers have seen of it, before anything is handed to it.
func (a *App) newGuard(ctx context.Context) error {
	a.guard = rollback.New(a.Store.Signing().SignerMarks(), a.enclave, a.config.Clock, a.config.Log)
	a.signer = rollback.Guarded(a.enclave, a.guard, a.Store.Signing())
	if err := a.guard.Look(ctx); err != nil {
		return fmt.Errorf("comparing the signer with what was seen of it: %w", err)
	}
	return nil
}

// lookEvery is how long a signer that was put back goes unnoticed, and how much of its journal is not in the mark.
const lookEvery = time.Second

// keepGuard looks again and again: the signer may be put back while the server runs.
func (a *App) keepGuard(ctx context.Context) {
	a.running.Go(func() {
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := a.guard.Look(ctx); err != nil && ctx.Err() == nil {
				a.config.Log.Debug("the signer could not be compared with what was seen of it", "error", err)
			}
		}
	})
}

// newProbe asks what a server cannot work without. Nodes, the partner and mail are
// not among it: without them much still goes, and another server has no others.
func (a *App) newProbe() *ready.Probe {
	parts := []ready.Part{
		{Name: "database", Ask: a.Store.Ping},
		{Name: "schema", Ask: func(ctx context.Context) error {
			if a.Store.Ping(ctx) != nil {
				return nil // the database's line says it
			}
			return a.Store.Current(ctx)
		}},
		{Name: "signer", Ask: func(ctx context.Context) error {
			_, err := a.enclave.Info(ctx)
			return err
		}},
	}
	if a.limits.needed() {
		parts = append(parts, ready.Part{Name: "redis", Ask: func(ctx context.Context) error {
			return a.limits.redis.Answers(ctx, a.limits.prefix("ready"))
		}})
	}
	return ready.New(a.config.Log, parts...)
}

// needed reports whether calls are refused while Redis does not answer.
func (l limits) needed() bool {
	return l.redis != nil &&
		(l.config.RateLimitOutageFinancial == ratelimit.Closed || l.config.RateLimitOutageStandard == ratelimit.Closed)
}

const (
	askEvery = 100 * time.Millisecond
	sayEvery = 10 * time.Second // that a start waits, and for what
	// redisPatience is how long a start waits for Redis. After that the server goes
	// on as its settings for an outage say, instead of making one outage of two.
	redisPatience = 5 * time.Second
	// rightsPatience is how long a start takes "permission denied" for a moment of the other side's own start: the
	// signer opens its socket to the server's group just after it listens.
	rightsPatience = 3 * time.Second
)

// await asks until there is an answer or the context ends, and says in the log that
// the start waits: at once, and again every ten seconds.
func (a *App) await(ctx context.Context, what, where string, ask func() error) error {
	var said, refused time.Time
	for {
		err := ask()
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, os.ErrPermission):
			refused = time.Time{}
		case refused.IsZero():
			refused = time.Now()
		case time.Since(refused) > rightsPatience: // more waiting changes no rights
			return fmt.Errorf("%s at %s is not open to this user: %w", what, where, err)
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s does not answer: %w", what, err)
		}
		if time.Since(said) >= sayEvery {
			said = time.Now()
			a.config.Log.Warn("the start waits for "+what, "at", where, "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(askEvery):
		}
	}
}

// meetRedis waits a moment for the Redis that counts calls: after the machine's own
// start it may be later than the server. Without it the server starts all the same.
func (a *App) meetRedis(ctx context.Context) error {
	if a.limits.redis == nil {
		return nil
	}
	soon, cancel := context.WithTimeout(ctx, redisPatience)
	defer cancel()
	err := a.await(soon, "Redis", redislimit.Address(a.config.RedisURL), func() error {
		return a.limits.redis.Answers(soon, a.limits.prefix("ready"))
	})
	if err == nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	a.config.Log.Warn("starting without Redis: calls are counted, or refused, as the settings for its outage say",
		"standard", a.config.RateLimitOutageStandard, "financial", a.config.RateLimitOutageFinancial, "error", err)
	return nil
}

// metrics tells monitoring what the checks of the money found, in Prometheus'
// text format. It is served on an address of its own: who may ask is decided there.
func (a *App) metrics() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		run, err := a.Store.Payout().MatchRun(r.Context())
		if err != nil {
			a.config.Log.Error("reading what is measured", "error", err)
			http.Error(w, "not available", http.StatusServiceUnavailable)
			return
		}
		tokens, err := a.Store.Issuers().Issuers(r.Context())
		if err != nil {
			a.config.Log.Error("reading who issues tokens", "error", err)
			http.Error(w, "not available", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		at, differences := a.books.Last()
		fmt.Fprint(w, measured(run, at, differences)+heldTokens(tokens))
	})
	return mux
}

// heldTokens tells of each token that is watched whether it is neither paid nor credited, since who issues it changed.
func heldTokens(tokens []issuer.Issuer) string {
	const name = "railkit_token_issuer_changed"
	text := "# HELP " + name + " Whether who issues a token has changed, and nobody has accepted it.\n" +
		"# TYPE " + name + " gauge\n"
	for _, t := range tokens {
		text += fmt.Sprintf("%s{network=%q,token=%q} %d\n", name, t.Network, t.Symbol, min(len(t.Changed()), 1))
	}
	return text
}

// measured are the numbers. A check that never ran has none.
func measured(run reconcile.MatchRun, booksAt time.Time, booksDiffer int) string {
	names := []struct{ name, help string }{
		{"railkit_reconcile_differences", "Differences that the last whole check found."},
		{"railkit_reconcile_not_compared", "Wallets and account numbers that the last whole check could not compare with all sides."},
		{"railkit_reconcile_last_run_timestamp_seconds", "When the last whole check ended."},
	}
	values := make([]string, len(names))
	if !booksAt.IsZero() {
		values[0] += fmt.Sprintf("%s{with=\"itself\"} %d\n", names[0].name, booksDiffer)
		values[2] += fmt.Sprintf("%s{with=\"itself\"} %d\n", names[2].name, booksAt.Unix())
	}
	if !run.EndedAt.IsZero() {
		values[0] += fmt.Sprintf("%s{with=\"partner\"} %d\n", names[0].name, run.Last.Differences)
		values[1] += fmt.Sprintf("%s{with=\"partner\"} %d\n", names[1].name, run.Last.Failed)
		values[2] += fmt.Sprintf("%s{with=\"partner\"} %d\n", names[2].name, run.EndedAt.Unix())
	}
	text := ""
	for i, n := range names {
		text += "# HELP " + n.name + " " + n.help + "\n# TYPE " + n.name + " gauge\n" + values[i]
	}
	return text
}
