// Command railkit-facilitator verifies payments of x402 for shops and settles them. The account that pays for gas is
// one of the signer's: this process has the key of a delegation, under which that account settles payments and
// nothing else.
package main

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/rpc"
	"github.com/railkit/railkit/chain/solana"
	solanarpc "github.com/railkit/railkit/chain/solana/rpc"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/child"
	"github.com/railkit/railkit/internal/child/serve"
	"github.com/railkit/railkit/internal/facilitator"
	"github.com/railkit/railkit/internal/keyfile"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/x402"
)

// version is set by the build.
var version = "dev"

const usage = `railkit-facilitator: settles payments of x402

  railkit-facilitator new-key --key-file FILE
  railkit-facilitator run     --environment sandbox|production --data DIR --rpc NETWORK=URL [--rpc …]
                              --railkit-url URL --api-key-file FILE --enclave-key HEX --key-file FILE
                              [--account 0x…] [--solana-account ADDRESS]
                              [--addr 127.0.0.1:8096] [--token-file FILE] [--wait 30s]
                              [--log-level debug|info|warn|error]
  railkit-facilitator waiting   --data DIR
  railkit-facilitator give-back --data DIR --account ADDRESS --payment TEXT
  railkit-facilitator version

new-key writes a new key and prints its public half. The owner of the account's wallet stamps a policy with the
delegation {"publicKey": …, "settlementsOnly": true, …} for it: docs/x402.md.
waiting prints the settlements that have no end, one JSON object a line. give-back forgets one that the signer never
answered, while the facilitator is stopped: docs/operations.md.
`

const keyName = "the delegation's key"

func main() {
	child.Program{
		Name: "railkit-facilitator", Usage: usage, Version: version,
		Commands: map[string]func([]string) error{
			"new-key": keyfile.Command(keyName), "run": run, "waiting": waiting, "give-back": giveBack,
		},
	}.Main()
}

type runFlags struct {
	environment                          string
	data, addr, url, enclaveKey, account string
	solanaAccount                        string
	apiKeyFile, keyFile, tokenFile       string
	wait                                 time.Duration
	nodes                                map[string]string // URL by slug
	level                                *slog.Level       // of the log
}

func parseRun(args []string) (runFlags, error) {
	r := runFlags{nodes: map[string]string{}}
	f := flag.NewFlagSet("run", flag.ContinueOnError)
	f.StringVar(&r.environment, "environment", "", "sandbox or production")
	f.StringVar(&r.data, "data", "", "folder of the journal of settlements; it must exist")
	f.StringVar(&r.url, "railkit-url", "", "where the server of the API is")
	f.StringVar(&r.apiKeyFile, "api-key-file", "", "file of an API key of the account's workspace")
	f.StringVar(&r.enclaveKey, "enclave-key", "", "the signer's identity key, hex")
	f.StringVar(&r.account, "account", "", "address that pays for gas on EVM")
	f.StringVar(&r.solanaAccount, "solana-account", "", "address that pays for fees on Solana")
	f.StringVar(&r.keyFile, "key-file", "", "file of the delegation's key")
	f.StringVar(&r.addr, "addr", "127.0.0.1:8096", "address to listen on; port 0 takes a free one")
	f.StringVar(&r.tokenFile, "token-file", "",
		"file of the tokens that callers have to send, one a line and caller; needed where others reach --addr")
	f.DurationVar(&r.wait, "wait", 30*time.Second,
		"how long a settlement waits for its block before it is told as pending")
	const nodes = "node of a network, as base=https://…; for each network once, of Solana several with spaces between"
	f.Func("rpc", nodes, func(text string) error {
		slug, url, ok := strings.Cut(text, "=")
		if _, twice := r.nodes[slug]; !ok || twice {
			return errors.New("is not NETWORK=URL, or the network's second one")
		}
		r.nodes[slug] = url
		return nil
	})
	r.level = child.Level(f)
	if err := f.Parse(args); err != nil {
		return r, err
	}
	if f.NArg() > 0 {
		return r, errors.New("no arguments are taken, only flags")
	}
	for _, needed := range []struct{ name, value string }{
		{"data", r.data}, {"railkit-url", r.url}, {"api-key-file", r.apiKeyFile}, {"enclave-key", r.enclaveKey},
		{"account or --solana-account", r.account + r.solanaAccount}, {"key-file", r.keyFile},
	} {
		if needed.value == "" {
			return r, fmt.Errorf("--%s is needed", needed.name)
		}
	}
	return r, r.check()
}

func (r runFlags) check() error {
	host, _, err := net.SplitHostPort(r.addr)
	ip := net.ParseIP(host)
	_, noAccount := evm.ParseAddress(r.account)
	_, noSolana := solana.ParseAddress(r.solanaAccount)
	switch environment := chain.Environment(r.environment); {
	case environment != chain.Sandbox && environment != chain.Production:
		return errors.New("--environment must be sandbox or production")
	case len(r.nodes) == 0:
		return errors.New("--rpc is needed: a network's node")
	case err != nil:
		return errors.New("--addr must be of the form 127.0.0.1:8096")
	case r.tokenFile == "" && host != "localhost" && (ip == nil || !ip.IsLoopback()):
		return errors.New("--token-file is needed where others reach --addr: settling costs gas")
	case r.wait < time.Second || r.wait > time.Minute:
		return errors.New("--wait must be from 1s to 1m")
	case r.account != "" && noAccount != nil:
		return fmt.Errorf("--account: %w", noAccount)
	case r.solanaAccount != "" && noSolana != nil:
		return fmt.Errorf("--solana-account: %w", noSolana)
	}
	return nil
}

// config opens what the flags name.
func (r runFlags) config(ctx context.Context, log *slog.Logger) (c facilitator.Config, err error) {
	c = facilitator.Config{Folder: r.data, Clock: clock.System{}, Log: log, Wait: r.wait}
	key, err := keyfile.Read(r.keyFile, keyName)
	if err != nil {
		return c, err
	}
	apiKey, err := keyfile.Text(r.apiKeyFile, "the API key")
	if err != nil {
		return c, err
	}
	client, err := railkit.New(railkit.Config{
		BaseURL: r.url, APIKey: apiKey, EnclaveKey: r.enclaveKey, Environment: r.environment,
		UserAgent: "railkit-facilitator", HTTPClient: &http.Client{Timeout: 10 * time.Second},
		Retry: railkit.Retry{Attempts: 2, MaxWait: 2 * time.Second},
	})
	if err != nil {
		return c, err
	}
	return c, r.accounts(ctx, &c, client, key)
}

// accounts are those that settle, and the nodes of their networks.
func (r runFlags) accounts(
	ctx context.Context, c *facilitator.Config, client *railkit.Client, key *ecdsa.PrivateKey,
) error {
	evms, solanas, err := dial(ctx, chain.Environment(r.environment), r.nodes)
	if err != nil {
		return err
	}
	if (len(evms) > 0) != (r.account != "") || (len(solanas) > 0) != (r.solanaAccount != "") {
		return errors.New("--account goes with an --rpc of an EVM network, and --solana-account with one of Solana")
	}
	if r.account != "" {
		account, _ := evm.ParseAddress(r.account) // as check has
		c.Nodes, c.Signer = evms, facilitator.NewRemote(client, key, account)
	}
	if r.solanaAccount != "" {
		account, _ := solana.ParseAddress(r.solanaAccount)
		c.Sponsor = &facilitator.SponsorConfig{
			Clusters: solanas, Signer: facilitator.NewRemoteBytes(client, key, account, "solana"),
		}
	}
	return nil
}

func dial(
	ctx context.Context, environment chain.Environment, urls map[string]string,
) (map[uint64]facilitator.Node, map[string]facilitator.Cluster, error) {
	evms, solanas := map[uint64]facilitator.Node{}, map[string]facilitator.Cluster{}
	for slug, url := range urls {
		n, ok := chain.BySlug(environment, slug)
		var err error
		switch {
		case ok && n.Kind == chain.EVM:
			evms[n.ChainID], err = rpc.Dial(ctx, url, n)
		case ok && n.Kind == chain.Solana:
			solanas[x402.NetworkID(n)], err = solanarpc.DialAll(url, n)
		default:
			err = errors.New("is no network of the environment on which payments are settled")
		}
		if err != nil {
			return nil, nil, fmt.Errorf("--rpc %s: %w", slug, err)
		}
	}
	return evms, solanas, nil
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
	var tokens []string
	if r.tokenFile != "" {
		text, err := keyfile.Text(r.tokenFile, "the token")
		if err != nil {
			return err
		}
		tokens = strings.Fields(text)
	}
	log := child.NewLog(os.Stderr, *r.level).With("process", "facilitator")
	c, err := r.config(ctx, log)
	if err != nil {
		return err
	}
	l, err := serve.Listen(r.addr)
	if err != nil {
		return err
	}
	f, err := facilitator.Open(ctx, c)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	server := &http.Server{
		Handler: f.Handler(tokens...), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: r.wait + time.Minute, MaxHeaderBytes: 16 << 10,
	}
	child.LogStart(log, version, "environment", r.environment, "account", r.account,
		"solana_account", r.solanaAccount, "networks", len(r.nodes), "waiting", f.Waiting(),
		"listens", l.Addr().String())
	return child.LogEnd(ctx, log, errors.Join(serve.HTTP(ctx, "railkit-facilitator", l, server, nil), f.Close()))
}
