package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// drain is how long requests under way may take once the server is told to stop.
const drain = 10 * time.Second

// Serve runs a server until the context ends.
func Serve(ctx context.Context, c Config) error {
	l, err := net.Listen("tcp", c.Addr) // first: a taken port is told before anything is opened
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	a, err := New(ctx, c)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	if err := a.Start(ctx); err != nil {
		return errors.Join(err, l.Close(), a.Close(context.WithoutCancel(ctx)))
	}
	return errors.Join(a.listen(ctx, l), a.Close(context.WithoutCancel(ctx)))
}

// httpServer bounds how long a slow client may keep a connection. An answer may
// take the edge's patience of 30 s, after the body and the wait for a key.
func (a *App) httpServer() *http.Server {
	return &http.Server{
		Handler: a.Handler, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 2 * time.Minute,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(a.config.Log.Handler(), slog.LevelWarn),
	}
}

func (a *App) listen(ctx context.Context, l net.Listener) error {
	server := a.httpServer()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	if a.config.Ready != nil {
		if err := a.config.Ready(l.Addr().String()); err != nil {
			return errors.Join(err, server.Close())
		}
	}
	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	return server.Shutdown(stop)
}
