package admin

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/rest"
)

// inviteMember is how the first member comes, before there is one who invites and
// maybe before there is mail: it prints the link.
func inviteMember(ctx context.Context, env cli.Env, args []string) error {
	f := cli.Flags(env, "admin member invite")
	id := f.String("workspace", "", "id of the workspace")
	email := f.String("email", "", "whom to invite")
	role := f.String("role", "", "admin, manager, auditor or viewer")
	language := f.String("language", "en", "of the mails to the member: en, es or pt")
	return atLoginDesk(ctx, env, f, args, func(d *desk) error {
		if mail.Language(*language).Or() != mail.Language(*language) {
			return cli.UsageError(errors.New("--language: must be en, es or pt"))
		}
		if len(auth.Role(*role).Scopes()) == 0 {
			return cli.UsageError(errors.New("--role: must be admin, manager, auditor or viewer"))
		}
		if _, err := d.workspaces.Get(ctx, d.operator(*id)); err != nil {
			return err
		}
		a, link, err := d.team.InviteWithLink(ctx, d.order("member invite", *id), rest.InviteMemberRequest{
			Email: *email, Role: *role, Language: *language,
		})
		made, err := answered[rest.Invitation](a, err)
		if err != nil {
			return err
		}
		fmt.Fprintf(d.Err, "invited as %s; whoever has the link can accept, once, until %s\n",
			made.Role, made.ExpiresAt)
		fmt.Fprintln(d.Out, link)
		return nil
	})
}

// atLoginDesk is atDesk for what needs the settings of the dashboard too.
func atLoginDesk(ctx context.Context, env cli.Env, f *flag.FlagSet, args []string, do func(*desk) error) error {
	return sit(ctx, env, f, args, []string{"dashboard-origin", "session-key-file", "rp-id"},
		func(d *desk, c app.Config) (err error) {
			if c.DashboardOrigin == "" {
				return errors.New("--dashboard-origin is needed: the link leads there")
			}
			if d.team, err = app.NewTeam(c, d.store); err != nil {
				return err
			}
			return do(d)
		})
}
