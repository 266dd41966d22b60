package main

import (
	"context"
)

func runDemo(ctx context.Context, io stdio, args []string) error { return nil }
