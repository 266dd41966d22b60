package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/kit/agent/killswitch"
)

// stopAgents has no agent of the platform pay any more.
func stopAgents(ctx context.Context, env cli.Env, args []string) error {
	return turnSwitch(ctx, env, args, "on", true)
}

// releaseAgents lets agents pay again, as far as their owners do.
func releaseAgents(ctx context.Context, env cli.Env, args []string) error {
	return turnSwitch(ctx, env, args, "off", false)
}

func turnSwitch(ctx context.Context, env cli.Env, args []string, word string, on bool) error {
	name := "kill-switch " + word
	f := cli.Flags(env, "admin "+name)
	reason := f.String("reason", "", "why; it is kept in the audit record")
	return atDesk(ctx, env, f, args, func(d *desk) error {
		if *reason == "" {
			return cli.UsageError(errors.New("--reason: must be given"))
		}
		s := killswitch.New(d.store.Agents().Switch())
		if _, err := s.Set(ctx, d.order(name, killswitch.Platform), on, *reason); err != nil {
			return err
		}
		return printSwitch(ctx, d, s)
	})
}

// showSwitch tells how the switch stands.
func showSwitch(ctx context.Context, env cli.Env, args []string) error {
	return atDesk(ctx, env, cli.Flags(env, "admin kill-switch status"), args, func(d *desk) error {
		return printSwitch(ctx, d, killswitch.New(d.store.Agents().Switch()))
	})
}

func printSwitch(ctx context.Context, d *desk, s *killswitch.Service) error {
	st, err := s.State(ctx)
	if err != nil {
		return err
	}
	word := "off: agents pay within their budgets"
	if st.On {
		word = "on: no agent pays"
	}
	if !st.Since.IsZero() {
		word += ", since " + clock.ISO(st.Since)
	}
	fmt.Fprintln(d.Out, word)
	return nil
}
