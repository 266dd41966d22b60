package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/child"
	"github.com/railkit/railkit/internal/config"
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

// serverConfig reads all settings of a server, and refuses what could not work.
func serverConfig(io stdio, name string, args []string) (app.Config, error) {
	l, err := settings(flags(io, name), args)
	for _, w := range l.Warnings {
		fmt.Fprintf(io.err, "railkit %s: %s\n", name, w)
	}
	return app.Config{Server: l.Server, Version: version}, err
}

// databaseConfig reads the settings of a command that needs the database alone.
func databaseConfig(io stdio, name string, args []string) (app.Config, error) {
	l, err := databaseSettings(flags(io, name), args, "environment")
	return app.Config{Server: l.Server, Version: version}, err
}

// databaseSettings are those that name the database, which they have to, and more.
func databaseSettings(f *flag.FlagSet, args []string, more ...string) (config.Loaded, error) {
	l, err := settings(f, args, append([]string{"data", "database-url"}, more...)...)
	if err == nil {
		err = l.CheckDatabase()
	}
	return l, err
}

// settings parses a command's flags, with those of the named settings or of all,
// and puts them together with the environment's.
func settings(f *flag.FlagSet, args []string, only ...string) (config.Loaded, error) {
	s := config.Register(f, only...)
	if err := parse(f, args); err != nil {
		return config.Loaded{}, err
	}
	l, err := s.Load(os.Environ())
	if err != nil {
		return l, usageError{err}
	}
	return l, nil
}
