package admin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/kit/payout/reconcile"
)

// reconcileBooks checks the books: orders against the ledger, the ledger against
// itself, and both against the partner and the chains. It changes nothing, and may
// run beside the server.
func reconcileBooks(ctx context.Context, env cli.Env, args []string) (err error) {
	f := cli.Flags(env, "admin reconcile")
	only := f.String("workspace", "", "id of the one workspace to look at (default all)")
	back := f.Duration("since", 30*24*time.Hour, "how far back the partner and the chains are compared")
	l, err := settings(f, args, "partner-url", "partner-key", "rpc")
	if err == nil {
		err = l.CheckDatabase()
	}
	if err != nil {
		return err
	}
	if *back <= 0 {
		return cli.UsageError(errors.New("--since: must be a time such as 720h"))
	}
	s, err := openRecord(ctx, l.Server)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	books := reconcile.NewBooks(s.Payout(), clock.System{}, slog.New(slog.DiscardHandler))
	all, err := books.Reconcile(ctx, *only)
	if err != nil {
		return err
	}
	r := comparison{desk: &desk{Env: env, store: s}, workspace: *only, since: time.Now().Add(-*back)}
	r.books(all)
	if err := r.partner(ctx, app.Config{
		Server: l.Server, Version: env.Version, Log: slog.New(slog.DiscardHandler),
	}); err != nil {
		return err
	}
	if err := r.strays(ctx, l.Server); err != nil {
		return err
	}
	return r.print()
}

// comparison is what differs, and what was looked at.
type comparison struct {
	*desk
	workspace string
	since     time.Time
	rows      [][]string
	looked    []string
}

func (r *comparison) differs(workspaceID, check, about, want, got string) {
	r.rows = append(r.rows, []string{workspaceID, check, about, want, got})
}

func (r *comparison) books(all []reconcile.Reconciliation) {
	orders, entries := 0, 0
	for _, each := range all {
		orders, entries = orders+each.Orders, entries+each.Entries
		for _, d := range each.Differences {
			r.differs(d.WorkspaceID, d.Check, d.About, d.Want, d.Got)
		}
	}
	r.looked = append(r.looked, fmt.Sprintf("%d orders, %d ledger entries, %d workspaces, %d differences", orders,
		entries, len(all), len(r.rows)))
}

// partner compares with the partner and the chains, where there are any. What
// could not be compared counts as a difference: nobody knows that there is none.
func (r *comparison) partner(ctx context.Context, c app.Config) error {
	m, closing, err := app.OpenMatcher(ctx, c, r.store)
	defer closing()
	if err != nil {
		return err
	}
	if m == nil {
		r.looked = append(r.looked, "not compared with a partner: no --partner-url names one")
		return nil
	}
	before, wallets, underWay := len(r.rows), 0, 0
	err = m.Match(ctx, reconcile.UsedWallet{WorkspaceID: r.workspace}, r.since, func(found reconcile.Matched) bool {
		if r.workspace != "" && found.WorkspaceID != r.workspace {
			return true
		}
		wallets, underWay = wallets+1, underWay+found.UnderWay
		for _, d := range found.Differences {
			r.differs(found.WorkspaceID, d.Check, d.About, d.Want, d.Got)
		}
		if found.Err != nil {
			r.differs(found.WorkspaceID, "all", found.Name(), "all sides compared", cli.OneLine(found.Err))
		}
		return false
	})
	r.looked = append(r.looked, strconv.Itoa(wallets)+" wallets and account numbers at the partner, "+
		strconv.Itoa(len(r.rows)-before)+" differences, "+strconv.Itoa(underWay)+" under way")
	return err
}

// strays are addresses at the partner that no row has.
func (r *comparison) strays(ctx context.Context, c config.Server) error {
	if c.PartnerURL == "" {
		return nil
	}
	list, err := routesAt(c)
	if err != nil {
		return err
	}
	found, looked, err := reconcile.Strays(ctx, r.store.Payout(), r.workspace, list)
	for _, s := range found {
		r.differs(s.WorkspaceID, "address", s.Address, "a withdrawal address of ours",
			s.Currency+" on "+s.Chain+" to the partner's wallet "+s.WalletID)
	}
	if err != nil {
		r.differs(r.workspace, "address", "all", "all addresses at the partner compared", cli.OneLine(err))
	}
	r.looked = append(r.looked, fmt.Sprintf("%d addresses at the partner, %d that no row has", looked, len(found)))
	return nil
}

func (r *comparison) print() error {
	if len(r.rows) > 0 {
		if err := r.table([]string{"WORKSPACE", "CHECK", "OF", "WANT", "GOT"}, r.rows); err != nil {
			return err
		}
	}
	for _, line := range r.looked {
		fmt.Fprintln(r.Out, "#", line)
	}
	if n := len(r.rows); n > 0 {
		return fmt.Errorf("the books differ in %d places", n)
	}
	return nil
}
