package events

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"strings"
	"syscall"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/internal/keyfile"
	railkit "github.com/railkit/railkit/sdk/go"
)

// listening is what railkit listen is called with.
type listening struct {
	access
	to, types, secretFile string
	after                 int64
}

// Listen prints a workspace's events as they happen, and forwards them, until it is told to stop.
func Listen(ctx context.Context, env cli.Env, args []string) error {
	ctx, restore := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer restore()
	return listening{access: access{sleep: sleep}}.run(ctx, env, args)
}

func (l listening) run(ctx context.Context, env cli.Env, args []string) error {
	set := cli.Flags(env, "listen")
	l.flags(set)
	set.StringVar(&l.to, "forward-to", "", "where each event is sent by POST, as localhost:3000/railkit; without it they are only printed")
	set.StringVar(&l.types, "types", "", "types of events, as order.completed,transaction.*; without it all that the key may read")
	set.StringVar(&l.secretFile, "secret-file", "", "file with the secret that signs, whsec_…; without it a new one is made and printed")
	set.Int64Var(&l.after, "after", -1, "sequence of an event: begins with the one behind it, and not with what happens next")
	if err := cli.Parse(set, args); err != nil {
		return err
	}
	facts, err := l.facts()
	if err != nil {
		return cli.UsageError(err)
	}
	c, err := l.client(facts)
	if err != nil {
		return err
	}
	f, err := l.forwarder(env)
	if err != nil {
		return cli.UsageError(err)
	}
	return l.follow(ctx, c, func(e railkit.Event) {
		fmt.Fprintf(env.Out, "%s  %-6d %-28s %s %s%s\n", e.Timestamp, e.Sequence, cli.Printable(e.Type),
			cli.Printable(e.Object.Type), cli.Printable(e.Object.ID), f.forward(ctx, e))
	})
}

func (l listening) follow(ctx context.Context, c *railkit.Client, take func(railkit.Event)) error {
	o := railkit.EventOptions{}
	if l.types != "" {
		o.Types = strings.Split(l.types, ",")
	}
	if l.after >= 0 {
		o.After = &l.after
	}
	for e, err := range c.Events.Stream(ctx, o) {
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		take(e)
	}
	return nil
}

// forwarder is nil where nothing is forwarded. It prints the secret that it made: a receiver on this machine has to
// know it, and it signs nothing else.
func (l listening) forwarder(env cli.Env) (*forwarder, error) {
	if l.to == "" {
		return nil, nil
	}
	to, err := target(l.to)
	if err != nil {
		return nil, err
	}
	if l.secretFile == "" {
		f := newForwarder(to, newSecret(), l.sleep)
		fmt.Fprintf(env.Out, "Events are signed with %s\n", f.secret)
		return f, nil
	}
	secret, err := keyfile.Text(l.secretFile, "the secret")
	if err != nil {
		return nil, err
	}
	f := newForwarder(to, secret, l.sleep)
	if f.key == nil {
		return nil, errors.New("--secret-file: a secret is whsec_ and base64 of 24 bytes or more")
	}
	return f, nil
}
