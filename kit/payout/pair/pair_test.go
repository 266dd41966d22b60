package pair

import (
	"errors"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/money"
)

// What is paid out is listed in both environments: a pair of the specification that no network has would be an address
// that nobody can pay into.
func TestPairs_AreListed(t *testing.T) {
	for slug, coins := range offRamp {
		for _, coin := range coins {
			for _, env := range []chain.Environment{chain.Sandbox, chain.Production} {
				for _, r := range []Ramp{Off, On} {
					if why := Why(r, env, slug, coin); why != "" {
						t.Errorf("%s %s: %s", env, r, why)
					}
				}
			}
		}
	}
}

// A refusal says why.
func TestPairs_Refused(t *testing.T) {
	p := Pairs{chain.Sandbox, []string{"base", "solana", "tron"}}
	for _, c := range []struct {
		ramp Ramp
		slug string
		coin money.Currency
		says string // "": it is served
	}{
		{Off, "base", money.USDC, ""}, {On, "base", money.USDC, ""},
		{Off, "solana", money.USDT, ""}, {On, "solana", money.USDT, ""},
		{Off, "base", money.USDT, "USDT is not issued on base"}, {On, "base", money.USDT, "not listed on base"},
		{Off, "optimism", money.USDC, "is not one of arbitrum+usdc"}, {Off, "polygon", money.USDC, "Nobody watches"},
		{On, "polygon", money.USDC, "Nobody watches"}, {On, "near", money.USDC, "near is not a network"},
		{Off, "tron", money.USDT, "is not one of"}, {On, "tron", money.USDT, "nothing is paid"},
		{Off, "near", money.USDC, "is not one of"}, {On, "solana", money.EUR, "EUR is not listed"},
	} {
		err := p.Check(c.ramp, c.slug, c.coin)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) ||
			err != nil && !errors.Is(err, ErrUnsupported) && !errors.Is(err, ErrNotWatched) {
			t.Errorf("%s %s %s: %v, want %q", c.ramp, c.slug, c.coin, err, c.says)
		}
	}
}
