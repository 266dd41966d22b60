package app

import (
	"context"
	"errors"

	"github.com/railkit/railkit/chain/evm/rpc"
)

// meetNodes asks every node which chain it is on and writes down what is wrong.
// The server starts all the same: a node may come later, and to one on another
// chain nothing is sent, since the client asks again before each first call.
func (a *App) meetNodes(ctx context.Context) {
	for _, n := range a.nodes {
		a.running.Go(func() {
			_, err := n.ChainID(ctx)
			switch network := n.Network(); {
			case errors.Is(err, rpc.ErrWrongNetwork):
				a.config.Log.Error("a node is on another chain: nothing is sent to it; give --rpc the URL of a node of the network",
					"network", network.Slug, "chainId", network.ChainID, "error", err)
			case err != nil && ctx.Err() == nil:
				a.config.Log.Warn("a node does not answer", "network", network.Slug, "error", err)
			}
		})
	}
}
