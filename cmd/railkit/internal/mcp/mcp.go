// Package mcp is railkit mcp: it has the model of a host, such as Claude Desktop, pay as an agent, over stdin and
// stdout or over HTTP. Package mcpserver has the tools.
package mcp

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/internal/child"
	"github.com/railkit/railkit/internal/keyfile"
	"github.com/railkit/railkit/internal/mcpserver"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/agent"
)

// patience is for one call of the API. It pays a seller meanwhile, and asks it three times if need be.
const patience = time.Minute

// flags are what the command is called with. The secret is no flag, which other users of the machine would see.
type flags struct {
	api, agent, secretFile, most, addr, tokenFile string

	level *slog.Level // of the log
}

// Run serves until its input ends, or until it is told to stop.
func Run(ctx context.Context, env cli.Env, args []string) error {
	ctx, release := child.WatchParent(ctx)
	defer release()
	ctx, restore := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer restore()
	f, err := parse(env, args)
	if err != nil {
		return err
	}
	secret, token, err := f.secrets()
	if err != nil {
		return err
	}
	client, err := railkit.NewAgentClient(railkit.AgentConfig{
		BaseURL: f.api, AgentID: f.agent, Secret: secret, HTTPSignatures: true,
		HTTPClient: &http.Client{Timeout: patience},
	})
	if err != nil {
		return cli.UsageError(err)
	}
	log := child.NewLog(env.Err, *f.level).With("process", "mcp")
	s, err := mcpserver.New(mcpserver.Config{Client: client, MaxAmount: f.most, Version: env.Version, Log: log})
	if err != nil {
		return cli.UsageError(fmt.Errorf("--max-amount: %w", err))
	}
	if f.addr == "" {
		log.Info("started", "version", env.Version, "agent", f.agent, "api", f.api, "speaks", "stdio")
		return s.Serve(ctx, env.In, env.Out)
	}
	return listen(ctx, f, s.Handler(token), log.With("version", env.Version, "agent", f.agent, "api", f.api))
}

func parse(env cli.Env, args []string) (f flags, err error) {
	set := cli.Flags(env, "mcp")
	f.level = child.Level(set)
	set.StringVar(&f.api, "api", "", "URL of the API, as https://railkit.example ("+agent.EnvBaseURL+")")
	set.StringVar(&f.agent, "agent", "", "id of the agent ("+agent.EnvAgentID+")")
	set.StringVar(&f.secretFile, "secret-file", "", "file with the agent's secret, which other users must not be able "+
		"to read ("+agent.EnvSecret+", which has the secret itself)")
	set.StringVar(&f.most, "max-amount", "", "the most that is paid at once, in USDC, such as 0.05")
	set.StringVar(&f.addr, "http", "", "address to serve HTTP on, as 127.0.0.1:8097, at "+mcpserver.Path+
		"; port 0 takes a free one. Without it: stdin and stdout")
	set.StringVar(&f.tokenFile, "token-file", "",
		"with --http: file of the token that callers have to send; needed where others reach the address")
	set.Usage = func() { usage(set) }
	if err := cli.Parse(set, args); err != nil {
		return f, err
	}
	f.api = cmp.Or(f.api, os.Getenv(agent.EnvBaseURL))
	f.agent = cmp.Or(f.agent, os.Getenv(agent.EnvAgentID))
	if err := f.check(); err != nil {
		return f, cli.UsageError(err)
	}
	return f, nil
}

func usage(set *flag.FlagSet) {
	fmt.Fprint(set.Output(), "usage of railkit mcp:\n",
		"It is a server of the Model Context Protocol: a model's host starts it, and the model pays as the agent, within\n",
		"the limits of the agent's owner. docs/mcp.md has what a host's configuration says.\n\n")
	set.PrintDefaults()
}

func (f flags) check() error {
	switch {
	case f.api == "":
		return errors.New("--api is needed: the URL of the API")
	case !private(f.api):
		return errors.New("--api: must be a URL such as https://railkit.example; plain http is for this machine")
	case f.agent == "":
		return errors.New("--agent is needed: the id of the agent")
	case f.most == "":
		return errors.New("--max-amount is needed: the most that is paid at once, such as 0.05")
	case f.addr == "" && f.tokenFile != "":
		return errors.New("--token-file is for --http")
	case f.addr == "":
		return nil
	}
	host, _, err := net.SplitHostPort(f.addr)
	if err != nil {
		return errors.New("--http must be of the form 127.0.0.1:8097")
	}
	if f.tokenFile == "" && !mcpserver.Local(host) {
		return errors.New("--token-file is needed where others reach --http: they would spend the agent's money")
	}
	return nil
}

// private says whether nobody on the way to a URL can read what is sent there.
func private(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Hostname() != "" && u.User == nil &&
		(u.Scheme == "https" || u.Scheme == "http" && mcpserver.Local(u.Hostname()))
}

// secrets reads the agent's secret, and the token of callers where there is one.
func (f flags) secrets() (secret, token string, err error) {
	secret = os.Getenv(agent.EnvSecret)
	switch {
	case secret != "" && f.secretFile != "":
		return "", "", cli.UsageError(errors.New("both --secret-file and " + agent.EnvSecret + " are set: keep one"))
	case f.secretFile != "":
		secret, err = keyfile.Text(f.secretFile, "the agent's secret")
	case secret == "":
		return "", "", cli.UsageError(errors.New("--secret-file is needed, or " + agent.EnvSecret))
	}
	if err == nil && f.tokenFile != "" {
		token, err = keyfile.Text(f.tokenFile, "the token")
	}
	return secret, token, err
}

// listen serves HTTP until the context ends.
func listen(ctx context.Context, f flags, h http.Handler, log *slog.Logger) error {
	l, err := net.Listen("tcp", f.addr)
	if err != nil {
		return fmt.Errorf("--http: %w", err)
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 32 << 10}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	at := "http://" + l.Addr().String() + mcpserver.Path
	log.Info("started", "listens", at)
	if err := child.Ready(map[string]string{"url": at}); err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if s.Shutdown(ending) != nil { // a caller still listens
		return s.Close()
	}
	return nil
}
