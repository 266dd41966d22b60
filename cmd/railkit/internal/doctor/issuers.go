package doctor

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/platform"
)

// checkIssuers tells of tokens that are neither paid nor credited, since who issues them changed.
func checkIssuers(ctx context.Context, tables *sql.DB) []finding {
	if _, err := cli.CheckTables(ctx, tables); err != nil {
		return nil // the tables' own line says it
	}
	rows, err := db.New(tables).TokenIssuers(ctx)
	switch {
	case err != nil:
		return []finding{{failure, "issuers", cli.OneLine(err)}}
	case len(rows) == 0:
		return nil
	}
	var all []finding
	for _, r := range rows {
		i := platform.IssuerRow(r)
		if changes := i.Changed(); len(changes) > 0 {
			all = append(all, finding{failure, "issuers", fmt.Sprintf(
				"who issues %s on %s has changed: %s; nothing of it is paid or credited: find out why, then %s",
				i.Symbol, i.Network, strings.Join(changes, "; "), i.Command())})
		}
	}
	if len(all) == 0 {
		all = []finding{{fine, "issuers", fmt.Sprintf("%d tokens have the issuers that servers kept", len(rows))}}
	}
	return all
}
