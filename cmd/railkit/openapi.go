package main

import (
	"context"
	"errors"

	"github.com/railkit/railkit/api"
	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/cmd/railkit/internal/cli"
)

// openapi prints the document that the server serves at /openapi.json.
func openapi(_ context.Context, env cli.Env, args []string) error {
	f := cli.Flags(env, "openapi")
	environment := f.String("environment", string(chain.Production),
		"sandbox or production; the sandbox has operations of its own")
	if err := cli.Parse(f, args); err != nil {
		return err
	}
	switch chain.Environment(*environment) {
	case chain.Sandbox, chain.Production:
	default:
		return cli.UsageError(errors.New("--environment must be sandbox or production"))
	}
	document, err := api.OpenAPI(*environment)
	if err != nil {
		return err
	}
	_, err = env.Out.Write(append(document, '\n'))
	return err
}
