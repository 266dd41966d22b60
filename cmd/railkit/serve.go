package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/child"
)

// serve runs the API server until it is told to stop or its parent is gone.
func serve(ctx context.Context, io stdio, args []string) error {
	ctx, release := child.WatchParent(ctx)
	defer release()
	c, err := serverConfig(io, "serve", args)
	if err != nil {
		return err
	}
	ctx, restore := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer restore()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(memoryForSpeed)
	}
	c.Ready = func(addr string) error { return child.Ready(map[string]string{"addr": addr}) }
	return app.Serve(ctx, c)
}

// memoryForSpeed lets the heap grow to five times what is in use, which is
// little, before it is swept. An operator's own GOGC counts.
const memoryForSpeed = 400

// rpcURLs are nodes by network: --rpc base=https://node.example.
type rpcURLs map[string]string

func (r rpcURLs) String() string { return "" } // a node's URL may hold its provider's key

// Set leaves what is wrong to check: an error from here would be shown with the
// text, and that may hold a provider's key.
func (r rpcURLs) Set(text string) error {
	r.take(text)
	return nil
}

// take keeps what is not of the form as a network without a name.
func (r rpcURLs) take(text string) {
	slug, url, _ := strings.Cut(text, "=")
	if url == "" {
		slug = ""
	}
	r[slug] = url
}

func (r rpcURLs) check() error {
	if _, wrong := r[""]; wrong {
		return usageError{errors.New("a node must be of the form base=https://node.example")}
	}
	return nil
}

// serverConfig reads the flags that serve and migrate share. What may hold a
// secret can come from the environment, where other users do not see it.
func serverConfig(io stdio, name string, args []string) (app.Config, error) {
	c := app.Config{Version: version, RPCURLs: rpcURLs{}}
	f := flags(io, name)
	f.StringVar(&c.Addr, "addr", "127.0.0.1:8080", "address to listen on; port 0 takes a free one")
	f.StringVar(&c.DataDir, "data", "railkit-data", "folder of the embedded database")
	f.StringVar(&c.DatabaseURL, "database-url", "", "PostgreSQL instead of the embedded database (RAILKIT_DATABASE_URL)")
	f.StringVar(&c.Environment, "environment", "production", "sandbox or production")
	f.StringVar(&c.EnclaveSocket, "enclave-socket", "", "Unix socket of the signer")
	f.StringVar(&c.EnclaveKey, "enclave-key", "", "identity key of the signer, pinned: compressed P-256, hex")
	f.Var(rpcURLs(c.RPCURLs), "rpc", "node of a network as SLUG=URL; may be repeated (RAILKIT_RPC, separated by spaces)")
	f.StringVar(&c.SandboxFile, "sandbox-file", "", "sandbox: workspace and keys to make at start")
	f.StringVar(&c.RPID, "rp-id", "", "WebAuthn relying party id, as sealed in the signer")
	f.StringVar(&c.CeremonyOrigin, "ceremony-origin", "", "origin of the page that asks for passkeys, as sealed in the signer")
	f.StringVar(&c.CeremonyAddr, "ceremony-addr", "", "address to serve that page on, at the origin's port or behind its proxy (default: it is not served here)")
	f.StringVar(&c.DevnetURL, "devnet-url", "", "sandbox: the local blockchain, for its faucet")
	if err := parse(f, args); err != nil {
		return c, err
	}
	return c, fromEnvironment(&c)
}

func fromEnvironment(c *app.Config) error {
	if c.DatabaseURL == "" {
		c.DatabaseURL = os.Getenv("RAILKIT_DATABASE_URL")
	}
	for _, text := range strings.Fields(os.Getenv("RAILKIT_RPC")) {
		slug, _, _ := strings.Cut(text, "=")
		if _, given := c.RPCURLs[slug]; given {
			continue
		}
		rpcURLs(c.RPCURLs).take(text)
	}
	return rpcURLs(c.RPCURLs).check()
}
