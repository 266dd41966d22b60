package policy

import (
	"math/big"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	swaprouter "github.com/railkit/railkit/chain/evm/router"
	"github.com/railkit/railkit/enclave/wire"
)

// exchange sells 10 USDC for at least 0.003 WETH at the router that base lists, for somebody.
func exchange(t testing.TB, receiver string, until time.Time) (x Signing, at string) {
	t.Helper()
	n := base(t)
	m, coin := chain.Markets(n)[0], n.Tokens[1]
	_, value, data, err := swaprouter.Swap{
		Kind: m.Kind, Router: parsed(t, m.Router), Path: []evm.Address{parsed(t, usdc), parsed(t, coin.Address)},
		In: big.NewInt(10_000_000), MinOut: big.NewInt(3e15), Receiver: parsed(t, receiver),
		Deadline: uint64(until.Unix()),
	}.Call()
	if err != nil {
		t.Fatal(err)
	}
	return call(t, m.Router, value.String(), data), m.Router
}

// A swap costs what is sold, goes to the router, and buys only what rules let the wallet move.
func TestWidget_RulesOfSwaps(t *testing.T) {
	own, at := exchange(t, alice, now.Add(20*time.Minute))
	stranger, _ := exchange(t, bob, now.Add(20*time.Minute))
	unknown := own
	unknown.Effects = append([]chain.Effect{}, own.Effects...)
	unknown.Effects[1].Asset, unknown.Effects[1].Symbol, unknown.Effects[1].Selector = unlisted, "", swap
	for name, c := range map[string]struct {
		r    wire.Rules
		x    Signing
		rule string
	}{
		"within a limit":          {wire.Rules{MaxValueUSD: "10"}, own, ""},
		"above a limit":           {wire.Rules{MaxValueUSD: "9.99"}, own, MaxValueUSD},
		"the router named":        {wire.Rules{AllowedDestinations: []string{at}}, own, ""},
		"the router not named":    {wire.Rules{AllowedDestinations: []string{carol}}, own, AllowedDestinations},
		"for a stranger":          {wire.Rules{AllowedDestinations: []string{at}}, stranger, AllowedDestinations},
		"for a stranger, counted": {wire.Rules{MaxValueUSD: "10"}, stranger, MaxValueUSD},
		"both tokens named":       {wire.Rules{AllowedTokens: []string{"USDC", "WETH"}}, own, ""},
		"bought is not named":     {wire.Rules{AllowedTokens: []string{"USDC"}}, own, AllowedTokens},
		"sold is not named":       {wire.Rules{AllowedTokens: []string{"WETH"}}, own, AllowedTokens},
		"bought is not listed":    {wire.Rules{MaxValueUSD: "10"}, unknown, UnknownCall},
	} {
		d := Check(c.r, c.x, Value(c.x, usd2000), Totals{})
		if got := ruleOf(d); got != c.rule {
			t.Errorf("%s: %q, want %q (%+v)", name, got, c.rule, d)
		}
	}
	// 10 USDC, and 0.003 WETH at the price of 2000 USD that ETH has.
	if c := Value(stranger, usd2000); c.String() != "16" {
		t.Errorf("for a stranger: %s %s", c, c.Unknown)
	}
	if c := Value(own, usd2000); c.String() != "10" {
		t.Errorf("for itself: %s %s", c, c.Unknown)
	}
	delegation := delegated(func(d *wire.Delegation) { d.AllowedDestinations = []string{at} })
	if Covers(delegation, own, Value(own, usd2000), Totals{}, now) {
		t.Error("a delegation covers a swap that nobody looked at")
	}
}

func ruleOf(d *wire.Denial) string {
	if d == nil {
		return ""
	}
	return d.Rule
}

// A deadline an hour ahead passes, a second later it does not.
func TestWidget_SwapsThatWaitLong(t *testing.T) {
	for ahead, late := range map[time.Duration]bool{time.Hour: false, time.Hour + time.Second: true,
		-time.Hour: false} {
		x, _ := exchange(t, alice, now.Add(ahead))
		if d := Late(x, now); ruleOf(d) == SwapDeadline != late {
			t.Errorf("%s: %+v", ahead, d)
		}
	}
	if d := Late(transfer(t, bob, 1), now); d != nil {
		t.Errorf("a transfer: %+v", d)
	}
}
