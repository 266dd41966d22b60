// Command railkit is the server of a Railkit installation, and everything that
// goes with running one: the local platform, the story, the checks.
//
// The commands are in packages below internal: dev (also the demo), admin, doctor,
// mcp and verify; the short ones are files here. Package cli is what they share.
package main

import (
	"context"
	"os"
	"slices"

	"github.com/railkit/railkit/cmd/railkit/internal/admin"
	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/cmd/railkit/internal/dev"
	"github.com/railkit/railkit/cmd/railkit/internal/doctor"
	"github.com/railkit/railkit/cmd/railkit/internal/events"
	"github.com/railkit/railkit/cmd/railkit/internal/mcp"
	"github.com/railkit/railkit/cmd/railkit/internal/verify"
)

// version is set by the build.
var version = "dev"

func main() {
	env := cli.Env{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Version: version}
	os.Exit(cli.Run(context.Background(), env, os.Args[1:], commands()))
}

func commands() []cli.Command {
	return slices.Concat([]cli.Command{
		{Name: "dev", Does: "run the whole platform on this machine: API, signer, blockchain", Run: dev.Run},
		{Name: "demo", Does: "walk through the whole story against a private platform", Run: dev.Demo},
		{Name: "listen", Does: "print a workspace's events, and forward them to a server of yours", Run: events.Listen},
		{Name: "trigger", Does: "have the sandbox do what an event tells of", Run: events.Trigger},
		{Name: "serve", Does: "run the API server alone", Run: serve},
		{Name: "migrate", Does: "bring the database to this version's tables", Run: migrate},
	}, admin.Commands(), []cli.Command{
		{Name: "openapi", Does: "print the OpenAPI document", Run: openapi},
		{Name: "doctor", Does: "check what an installation needs, one line each", Run: doctor.Run},
		{Name: "mcp", Does: "let a language model pay as an agent, by the Model Context Protocol", Run: mcp.Run},
		{Name: "verify-address", Does: "ask the payment partner itself whether an address is its own", Run: verify.Run},
		{Name: "version", Does: "print the version", Run: printVersion},
	})
}
