package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/child"
)

// memoryForSpeed lets the heap grow to five times what is in use, which is
// little, before it is swept. An operator's own GOGC counts.
const memoryForSpeed = 400

// serve runs the API server until it is told to stop or its parent is gone.
func serve(ctx context.Context, env cli.Env, args []string) error {
	ctx, release := child.WatchParent(ctx)
	defer release()
	l, err := cli.Settings(cli.Flags(env, "serve"), args)
	for _, w := range l.Warnings {
		fmt.Fprintf(env.Err, "railkit serve: %s\n", w)
	}
	if err != nil {
		return err
	}
	ctx, restore := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer restore()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(memoryForSpeed)
	}
	return app.Serve(ctx, app.Config{
		Server: l.Server, Version: env.Version,
		Ready: func(addr string) error { return child.Ready(map[string]string{"addr": addr}) },
	})
}
