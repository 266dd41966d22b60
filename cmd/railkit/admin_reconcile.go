package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/store"
)

// reconcile checks the books: orders against the ledger, and the ledger against
// itself. It changes nothing, and may run beside the server.
func reconcile(ctx context.Context, io stdio, args []string) (err error) {
	f := flags(io, "admin reconcile")
	only := f.String("workspace", "", "id of the one workspace to look at (default all)")
	l, err := settings(f, args, "data", "database-url")
	if err != nil {
		return err
	}
	s, err := openRecord(ctx, l.Server)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	books := payout.NewBooks(store.Payout{Store: s}, clock.System{}, slog.New(slog.DiscardHandler))
	all, err := books.Reconcile(ctx, *only)
	if err != nil {
		return err
	}
	return printBooks(io, all)
}

func printBooks(io stdio, all []payout.Reconciliation) error {
	orders, entries, rows := 0, 0, [][]string{}
	for _, r := range all {
		orders, entries = orders+r.Orders, entries+r.Entries
		for _, d := range r.Differences {
			rows = append(rows, []string{d.WorkspaceID, d.Check, d.About, d.Want, d.Got})
		}
	}
	if len(rows) > 0 {
		if err := (&desk{stdio: io}).table([]string{"WORKSPACE", "CHECK", "OF", "WANT", "GOT"}, rows); err != nil {
			return err
		}
	}
	fmt.Fprintf(io.out, "# %d orders, %d ledger entries, %d workspaces, %d differences\n", orders, entries, len(all), len(rows))
	if len(rows) > 0 {
		return fmt.Errorf("the books differ in %d places", len(rows))
	}
	return nil
}
