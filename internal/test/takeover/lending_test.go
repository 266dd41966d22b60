package takeover

import (
	"math/big"
	"strings"
	"time"

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
	{"E20", "a supply of which the pool itself is the owner", "known",
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

const burner = "0x000000000000000000000000000000000000dEaD"

// wasteful are contracts and addresses that give nothing back of a plain transfer: nobody means to pay them.
var wasteful = []string{router, weth, usdc, lendingPool, lendingGateway, permit2, multicall3, burner}

// dropped is a payment of 5 USDC to an address that may be paid as far as lists say.
func dropped(r wire.Rules, to string) func(*host) {
	return lends(r, usdc, "0", transferData(to, 5_000_000))
}

func toAnyList(to ...string) wire.Rules { return wire.Rules{AllowedDestinations: to} }

// strandings have rules that name a contract for its calls, and rules that name nobody: E21.
var strandings = []attack{
	{"E21", "a plain transfer to a router on the list", "known", dropped(atRouter, router)},
	{"E21", "coins for a router on the list", "known", lends(atRouter, router, someWei, "0x")},
	{"E21", "coins for the wrapped coin without a call", "known", lends(toAnyList(weth), weth, someWei, "0x")},
	{"E21", "a plain transfer to a pool on the list", "known", dropped(atPool, lendingPool)},
	{"E21", "a token sent to its own contract", "known", dropped(wire.Rules{MaxValueUSD: "100"}, usdc)},
	{"E21", "a token sent to nobody", "known", dropped(wire.Rules{MaxValueUSD: "100"}, burner)},
	{"E21", "a token sent to its sender", "known", dropped(wire.Rules{MaxValueUSD: "100"}, "0x"+owner)},
	{"E21", "a withdrawal to the gateway", "known",
		lends(atPool, lendingPool, "0", calls(withdraws, usdc, 5_000_000, lendingGateway))},
	{"E21", "a swap whose tokens go to the router", "known",
		trade(atRouter, sells(1_000_000, router, time.Minute, usdc, weth))},
	{"E21", "a plain transfer to a router under a delegation", "known",
		delegated(func(d *wire.Delegation) { d.AllowedDestinations = []string{router} },
			func(p *person) { _, _, _ = p.h.submit(p.exact(router, 0), nil) })},
	{"E21", "an agent that pays a router", "known", handedAs(asUsual, 2_000_000, router)},
	{"E21", "a seller that wants Permit2 paid", "known",
		tricked(atShop(2_000_000), func(o *wire.AgentX402Params) { o.To = permit2 })},
	{"E21", "a plain transfer to a payee that is a contract", "payeeContract", func(h *host) {
		p := h.newcomer()
		p.must(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: p.wallet, Rules: wire.Rules{PayeesOnly: true}})
		vault := binds("Vault", shop)
		vault.Kind = wire.ContractPayee
		p.must(wire.AddPayee, vault)
		body := p.pays(shop)
		_, _, _ = h.submit(body, p.agree(body))
	}},
}
