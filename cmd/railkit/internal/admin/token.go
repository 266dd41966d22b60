package admin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/platform/issuer"
)

// elsewhere tells where the operator finds what this command cannot know: what servers were told by their nodes.
const elsewhere = "a token is also held while its nodes contradict each other or do not answer: the server's log " +
	"(\"who issues a token is not known\") and its metric railkit_token_issuer_unknown tell"

// listTokens lists the tokens whose issuer servers have seen, and what of it changed.
func listTokens(ctx context.Context, env cli.Env, args []string) error {
	return atDesk(ctx, env, cli.Flags(env, "admin token list"), args, func(d *desk) error {
		all, err := d.store.Issuers().Issuers(ctx)
		if err != nil {
			return err
		}
		var rows [][]string
		for _, i := range all {
			state, since := "kept", i.KeptAt
			if len(i.Changed()) > 0 {
				state, since = "changed", i.SeenAt
			}
			rows = append(rows, []string{i.Network, i.Symbol, i.Address, state, clock.ISO(since), i.Seen.Hash()})
		}
		if len(rows) == 0 {
			fmt.Fprintln(d.Err, "none: servers write a token down when its network's nodes first tell its issuer")
		}
		err = d.table([]string{"NETWORK", "SYMBOL", "TOKEN", "ISSUER", "SINCE", "HASH"}, rows)
		if err != nil {
			return err
		}
		for _, i := range all {
			printChanges(d, i)
		}
		fmt.Fprintln(d.Err, elsewhere)
		return nil
	})
}

// printChanges tells what of a token's issuer changed, and what accepts it.
func printChanges(d *desk, i issuer.Issuer) {
	changes := i.Changed()
	if len(changes) == 0 {
		return
	}
	fmt.Fprintf(d.Out, "\n%s on %s is neither paid nor credited:\n", i.Symbol, i.Network)
	for _, c := range changes {
		fmt.Fprintln(d.Out, "  "+cli.Printable(c))
	}
	fmt.Fprintln(d.Out, "  "+cli.Printable(i.Command())+` --reason "…"`)
}

// acceptToken has servers pay and credit a token again, whose issuer changed.
func acceptToken(ctx context.Context, env cli.Env, args []string) error {
	f := cli.Flags(env, "admin token accept")
	network := f.String("network", "", "slug of the network, such as solana")
	token := f.String("token", "", "address of the token, or its symbol")
	hash := f.String("hash", "", "of what you have seen, as admin token list shows it")
	reason := f.String("reason", "", "why; it is kept in the audit record")
	return atDesk(ctx, env, f, args, func(d *desk) error {
		for name, value := range map[string]string{
			"network": *network, "token": *token, "hash": *hash, "reason": *reason,
		} {
			if value == "" {
				return cli.UsageError(errors.New("--" + name + ": must be given"))
			}
		}
		i, err := issuer.Find(ctx, d.store.Issuers(), *network, *token)
		if errors.Is(err, issuer.ErrNone) {
			return errors.New("--token: " + err.Error())
		}
		if err != nil {
			return err
		}
		order := d.order("token accept", issuer.Platform)
		err = issuer.Accept(ctx, d.store.Issuers(), order, i, strings.TrimSpace(*hash), *reason, time.Now())
		switch {
		case errors.Is(err, issuer.ErrOther):
			return errors.New("--hash: " + err.Error())
		case err != nil:
			return err
		}
		fmt.Fprintf(d.Out, "%s on %s is paid and credited again\n", i.Symbol, i.Network)
		return nil
	})
}
