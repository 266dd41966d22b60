// Package serve is the HTTP side of a child process: it listens, tells the parent
// where, and ends with the process's context.
package serve

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/railkit/railkit/internal/child"
)

// drain is how long answers under way may take when the process stops.
const drain = 500 * time.Millisecond

// Loopback listens where nobody else on the network reaches it.
func Loopback(addr string) (net.Listener, error) {
	tcp, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("reading -addr: %w", err)
	}
	if !tcp.IP.IsLoopback() {
		return nil, errors.New("-addr must be a loopback address such as 127.0.0.1:8545")
	}
	return Listen(addr)
}

// Listen names a port that is taken.
func Listen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is taken: another process listens there", addr)
	}
	if err != nil {
		return nil, fmt.Errorf("listening: %w", err)
	}
	return l, nil
}

// HTTP serves until ctx ends. The parent is told the address beside the facts.
// What is under way at the end is cut after a while: it may wait for something
// that ends with the process, as a call that waits for a block does.
func HTTP(ctx context.Context, name string, l net.Listener, server *http.Server, facts map[string]string) error {
	calls, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	server.BaseContext = func(net.Listener) context.Context { return calls }
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	addr := l.Addr().String()
	fmt.Printf("%s: http://%s\n", name, addr)
	ready := map[string]string{"addr": addr}
	maps.Copy(ready, facts)
	if err := child.Ready(ready); err != nil {
		return errors.Join(err, server.Close())
	}
	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	defer time.AfterFunc(drain, cut).Stop()
	last, done := context.WithTimeout(context.WithoutCancel(ctx), 2*drain)
	defer done()
	if server.Shutdown(last) != nil {
		return server.Close() // somebody keeps a request open
	}
	return nil
}

// OnlyHere lets only requests for localhost or an IP address pass: a page that gave its own name our address must not
// reach the controls.
func OnlyHere(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil { // without a port
			host = r.Host
		}
		if host != "" && !strings.EqualFold(host, "localhost") && net.ParseIP(host) == nil {
			http.Error(w, "invalid host specified", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
