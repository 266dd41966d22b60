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
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fiat/sandbox"
	"github.com/railkit/railkit/internal/child"
	"github.com/railkit/railkit/internal/child/serve"
)

// version is set by the build.
var version = "dev"

type options struct {
	addr   string
	level  *slog.Level // of the log
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
	f.StringVar(&o.config.WebhookURL, "webhook-url", "",
		"where notices go; without it where the control /sandbox/webhooks/url says")
	o.level = child.Level(f)
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
	l, err := serve.Loopback(o.addr)
	if err != nil {
		return err
	}
	defer l.Close()
	o.config.Log = child.NewLog(os.Stderr, *o.level).With("process", "partner")
	s, err := sandbox.Open(ctx, o.config)
	if err != nil {
		return err
	}
	s.Start(ctx)
	server := &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		MaxHeaderBytes:    16 << 10,
	}
	child.LogStart(o.config.Log, version, "environment", chain.Sandbox, "data", o.config.Folder, "devnet",
		o.config.DevnetURL, "listens", l.Addr().String())
	return child.LogEnd(ctx, o.config.Log, errors.Join(serve.HTTP(ctx, "railkit-partner", l, server, nil), s.Close()))
}
