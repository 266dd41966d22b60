package app

import (
	"context"
	"errors"
	"fmt"
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

func (a *App) listen(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: a.Handler, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10,
	}
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
