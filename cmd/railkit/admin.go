package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/auth"
	cmd "github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/store"
	"github.com/railkit/railkit/store/postgres"
	"github.com/railkit/railkit/store/sqlite"
)

// adminCommands are what whoever has a shell on the server may do, on the
// database itself: beside a running server, and before there is a first key.
func adminCommands() []command {
	return []command{
		{"admin workspace create", "make a workspace; prints its id", createWorkspace},
		{"admin workspace list", "list workspaces, newest first", listWorkspaces},
		{"admin workspace show", "show a workspace", showWorkspace},
		{"admin workspace kyb", "say what became of the check of its business", setKYB},
		{"admin workspace modules", "switch its modules on and off", setModules},
		{"admin key create", "make an API key; prints the key, once", createKey},
		{"admin key list", "list a workspace's API keys, newest first", listKeys},
		{"admin key revoke", "revoke an API key, at once and for good", revokeKey},
		{"admin member invite", "invite a person into a workspace; prints the link", inviteMember},
		{"admin audit verify", "look for changed, removed and moved rows of the audit record", verifyAudit},
		{"admin order list", "list orders that wait for a person", listStuck},
		{"admin order retry-refund", "have a refund sent again that failed or stands at the partner", retryRefund},
		{"admin order retry-payout", "have a payout made again that stands at the partner", retryPayout},
		{"admin order give-back", "refund an order that waits in review, or whose payout stands at the partner", giveBack},
		{"admin order cover-deposit", "have an order go on whose final deposit a reorg took away", coverDeposit},
		{"admin order drop-deposit", "end an order whose final deposit a reorg took away", dropDeposit},
		{"admin notice list", "list the partner's notices that nobody could follow, newest first", listNotices},
		{"admin notice retry", "have one looked at again", retryNotice},
		{"admin reconcile", "compare orders, ledger, chains and partner", reconcile},
	}
}

// admin lists its commands, or those that begin with the words given. Each of
// them is found by its own name.
func admin(_ context.Context, io stdio, args []string) error {
	if len(args) == 0 || !asksHelp(args[len(args)-1]) {
		return usageError{errors.New("no such command")}
	}
	name := strings.Join(append([]string{"admin"}, args[:len(args)-1]...), " ")
	var listed []command
	for _, c := range adminCommands() {
		if strings.HasPrefix(c.name, name+" ") {
			listed = append(listed, c)
		}
	}
	if len(listed) == 0 {
		return usageError{errors.New("no such command")}
	}
	fmt.Fprintf(io.out, "usage of railkit %s:\n", name)
	for _, c := range listed {
		fmt.Fprintf(io.out, "  railkit %-26s  %s\n", c.name, c.does)
	}
	fmt.Fprint(io.out, "\n-h behind a command lists its flags.\n")
	return nil
}

// desk is where an operator sits: at the database, with the platform's own rules.
type desk struct {
	stdio
	store       *store.Store
	workspaces  *workspace.Service
	environment string
	team        *team.Service // of commands that need the dashboard's settings
}

// atDesk reads a command's flags and does it. Rules that refuse what was given
// name the flag.
func atDesk(ctx context.Context, io stdio, f *flag.FlagSet, args []string, do func(*desk) error) error {
	return sit(ctx, io, f, args, nil, func(d *desk, _ app.Config) error { return do(d) })
}

// sit is atDesk with further settings.
func sit(ctx context.Context, io stdio, f *flag.FlagSet, args, more []string, do func(*desk, app.Config) error) (err error) {
	l, err := settings(f, args, append([]string{"data", "database-url", "environment"}, more...)...)
	if err != nil {
		return err
	}
	if err := l.Check(); err != nil {
		return usageError{err}
	}
	c := app.Config{Server: l.Server, Version: version}
	s, err := openTables(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	d := &desk{stdio: io, store: s, workspaces: workspace.New(s.Workspaces(), clock.System{}), environment: c.Environment}
	return flagged(do(d, c))
}

// openTables opens the database that the server works with. It makes none: a
// mistyped folder would become one. Nor does it bring one up to date under a
// server that runs.
func openTables(ctx context.Context, c app.Config) (*store.Store, error) {
	found, err := lookAtTables(ctx, c)
	if err != nil {
		return nil, err
	}
	if found.verdict == failure {
		return nil, errors.New("the database's tables: " + found.detail)
	}
	return app.OpenStore(ctx, c)
}

func lookAtTables(ctx context.Context, c app.Config) (finding, error) {
	if c.DatabaseURL != "" {
		db, err := postgres.Open(ctx, c.DatabaseURL)
		if err != nil {
			return finding{}, err
		}
		defer db.Close()
		return checkTables(ctx, db.Pool), nil
	}
	path := filepath.Join(c.DataDir, "railkit.db")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return finding{}, errors.New("there is no database in the folder that --data names: railkit migrate makes one")
	}
	db, err := sqlite.Open(ctx, path)
	if err != nil {
		return finding{}, err
	}
	defer db.Close()
	return checkTables(ctx, db.Reader), nil
}

// operator is who sits there: they may what an ADMIN key may.
func (d *desk) operator(workspaceID string) auth.Principal {
	p := auth.Principal{
		Kind: auth.Kind(audit.Operator), ID: "unknown", Environment: d.environment, Scopes: []auth.Scope{auth.Admin},
		Tenant: auth.Tenant{WorkspaceID: workspaceID},
	}
	if u, err := user.Current(); err == nil {
		p.ID = u.Username
	}
	return p
}

// order is a command of the operator's.
func (d *desk) order(operation, workspaceID string) *cmd.Command {
	return &cmd.Command{
		Principal: d.operator(workspaceID), Operation: "admin " + operation,
		Render: func(r cmd.Reply) ([]byte, error) { return json.Marshal(r.Data) },
	}
}

// answered reads what an order was answered with.
func answered[T any](a cmd.Answer, err error) (data T, _ error) {
	if err != nil {
		return data, err
	}
	return data, json.Unmarshal(a.Body, &data)
}

// table prints rows under a heading, in columns.
func (d *desk) table(heading []string, rows [][]string) error {
	w := tabwriter.NewWriter(d.out, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{heading}, rows...) {
		for i, cell := range row {
			if cell == "" {
				cell = "-"
			}
			row[i] = printable(cell)
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// printable keeps what others wrote from steering the operator's terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '\ufffd'
	}, text)
}

// words are the parts of a flag that lists several, with commas between.
func words[T ~string](text string) (list []T) {
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, T(part))
		}
	}
	return list
}
