package doctor

import (
	"context"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/web/dashboard"
)

// checkDashboard asks the dashboard's origin for the site, where members log in: one that somebody else serves could
// act with their sessions.
func checkDashboard(ctx context.Context, t target) []finding {
	if t.DashboardOrigin == "" {
		return nil
	}
	if err := dashboard.Served(ctx, t.DashboardOrigin); err != nil {
		return []finding{{failure, "dashboard", "it is not served at its origin as it is here: " + cli.OneLine(err)}}
	}
	return []finding{{fine, "dashboard", "it is served as it is"}}
}
