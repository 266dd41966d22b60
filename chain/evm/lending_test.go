package evm

import (
	"math/big"
	"reflect"
	"testing"

	"github.com/railkit/railkit/chain"
)

const (
	supply       = "supply(address,uint256,address,uint16)"
	withdraw     = "withdraw(address,uint256,address)"
	depositCoin  = "depositETH(address,address,uint16)"
	withdrawCoin = "withdrawETH(address,uint256,address)"
	borrow       = "borrow(address,uint256,uint256,uint16,address)"
)

func poolOf(t testing.TB, n chain.Network) (pool, gateway Address) {
	t.Helper()
	p := chain.LendingPools(n)[0]
	return mustAddress(t, p.Pool), mustAddress(t, p.Gateway)
}

// What each function of a pool and its gateway does, in the words of its effects. Whoever else owns what is supplied,
// or gets what is withdrawn, is told as the one who is paid.
func TestWidget_LendingIsRead(t *testing.T) {
	base := network(t, chain.Sandbox, "base")
	usdc, coin := mustAddress(t, base.Tokens[0].Address), weth(t, base)
	pool, gateway := poolOf(t, base)
	ten, one := big.NewInt(10_000_000), big.NewInt(1e18)
	is := func(kind chain.EffectKind, display string, to Address) []seen {
		return []seen{{kind, display, to.String(), "", ""}}
	}
	all := maxUint256
	deposit := func(owner Address) []byte { return encode(t, depositCoin, pool, owner, 0) }
	coinBack := func(amount *big.Int, to Address) []byte { return encode(t, withdrawCoin, pool, amount, to) }
	for name, c := range map[string]struct {
		to    Address
		value *big.Int
		data  []byte
		want  []seen
	}{
		"supply":      {pool, nil, encode(t, supply, usdc, ten, alice, 0), is(chain.Transfer, "10 USDC", pool)},
		"supply WETH": {pool, nil, encode(t, supply, coin, one, alice, 7), is(chain.Transfer, "1 WETH", pool)},
		"for another": {pool, nil, encode(t, supply, usdc, ten, bob, 0), is(chain.Transfer, "10 USDC", bob)},
		"unlisted": {pool, nil, encode(t, supply, carol, ten, alice, 0),
			[]seen{{chain.Transfer, "", pool.String(), "", "0x617ba037"}}},
		"withdraw":           {pool, nil, encode(t, withdraw, usdc, ten, alice), is(chain.Receive, "10 USDC", alice)},
		"withdraw all":       {pool, nil, encode(t, withdraw, usdc, all, alice), is(chain.Receive, "0 USDC", alice)},
		"withdraw elsewhere": {pool, nil, encode(t, withdraw, usdc, ten, bob), is(chain.Transfer, "10 USDC", bob)},
		"the coin":           {gateway, one, deposit(alice), is(chain.Transfer, "1 ETH", gateway)},
		"the coin for another": {gateway, one, deposit(bob),
			append(is(chain.Transfer, "1 ETH", gateway), is(chain.Transfer, "1 ETH", bob)...)},
		"the coin back":           {gateway, nil, coinBack(one, alice), is(chain.Receive, "1 ETH", alice)},
		"all coins back":          {gateway, nil, coinBack(all, alice), is(chain.Receive, "0 ETH", alice)},
		"the coin back elsewhere": {gateway, nil, coinBack(one, bob), is(chain.Transfer, "1 ETH", bob)},
	} {
		got := Effects(alice, &c.to, c.value, c.data, base)
		checkEffects(t, got)
		if !reflect.DeepEqual(seenOf(got), c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", name, seenOf(got), c.want)
		}
	}
	for name, data := range map[string][]byte{
		"withdraw elsewhere": encode(t, withdraw, usdc, maxUint256, bob),
		"the coin elsewhere": encode(t, withdrawCoin, pool, maxUint256, bob),
	} {
		to := pool
		if name == "the coin elsewhere" {
			to = gateway
		}
		if e := Effects(alice, &to, nil, data, base)[0]; e.Kind != chain.Transfer || e.Amount != maxUint256.String() {
			t.Errorf("all of it, %s: %+v", name, e)
		}
	}
}

// What is no lending of the wallet's own is one unknown call: with its selector, so that a policy may allow it by name,
// where only the function or the contract is another, and else without.
func TestWidget_LendingThatIsNotRead(t *testing.T) {
	base := network(t, chain.Sandbox, "base")
	usdc := mustAddress(t, base.Tokens[0].Address)
	pool, gateway := poolOf(t, base)
	ten, one := big.NewInt(10_000_000), big.NewInt(1e18)
	for name, c := range map[string]struct {
		to     Address
		value  *big.Int
		data   []byte
		opaque bool
	}{
		"borrow":                    {pool, nil, encode(t, borrow, usdc, ten, 2, 0, alice), false},
		"another contract":          {carol, nil, encode(t, supply, usdc, ten, alice, 0), false},
		"a deposit at the pool":     {pool, one, encode(t, depositCoin, pool, alice, 0), false},
		"a withdrawal there":        {gateway, nil, encode(t, withdraw, usdc, ten, alice), false},
		"another pool named":        {gateway, one, encode(t, depositCoin, carol, alice, 0), true},
		"another pool, back":        {gateway, nil, encode(t, withdrawCoin, carol, one, alice), true},
		"no coin":                   {gateway, nil, encode(t, depositCoin, pool, alice, 0), true},
		"a coin with a supply":      {pool, one, encode(t, supply, usdc, ten, alice, 0), true},
		"a coin with a withdrawal":  {pool, one, encode(t, withdraw, usdc, ten, alice), true},
		"a byte more than is asked": {pool, nil, append(encode(t, supply, usdc, ten, alice, 0), 0), true},
	} {
		got := Effects(alice, &c.to, c.value, c.data, base)
		checkEffects(t, got)
		last := got[len(got)-1]
		if last.Kind != chain.UnknownCall || last.Contract != c.to.String() || (last.Selector == "") != c.opaque {
			t.Errorf("%s: %+v", name, got)
		}
	}
	// By another contract: whose it is then is not the wallet.
	inner := list{pool, false, encode(t, supply, usdc, ten, alice, 0)}
	got := Effects(alice, &multicall3, nil, encode(t, "aggregate3((address,bool,bytes)[])", list{inner}), base)
	if last := got[len(got)-1]; last.Kind != chain.UnknownCall || last.Selector != "" {
		t.Errorf("through Multicall3: %+v", got)
	}
}
