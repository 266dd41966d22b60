package policy

import (
	"reflect"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

func swaps(contract string) []wire.AllowedContract {
	return []wire.AllowedContract{{Chain: "base", Address: contract, Selectors: []string{swap}}}
}

var swapData = []byte{0x12, 0x34, 0x56, 0x78, 1}

var nft = chain.Effect{
	Kind: chain.Transfer, Asset: unlisted, Contract: unlisted, Selector: "0x42842e0e", From: alice, To: bob,
	Amount: "1", TokenID: "7",
}

// Every rule, on both sides of its edge; and every field of every denial.
func TestSigning_E01_EveryDenial(t *testing.T) {
	denied := func(rule, field, observed, limit string) *wire.Denial {
		return &wire.Denial{Rule: rule, Field: field, Observed: observed, Limit: limit}
	}
	to := func(all ...string) wire.Rules { return wire.Rules{AllowedDestinations: all} }
	max100 := wire.Rules{MaxValueUSD: "100"}
	understandable := wire.Rules{AllowedChains: []string{"base"}}
	for name, c := range map[string]struct {
		r     wire.Rules
		x     Signing
		spent Totals
		want  *wire.Denial
	}{
		"value, equal": {max100, transfer(t, bob, 100_000_000), Totals{}, nil},
		"value, above": {max100, transfer(t, bob, 100_000_001), Totals{},
			denied("maxValueUsd", "value", "100.000001", "100")},
		"value, with its fee": {max100, fee(transfer(t, bob, 100_000_000), 1), Totals{},
			denied("maxValueUsd", "value", "100.000001", "100")},
		"value, whatever spent": {max100, transfer(t, bob, 1), Totals{Day: 1 << 62, Month: 1 << 62}, nil},
		"allowance": {max100, approve(t, bob, everything), Totals{},
			denied("maxValueUsd", "value", "unlimited", "100")},
		"largest limit": {wire.Rules{MaxValueUSD: "1000000000000"}, approve(t, bob, everything), Totals{},
			denied("maxValueUsd", "value", "unlimited", "1000000000000")},
		"day, equal": {wire.Rules{DailyUSD: "10"}, transfer(t, bob, 1_000_000),
			Totals{Day: 9_000_000, Month: 1 << 40}, nil},
		"day, above": {wire.Rules{DailyUSD: "10"}, transfer(t, bob, 1_000_001), Totals{Day: 9_000_000},
			denied("dailyUsd", "dailyTotal", "10.000001", "10")},
		"day, overflow": {wire.Rules{DailyUSD: "10"}, transfer(t, bob, 1), Totals{Day: unlimited},
			denied("dailyUsd", "dailyTotal", "unlimited", "10")},
		"month, equal": {wire.Rules{MonthlyUSD: "10"}, transfer(t, bob, 1_000_000),
			Totals{Month: 9_000_000}, nil},
		"month, above": {wire.Rules{MonthlyUSD: "10"}, transfer(t, bob, 2_000_000), Totals{Month: 9_000_000},
			denied("monthlyUsd", "monthlyTotal", "11", "10")},
		"no price": {max100, fee(typed(t), 1).on(t, "polygon"), Totals{},
			denied("unknownPrice", "value", "no price of POL", "maxValueUsd 100")},
		"no price, month": {wire.Rules{MonthlyUSD: "5"}, fee(typed(t), 1).on(t, "polygon"), Totals{},
			denied("unknownPrice", "value", "no price of POL", "monthlyUsd 5")},
		"no price, no limit": {understandable, fee(transfer(t, bob, 1), 1), Totals{}, nil},

		"destination": {to(bob), transfer(t, bob, 1), Totals{}, nil},
		"destination, other": {to(bob), transfer(t, carol, 1), Totals{},
			denied("allowedDestinations", "to", carol, bob)},
		"not the token": {to(usdc), transfer(t, bob, 1), Totals{},
			denied("allowedDestinations", "to", bob, usdc)},
		"destination of coin": {to(bob, carol), call(t, unlisted, "1", nil), Totals{},
			denied("allowedDestinations", "to", unlisted, bob+", "+carol)},
		"destination of nothing": {to(bob), call(t, carol, "0", nil), Totals{},
			denied("allowedDestinations", "to", carol, bob)},
		"spender": {to(bob), approve(t, bob, everything), Totals{}, nil},
		"spender, other": {to(bob), approve(t, carol, everything), Totals{},
			denied("allowedDestinations", "spender", carol, bob)},
		"spender, revoked": {to(bob), approve(t, carol, zero), Totals{}, nil},
		"destination of nobody": {to(bob), typed(t, chain.Effect{Kind: chain.Transfer, Asset: "native", Amount: "1"}),
			Totals{}, denied("allowedDestinations", "to", "", bob)},
		"chain": {understandable, transfer(t, bob, 1), Totals{}, nil},
		"chain, other": {wire.Rules{AllowedChains: []string{"polygon", "ethereum"}}, transfer(t, bob, 1), Totals{},
			denied("allowedChains", "chain", "base", "polygon, ethereum")},
		"chain, plain text": {understandable, Signing{}, Totals{}, nil},
		"chain of an effect": {understandable, Signing{Effects: []chain.Effect{{Kind: chain.UnknownCall}}}, Totals{},
			denied("allowedChains", "chain", "", "base")},
		"token": {wire.Rules{AllowedTokens: []string{"USDC"}},
			fee(transfer(t, bob, 1), 1), Totals{}, nil},
		"token, by address": {wire.Rules{AllowedTokens: []string{usdc}}, transfer(t, bob, 1), Totals{}, nil},
		"token, coin": {wire.Rules{AllowedTokens: []string{"USDC"}}, call(t, bob, "1", nil), Totals{},
			denied("allowedTokens", "token", "ETH", "USDC")},
		"token, other": {wire.Rules{AllowedTokens: []string{"ETH"}}, transfer(t, bob, 1), Totals{},
			denied("allowedTokens", "token", "USDC", "ETH")},
		"token, unlisted": {understandable, call(t, unlisted, "0", transferData(t, bob, 1)), Totals{},
			denied("unknownCall", "contract", "base "+unlisted+" 0xa9059cbb", understood)},
		"token, unlisted, named": {wire.Rules{AllowedTokens: []string{unlisted}},
			call(t, unlisted, "0", transferData(t, bob, 1)), Totals{}, nil},
		"unlisted, named, priced": {wire.Rules{AllowedTokens: []string{unlisted}, DailyUSD: "1"}, call(
			t, unlisted, "0", transferData(t, bob, 1),
		), Totals{}, denied("unknownPrice", "value", "unlisted token "+unlisted, "dailyUsd 1")},
		"named, but not its call": {wire.Rules{AllowedTokens: []string{unlisted}}, call(t, unlisted, "0", swapData),
			Totals{}, denied("unknownCall", "contract", "base "+unlisted+" "+swap, understood)},
		"unlisted in a message": {wire.Rules{AllowedTokens: []string{unlisted}}, typed(t, chain.Effect{
			Kind: chain.Approve, Asset: unlisted, Contract: unlisted, Spender: bob, Amount: "1",
		}), Totals{},
			denied("unknownCall", "contract", "base "+unlisted, understood)},
		"NFT": {understandable, typed(t, nft), Totals{},
			denied("unknownCall", "contract", "base "+unlisted+" 0x42842e0e", understood)},
		"NFT, named": {wire.Rules{AllowedTokens: []string{unlisted}}, typed(t, nft), Totals{}, nil},
		"NFT, elsewhere": {wire.Rules{AllowedTokens: []string{unlisted}, AllowedDestinations: []string{carol}},
			typed(t, nft), Totals{}, denied("allowedDestinations", "to", bob, carol)},
		"NFT, priced": {wire.Rules{AllowedTokens: []string{unlisted}, MonthlyUSD: "1"}, typed(t, nft), Totals{},
			denied("unknownPrice", "value", "unlisted token "+unlisted, "monthlyUsd 1")},

		"unknown call": {understandable, call(t, router, "0", swapData), Totals{},
			denied("unknownCall", "contract", "base "+router+" "+swap, understood)},
		"unknown call, of a token": {understandable, call(t, usdc, "0", swapData), Totals{},
			denied("unknownCall", "contract", "base "+usdc+" "+swap, understood)},
		"unknown call, short": {understandable, call(t, router, "0", []byte{0x12}), Totals{},
			denied("unknownCall", "contract", "base "+router+" 0x12", understood)},
		"call, allowed": {wire.Rules{AllowedContracts: swaps(router)},
			call(t, router, "0", swapData), Totals{}, nil},
		"call, of a token": {wire.Rules{AllowedContracts: swaps(usdc)},
			call(t, usdc, "0", swapData), Totals{}, nil},
		"call, other contract": {wire.Rules{AllowedContracts: swaps(router)}, call(t, unlisted, "0", swapData),
			Totals{}, denied("allowedContracts", "contract", "base "+unlisted+" "+swap, "base "+router+" "+swap)},
		"call, other selector": {wire.Rules{AllowedContracts: swaps(router)}, call(t, router, "0", []byte{1, 2, 3, 4}),
			Totals{}, denied("allowedContracts", "contract", "base "+router+" 0x01020304", "base "+router+" "+swap)},
		"call, other chain": {wire.Rules{AllowedContracts: swaps(router)}, call(t, router, "0", swapData).on(
			t, "ethereum",
		), Totals{}, denied("allowedContracts", "contract", "ethereum "+router+" "+swap, "base "+router+" "+swap)},
		"call, its value goes there": {wire.Rules{AllowedContracts: swaps(router), AllowedDestinations: []string{bob}},
			call(t, router, "1", swapData), Totals{},
			denied("allowedDestinations", "to", router, bob)},
		"call, contract is no destination": {wire.Rules{
			AllowedContracts: swaps(router), AllowedDestinations: []string{bob},
		}, call(t, router, "0", swapData), Totals{}, nil},
		"call, priced": {wire.Rules{AllowedContracts: swaps(router), MaxValueUSD: "5"},
			call(t, router, "0", swapData), Totals{},
			denied("unknownPrice", "value", "unknown call "+swap+" of "+router, "maxValueUsd 5")},
		"E06 deploy": {wire.Rules{AllowedContracts: swaps(router)}, deploy(t), Totals{},
			denied("unknownCall", "effect", "deploy", understood)},
		"for all": {understandable, typed(t, chain.Effect{Kind: chain.ApproveAll, Contract: unlisted, Selector: swap}),
			Totals{}, denied("unknownCall", "effect", "approve_all of "+unlisted, understood)},
		"message": {wire.Rules{AllowedContracts: swaps(unlisted)}, typed(t, chain.Effect{
			Kind: chain.UnknownMessage, Contract: unlisted,
		}), Totals{}, denied("unknownCall", "effect", "unknown_message of "+unlisted, understood)},
		"a kind of tomorrow": {understandable, typed(t, chain.Effect{
			Kind: "loan", Contract: usdc, Asset: usdc, Symbol: "USDC", Amount: "1",
		}), Totals{}, denied("unknownCall", "effect", "loan of "+usdc, understood)},
		"call without end": {wire.Rules{AllowedContracts: swaps(router)}, typed(t, chain.Effect{
			Kind: chain.UnknownCall, Contract: router,
		}), Totals{}, denied("allowedContracts", "contract", "base "+router, "base "+router+" "+swap)},
		"wrapped, unlisted": {understandable, wrapped(t), Totals{},
			denied("unknownCall", "contract", "base "+router+" "+swap, understood)},
		"wrapped, allowed": {wire.Rules{AllowedContracts: swaps(router), AllowedTokens: []string{"USDC"}},
			wrapped(t), Totals{}, nil},
		"wrapped, its token": {wire.Rules{AllowedContracts: swaps(router), AllowedDestinations: []string{carol}},
			wrapped(t), Totals{}, denied("allowedDestinations", "to", bob, carol)},
		"wrapped, as token": {wire.Rules{AllowedTokens: []string{router}}, wrapped(t), Totals{},
			denied("unknownCall", "contract", "base "+router+" "+swap, understood)},
		"digest": {max100, Signing{RawDigest: true}, Totals{},
			denied("rawDigest", "type", "RAW_DIGEST", "a policy with allowRawDigests")},
		"digest, allowed": {wire.Rules{AllowRawDigests: true}, Signing{RawDigest: true}, Totals{}, nil},
		"digest, beside a list": {wire.Rules{AllowRawDigests: true, AllowedDestinations: []string{bob}},
			Signing{RawDigest: true}, Totals{},
			denied("rawDigest", "type", "RAW_DIGEST", "a policy with allowRawDigests")},
	} {
		if got := Check(c.r, c.x, Value(c.x, usd2000), c.spent); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// wrapped is a call of a contract that nobody lists, and what it says it does.
func wrapped(t testing.TB) Signing {
	t.Helper()
	x := transfer(t, bob, 1_000_000)
	x.Effects = append([]chain.Effect{{Kind: chain.UnknownCall, From: alice, Contract: router,
		Selector: swap}}, x.Effects...)
	return x
}

// What a list names in one case counts in any: addresses are compared by bytes.
func TestSigning_E08_AddressesAreBytes(t *testing.T) {
	x := transfer(t, bob, 1)
	x.Effects[0].To = strings.ToLower(bob)
	if d := Check(wire.Rules{AllowedDestinations: []string{bob}}, x, Cost{}, Totals{}); d != nil {
		t.Errorf("%+v", d)
	}
	x.Effects[0].To = "alice.eth"
	if d := Check(wire.Rules{AllowedDestinations: []string{"alice.eth"}}, x, Cost{}, Totals{}); d == nil {
		t.Error("a name was taken for an address")
	}
}

func TestDenialShowsAFewOfALongList(t *testing.T) {
	var many []string
	for range 12 {
		many = append(many, carol)
	}
	d := Check(wire.Rules{AllowedDestinations: many}, transfer(t, bob, 1), Cost{}, Totals{})
	if d == nil || d.Limit != strings.TrimSuffix(strings.Repeat(carol+", ", 10), ", ")+" and 2 more" {
		t.Errorf("%+v", d)
	}
}
