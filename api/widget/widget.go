// Package widget is the operations behind buttons that pay: their metadata, what they trade, and what they earn.
package widget

import (
	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/trade"
	"github.com/railkit/railkit/kit/widget/miniapp"
	"github.com/railkit/railkit/kit/widget/reward"
)

// Deps is what the operations stand on.
type Deps struct {
	Environment chain.Environment
	Origin      string // at which callers reach the API; "": nobody said
	MiniApps    *miniapp.Service
	Rewards     *reward.Service
	Signing     *signing.Kit
	Trade       *trade.Kit
}

// Register lists the operations.
func Register(s *edge.Server, d Deps) {
	registerBuilders(s, d.Environment, d.Origin)
	registerMiniApps(s, d.MiniApps)
	registerTokens(s, d.Environment)
	registerBlocks(s, d.Signing.Blocks)
	registerRewards(s, d.Rewards, d.Environment)
	registerSwaps(s, d.Trade.Swaps)
	registerLending(s, d.Trade.Lending)
}
