package app

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/job/queue"
	"github.com/railkit/railkit/platform/ratelimit"
)

// measure hands monitoring what this server is made of. A new part has a line here, and its metrics in
// internal/metrics.
func (a *App) measure(p people) {
	m, kinds := a.config.meter, slices.Sorted(maps.Keys(a.handlers(p)))
	m.Expect(slices.Collect(maps.Keys(a.bySlug)), kinds)
	m.AskReady(a.probe.Parts(), a.probe.Missing)
	m.AskSigner(a.enclave.Info)
	m.AskJobs(kinds, func(ctx context.Context) ([]queue.Backlog, error) {
		return a.jobs.Backlog(ctx,
			a.Store.Reader())
	})
	m.AskBooks(a.Store.Payout(), a.books.Last, a.config.Clock.Now)
	m.AskWebhooks(a.Store.Webhooks().MeasureWebhooks, a.config.Clock.Now)
	m.AskIssuers(a.issuers.Tokens, a.Store.Issuers().Issuers)
	m.TellIssuers(a.issuers.Unknown)
	m.TellDatabase(a.Store)
	m.TellOnce(a.once.Waits)
	m.TellChains(a.watcher.Progress)
	m.TellLimits(func() (map[ratelimit.Decision]uint64, uint64) { return a.LimitOutages() })
}

// Metrics serves what monitoring reads. It asks for no key: who may ask is decided by its address.
func (a *App) Metrics() http.Handler { return a.config.meter.Handler() }

// signerCalled is told of each call of the signer.
func (c Config) signerCalled(ctx context.Context, method string, took time.Duration, err error) {
	c.meter.SignerCall(method, took, err)
	c.asked(ctx, "the signer was called", took, err, slog.String("call", method))
}

// nodeAsked is told of each question to a node.
func (c Config) nodeAsked(ctx context.Context, n chain.Network, method string, took time.Duration, err error) {
	c.meter.NodeCall(n.Slug, took, err)
	c.asked(ctx, "a node was asked", took, err, slog.String("network", n.Slug), slog.String("call", method))
}

// partnerAsked is told of each call of the payment partner. Its path stays out of the log: it may name a person.
func (c Config) partnerAsked(ctx context.Context, method string, took time.Duration, err error) {
	c.meter.PartnerCall(took, err)
	c.asked(ctx, "the partner was asked", took, err, slog.String("method", method))
}

// asked writes a line for who looks for what one request did.
func (c Config) asked(ctx context.Context, what string, took time.Duration, err error, attrs ...slog.Attr) {
	if !c.Log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	attrs = append(attrs, slog.Float64("ms", float64(took.Microseconds())/1000))
	if err != nil {
		attrs = append(attrs, slog.String("error", err.Error()))
	}
	c.Log.LogAttrs(ctx, slog.LevelDebug, what, attrs...)
}
