// Command railkit-prices is the price signer. It holds the price key, reads a
// feed, and serves signed price sheets; it knows no other part.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/child"
	"github.com/railkit/railkit/internal/child/serve"
	"github.com/railkit/railkit/internal/keyfile"
	"github.com/railkit/railkit/internal/prices"
)

// version is set by the build.
var version = "dev"

const usage = `railkit-prices: the price signer of a Railkit installation

  railkit-prices new-key --key-file FILE
  railkit-prices run     --environment sandbox|production --key-file FILE [--feed-file FILE | --feed-url URL]
                         [--addr 127.0.0.1:8090] [--log-level debug|info|warn|error]
  railkit-prices version

new-key writes a new price key and prints its public half, for railkit-enclave init --price-key.
A feed is JSON of the form {"ETH": 3012.5, "USDC": "1.0001", "dataFees": {"base": 40000000, "optimism": 80000000, "tron": 1000}}: USD for one
whole unit, and the most that a network takes for one byte of a transaction, in wei or sun. The sandbox has a table of its own.
`

func main() {
	child.Program{
		Name: "railkit-prices", Usage: usage, Version: version,
		Commands: map[string]func([]string) error{"new-key": keyfile.Command(prices.KeyName), "run": run},
	}.Main()
}

type runFlags struct {
	environment       chain.Environment
	keyFile, addr     string
	feedFile, feedURL string
	level             *slog.Level // of the log
}

func parseRun(args []string) (runFlags, error) {
	var r runFlags
	f := flag.NewFlagSet("run", flag.ContinueOnError)
	environment := f.String("environment", "", "sandbox or production")
	f.StringVar(&r.keyFile, "key-file", "", "file of the price key")
	f.StringVar(&r.feedFile, "feed-file", "", "JSON file of prices, read each time")
	f.StringVar(&r.feedURL, "feed-url", "", "where to ask for JSON of prices; https, or http on this machine")
	f.StringVar(&r.addr, "addr", "127.0.0.1:8090", "address to listen on; port 0 takes a free one")
	r.level = child.Level(f)
	if err := f.Parse(args); err != nil {
		return r, err
	}
	r.environment = chain.Environment(*environment)
	switch {
	case r.environment != chain.Sandbox && r.environment != chain.Production:
		return r, errors.New("--environment must be sandbox or production")
	case r.keyFile == "":
		return r, errors.New("--key-file is needed")
	case r.feedFile != "" && r.feedURL != "":
		return r, errors.New("--feed-file and --feed-url are two feeds: give one")
	case r.feedFile == "" && r.feedURL == "" && r.environment == chain.Production:
		return r, errors.New("production refuses the sandbox's table: give --feed-url or --feed-file")
	case r.feedURL != "" && !prices.SafeURL(r.feedURL):
		return r, errors.New("--feed-url must begin with https://, or http:// on this machine")
	}
	return r, nil
}

func (r runFlags) feed() prices.Feed {
	switch {
	case r.feedFile != "":
		return prices.File(r.feedFile)
	case r.feedURL != "":
		return prices.HTTP(r.feedURL)
	}
	return prices.Table
}

// feedName tells the feed without what a URL may hold of a key.
func (r runFlags) feedName() string {
	if r.feedURL != "" {
		u, err := url.Parse(r.feedURL)
		if err != nil {
			return "a URL"
		}
		return u.Scheme + "://" + u.Host
	}
	return cmp.Or(r.feedFile, "the sandbox's table")
}

func run(args []string) error {
	ctx, release := child.WatchParent(context.Background())
	defer release()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	r, err := parseRun(args)
	if err != nil {
		return err
	}
	key, err := prices.ReadKey(r.keyFile)
	if err != nil {
		return err
	}
	log := child.NewLog(os.Stderr, *r.level).With("process", "prices")
	s := prices.New(prices.Config{Environment: r.environment, Key: key, Feed: r.feed(), Log: log})
	l, err := serve.Listen(r.addr)
	if err != nil {
		return err
	}
	if err := s.Renew(ctx); err != nil {
		log.Error("the first price sheet", "error", err)
	}
	go s.Run(ctx)
	server := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second,
		WriteTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10,
	}
	public := wire.CompressP256(&key.PublicKey)
	child.LogStart(log, version, "environment", r.environment, "priceKey", public, "feed", r.feedName(),
		"listens", l.Addr().String())
	return child.LogEnd(ctx, log, serve.HTTP(ctx, "railkit-prices", l, server, map[string]string{"priceKey": public}))
}
