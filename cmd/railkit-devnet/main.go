// Command railkit-devnet is the sandbox's blockchains: a chain of go-ethereum
// per EVM network of the sandbox, and Solana's, behind one loopback listener with one path per
// network. It makes blocks when there is a transaction and keeps all on disk.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/log"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet/node"
	"github.com/railkit/railkit/chain/solana/localnet"
	"github.com/railkit/railkit/internal/child"
	"github.com/railkit/railkit/internal/child/serve"
)

// version is set by the build.
var version = "dev"

func main() {
	addr := flag.String("addr", "127.0.0.1:8545", "loopback address to listen on; port 0 takes a free one")
	data := flag.String("data", "railkit-data/devnet", "folder that holds the chains")
	lead := flag.Duration("lead", node.Lead,
		"how far the time of blocks may be ahead of the clock: each is a second later than the one before")
	verbose := flag.Bool("verbose", false, "log what the nodes do, not only their errors")
	level := child.Level(flag.CommandLine)
	flag.Parse()
	logTo(os.Stderr, *verbose)
	ctx, release := child.WatchParent(context.Background())
	defer release()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *addr, *data, *lead, *level); err != nil {
		fmt.Fprintln(os.Stderr, "railkit-devnet:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, addr, data string, lead time.Duration, level slog.Level) error {
	if flag.NArg() > 0 {
		return errors.New("no arguments are taken, only flags")
	}
	listener, err := serve.Loopback(addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	devnet, err := node.Open(data, chain.Networks(chain.Sandbox), lead)
	if err != nil {
		return err
	}
	n, _ := chain.BySlug(chain.Sandbox, "solana")
	localnet, err := localnet.Open(filepath.Join(data, n.Slug), n)
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", n.Slug, err), devnet.Close())
	}
	all, path := http.NewServeMux(), "/"+n.Slug
	all.Handle("/", devnet)
	all.Handle(path, localnet.Handler(path))
	all.Handle(path+"/", localnet.Handler(path))
	server := &http.Server{Handler: all, ReadHeaderTimeout: 10 * time.Second}
	log := child.NewLog(os.Stderr, level).With("process", "devnet")
	child.LogStart(log, version, "environment", chain.Sandbox, "data", data, "listens", listener.Addr().String())
	served := serve.HTTP(ctx, "railkit-devnet", listener, server, nil)
	return child.LogEnd(ctx, log, errors.Join(served, devnet.Close(), localnet.Close()))
}

func logTo(w io.Writer, verbose bool) {
	level := log.LevelError // a node's warnings are about peers, which there are none of
	if verbose {
		level = log.LevelInfo
	}
	log.SetDefault(log.NewLogger(log.NewTerminalHandlerWithLevel(w, level, false)))
}
