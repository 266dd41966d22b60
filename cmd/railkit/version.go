package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/railkit/railkit/web/ceremony"
)

func printVersion(_ context.Context, io stdio, args []string) error {
	f := flags(io, "version")
	page := f.Bool("ceremony", false, "print the hash of the ceremony page's files instead")
	if err := parse(f, args); err != nil {
		return err
	}
	if *page {
		fmt.Fprintf(io.out, "ceremony page %s\n", ceremony.Hash())
		return nil
	}
	fmt.Fprintf(io.out, "railkit %s (%s %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
