package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/railkit/railkit/internal/child"
	"github.com/railkit/railkit/platform/ratelimit/redislimit"
	"github.com/railkit/railkit/web/dashboard"
)

// drain is how long requests under way may take once the server is told to stop,
// and then jobs. A job that is cut short runs again at the next start.
const drain = 10 * time.Second

// Serve runs a server until the context ends.
func Serve(ctx context.Context, c Config) error {
	c = c.withDefaults()
	l, err := listen(ctx, c) // first: a taken port is told before anything is opened
	if err != nil {
		return err
	}
	defer l.close()
	a, err := New(ctx, c.ownDashboard(l).ownInvites(l.api))
	if err != nil && ctx.Err() != nil {
		return child.LogEnd(ctx, c.Log, nil) // told to stop while it waited for the signer
	}
	if err != nil {
		return err
	}
	if err := a.Start(ctx); err != nil {
		return errors.Join(err, a.Close(context.WithoutCancel(ctx)))
	}
	child.LogStart(a.config.Log, c.Version, a.config.facts(l)...)
	err = a.serve(ctx, l)
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	return child.LogEnd(ctx, a.config.Log, errors.Join(err, a.Close(stop)))
}

// facts are what the line of a server's start tells: no secret, and no URL that
// may hold one.
func (c Config) facts(l listeners) []any {
	facts := []any{
		"environment", c.Environment, "database", c.database(), "signer", c.EnclaveSocket, "redis",
		redislimit.Address(c.RedisURL), "api", l.api.Addr().String(),
	}
	if l.ceremony != nil {
		facts = append(facts, "ceremony", l.ceremony.Addr().String())
	}
	if l.dashboard != nil {
		facts = append(facts, "dashboard", l.dashboard.Addr().String())
	}
	if l.metrics != nil {
		facts = append(facts, "metrics", l.metrics.Addr().String())
	}
	return facts
}

// listeners are where a server answers. A nil one: it does not serve that.
type listeners struct{ api, ceremony, dashboard, metrics net.Listener }

func listen(ctx context.Context, c Config) (l listeners, err error) {
	if l.api, err = net.Listen("tcp", c.Addr); err != nil {
		return l, fmt.Errorf("listening: %w", err)
	}
	if c.MetricsAddr != "" {
		if l.metrics, err = net.Listen("tcp", c.MetricsAddr); err != nil {
			l.close()
			return l, fmt.Errorf("listening for monitoring (--metrics-addr): %w", err)
		}
	}
	if c.DashboardAddr != "" {
		if l.dashboard, err = net.Listen("tcp", c.DashboardAddr); err != nil {
			l.close()
			return l, fmt.Errorf("listening for the dashboard (--dashboard-addr): %w", err)
		}
	}
	if c.CeremonyAddr == "" {
		return l, nil
	}
	if l.ceremony, err = listenSoon(ctx, c.CeremonyAddr); err != nil {
		l.close()
		return l, fmt.Errorf("listening for the passkey page (--ceremony-addr): %w", err)
	}
	return l, nil
}

// portPatience is how long a server waits for the port of its passkey page. No
// other one will do, since passkeys are bound to it, and a port that nobody
// listens on may be in use for a moment as the near end of somebody's connection.
const portPatience = 5 * time.Second

func listenSoon(ctx context.Context, addr string) (net.Listener, error) {
	ctx, cancel := context.WithTimeout(ctx, portPatience)
	defer cancel()
	for {
		l, err := net.Listen("tcp", addr)
		if !errors.Is(err, syscall.EADDRINUSE) {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// close is harmless after the servers have closed them.
func (l listeners) close() {
	for _, each := range []net.Listener{l.api, l.ceremony, l.dashboard, l.metrics} {
		if each != nil {
			each.Close()
		}
	}
}

// httpServer bounds how long a slow client may keep a connection. An answer may
// take the edge's patience of 30 s, after the body and the wait for a key; one that
// is paid by x402 waits up to 90 s more for its settlement.
func (a *App) httpServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler: careful(h, answerPatience), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: 2 * time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(a.config.Log.Handler(), slog.LevelWarn),
	}
}

// answerPatience is how long a client may take to take in an answer. It begins with
// the answer, which the server's own write timeout does not.
const answerPatience = 20 * time.Second

// careful ends two kinds of connections. One whose client does not read is not kept
// for the two minutes that a call may take. One whose request came in chunks is closed
// behind its answer: net/http hides whether there was a Content-Length too, of which a
// proxy in front may have believed the other, so that what follows may be a request
// that somebody smuggled in (RFC 9112, 6.1).
func careful(h http.Handler, patience time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TransferEncoding) > 0 {
			w.Header().Set("Connection", "close")
		}
		h.ServeHTTP(&answering{ResponseWriter: w, patience: patience}, r)
	})
}

// answering sets the deadline of an answer as it begins.
type answering struct {
	http.ResponseWriter
	patience time.Duration
	begun    bool
}

func (w *answering) begin() {
	if !w.begun {
		w.begun = true
		// A test's recorder has none.
		_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.patience))
	}
}

func (w *answering) WriteHeader(status int) {
	w.begin()
	w.ResponseWriter.WriteHeader(status)
}

func (w *answering) Write(b []byte) (int, error) {
	w.begin()
	return w.ResponseWriter.Write(b)
}

// FlushError sends what was written of a long answer, and begins the patience anew: the client
// has it for each part.
func (w *answering) FlushError() error {
	w.begun = false
	w.begin()
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap lets the standard library reach the connection.
func (w *answering) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (a *App) serve(ctx context.Context, l listeners) error {
	sites := []site{{a.httpServer(a.Handler), l.api}}
	for _, s := range []struct {
		handler http.Handler
		at      net.Listener
	}{{a.Ceremony, l.ceremony}, {dashboard.Handler(a.Handler), l.dashboard}, {a.Metrics(), l.metrics}} {
		if s.at != nil {
			sites = append(sites, site{a.httpServer(s.handler), s.at})
		}
	}
	sites[0].server.RegisterOnShutdown(a.Events.Stop)
	failed := make(chan error, len(sites))
	for _, s := range sites {
		go func() { failed <- s.server.Serve(s.at) }()
	}
	if a.config.Ready != nil {
		if err := a.config.Ready(l.api.Addr().String()); err != nil {
			return errors.Join(err, end(sites, (*http.Server).Close))
		}
	}
	select {
	case err := <-failed:
		return errors.Join(fmt.Errorf("serving: %w", err), end(sites, (*http.Server).Close))
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	return end(sites, func(s *http.Server) error { return s.Shutdown(stop) })
}

// site is a server with where it listens.
type site struct {
	server *http.Server
	at     net.Listener
}

// end ends all sites at once, so that each has the whole time for what is under way.
func end(sites []site, how func(*http.Server) error) error {
	ended := make(chan error, len(sites))
	for _, s := range sites {
		go func() { ended <- how(s.server) }()
	}
	var err error
	for range sites {
		err = errors.Join(err, <-ended)
	}
	return err
}
