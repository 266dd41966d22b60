package takeover

import (
	"math/big"
	"strings"

	"github.com/railkit/railkit/enclave/wire"
)

// The lending pool of base in the sandbox, and its gateway.
const (
	lendingPool    = "0x4a352DDA38E21c1452bf34c393ef4f6a1C26d276"
	lendingGateway = "0x1E5f8E5DfA76232e8d6c78BfC5D05c67cB2d1400"
)

// atPool may be paid, and nobody else.
var atPool = wire.Rules{AllowedDestinations: []string{lendingPool, lendingGateway}}

// lends is an attack with a call of a pool or its gateway that its owner stamped.
func lends(r wire.Rules, at string, value string, data string) func(*host) {
	return limited(r, func(p *person, x *wire.SignIntentParams) {
		x.To, x.Value, x.Data = at, value, strings.ReplaceAll(data, owner, strings.ToLower(p.address[2:]))
	})
}

const (
	supplies  = "supply(address,uint256,address,uint16)"
	withdraws = "withdraw(address,uint256,address)"
)

// lendingAttacks have the passkey of whoever did not look, and the rules of the wallet to stop them.
var lendingAttacks = []attack{
	{"E20", "a supply of which a stranger is the owner", "lendingowner",
		lends(atPool, lendingPool, "0", calls(supplies, usdc, 5_000_000, robber, 0))},
	{"E20", "a supply of which the pool itself is the owner", "lendinglost",
		lends(atPool, lendingPool, "0", calls(supplies, usdc, 5_000_000, lendingPool, 0))},
	{"E20", "a supply of coins of which a stranger is the owner", "lendingcoin",
		lends(atPool, lendingGateway, someWei, calls("depositETH(address,address,uint16)", lendingPool, robber, 0))},
	{"E20", "a withdrawal to a stranger", "lendingreceiver",
		lends(atPool, lendingPool, "0", calls(withdraws, usdc, 5_000_000, robber))},
	{"E20", "a withdrawal of everything to a stranger", "lendingreceiver",
		lends(wire.Rules{MaxValueUSD: "1000000"}, lendingPool, "0", calls(withdraws, usdc, everything, robber))},
	{"E20", "an allowance for a pool without end", "value",
		lends(wire.Rules{MaxValueUSD: "100"}, usdc, "0", calls("approve(address,uint256)", lendingPool, everything))},
	{"E20", "a debt", "calls",
		lends(atPool, lendingPool, "0", calls("borrow(address,uint256,uint256,uint16,address)", usdc,
			big.NewInt(5_000_000), 2, 0, owner))},
}
