package widget

import (
	"context"
	"time"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/kit/widget/token"
	"github.com/railkit/railkit/rest"
)

func registerTokens(s *edge.Server, environment chain.Environment) {
	edge.Public(s, edge.Op{
		ID: "listTokens", Path: "/v1/action/tokens/{chain}/{protocol}", Tag: widgetsTag,
		AnyOrigin: true, MaxAge: 5 * time.Minute,
		Summary: "List the tokens of a protocol on a network, or on all",
		Description: "`usdc` lists where the platform knows USDC. It changes only with the platform: an answer may be kept " +
			"for five minutes, and asked for again by its ETag.",
	}, func(_ context.Context, in *struct {
		Chain    string `path:"chain" maxLength:"32" doc:"Slug, chain id, a name as base-sepolia, or all" example:"base"`
		Protocol string `path:"protocol" maxLength:"32" example:"usdc"`
	}) ([]rest.Token, error) {
		return token.List(chain.Networks(environment), in.Chain, in.Protocol)
	})
}
