package admin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/rest"
)

func createWorkspace(ctx context.Context, env cli.Env, args []string) error {
	f := cli.Flags(env, "admin workspace create")
	name := f.String("name", "", "its name")
	email := f.String("email", "", "e-mail address of whom to write to")
	modules := f.String("modules", "signing", "what is on: signing, payout, agents, widget; agents brings signing")
	return atDesk(ctx, env, f, args, func(d *desk) error {
		made, err := answered[workspace.CreatedIntegrator](d.workspaces.Create(ctx, d.order("workspace create", ""),
			workspace.IntegratorInput{Name: *name, Email: *email, Modules: modulesOf(*modules)}, true))
		if err != nil {
			return err
		}
		fmt.Fprintf(d.Err,
			"made a %s workspace with %s; it has no API key yet: railkit admin key create --workspace makes one\n",
			made.Environment, list(made.Modules))
		fmt.Fprintln(d.Out, made.ID)
		return nil
	})
}

// modulesOf takes the word none for none: an empty flag is a mistake.
func modulesOf(text string) []auth.Module {
	if text == "none" {
		return []auth.Module{}
	}
	return words[auth.Module](text)
}

func list[T ~string](values []T) string {
	if len(values) == 0 {
		return "none"
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return strings.Join(texts, ",")
}

func listWorkspaces(ctx context.Context, env cli.Env, args []string) error {
	f := cli.Flags(env, "admin workspace list")
	search := f.String("search", "", "only those with this in their name or e-mail address")
	return atDesk(ctx, env, f, args, func(d *desk) error {
		rows, err := all(func(at page.Page) ([]workspace.IntegratorView, *page.Cursor, int, error) {
			return d.workspaces.List(ctx, d.operator(""), workspace.Filter{Search: *search, Page: at})
		})
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			fmt.Fprintf(d.Err, "no workspace of the %s environment matches (--environment)\n", d.environment)
		}
		return d.integrators(rows...)
	})
}

// all reads every page of a list.
func all[T any](read func(page.Page) ([]T, *page.Cursor, int, error)) (rows []T, _ error) {
	at := page.Page{Limit: 200}
	for {
		some, next, _, err := read(at)
		if err != nil {
			return nil, err
		}
		rows = append(rows, some...)
		if at.After = next; next == nil {
			return rows, nil
		}
	}
}

func (d *desk) integrators(views ...workspace.IntegratorView) error {
	var rows [][]string
	for _, w := range views {
		rows = append(rows, []string{w.ID, w.Name, w.Email, w.KYBStatus, list(w.Modules), w.CreatedAt})
	}
	return d.table([]string{"ID", "NAME", "E-MAIL", "KYB", "MODULES", "CREATED"}, rows)
}

func showWorkspace(ctx context.Context, env cli.Env, args []string) error {
	f := cli.Flags(env, "admin workspace show")
	id := f.String("workspace", "", "id of the workspace")
	return atDesk(ctx, env, f, args, func(d *desk) error {
		w, err := d.workspaces.Get(ctx, d.operator(*id))
		if err != nil {
			return err
		}
		return d.integrators(w)
	})
}

func setKYB(ctx context.Context, env cli.Env, args []string) error {
	f := cli.Flags(env, "admin workspace kyb")
	id := f.String("workspace", "", "id of the workspace")
	status := f.String("status", "", "pending, approved, rejected or more_information; the payout kit opens with approved")
	reason := f.String("reason", "", "why; the workspace's members read it")
	submission := submissionFlag(f)
	return atDesk(ctx, env, f, args, func(d *desk) error {
		return d.decide(ctx, "workspace kyb", *id, rest.KybRequest{
			Status: *status, Reason: *reason, SubmissionID: *submission,
		})
	})
}

func setModules(ctx context.Context, env cli.Env, args []string) error {
	f := cli.Flags(env, "admin workspace modules")
	id := f.String("workspace", "", "id of the workspace")
	modules := f.String("modules", "", "all that shall be on, with commas between, or none")
	return atDesk(ctx, env, f, args, func(d *desk) error {
		if *modules == "" {
			return cli.UsageError(errors.New("--modules: is required"))
		}
		w, err := answered[workspace.IntegratorView](d.workspaces.SetModules(ctx, d.order("workspace modules", *id),
			workspace.ModulesInput{Modules: modulesOf(*modules)}))
		if err != nil {
			return err
		}
		return d.integrators(w)
	})
}
