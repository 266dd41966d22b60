package signing

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/api/edge/stamp"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/rule"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
)

func registerPrices(s *edge.Server, kit *signing.Kit) {
	const tag, path = "Policies", "/v1/signing/prices"
	edge.Get(s, edge.Op{
		ID: "listPrices", Path: path, Tag: tag,
		Summary: "List the prices and data fees that the signer uses, and those that it refuses", Module: auth.Signing,
	}, func(ctx context.Context, _ auth.Principal, _ *struct{}) (rule.PricesView, error) {
		return kit.Rules.Prices(ctx)
	})
	edge.Write[rule.PriceOverride](s, stamp.ThreeForms(edge.Op{
		ID: "overridePrice", Path: path + "/override", Tag: tag,
		Summary: "Accept a price that moved too far, for one sub-organization",
	}), func(ctx context.Context, cmd *command.Command, in *struct {
		stamp.Query
		Body rule.OverridePriceInput
	}) (command.Answer, error) {
		return kit.Rules.OverridePrice(ctx, cmd, in.Body, in.Prepare)
	})
}
