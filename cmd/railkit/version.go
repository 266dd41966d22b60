package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/web/ceremony"
)

func printVersion(_ context.Context, env cli.Env, args []string) error {
	f := cli.Flags(env, "version")
	page := f.Bool("ceremony", false, "print the hash of the ceremony page's files instead")
	if err := cli.Parse(f, args); err != nil {
		return err
	}
	if *page {
		fmt.Fprintf(env.Out, "ceremony page %s\n", ceremony.Hash())
		return nil
	}
	fmt.Fprintf(env.Out, "railkit %s (%s %s/%s)\n", env.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
