package exchange

import "github.com/railkit/railkit/fault"

// Errors of quotes. Their details name them as the public widgets do.
var (
	ErrChain = fault.Define(fault.Invalid, "chain_not_supported", "No exchange is listed for this network",
		"The network is none of this environment, or has no exchange of the named protocol whose router is "+
			"understood; `details.code` is `CHAIN_NOT_SUPPORTED`")
	ErrNoRoute = fault.Define(fault.NotFound, "no_route_found", "No pool trades these tokens",
		"No pool, and no two pools through USDC, USDT or the wrapped coin, buy anything for the amount; "+
			"`details.code` is `NO_ROUTE_FOUND`")

	errChain   = ErrChain.With("code", "CHAIN_NOT_SUPPORTED")
	errNoRoute = ErrNoRoute.With("code", "NO_ROUTE_FOUND")
)
