package admin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/widget/action"
	"github.com/railkit/railkit/kit/widget/miniapp"
	"github.com/railkit/railkit/platform/page"
)

func (d *desk) miniApps() *miniapp.Service {
	return miniapp.New(d.store.Widgets(), chain.Environment(d.environment), clock.System{})
}

// addMiniApp lists a mini app, once its metadata are good.
func addMiniApp(ctx context.Context, env cli.Env, args []string) error {
	f := cli.Flags(env, "admin miniapp add")
	path := f.String("metadata", "", "file with the metadata, as docs/action-kit.schema.json has them")
	var in miniapp.Listing
	f.StringVar(&in.Operator, "operator", "", "who runs it; shown in the directory")
	f.StringVar(&in.Type, "type", "", "Swap, Stake, Transfer Native, Tips, Native Cross-Chain or onboarding")
	f.StringVar(&in.Protocol, "protocol", "", "the protocol that it uses, if any")
	f.StringVar(&in.Wallet, "wallet", "", "address that earns its fees")
	f.StringVar(&in.Contract, "contract", "", "its contract, if it has one of its own")
	f.StringVar(&in.Chain, "chain", "", "network: its slug, chain id or name")
	f.StringVar(&in.Destination, "destination", "", "network on which it pays, if that is another one")
	return atDesk(ctx, env, f, args, func(d *desk) (err error) {
		if *path == "" {
			return cli.UsageError(errors.New("--metadata: must be given"))
		}
		if in.Metadata, err = os.ReadFile(*path); err != nil {
			return fmt.Errorf("--metadata: %w", err)
		}
		if _, err := action.RulesOf(chain.Environment(d.environment)).Read(in.Metadata); err != nil {
			return inMetadata(err)
		}
		added, err := answered[miniapp.MiniAppView](d.miniApps().Add(ctx, d.order("miniapp add", miniapp.Platform), in))
		if err == nil {
			fmt.Fprintln(d.Out, added.ID)
		}
		return err
	})
}

// inMetadata names the flag of an error that names a member of the metadata.
func inMetadata(err error) error {
	f, is := fault.As(err)
	if !is {
		return err
	}
	return cli.UsageError(errors.New("--metadata: " + strings.TrimPrefix(f.Message, "Validation failed: ")))
}

// disableMiniApp has the directory call a mini app denied.
func disableMiniApp(ctx context.Context, env cli.Env, args []string) error {
	return switchMiniApp(ctx, env, args, "disable", false)
}

// enableMiniApp has it call one trusted again.
func enableMiniApp(ctx context.Context, env cli.Env, args []string) error {
	return switchMiniApp(ctx, env, args, "enable", true)
}

func switchMiniApp(ctx context.Context, env cli.Env, args []string, word string, active bool) error {
	f := cli.Flags(env, "admin miniapp "+word)
	id := f.String("miniapp", "", "id of the mini app")
	reason := f.String("reason", "", "why; it is kept in the audit record")
	return atDesk(ctx, env, f, args, func(d *desk) error {
		if *reason == "" {
			return cli.UsageError(errors.New("--reason: must be given"))
		}
		_, err := d.miniApps().Switch(ctx, d.order("miniapp "+word, miniapp.Platform), *id, active, *reason)
		if errors.Is(err, fault.ErrNotFound) {
			return errors.New("--miniapp: there is none with this id in this --environment")
		}
		return err
	})
}

// listMiniApps lists all, newest first.
func listMiniApps(ctx context.Context, env cli.Env, args []string) error {
	return atDesk(ctx, env, cli.Flags(env, "admin miniapp list"), args, func(d *desk) error {
		found, err := all(func(at page.Page) ([]miniapp.MiniApp, *page.Cursor, int, error) {
			return d.miniApps().List(ctx, at)
		})
		if err != nil {
			return err
		}
		var rows [][]string
		for _, m := range found {
			rows = append(rows, []string{
				m.ID, m.Metadata.Title, m.Type, m.Operator, m.Host(), strconv.FormatUint(m.ChainID, 10),
				strconv.FormatBool(m.Active), clock.ISO(m.CreatedAt),
			})
		}
		if len(rows) == 0 {
			fmt.Fprintln(d.Err, "none")
		}
		return d.table([]string{"ID", "TITLE", "TYPE", "OPERATOR", "HOST", "CHAIN", "ACTIVE", "LISTED"}, rows)
	})
}
