package main

import (
	"context"
	"fmt"
	"runtime"
)

func printVersion(_ context.Context, io stdio, args []string) error {
	if err := parse(flags(io, "version"), args); err != nil {
		return err
	}
	fmt.Fprintf(io.out, "railkit %s (%s %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
