package events

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/internal/trigger"
)

// patience is for a whole flow: blocks have to be mined and a bank has to pay.
const patience = 3 * time.Minute

// Trigger has the sandbox do what leads to an event of a type.
func Trigger(ctx context.Context, env cli.Env, args []string) error {
	ctx, restore := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer restore()
	a := access{sleep: sleep}
	set := cli.Flags(env, "trigger TYPE")
	a.flags(set)
	set.StringVar(&a.origin, "ceremony-origin", "",
		"with --api: origin of the passkey page, for flows that make a wallet")
	list := set.Bool("list", false, "list what can be triggered")
	usage := set.Usage
	set.Usage = func() { usage(); printFlows(env.Out) }
	kind := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		kind, args = args[0], args[1:]
	}
	if err := cli.Parse(set, args); err != nil {
		return err
	}
	if *list {
		printFlows(env.Out)
		return nil
	}
	if kind == "" {
		return cli.UsageError(errors.New("name the type of an event, such as order.completed; --list says which there are"))
	}
	return a.trigger(ctx, env, kind)
}

func (a access) trigger(ctx context.Context, env cli.Env, kind string) error {
	facts, err := a.facts()
	if err != nil {
		return cli.UsageError(err)
	}
	c, err := a.client(facts)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	e, err := trigger.Run(ctx, trigger.Sandbox{
		Client: c, CeremonyOrigin: facts.CeremonyOrigin,
		Says: func(step string) { fmt.Fprintln(env.Out, "-", step) },
	}, kind)
	switch {
	case errors.Is(err, trigger.ErrUnknown):
		return cli.UsageError(errors.New("nothing leads to events of this type; railkit trigger --list says which there are"))
	case errors.Is(err, trigger.ErrOrigin):
		return cli.UsageError(errors.New("this makes a wallet: give --ceremony-origin, the origin of the passkey page"))
	case err != nil:
		return err
	}
	fmt.Fprintf(env.Out, "%s  %d  %s %s\n", cli.Printable(e.Type), e.Sequence, cli.Printable(e.Object.Type),
		cli.Printable(e.Object.ID))
	return nil
}

// printFlows lists what can be triggered.
func printFlows(w io.Writer) {
	fmt.Fprintln(w, "\nwhat can be triggered, in a sandbox:")
	for _, f := range trigger.Flows {
		fmt.Fprintf(w, "  %-26s %s\n", f.Type, f.Does)
	}
}
