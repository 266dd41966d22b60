package main

import (
	"context"
	"fmt"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/internal/app"
)

// migrate brings the tables up to date, which serve does too as it starts.
func migrate(ctx context.Context, env cli.Env, args []string) error {
	l, err := cli.DatabaseSettings(cli.Flags(env, "migrate"), args, "environment")
	if err != nil {
		return err
	}
	if err := app.Migrate(ctx, app.Config{Server: l.Server, Version: env.Version}); err != nil {
		return err
	}
	fmt.Fprintln(env.Out, "the tables are up to date")
	return nil
}
