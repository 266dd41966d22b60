// Command railkit-devnet is the sandbox's blockchains: a chain of go-ethereum
// per EVM network of the sandbox, Solana's and Tron's, behind one loopback listener with one path per
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
	solana "github.com/railkit/railkit/chain/solana/localnet"
	tron "github.com/railkit/railkit/chain/tron/localnet"
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
	all := http.NewServeMux()
	all.Handle("/", devnet)
	closes, err := openLocalnets(all, data)
	if err != nil {
		return errors.Join(err, closes(), devnet.Close())
	}
	server := &http.Server{Handler: all, ReadHeaderTimeout: 10 * time.Second}
	log := child.NewLog(os.Stderr, level).With("process", "devnet")
	child.LogStart(log, version, "environment", chain.Sandbox, "data", data, "listens", listener.Addr().String())
	served := serve.HTTP(ctx, "railkit-devnet", listener, server, nil)
	return child.LogEnd(ctx, log, errors.Join(served, devnet.Close(), closes()))
}

// localnet is a chain of another family than EVM.
type localnet interface {
	Handler(path string) http.Handler
	Close() error
}

// localnets open the chain of a network in a folder, by the family.
var localnets = map[chain.Kind]func(dir string, n chain.Network) (localnet, error){
	chain.Solana: func(dir string, n chain.Network) (localnet, error) { return solana.Open(dir, n) },
	chain.Tron:   func(dir string, n chain.Network) (localnet, error) { return tron.Open(dir, n) },
}

// openLocalnets opens the chains that are not of EVM, each below a path of its own, and tells how they are closed.
func openLocalnets(all *http.ServeMux, data string) (closes func() error, err error) {
	var open []localnet
	closes = func() (err error) {
		for _, l := range open {
			err = errors.Join(err, l.Close())
		}
		return err
	}
	for _, n := range chain.Networks(chain.Sandbox) {
		opens, known := localnets[n.Kind]
		if !known {
			continue
		}
		l, err := opens(filepath.Join(data, n.Slug), n)
		if err != nil {
			return closes, fmt.Errorf("%s: %w", n.Slug, err)
		}
		open = append(open, l)
		path := "/" + n.Slug
		all.Handle(path, l.Handler(path))
		all.Handle(path+"/", l.Handler(path))
	}
	return closes, nil
}

func logTo(w io.Writer, verbose bool) {
	level := log.LevelError // a node's warnings are about peers, which there are none of
	if verbose {
		level = log.LevelInfo
	}
	log.SetDefault(log.NewLogger(log.NewTerminalHandlerWithLevel(w, level, false)))
}
