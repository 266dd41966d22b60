// Command railkit-devnet is the sandbox's blockchain: a full go-ethereum node
// per EVM network of the sandbox, behind one loopback listener with one path per
// network. It mines when there is a transaction and keeps all on disk.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/log"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet/node"
	"github.com/railkit/railkit/internal/child"
)

// drain is how long calls under way may take to finish when the process stops.
const drain = 500 * time.Millisecond

func main() {
	addr := flag.String("addr", "127.0.0.1:8545", "loopback address to listen on; port 0 takes a free one")
	data := flag.String("data", "railkit-data/devnet", "folder that holds the chains")
	verbose := flag.Bool("verbose", false, "log what the nodes do, not only their errors")
	flag.Parse()
	logTo(os.Stderr, *verbose)
	ctx, release := child.WatchParent(context.Background())
	defer release()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *addr, *data); err != nil {
		fmt.Fprintln(os.Stderr, "railkit-devnet:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, addr, data string) error {
	if flag.NArg() > 0 {
		return errors.New("no arguments are taken, only flags")
	}
	listener, err := listen(addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	devnet, err := node.Open(data, chain.Networks(chain.Sandbox))
	if err != nil {
		return err
	}
	return errors.Join(serve(ctx, listener, devnet), devnet.Close())
}

func logTo(w io.Writer, verbose bool) {
	level := log.LevelError // a node's warnings are about peers, which there are none of
	if verbose {
		level = log.LevelInfo
	}
	log.SetDefault(log.NewLogger(log.NewTerminalHandlerWithLevel(w, level, false)))
}

// listen refuses whatever others on the network could reach: the faucet's key is public.
func listen(addr string) (net.Listener, error) {
	tcp, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("reading -addr: %w", err)
	}
	if !tcp.IP.IsLoopback() {
		return nil, errors.New("-addr must be a loopback address such as 127.0.0.1:8545")
	}
	listener, err := net.ListenTCP("tcp", tcp)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("port %d is taken: another process listens there", tcp.Port)
	}
	if err != nil {
		return nil, fmt.Errorf("listening: %w", err)
	}
	return listener, nil
}

func serve(ctx context.Context, listener net.Listener, devnet http.Handler) error {
	calls, cut := context.WithCancel(context.Background())
	defer cut()
	server := &http.Server{
		Handler:           devnet,
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return calls },
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	addr := listener.Addr().String()
	fmt.Printf("railkit-devnet: http://%s\n", addr)
	if err := child.Ready(map[string]string{"addr": addr}); err != nil {
		server.Close()
		return err
	}
	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	// A call that waits for a block would wait for ever once the miner stops.
	time.AfterFunc(drain, cut)
	last, done := context.WithTimeout(context.Background(), 2*drain)
	defer done()
	if server.Shutdown(last) != nil {
		server.Close() // somebody keeps a request open; the chains close cleanly all the same
	}
	return nil
}
