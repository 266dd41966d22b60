package main

import (
	"context"
	"fmt"

	"github.com/railkit/railkit/internal/app"
)

// migrate brings the tables up to date, which serve does too as it starts.
func migrate(ctx context.Context, io stdio, args []string) error {
	c, err := databaseConfig(io, "migrate", args)
	if err != nil {
		return err
	}
	if err := app.Migrate(ctx, c); err != nil {
		return err
	}
	fmt.Fprintln(io.out, "the tables are up to date")
	return nil
}
