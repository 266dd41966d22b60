package takeover

import (
	"strings"
	"time"

	"github.com/railkit/railkit/enclave/wire"
)

// The exchange of base in the sandbox, and the wrapped coin that it trades.
const (
	router = "0x8Ac2bCbE7F97ab90955696341f9D99806f9e7E34"
	weth   = "0x4200000000000000000000000000000000000006"
)

// sells is the call that sells 5 USDC along a route, to be had until so long from now.
func sells(least int, to string, wait time.Duration, route ...string) string {
	words := []any{5_000_000, least, 5 * 32, to, int(time.Now().Add(wait).Unix()), len(route)}
	for _, token := range route {
		words = append(words, token)
	}
	return calls("swapExactTokensForTokens(uint256,uint256,address[],address,uint256)", words...)
}

// trade is an attack with a swap that its owner stamped, of a wallet whose policy he stamped before.
func trade(r wire.Rules, data string) func(*host) {
	return limited(r, func(p *person, x *wire.SignIntentParams) {
		x.To, x.Value, x.Data = router, "0", strings.ReplaceAll(data, owner, strings.ToLower(p.address[2:]))
	})
}

var (
	nearPrice = wire.Rules{MaxSlippagePercent: "3"}
	atRouter  = wire.Rules{AllowedDestinations: []string{router}}
	inTwo     = wire.Rules{AllowedTokens: []string{"USDC", "WETH"}}
)

// swapAttacks have the passkey of whoever did not look, and the rules of the wallet to stop them.
var swapAttacks = []attack{
	{"E16", "a swap whose tokens go to a stranger", "swapreceiver",
		trade(atRouter, sells(1_000_000, robber, time.Minute, usdc, weth))},
	{"E16", "a swap for nothing at least", "swapminimum", trade(atRouter, sells(0, owner, time.Minute, usdc, weth))},
	{"E16", "a swap through a pool of the robber's token", "swaproute",
		trade(atRouter, sells(1_000_000, owner, time.Minute, usdc, robber, weth))},
	{"E16", "a swap that may wait for days", "swapdeadline",
		trade(atRouter, sells(1_000_000, owner, 72*time.Hour, usdc, weth))},
	{"E16", "a swap for a token that keeps a fee", "swaptoken",
		trade(inTwo, sells(1_000_000, owner, time.Minute, usdc, robber))},
	{"E16", "a minimum that a lying quote made", "slippage",
		trade(nearPrice, sells(1_000_000, owner, time.Minute, usdc, weth))},
	{"E16", "a swap for a token that has no price", "unpriced", limited(nearPrice,
		func(p *person, x *wire.SignIntentParams) {
			const at, usdt = "0xFCdD8E78407Cab81a9274aa3fEd4A0217cd632bF", "0x502465eB63Af51B4d81021d5F9982E1AAD6eEfC6"
			x.To, x.Value, x.Chain, x.ChainID = at, "0", "polygon", "80002"
			x.Data = strings.ReplaceAll(sells(5_000_000, owner, time.Minute, usdcs["polygon"], usdt), owner,
				strings.ToLower(p.address[2:]))
		})},
	{"E16", "an allowance for a router without end", "value", limited(wire.Rules{MaxValueUSD: "100"},
		func(_ *person, x *wire.SignIntentParams) {
			x.To, x.Value, x.Data = usdc, "0", calls("approve(address,uint256)", router, everything)
		})},
	{"E16", "a swap above the limit", "value", trade(wire.Rules{MaxValueUSD: "4"},
		sells(1_000_000, owner, time.Minute, usdc, weth))},
	{"E16", "a router that nobody listed", "calls", limited(inTwo, func(p *person, x *wire.SignIntentParams) {
		x.To, x.Value = robber, "0"
		x.Data = strings.ReplaceAll(sells(1_000_000, owner, time.Minute, usdc, weth), owner,
			strings.ToLower(p.address[2:]))
	})},
}
