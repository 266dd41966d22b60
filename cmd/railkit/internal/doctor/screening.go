package doctor

import (
	"context"
	"fmt"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/internal/app"
)

// checkScreening reads the deny list, and asks the provider about nothing, which needs the key.
func checkScreening(ctx context.Context, t target) []finding {
	var all []finding
	deny, err := app.DenyList(t.Server)
	if err != nil {
		all = append(all, finding{failure, "screening", cli.OneLine(err)})
	} else if deny != nil {
		names, addresses := deny.Len()
		what := "the deny list"
		if t.ScreeningDeny == "" {
			what = "the sandbox's own deny list"
		}
		verdict := fine
		if names+addresses == 0 {
			verdict = warning
		}
		all = append(all, finding{
			verdict, "screening", fmt.Sprintf("%s has names: %d, addresses: %d", what, names, addresses),
		})
	}
	asks, err := app.ScreeningProvider(t.Server)
	switch {
	case err != nil:
		all = append(all, finding{failure, "screening", cli.OneLine(err)})
	case asks != nil:
		ctx, cancel := context.WithTimeout(ctx, dial)
		defer cancel()
		if err := asks.Ping(ctx); err != nil {
			return append(all, finding{
				failure, "screening",
				"the provider does not answer as it should, and payouts wait: " + cli.OneLine(err),
			})
		}
		all = append(all, finding{fine, "screening", "the provider answers, and takes the key"})
	}
	if len(all) == 0 && t.Environment == string(chain.Production) && t.PartnerURL != "" {
		return []finding{{
			warning, "screening", "no --screening-url and no --screening-deny: nobody screens payouts and refunds",
		}}
	}
	if len(all) == 0 {
		return []finding{{note, "screening", "no --screening-url and no --screening-deny name a list"}}
	}
	return all
}
