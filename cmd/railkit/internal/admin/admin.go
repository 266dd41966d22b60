// Package admin is railkit admin: what an operator with a shell on the server does on
// the database itself, by the rules that the API has too.
//
// Read admin.go first: its desk is what each command works with. Each other file is
// the commands of one noun; flag_errors.go has an error of the API name the flag.
package admin

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

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/cmd/railkit/internal/dev"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/auth"
	cmd "github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/store"
	"github.com/railkit/railkit/store/postgres"
	"github.com/railkit/railkit/store/sqlite"
)

// Commands are the commands of an operator with a shell on the server. They work on
// the database itself: beside a running server, and before there is a first key.
// The last one lists the others.
func Commands() []cli.Command {
	return []cli.Command{
		{Name: "admin workspace create", Does: "make a workspace; prints its id", Run: createWorkspace},
		{Name: "admin workspace list", Does: "list workspaces, newest first", Run: listWorkspaces},
		{Name: "admin workspace show", Does: "show a workspace", Run: showWorkspace},
		{Name: "admin workspace kyb", Does: "say what became of the check of its business", Run: setKYB},
		{Name: "admin kyb list", Does: "list submitted forms about businesses, newest first", Run: listKYB},
		{Name: "admin kyb show", Does: "show how far a workspace's form is, without what is in it", Run: showKYB},
		{Name: "admin kyb export", Does: "write a submitted form and its documents into a folder", Run: exportKYB},
		{Name: "admin kyb approve", Does: "approve a business; the payout kit opens", Run: approveKYB},
		{Name: "admin kyb reject", Does: "reject it; payouts and agents stop", Run: rejectKYB},
		{Name: "admin kyb ask", Does: "ask for more information; its members can change the form again", Run: askKYB},
		{Name: "admin workspace modules", Does: "switch its modules on and off", Run: setModules},
		{Name: "admin key create", Does: "make an API key; prints the key, once", Run: createKey},
		{Name: "admin key list", Does: "list a workspace's API keys, newest first", Run: listKeys},
		{Name: "admin key revoke", Does: "revoke an API key, at once and for good", Run: revokeKey},
		{Name: "admin member invite", Does: "invite a person into a workspace; prints the link", Run: inviteMember},
		{Name: "admin audit verify",
			Does: "look for changed, removed and moved rows of the audit record", Run: verifyAudit},
		{Name: "admin order list", Does: "list orders that wait for a person", Run: listStuck},
		{Name: "admin order retry-refund",
			Does: "have a refund sent again that failed or stands at the partner", Run: retryRefund},
		{Name: "admin order retry-payout",
			Does: "have a payout made again that stands at the partner", Run: retryPayout},
		{Name: "admin order give-back",
			Does: "refund an order that waits in review, or whose payout stands at the partner", Run: giveBack},
		{Name: "admin order release",
			Does: "have an order go on although a name or an address of it is on a list, or its coins came twice", Run: release},
		{Name: "admin order accept-transfer",
			Does: "end an order whose payout or refund was made, whatever the partner answers", Run: acceptTransfer},
		{Name: "admin order write-off-transfer",
			Does: "end an order whose payout or refund is settled with the partner elsewhere", Run: writeOffTransfer},
		{Name: "admin order disown-transfer",
			Does: "have an order go on beside a transfer of the partner's that no order here has", Run: disownTransfer},
		{Name: "admin order cover-deposit",
			Does: "have an order go on whose final deposit a reorg took away", Run: coverDeposit},
		{Name: "admin order drop-deposit",
			Does: "end an order whose final deposit a reorg took away", Run: dropDeposit},
		{Name: "admin deposit-account list", Does: "list deposit accounts, newest first", Run: listDepositAccounts},
		{Name: "admin deposit-account deactivate",
			Does: "have the partner take no more deposits at an account", Run: deactivateAccount},
		{Name: "admin deposit-account reactivate",
			Does: "have the partner take deposits again", Run: reactivateAccount},
		{Name: "admin order return-deposit",
			Does: "have the partner send a bank transfer back that it has not converted", Run: returnDeposit},
		{Name: "admin order name-coins",
			Does: "say by which transaction the coins of a bank transfer came", Run: nameCoins},
		{Name: "admin order accept-coins",
			Does: "end an order with another amount of coins than the partner told", Run: acceptCoins},
		{Name: "admin order write-off-coins",
			Does: "end an order whose coins never came", Run: writeOffCoins},
		{Name: "admin order settle-receivable",
			Does: "note that what a bank took back is paid, or given up", Run: settleReceivable},
		{Name: "admin withdraw-address take-over",
			Does: "have an address at the partner that no row has pay out to a bank account", Run: takeOverAddress},
		{Name: "admin notice list",
			Does: "list the partner's notices that nobody could follow, newest first", Run: listNotices},
		{Name: "admin notice retry", Does: "have one looked at again", Run: retryNotice},
		{Name: "admin kill-switch on", Does: "have no agent of the platform pay any more", Run: stopAgents},
		{Name: "admin kill-switch off", Does: "let agents pay again, as far as their owners do", Run: releaseAgents},
		{Name: "admin kill-switch status", Does: "tell how that switch stands", Run: showSwitch},
		{Name: "admin signer status", Does: "tell whether the signer was put back to an older copy", Run: showSigner},
		{Name: "admin signer accept",
			Does: "have it sign again, with what it has forgotten", Run: acceptSigner},
		{Name: "admin token list",
			Does: "list tokens whose issuer is watched, and what of it changed", Run: listTokens},
		{Name: "admin token accept",
			Does: "have a token paid and credited again whose issuer changed", Run: acceptToken},
		{Name: "admin miniapp add", Does: "list a mini app; prints its id", Run: addMiniApp},
		{Name: "admin miniapp list", Does: "list mini apps, newest first", Run: listMiniApps},
		{Name: "admin miniapp disable", Does: "have the directory call a mini app denied", Run: disableMiniApp},
		{Name: "admin miniapp enable", Does: "have it call one trusted again", Run: enableMiniApp},
		{Name: "admin show",
			Does: "show what is known of an id, a reference or a hash, and what to type next", Run: show},
		{Name: "admin reconcile", Does: "compare orders, ledger, chains and partner", Run: reconcileBooks},
		{Name: "admin",
			Does: "workspaces, API keys, members and the audit record, on the database itself", Run: listCommands},
	}
}

// listCommands prints the admin commands, or those that begin with the words given, with an example of each. Each of
// them is found by its own name; who gave no more than its beginning is told what to type, as an error.
func listCommands(_ context.Context, env cli.Env, args []string) error {
	out, end := env.Err, cli.ErrTold
	if len(args) > 0 && cli.AsksHelp(args[len(args)-1]) {
		args, out, end = args[:len(args)-1], env.Out, nil
	}
	name := strings.Join(append([]string{"admin"}, args...), " ")
	var listed []cli.Command
	for _, c := range Commands() {
		if strings.HasPrefix(c.Name, name+" ") {
			listed = append(listed, c)
		}
	}
	if len(listed) == 0 {
		return cli.UsageError(errors.New("no such command"))
	}
	fmt.Fprintf(out, "usage of railkit %s:\n", name)
	for _, c := range listed {
		fmt.Fprintf(out, "  %s\n      %s\n", strings.TrimSpace("railkit "+c.Name+" "+examples[c.Name]), c.Does)
	}
	fmt.Fprint(out, "\n-h behind a command lists its flags.\n")
	return end
}

// desk is where an operator sits: at the database, with the platform's own rules.
type desk struct {
	cli.Env
	store       *store.Store
	workspaces  *workspace.Service
	environment string
	team        *team.Service // of commands that need the dashboard's settings
}

// atDesk reads a command's flags and does it. Rules that refuse what was given
// name the flag.
func atDesk(ctx context.Context, env cli.Env, f *flag.FlagSet, args []string, do func(*desk) error) error {
	return sit(ctx, env, f, args, nil, func(d *desk, _ app.Config) error { return do(d) })
}

// sit is atDesk with further settings.
func sit(
	ctx context.Context, env cli.Env, f *flag.FlagSet, args, more []string, do func(*desk, app.Config) error,
) (err error) {
	l, err := settings(f, args, more...)
	if err != nil {
		return err
	}
	if err := l.Check(); err != nil {
		return cli.UsageError(err)
	}
	c := app.Config{Server: l.Server, Version: env.Version}
	s, err := openTables(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	d := &desk{
		Env: env, store: s, workspaces: workspace.New(s.Workspaces(), clock.System{}), environment: c.Environment,
	}
	return flagged(do(d, c))
}

// settings are those of a command, and where they name no database those of the railkit dev that runs here.
func settings(f *flag.FlagSet, args []string, more ...string) (config.Loaded, error) {
	l, err := cli.Settings(f, args, append([]string{"data", "database-url", "environment"}, more...)...)
	if err == nil && l.DatabaseURL == "" {
		_, err = dev.Learn(&l)
	}
	return l, err
}

// openTables opens the database that the server works with. It makes none: a
// mistyped folder would become one. Nor does it bring one up to date under a
// server that runs.
func openTables(ctx context.Context, c app.Config) (*store.Store, error) {
	if err := checkTables(ctx, c); err != nil {
		return nil, err
	}
	return app.OpenStore(ctx, c)
}

func checkTables(ctx context.Context, c app.Config) error {
	if c.DatabaseURL != "" {
		db, err := postgres.Open(ctx, c.DatabaseURL)
		if err != nil {
			return err
		}
		defer db.Close()
		return tablesError(cli.CheckTables(ctx, db.Pool))
	}
	path := filepath.Join(c.DataDir, "railkit.db")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return errors.New("there is no database in the folder that --data names: railkit migrate makes one")
	}
	db, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	defer db.Close()
	return tablesError(cli.CheckTables(ctx, db.Reader))
}

func tablesError(_ int64, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the database's tables: %w", err)
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
	w := tabwriter.NewWriter(d.Out, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{heading}, rows...) {
		for i, cell := range row {
			if cell == "" {
				cell = "-"
			}
			row[i] = cli.Printable(cell)
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
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
