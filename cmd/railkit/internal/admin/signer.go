package admin

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/kit/agent/killswitch"
	"github.com/railkit/railkit/kit/signing/rollback"
)

// acceptSigner has servers hand the signer what moves money again, after an older copy of its folder was put back.
func acceptSigner(ctx context.Context, env cli.Env, args []string) error {
	f := cli.Flags(env, "admin signer accept")
	reason := f.String("reason", "", "why; it is kept in the audit record")
	return atSigner(ctx, env, f, args, func(d *desk, c *client.Client) error {
		if *reason == "" {
			return cli.UsageError(errors.New("--reason: must be given"))
		}
		order := d.order("signer accept", killswitch.Platform)
		if err := rollback.Accept(ctx, d.store.Signing().SignerMarks(), c, order, time.Now(), *reason); err != nil {
			return err
		}
		return printSigner(ctx, d, c)
	})
}

// showSigner tells whether the signer is behind what servers have seen of it.
func showSigner(ctx context.Context, env cli.Env, args []string) error {
	return atSigner(ctx, env, cli.Flags(env, "admin signer status"), args, func(d *desk, c *client.Client) error {
		return printSigner(ctx, d, c)
	})
}

// atSigner is atDesk with the signer beside it.
func atSigner(
	ctx context.Context, env cli.Env, f *flag.FlagSet, args []string, do func(*desk, *client.Client) error,
) error {
	return sit(ctx, env, f, args, []string{"enclave-socket", "enclave-key"}, func(d *desk, c app.Config) error {
		if c.EnclaveSocket == "" || c.EnclaveKey == "" {
			return cli.UsageError(errors.New("--enclave-socket and --enclave-key: must be given"))
		}
		signer := client.New(c.EnclaveSocket, c.EnclaveKey)
		return errors.Join(do(d, signer), signer.Close())
	})
}

func printSigner(ctx context.Context, d *desk, c *client.Client) error {
	behind, now, err := rollback.Compare(ctx, d.store.Signing().SignerMarks(), c)
	if err != nil {
		return err
	}
	if behind != "" {
		fmt.Fprintf(d.Out, "behind: %s; nothing is signed\n", behind)
		return nil
	}
	fmt.Fprintf(d.Out, "its journal goes on from what was seen, and ends with entry %d\n", now.Seq)
	return nil
}
