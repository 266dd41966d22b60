package policy

import (
	"math/big"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm/aave"
	"github.com/railkit/railkit/enclave/wire"
)

// A supply costs what leaves for the pool, and one for a stranger is paid to him. What comes back costs nothing unless
// it goes to somebody else. An allowance without an end costs more than any limit.
func TestWidget_RulesOfLending(t *testing.T) {
	n := base(t)
	p := chain.LendingPools(n)[0]
	lend := func(c chain.Call, err error) Signing {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return call(t, c.To, c.Value.String(), c.Data)
	}
	ten, coin := big.NewInt(10_000_000), big.NewInt(1e18)
	atPool := wire.Rules{AllowedDestinations: []string{p.Pool, p.Gateway}}
	limit, nothing := wire.Rules{MaxValueUSD: "10"}, wire.Rules{MaxValueUSD: "0.01"}
	atCarol := wire.Rules{AllowedDestinations: []string{carol}}
	huge := wire.Rules{MaxValueUSD: "1000000000"}
	supply := func(owner string) Signing { return lend(aave.Supply(p, usdc, ten, owner)) }
	back := func(amount *big.Int, to string) Signing { return lend(aave.Withdraw(p, usdc, amount, to)) }
	coinBack := func(to string) Signing { return lend(aave.WithdrawCoin(p, coin, to)) }
	for name, c := range map[string]struct {
		r    wire.Rules
		x    Signing
		rule string
	}{
		"within a limit":              {limit, supply(alice), ""},
		"above a limit":               {wire.Rules{MaxValueUSD: "9.99"}, supply(alice), MaxValueUSD},
		"the pool named":              {atPool, supply(alice), ""},
		"the pool not named":          {atCarol, supply(alice), AllowedDestinations},
		"for a stranger":              {atPool, supply(bob), AllowedDestinations},
		"another token":               {wire.Rules{AllowedTokens: []string{"WETH"}}, supply(alice), AllowedTokens},
		"the coin, for a stranger":    {atPool, lend(aave.SupplyCoin(p, coin, bob)), AllowedDestinations},
		"the coin":                    {atPool, lend(aave.SupplyCoin(p, coin, alice)), ""},
		"the coin counts":             {limit, lend(aave.SupplyCoin(p, coin, alice)), MaxValueUSD},
		"back to itself":              {nothing, back(ten, alice), ""},
		"all back to itself":          {nothing, back(aave.All, alice), ""},
		"back to itself, pool only":   {atPool, back(ten, alice), ""},
		"back to a stranger":          {atPool, back(ten, bob), AllowedDestinations},
		"back to a stranger, counted": {wire.Rules{MaxValueUSD: "9.99"}, back(ten, bob), MaxValueUSD},
		"all back to a stranger":      {huge, back(aave.All, bob), MaxValueUSD},
		"the coin back to itself":     {nothing, coinBack(alice), ""},
		"the coin back to a stranger": {limit, coinBack(bob), MaxValueUSD},
		"an exact allowance":          {limit, lend(aave.Approve(usdc, p.Pool, ten)), ""},
		"an allowance without an end": {huge, lend(aave.Approve(usdc, p.Pool, aave.All)), MaxValueUSD},
	} {
		if d := Check(c.r, c.x, Value(c.x, usd2000), Totals{}); ruleOf(d) != c.rule {
			t.Errorf("%s: %q, want %q (%+v)", name, ruleOf(d), c.rule, d)
		}
	}
}
