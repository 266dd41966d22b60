package widget

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/signing/block"
	"github.com/railkit/railkit/rest"
)

func registerBlocks(s *edge.Server, kit *block.Service) {
	edge.Public(s, edge.Op{
		ID: "getRecentBlock", Path: "/v1/action/blocks/recent/{chain}", Tag: widgetsTag, AnyOrigin: true,
		Summary: "Get a recent block, which a wallet's own transaction may name, and what became of a transaction",
		Description: "For pages that have a wallet sign by itself, on networks whose transactions expire. A transaction that is `pending` " +
			"while `height` is above the `lastHeight` that came with its blockhash will never be in a block. Where the node does " +
			"not answer this is 502, and 503 where there is none. An answer is given again for a second.",
	}, func(ctx context.Context, in *struct {
		Chain       string `path:"chain" maxLength:"32" doc:"Slug, chain id, or a name as base-sepolia" example:"solana"`
		Transaction string `query:"transaction" maxLength:"90" pattern:"^(0x[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{64,88})?$" patternDescription:"the id of a transaction" doc:"Id of a transaction to look for"`
	}) (rest.RecentBlock, error) {
		return kit.Recent(ctx, in.Chain, in.Transaction)
	})
}
