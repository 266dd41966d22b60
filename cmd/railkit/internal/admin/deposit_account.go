package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/depositaccount"
	"github.com/railkit/railkit/kit/payout/provision"
	cmd "github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
)

func listDepositAccounts(ctx context.Context, env cli.Env, args []string) error {
	f := cli.Flags(env, "admin deposit-account list")
	only := f.String("workspace", "", "id of the one workspace to look at (default all)")
	return atDesk(ctx, env, f, args, func(d *desk) error {
		found, err := all(func(at page.Page) ([]depositaccount.Account, *page.Cursor, int, error) {
			rows, next, err := d.orders().Deposits.Rows(ctx, *only, at)
			return rows, next, 0, err
		})
		if err != nil {
			return err
		}
		var rows [][]string
		for _, a := range found {
			rows = append(rows, []string{
				a.WorkspaceID, a.ID, a.Reference, statusOf(a), string(a.Wanted), string(a.Source),
				string(a.Destination), a.Chain, a.Address, a.PartnerID, clock.ISO(a.CreatedAt),
			})
		}
		return d.table([]string{
			"WORKSPACE", "ACCOUNT", "REFERENCE", "STATUS", "WAITS", "FROM", "TO", "CHAIN", "ADDRESS", "PARTNER",
			"CREATED",
		}, rows)
	})
}

// statusOf is an account's status, and provisioning before the partner has made it.
func statusOf(a depositaccount.Account) string {
	switch {
	case a.Status != provision.Active:
		return string(a.Status)
	case a.Active():
		return "active"
	}
	return "deactivated"
}

func deactivateAccount(ctx context.Context, env cli.Env, args []string) error {
	return switchAccount(ctx, env, args, "deactivate", (*depositaccount.Service).Deactivate)
}

func reactivateAccount(ctx context.Context, env cli.Env, args []string) error {
	return switchAccount(ctx, env, args, "reactivate", (*depositaccount.Service).Reactivate)
}

func switchAccount(ctx context.Context, env cli.Env, args []string, name string,
	do func(*depositaccount.Service, context.Context, *cmd.Command, string) (cmd.Answer, error),
) error {
	f := cli.Flags(env, "admin deposit-account "+name)
	workspace := f.String("workspace", "", "id of its workspace")
	which := f.String("account", "", "its id")
	return atDesk(ctx, env, f, args, func(d *desk) error {
		if *workspace == "" || *which == "" {
			return cli.UsageError(errors.New("--workspace and --account: must be given"))
		}
		now, err := answered[depositaccount.Switched](
			do(d.orders().Deposits, ctx, d.order("deposit-account "+name, *workspace), *which),
		)
		if errors.Is(err, fault.ErrNotFound) {
			return errors.New("--account: there is none with this id in the workspace")
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(d.Out, "%s is %s\n", now.Reference, now.Status)
		if now.Waits {
			fmt.Fprintln(d.Err, "a running server tells the partner")
		}
		return nil
	})
}
