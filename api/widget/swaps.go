package widget

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/trade/swap"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

const swapPath = "/v1/action/execute/swap"

func registerSwaps(s *edge.Server, kit *swap.Service) {
	edge.Public(s, edge.Op{
		ID: "getSwapQuote", Path: swapPath + "/quote", Tag: widgetsTag, AnyOrigin: true, Bare: true,
		Summary: "Get the best price of a swap over a network's exchanges",
		Description: "Without the envelope. Prices are those of the exchanges' pools now, routes have one or two steps, and only listed " +
			"tokens are traded.",
	}, func(ctx context.Context, in *swap.SwapQuoteInput) (rest.SwapQuote, error) { return kit.Quote(ctx, *in) })
	edge.Write[swap.PreparedSwap](s, edge.Op{
		ID: "prepareSwap", Path: swapPath + "/prepare", Tag: widgetsTag, Module: auth.Widget,
		Aliases: edge.Aliases{"tokenIn": "fromToken", "tokenOut": "toToken", "chain": "network", "from": "signWith"},
		Summary: "Prepare the next step of a swap: allow the router the exact amount, or trade",
		Description: "`step` says which. What leaves, the least that comes back, the receiver and the deadline are in what is stamped. " +
			"After a step that is not `swap`, call it again once that transaction is confirmed.",
	}, func(ctx context.Context, cmd *command.Command, in *struct{ Body swap.SwapInput }) (command.Answer, error) {
		return kit.Prepare(ctx, cmd, in.Body)
	})
	edge.Write[swap.SwapStep](s, edge.Op{
		ID: "confirmSwap", Path: swapPath + "/confirm", Tag: widgetsTag, Module: auth.Widget, Queued: true,
		Aliases:     edge.Aliases{"stampedActivity": "signedActivity", "signedTransaction": "signedActivity"},
		Summary:     "Sign and send a stamped step of a swap; where it needs approval it waits for votes",
		Description: "A swap that the router would refuse now is not signed (`swap_would_fail`): prepare it again, at the price of now.",
	}, func(ctx context.Context, cmd *command.Command, in *struct{ Body swap.ConfirmSwapInput }) (command.Answer,
		error) {
		return kit.Confirm(ctx, cmd, in.Body)
	})
}
