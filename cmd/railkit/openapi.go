package main

import (
	"context"
	"errors"

	"github.com/railkit/railkit/api"
	"github.com/railkit/railkit/chain"
)

// openapi prints the document that the server serves at /openapi.json.
func openapi(_ context.Context, io stdio, args []string) error {
	f := flags(io, "openapi")
	environment := f.String("environment", string(chain.Production), "sandbox or production; the sandbox has operations of its own")
	if err := parse(f, args); err != nil {
		return err
	}
	switch chain.Environment(*environment) {
	case chain.Sandbox, chain.Production:
	default:
		return usageError{errors.New("--environment must be sandbox or production")}
	}
	document, err := api.OpenAPI(*environment)
	if err != nil {
		return err
	}
	_, err = io.out.Write(append(document, '\n'))
	return err
}
