package admin

import (
	"context"
	"fmt"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/workspace"
)

func createKey(ctx context.Context, env cli.Env, args []string) error {
	f := cli.Flags(env, "admin key create")
	var in workspace.APIKeyInput
	var limits workspace.RateLimits
	id := f.String("workspace", "", "id of the workspace")
	f.StringVar(&in.Name, "name", "", "what the key is for")
	f.StringVar(&in.Description, "description", "", "more about it")
	scopes := f.String("scopes", "integrator", "its rights, with commas between: "+list(auth.Assignable))
	networks := f.String("ip-allowlist", "",
		"addresses and networks (CIDR) from which it may be used, with commas between; none: from everywhere")
	f.StringVar(&in.ExpiresAt, "expires-at", "", "when it ends, as 2027-01-31T00:00:00Z; none: never")
	f.IntVar(&limits.Standard, "limit-standard", 0, "calls a minute, where more than the usual are needed")
	f.IntVar(&limits.Financial, "limit-financial", 0, "the same of calls that move money")
	return atDesk(ctx, env, f, args, func(d *desk) error {
		in.Scopes, in.IPAllowlist, in.RateLimits = words[auth.Scope](*scopes), words[string](*networks), &limits
		made, err := answered[workspace.CreatedAPIKey](d.workspaces.CreateKey(ctx, d.order("key create", *id), in))
		if err != nil {
			return err
		}
		fmt.Fprintf(d.Err, "made the API key %s with %s; it is shown now and never again\n", made.ID, list(made.Scopes))
		fmt.Fprintln(d.Out, made.Key)
		return nil
	})
}

func listKeys(ctx context.Context, env cli.Env, args []string) error {
	f := cli.Flags(env, "admin key list")
	id := f.String("workspace", "", "id of the workspace")
	return atDesk(ctx, env, f, args, func(d *desk) error {
		keys, err := all(func(at page.Page) ([]workspace.APIKeyView, *page.Cursor, int, error) {
			return d.workspaces.Keys(ctx, d.operator(*id), at)
		})
		if err != nil {
			return err
		}
		var rows [][]string
		for _, k := range keys {
			from := "everywhere"
			if len(k.IPAllowlist) > 0 {
				from = list(k.IPAllowlist)
			}
			rows = append(rows, []string{
				k.ID, k.Name, k.Prefix + "…" + k.LastFour, list(k.Scopes), from, stateOf(k), k.ExpiresAt, k.LastUsedAt,
			})
		}
		return d.table([]string{"ID", "NAME", "KEY", "SCOPES", "FROM", "STATE", "EXPIRES", "LAST USED"}, rows)
	})
}

func stateOf(k workspace.APIKeyView) string {
	switch {
	case k.RevokedAt != "":
		return "revoked"
	case !k.Active:
		return "expired"
	}
	return "active"
}

func revokeKey(ctx context.Context, env cli.Env, args []string) error {
	f := cli.Flags(env, "admin key revoke")
	id := f.String("workspace", "", "id of the workspace")
	key := f.String("key", "", "id of the key")
	return atDesk(ctx, env, f, args, func(d *desk) error {
		left, err := answered[workspace.RevokedAPIKey](d.workspaces.RevokeKey(ctx, d.order("key revoke", *id), *key))
		if err != nil {
			return err
		}
		fmt.Fprintf(d.Out, "revoked the API key %s at %s\n", left.ID, left.RevokedAt)
		return nil
	})
}
