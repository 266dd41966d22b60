package evm

import (
	"math/big"
	"reflect"
	"slices"
	"testing"

	"github.com/railkit/railkit/chain"
)

const (
	tokensForTokens = "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)"
	ethForTokens    = "swapExactETHForTokens(uint256,address[],address,uint256)"
	tokensForETH    = "swapExactTokensForETH(uint256,uint256,address[],address,uint256)"
	tokensForAVAX   = "swapExactTokensForAVAX(uint256,uint256,address[],address,uint256)"
	v3Multicall     = "multicall(uint256,bytes[])"
	v3Single        = "exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))"
	v3Input         = "exactInput((bytes,address,uint256,uint256))"
	v3Unwrap        = "unwrapWETH9(uint256,address)"

	deadline = 1790000000
)

func routerOf(t testing.TB, n chain.Network) Address {
	t.Helper()
	list := chain.Markets(n)
	return mustAddress(t, list[len(list)-1].Router)
}

func weth(t testing.TB, n chain.Network) Address {
	t.Helper()
	token, _ := n.Wrapped()
	return mustAddress(t, token.Address)
}

func network(t testing.TB, env chain.Environment, slug string) chain.Network {
	t.Helper()
	n, ok := chain.BySlug(env, slug)
	if !ok {
		t.Fatal("no " + slug)
	}
	return n
}

func path(tokens ...Address) list {
	var all list
	for _, a := range tokens {
		all = append(all, a)
	}
	return all
}

func hexBytes(a Address) []byte { return a[:] }

// seen is an effect without what is the same in all of them.
type seen struct {
	kind         chain.EffectKind
	display, to  string
	via, unknown string
}

func seenOf(effects []chain.Effect) (all []seen) {
	for _, e := range effects {
		all = append(all, seen{e.Kind, e.Display, e.To, e.Via, e.Selector})
	}
	return all
}

// What each function of a router does, in the words of its effects: 10 USDC for at least 0.003 WETH, or back.
func TestWidget_SwapsAreRead(t *testing.T) {
	base, polygon := network(t, chain.Sandbox, "base"), network(t, chain.Sandbox, "polygon")
	fuji, mainnet := network(t, chain.Sandbox, "avalanche_c_chain"), network(t, chain.Production, "ethereum")
	usdc := func(n chain.Network) Address { return mustAddress(t, n.Tokens[0].Address) }
	usdt := mustAddress(t, polygon.Tokens[1].Address)
	ten, least, one := big.NewInt(10_000_000), big.NewInt(3e15), big.NewInt(1e18)
	v3 := routerOf(t, mainnet)
	sell := func(n chain.Network, gets, symbol, to string) []seen {
		return []seen{{chain.Transfer, "10 USDC", routerOf(t, n).String(), "", ""}, {chain.Receive, gets + " " +
			symbol, to, "", ""}}
	}
	single := func(to Address, fee int) []byte {
		return encode(t, v3Single, list{usdc(mainnet), weth(t, mainnet), fee, to, ten, least, 0})
	}
	route := slices.Concat(hexBytes(usdc(mainnet)), []byte{0, 1, 0xf4}, hexBytes(weth(t, mainnet)))
	for name, c := range map[string]struct {
		net   chain.Network
		to    Address
		value *big.Int
		data  []byte
		want  []seen
	}{
		"tokens": {base, routerOf(t, base), nil, encode(t, tokensForTokens, ten, least, path(usdc(base), weth(t,
			base)), alice,
			deadline), sell(base, "0.003", "WETH", alice.String())},
		"to the coin": {base, routerOf(t, base), nil, encode(t, tokensForETH, ten, least, path(usdc(base), weth(t,
			base)),
			alice, deadline), sell(base, "0.003", "ETH", alice.String())},
		"to AVAX": {fuji, routerOf(t, fuji), nil, encode(t, tokensForAVAX, ten, least, path(usdc(fuji), weth(t,
			fuji)), alice,
			deadline), sell(fuji, "0.003", "AVAX", alice.String())},
		"the coin": {base, routerOf(t, base), one, encode(t, ethForTokens, ten, path(weth(t, base), usdc(base)),
			alice, deadline),
			[]seen{{chain.Transfer, "1 ETH", routerOf(t, base).String(), "", ""}, {chain.Receive, "10 USDC",
				alice.String(), "", ""}}},
		"two steps": {polygon, routerOf(t, polygon), nil, encode(t, tokensForTokens, ten, least,
			path(usdt, usdc(polygon), weth(t, polygon)), alice, deadline), []seen{
			{chain.Transfer, "10 USDT", routerOf(t, polygon).String(), "", ""},
			{chain.Receive, "0.003 WPOL", alice.String(), "USDC", ""}}},
		"to a stranger": {base, routerOf(t, base), nil, encode(t, tokensForTokens, ten, least, path(usdc(base),
			weth(t, base)),
			bob, deadline), []seen{{chain.Transfer, "10 USDC", routerOf(t, base).String(), "", ""},
			{chain.Transfer, "0.003 WETH", bob.String(), "", ""}}},
		"an unlisted token": {base, routerOf(t, base), nil, encode(t, tokensForTokens, ten, least, path(usdc(base),
			carol), alice,
			deadline), []seen{{chain.Transfer, "10 USDC", routerOf(t, base).String(), "", ""},
			{chain.Receive, "", alice.String(), "", "0x38ed1739"}}},
		"v3": {mainnet, v3, nil, encode(t, v3Multicall, deadline, list{single(alice, 500)}),
			sell(mainnet, "0.003", "WETH", alice.String())},
		"v3, the sender's number": {mainnet, v3, nil, encode(t, v3Multicall, deadline, list{single(routersSender,
			500)}),
			sell(mainnet, "0.003", "WETH", alice.String())},
		"v3, to the coin": {mainnet, v3, nil, encode(t, v3Multicall, deadline,
			list{single(routerItself, 500), encode(t, v3Unwrap, least, alice)}), sell(mainnet, "0.003", "ETH",
			alice.String())},
		"v3, a path": {mainnet, v3, nil, encode(t, v3Multicall, deadline,
			list{encode(t, v3Input, list{route, alice, ten, least})}), sell(mainnet, "0.003", "WETH", alice.String())},
		"wrap": {base, weth(t, base), one, encode(t, "deposit()"), []seen{
			{chain.Transfer, "1 ETH", weth(t, base).String(), "", ""}, {chain.Receive, "1 WETH", alice.String(), "",
				""}}},
		"unwrap": {base, weth(t, base), nil, encode(t, "withdraw(uint256)", one), []seen{
			{chain.Transfer, "1 WETH", weth(t, base).String(), "", ""}, {chain.Receive, "1 ETH", alice.String(), "",
				""}}},
	} {
		got := Effects(alice, &c.to, c.value, c.data, c.net)
		checkEffects(t, got)
		if !reflect.DeepEqual(seenOf(got), c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", name, seenOf(got), c.want)
		}
		if last := got[len(got)-1]; c.to != weth(t, c.net) && last.Ends != deadline {
			t.Errorf("%s: ends %d", name, last.Ends)
		}
	}
}

// What a hostile host would write is one call that nothing can allow: an unknown one without a selector.
func TestSigning_E16_HostileSwapsAreOpaque(t *testing.T) {
	base, mainnet := network(t, chain.Sandbox, "base"), network(t, chain.Production, "ethereum")
	usdc, coin, at := mustAddress(t, base.Tokens[0].Address), weth(t, base), routerOf(t, base)
	usdc1, coin1, v3 := mustAddress(t, mainnet.Tokens[0].Address), weth(t, mainnet), routerOf(t, mainnet)
	single := func(to Address, in, least, limit int) []byte {
		return encode(t, v3Single, list{usdc1, coin1, 500, to, in, least, limit})
	}
	forever := new(big.Int).Set(maxUint256)
	for name, c := range map[string]struct {
		net   chain.Network
		to    Address
		value int64
		data  []byte
	}{
		"for nothing":  {base, at, 0, encode(t, tokensForTokens, 10, 0, path(usdc, coin), alice, deadline)},
		"of nothing":   {base, at, 0, encode(t, tokensForTokens, 0, 1, path(usdc, coin), alice, deadline)},
		"for ever":     {base, at, 0, encode(t, tokensForTokens, 10, 1, path(usdc, coin), alice, forever)},
		"a hidden hop": {base, at, 0, encode(t, tokensForTokens, 10, 1, path(usdc, carol, coin), alice, deadline)},
		"a round trip": {base, at, 0, encode(t, tokensForTokens, 10, 1, path(usdc, coin, usdc), alice, deadline)},
		"three hops": {base, at, 0, encode(t, tokensForTokens, 10, 1, path(usdc, coin, usdc, coin), alice,
			deadline)},
		"no route":        {base, at, 0, encode(t, tokensForTokens, 10, 1, path(usdc), alice, deadline)},
		"a coin beside":   {base, at, 5, encode(t, tokensForTokens, 10, 1, path(usdc, coin), alice, deadline)},
		"a coin for free": {base, at, 0, encode(t, ethForTokens, 1, path(coin, usdc), alice, deadline)},
		"not the coin":    {base, at, 5, encode(t, ethForTokens, 1, path(usdc, coin), alice, deadline)},
		"to no coin":      {base, at, 0, encode(t, tokensForETH, 10, 1, path(coin, usdc), alice, deadline)},
		"by another": {base, multicall3, 0, encode(t, "aggregate((address,bytes)[])", list{list{at, encode(t,
			tokensForTokens, 10, 1, path(usdc, coin), alice, deadline)}})},
		"v3 for nothing": {mainnet, v3, 0, encode(t, v3Multicall, deadline, list{single(alice, 10, 0, 0)})},
		"v3 of all":      {mainnet, v3, 0, encode(t, v3Multicall, deadline, list{single(alice, 0, 1, 0)})},
		"v3 in part":     {mainnet, v3, 0, encode(t, v3Multicall, deadline, list{single(alice, 10, 1, 1)})},
		"v3 left there":  {mainnet, v3, 0, encode(t, v3Multicall, deadline, list{single(routerItself, 10, 1, 0)})},
		"v3 twice": {mainnet, v3, 0, encode(t, v3Multicall, deadline, list{single(alice, 10, 1, 0),
			single(alice, 10, 1, 0)})},
		"v3 unwrapped to 0": {mainnet, v3, 0, encode(t, v3Multicall, deadline, list{single(routerItself, 10, 1, 0),
			encode(t, v3Unwrap, 0, alice)})},
		"v3 something else": {mainnet, v3, 0, encode(t, v3Multicall, deadline, list{encode(t, sendSignature, alice,
			1)})},
		"v3 coin and token": {mainnet, v3, 5, encode(t, v3Multicall, deadline, list{single(alice, 10, 1, 0)})},
		"wrap nothing":      {base, coin, 0, encode(t, "deposit()")},
		"unwrap and pay":    {base, coin, 5, encode(t, "withdraw(uint256)", 1)},
	} {
		got := Effects(alice, &c.to, big.NewInt(c.value), c.data, c.net)
		checkEffects(t, got)
		last := got[len(got)-1]
		if last.Kind != chain.UnknownCall || last.Selector != "" || len(got) > 2 || len(got) == 2 &&
			got[0].Asset != "native" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	// At an address that is no listed router the same call is unknown, and can be allowed by its selector alone.
	got := Effects(alice, &carol, nil, encode(t, tokensForTokens, 10, 1, path(usdc, coin), alice, deadline), base)
	if len(got) != 1 || got[0].Kind != chain.UnknownCall || got[0].Selector != "0x38ed1739" {
		t.Errorf("%+v", got)
	}
}

// What a contract's own call takes, and gives something for, is not stranded there. Whatever else goes to a contract
// that is known is, also as what is supplied, withdrawn or bought for it.
func TestSigning_E16_StrandedAtKnownContracts(t *testing.T) {
	n := network(t, chain.Sandbox, "base")
	usdc, coin, at := mustAddress(t, n.Tokens[0].Address), weth(t, n), routerOf(t, n)
	pool, gateway := poolOf(t, n)
	dead, ten := mustAddress(t, "0x000000000000000000000000000000000000dEaD"), big.NewInt(10)
	pays := func(to Address) []byte { return encode(t, "transfer(address,uint256)", to, ten) }
	sells := func(to Address) []byte {
		return encode(t, tokensForTokens, ten, 1, path(usdc, coin), to, deadline)
	}
	buys := func(to Address) []byte { return encode(t, ethForTokens, 1, path(coin, usdc), to, deadline) }
	together := func(to Address, data []byte) []byte {
		return encode(t, "aggregate3Value((address,bool,uint256,bytes)[])", list{list{to, false, ten, data}})
	}
	for name, c := range map[string]struct {
		to    Address
		value int64
		data  []byte
		at    []Address // where something is stranded
	}{
		"a payment":              {usdc, 0, pays(bob), nil},
		"a swap":                 {at, 0, sells(alice), nil},
		"a swap of the coin":     {at, 10, buys(alice), nil},
		"a supply":               {pool, 0, encode(t, supply, usdc, ten, alice, 0), nil},
		"a supply of the coin":   {gateway, 10, encode(t, depositCoin, pool, alice, 0), nil},
		"a withdrawal":           {pool, 0, encode(t, withdraw, usdc, ten, bob), nil},
		"coin that is wrapped":   {coin, 10, encode(t, "deposit()"), nil},
		"coin that is unwrapped": {coin, 0, encode(t, "withdraw(uint256)", ten), nil},
		"an allowance":           {usdc, 0, encode(t, "approve(address,uint256)", at, ten), nil},
		"an unknown call":        {at, 10, encode(t, "addLiquidityETH(address,uint256)", usdc, ten), nil},
		"one that is misspelt":   {at, 10, append(buys(alice), 0), nil},
		"coin passed on":         {multicall3, 10, together(bob, nil), nil},
		"a void":                 {alice, 0, nil, nil},
		"a transfer to a router": {usdc, 0, pays(at), []Address{at}},
		"from somebody": {usdc, 0, encode(t, "transferFrom(address,address,uint256)", bob, pool, ten),
			[]Address{pool}},
		"coin to a router":        {at, 10, nil, []Address{at}},
		"coin to a wrapped coin":  {coin, 10, nil, []Address{coin}},
		"a token to itself":       {usdc, 0, pays(usdc), []Address{usdc}},
		"a token to another":      {usdc, 0, pays(coin), []Address{coin}},
		"a token to Permit2":      {usdc, 0, pays(permit2), []Address{permit2}},
		"a token to nobody":       {usdc, 0, pays(dead), []Address{dead}},
		"a token to its sender":   {usdc, 0, pays(alice), []Address{alice}},
		"a supply for the pool":   {pool, 0, encode(t, supply, usdc, ten, pool, 0), []Address{pool}},
		"a supply for a router":   {pool, 0, encode(t, supply, usdc, ten, at, 0), []Address{at}},
		"coin for the gateway":    {gateway, 10, encode(t, depositCoin, pool, gateway, 0), []Address{gateway}},
		"a withdrawal to a token": {pool, 0, encode(t, withdraw, usdc, ten, usdc), []Address{usdc}},
		"coin back to the pool":   {gateway, 0, encode(t, withdrawCoin, pool, ten, pool), []Address{pool}},
		"a swap for the router":   {at, 0, sells(at), []Address{at}},
		"a swap for a token":      {at, 0, sells(usdc), []Address{usdc}},
		"coin passed on to it":    {multicall3, 10, together(at, nil), []Address{at}},
		"coin that stays behind": {multicall3, 10, encode(t, "aggregate3((address,bool,bytes)[])",
			list{list{usdc, false, pays(bob)}}), []Address{multicall3}},
	} {
		var found []Address
		for _, e := range Effects(alice, &c.to, big.NewInt(c.value), c.data, n) {
			if _, stranded := chain.Stranded(n, e); stranded {
				found = append(found, mustAddress(t, e.To))
			}
		}
		if !slices.Equal(found, c.at) {
			t.Errorf("%s: stranded at %v, want %v", name, found, c.at)
		}
	}
	for _, f := range tables {
		k, known := chain.KnownAt(chain.Network{Kind: chain.EVM}, f.at.String())
		if f.at != (Address{}) && (!known || k.Kind != chain.KnownTool) {
			t.Errorf("%s is read, and not known: %+v", f.at, k)
		}
	}
}
