// Command railkit-partner is the sandbox's partner: it holds stablecoins, changes
// them and pays bank accounts, as one with a licence would, and moves no real
// money. It speaks to the devnet and to whom it notifies, and serves on this
// machine only.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/railkit/railkit/fiat/sandbox"
	"github.com/railkit/railkit/internal/child"
)

// drain is how long answers under way may take when the process stops.
const drain = 500 * time.Millisecond

type options struct {
	addr   string
	config sandbox.Config
}

func main() {
	ctx, release := child.WatchParent(context.Background())
	defer release()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "railkit-partner:", err)
		os.Exit(1)
	}
}

func parse(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("railkit-partner", flag.ContinueOnError)
	f.StringVar(&o.addr, "addr", "127.0.0.1:8095", "loopback address to listen on; port 0 takes a free one")
	f.StringVar(&o.config.Folder, "data", "railkit-data/partner", "folder of its file and keys")
	f.StringVar(&o.config.DevnetURL, "devnet-url", "", "the chains, as railkit-devnet serves them")
	f.StringVar(&o.config.WebhookURL, "webhook-url", "", "where notices go; without it where the control /sandbox/webhooks/url says")
	f.IntVar(&o.config.Confirmations, "confirmations", 0, "of a deposit; 0 takes the network's")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	switch {
	case f.NArg() > 0:
		return o, errors.New("no arguments are taken, only flags")
	case o.config.DevnetURL == "":
		return o, errors.New("-devnet-url is needed")
	}
	return o, nil
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	l, err := listen(o.addr)
	if err != nil {
		return err
	}
	defer l.Close()
	o.config.Log = slog.New(slog.NewJSONHandler(os.Stderr, nil)).With("process", "partner")
	s, err := sandbox.Open(ctx, o.config)
	if err != nil {
		return err
	}
	s.Start(ctx)
	return errors.Join(serve(ctx, l, s), s.Close())
}

// listen refuses whatever others on the network could reach.
func listen(addr string) (net.Listener, error) {
	tcp, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("reading -addr: %w", err)
	}
	if !tcp.IP.IsLoopback() {
		return nil, errors.New("-addr must be a loopback address such as 127.0.0.1:8095")
	}
	l, err := net.ListenTCP("tcp", tcp)
	if err != nil {
		return nil, fmt.Errorf("listening: %w", err)
	}
	return l, nil
}

func serve(ctx context.Context, l net.Listener, s *sandbox.Server) error {
	server := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	addr := l.Addr().String()
	fmt.Printf("railkit-partner: http://%s\n", addr)
	if err := child.Ready(map[string]string{"addr": addr}); err != nil {
		return errors.Join(err, server.Close())
	}
	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	last, done := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer done()
	if server.Shutdown(last) != nil {
		return server.Close()
	}
	return nil
}
