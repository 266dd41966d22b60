package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/internal/demo"
	"github.com/railkit/railkit/internal/supervise"
)

// Demo tells the story against a platform of its own and leaves nothing behind.
func Demo(ctx context.Context, env cli.Env, args []string) (err error) {
	if err := cli.Parse(cli.Flags(env, "demo"), args); err != nil {
		return err
	}
	if err := config.CheckNames(os.Environ()); err != nil {
		return cli.UsageError(err)
	}
	t, err := FindTools()
	if err != nil {
		return err
	}
	ctx, restore := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer restore()
	dir, err := os.MkdirTemp("", "railkit-demo-")
	if err != nil {
		return fmt.Errorf("making a folder for the demo: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	return demo.Run(ctx, demo.Options{
		Out: env.Out, World: &world{tools: t, data: filepath.Join(dir, "data")}, Getenv: os.Getenv,
	})
}

// world is a private platform: railkit dev as a child, on data that outlives it.
type world struct {
	tools Tools
	data  string
	group *supervise.Group
	log   []string // of the groups before this one
}

// Start starts the platform and returns once it answers.
func (w *world) Start(ctx context.Context) (demo.Facts, error) {
	w.keepLog()
	w.group = supervise.New(io.Discard) // the newest lines are kept, and shown if a step fails
	c, err := w.group.Start(ctx, supervise.Spec{
		Name: "dev", Path: w.tools.self, Once: true, // a crash is a failed demo, not a restart
		Args: func(supervise.Facts) []string {
			return []string{"dev", "--addr", "127.0.0.1:0", "--data", w.data}
		},
	})
	if err != nil {
		return demo.Facts{}, err
	}
	return ReadFacts(c.Facts().Text("facts"))
}

// KillAll reaches dev, signer, server and node in the same instant: they share
// a process group.
func (w *world) KillAll() error {
	if w.group == nil {
		return errors.New("nothing runs")
	}
	w.group.Kill()
	return nil
}

// Stop ends what runs, in order. dev stops its children one after the other, so
// it gets longer than one of them.
func (w *world) Stop() error {
	if w.group != nil {
		w.group.Stop(3 * stopGrace)
	}
	return nil
}

// Logs are the newest lines of all processes.
func (w *world) Logs() string {
	lines := w.log
	if w.group != nil {
		lines = append(lines, w.group.Tail()...)
	}
	return strings.Join(lines, "\n")
}

// keepLog saves what the group would forget.
func (w *world) keepLog() {
	if w.group != nil {
		w.log = append(w.log, w.group.Tail()...)
	}
}
