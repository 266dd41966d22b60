package admin

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/operator"
	"github.com/railkit/railkit/kit/payout/order"
	cmd "github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// orders is the payout kit as far as an operator needs it: what is written here a
// running server goes on with.
func (d *desk) orders() *payout.Kit {
	return payout.New(payout.Config{
		Stores: d.store.Payout().Stores(), Environment: chain.Environment(d.environment), Clock: clock.System{},
		Log: slog.New(slog.DiscardHandler),
	})
}

// listStuck lists the orders that wait for a person.
func listStuck(ctx context.Context, env cli.Env, args []string) error {
	f := cli.Flags(env, "admin order list")
	only := f.String("workspace", "", "id of the one workspace to look at (default all)")
	return atDesk(ctx, env, f, args, func(d *desk) error {
		workspaces, err := []string{*only}, error(nil)
		if *only == "" {
			if workspaces, err = d.store.Payout().WorkspacesWithBooks(ctx); err != nil {
				return err
			}
		}
		var rows [][]string
		for _, id := range workspaces {
			stuck, err := all(func(at page.Page) ([]order.Order, *page.Cursor, int, error) {
				return d.orders().Operator.Stuck(ctx, id, at)
			})
			if err != nil {
				return err
			}
			for _, o := range stuck {
				rows = append(rows, stuckRow(o, time.Now()))
			}
		}
		return d.table([]string{"WORKSPACE", "ORDER", "STATUS", "WHY", "SINCE", "AMOUNT", "REFUND"}, rows)
	})
}

func stuckRow(o order.Order, now time.Time) []string {
	why, refund := cmp.Or(o.Hold, o.Delay), ""
	if o.Paying || o.Refund != nil && o.Refund.Paying {
		why = cmp.Or(why, "no_answer")
	}
	if o.Hold == order.HoldScreening {
		why += " (" + order.Describe(o.Hits()) + ")"
	}
	if o.Hold == order.HoldSentTwice {
		why += " (as " + o.Repeats + ")"
	}
	for _, l := range []order.Label{order.PaidTwice, order.Recalled} {
		if why == "" && slices.Contains(o.Labels, l) {
			why = string(l)
		}
	}
	if o.Failure != nil {
		why = cmp.Or(why, o.Failure.Code)
	}
	if o.Refund != nil {
		why, refund = cmp.Or(o.Refund.Reason, why), string(o.Refund.Status)
	}
	return []string{o.WorkspaceID, o.Reference, string(o.Status), why, now.Sub(o.UpdatedAt).Round(time.Second).String(),
		o.Terms.Gross.Display(), refund}
}

// retryRefund has a failed refund sent again.
func retryRefund(ctx context.Context, env cli.Env, args []string) error {
	return changeOrder(ctx, env, args, "retry-refund", (*operator.Service).RetryRefund)
}

// retryPayout has a payout made again that stands at the partner.
func retryPayout(ctx context.Context, env cli.Env, args []string) error {
	return changeOrder(ctx, env, args, "retry-payout", (*operator.Service).RetryPayout)
}

// giveBack refunds an order that waits in review, or whose payout stands.
func giveBack(ctx context.Context, env cli.Env, args []string) error {
	return decideFor(ctx, env, args, "give-back", (*operator.Service).GiveBackFor)
}

// release lets an order go on that screening holds, or whose coins came twice.
func release(ctx context.Context, env cli.Env, args []string) error {
	return decideFor(ctx, env, args, "release", (*operator.Service).Release)
}

// acceptTransfer ends an order whose payout or refund was made, whatever the partner answers.
func acceptTransfer(ctx context.Context, env cli.Env, args []string) error {
	return decideFor(ctx, env, args, "accept-transfer", (*operator.Service).AcceptTransfer)
}

// writeOffTransfer ends an order whose payout or refund is settled with the partner elsewhere.
func writeOffTransfer(ctx context.Context, env cli.Env, args []string) error {
	return decideFor(ctx, env, args, "write-off-transfer", (*operator.Service).WriteOffTransfer)
}

// disownTransfer has an order go on beside a transfer that no order here has.
func disownTransfer(ctx context.Context, env cli.Env, args []string) error {
	f := cli.Flags(env, "admin order disown-transfer")
	which := f.String("transfer", "", "the partner's id of the transfer, as the log names it")
	return decideWith(ctx, env, f, args, "disown-transfer", func(
		s *operator.Service, ctx context.Context, c *cmd.Command, id string, d operator.Decision,
	) (cmd.Answer, error) {
		return s.DisownTransfer(ctx, c, id, *which, d)
	})
}

// decideFor is changeOrder with the name of who decided, and the reason.
func decideFor(ctx context.Context, env cli.Env, args []string, name string,
	do func(*operator.Service, context.Context, *cmd.Command, string, operator.Decision) (cmd.Answer, error),
) error {
	return decideWith(ctx, env, cli.Flags(env, "admin order "+name), args, name, do)
}

// decideWith is decideFor with further flags.
func decideWith(ctx context.Context, env cli.Env, f *flag.FlagSet, args []string, name string,
	do func(*operator.Service, context.Context, *cmd.Command, string, operator.Decision) (cmd.Answer, error),
) error {
	var d operator.Decision
	f.StringVar(&d.By, "by", "", "who decided")
	f.StringVar(&d.Reason, "reason", "", "why; both are kept in the audit record")
	return decideOrder(ctx, env, f, args, name, func(
		s *operator.Service, ctx context.Context, c *cmd.Command, which string,
	) (cmd.Answer, error) {
		return do(s, ctx, c, which, d)
	})
}

// coverDeposit takes the loss of a deposit that is gone.
func coverDeposit(ctx context.Context, env cli.Env, args []string) error {
	return changeOrder(ctx, env, args, "cover-deposit", (*operator.Service).CoverDeposit)
}

// dropDeposit ends an order whose deposit is gone.
func dropDeposit(ctx context.Context, env cli.Env, args []string) error {
	return changeOrder(ctx, env, args, "drop-deposit", (*operator.Service).DropDeposit)
}

// returnDeposit has the partner send the fiat of an order back.
func returnDeposit(ctx context.Context, env cli.Env, args []string) error {
	return changeOrder(ctx, env, args, "return-deposit", (*operator.Service).ReturnDeposit)
}

// acceptCoins ends an order with another amount than the partner told.
func acceptCoins(ctx context.Context, env cli.Env, args []string) error {
	return changeOrder(ctx, env, args, "accept-coins", (*operator.Service).AcceptCoins)
}

// writeOffCoins ends an order whose coins never came.
func writeOffCoins(ctx context.Context, env cli.Env, args []string) error {
	return changeOrder(ctx, env, args, "write-off-coins", (*operator.Service).WriteOffCoins)
}

// settleReceivable notes that what a bank took back is paid.
func settleReceivable(ctx context.Context, env cli.Env, args []string) error {
	return changeOrder(ctx, env, args, "settle-receivable", (*operator.Service).SettleReceivable)
}

// nameCoins says by which transaction an order's coins came.
func nameCoins(ctx context.Context, env cli.Env, args []string) error {
	f := cli.Flags(env, "admin order name-coins")
	tx := f.String("tx", "", "hash of the transaction")
	return decideOrder(ctx, env, f, args, "name-coins", func(
		s *operator.Service, ctx context.Context, c *cmd.Command, which string,
	) (cmd.Answer, error) {
		if *tx == "" {
			return cmd.Answer{}, cli.UsageError(errors.New("--tx: must be given"))
		}
		return s.NameCoins(ctx, c, which, *tx)
	})
}

// decision is what an operator's command does with an order.
type decision = func(*operator.Service, context.Context, *cmd.Command, string) (cmd.Answer, error)

func changeOrder(ctx context.Context, env cli.Env, args []string, name string, do decision) error {
	return decideOrder(ctx, env, cli.Flags(env, "admin order "+name), args, name, do)
}

// decideOrder adds the flags that name an order to a command's own, and does it.
func decideOrder(ctx context.Context, env cli.Env, f *flag.FlagSet, args []string, name string, do decision) error {
	workspace := f.String("workspace", "", "id of its workspace")
	which := f.String("order", "", "its id or a reference")
	return atDesk(ctx, env, f, args, func(d *desk) error {
		if *workspace == "" || *which == "" {
			return cli.UsageError(errors.New("--workspace and --order: must be given"))
		}
		now, err := answered[rest.Order](do(d.orders().Operator, ctx, d.order("order "+name, *workspace), *which))
		if err != nil {
			return err
		}
		fmt.Fprintf(d.Out, "%s is %s\n", now.Reference, now.Status)
		return nil
	})
}
