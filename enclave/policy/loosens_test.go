package policy

import (
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

func TestLoosens(t *testing.T) {
	delegated := &wire.Delegation{ExpiresAtMs: "1", MaxValueUSD: "5", DailyUSD: "5", AllowedDestinations: []string{bob}}
	byName := &wire.Delegation{
		AnyRequest: true, ExpiresAtMs: "1", MaxValueUSD: "5", DailyUSD: "5", AllowedDestinations: []string{bob},
	}
	keyed := &wire.Delegation{
		PublicKey:           new(theGenerator),
		ExpiresAtMs:         "1",
		MaxValueUSD:         "5",
		DailyUSD:            "5",
		AllowedDestinations: []string{bob},
	}
	smaller := &wire.Delegation{ExpiresAtMs: "1", MaxValueUSD: "4", DailyUSD: "5", AllowedDestinations: []string{bob}}
	full := wire.Rules{
		MaxValueUSD: "10", DailyUSD: "10", MonthlyUSD: "10", AllowedDestinations: []string{bob, carol},
		AllowedChains: []string{"base", "polygon"}, AllowedTokens: []string{"USDC", unlisted},
		AllowedContracts: []wire.AllowedContract{{Chain: "base", Address: router,
			Selectors: []string{swap, "0x00000001"}}},
	}
	change := func(f func(*wire.Rules)) wire.Rules {
		r := full
		f(&r)
		return r
	}
	limited := wire.Rules{MaxValueUSD: "10"}
	for name, c := range map[string]struct {
		old, next wire.Rules
		want      bool
	}{
		"new policy":                   {wire.Rules{}, full, false},
		"new delegation":               {wire.Rules{}, wire.Rules{Delegation: delegated}, true},
		"new raw digests":              {wire.Rules{}, wire.Rules{AllowRawDigests: true}, true},
		"the same":                     {full, full, false},
		"all gone":                     {full, wire.Rules{}, true},
		"lower cap":                    {full, change(func(r *wire.Rules) { r.MaxValueUSD = "9.999999" }), false},
		"the same cap, written longer": {full, change(func(r *wire.Rules) { r.DailyUSD = "10.00" }), false},
		"higher cap":                   {full, change(func(r *wire.Rules) { r.MaxValueUSD = "10.000001" }), true},
		"higher day":                   {full, change(func(r *wire.Rules) { r.DailyUSD = "11" }), true},
		"higher month":                 {full, change(func(r *wire.Rules) { r.MonthlyUSD = "11" }), true},
		"no day":                       {full, change(func(r *wire.Rules) { r.DailyUSD = "" }), true},
		"cap that is none":             {full, change(func(r *wire.Rules) { r.DailyUSD = "x" }), true},
		"first day":                    {limited, wire.Rules{MaxValueUSD: "10", DailyUSD: "1"}, false},
		"lower and higher": {full,
			change(func(r *wire.Rules) { r.MaxValueUSD, r.DailyUSD = "1", "11" }), true},
		"fewer destinations": {full,
			change(func(r *wire.Rules) { r.AllowedDestinations = []string{carol} }), false},
		"more destinations": {full,
			change(func(r *wire.Rules) { r.AllowedDestinations = []string{bob, carol, alice} }), true},
		"other destination": {full,
			change(func(r *wire.Rules) { r.AllowedDestinations = []string{alice} }), true},
		"no destinations": {full, change(func(r *wire.Rules) { r.AllowedDestinations = nil }), true},
		"first destinations": {limited,
			wire.Rules{MaxValueUSD: "10", AllowedDestinations: []string{bob}}, false},
		"fewer chains": {full,
			change(func(r *wire.Rules) { r.AllowedChains = []string{"base"} }), false},
		"more chains": {full,
			change(func(r *wire.Rules) { r.AllowedChains = []string{"base", "polygon", "ethereum"} }), true},
		"no chains": {full, change(func(r *wire.Rules) { r.AllowedChains = nil }), true},
		"fewer tokens": {full,
			change(func(r *wire.Rules) { r.AllowedTokens = []string{"USDC"} }), false},
		"more tokens": {full,
			change(func(r *wire.Rules) { r.AllowedTokens = []string{"USDC", unlisted, "ETH"} }), true},
		"first tokens": {limited,
			wire.Rules{MaxValueUSD: "10", AllowedTokens: []string{"USDC"}}, false},
		"first tokens, one by its address": {limited,
			wire.Rules{MaxValueUSD: "10", AllowedTokens: []string{unlisted}}, true},
		"fewer selectors": {full, change(func(r *wire.Rules) {
			r.AllowedContracts = swaps(router)
		}), false},
		"no contracts":     {full, change(func(r *wire.Rules) { r.AllowedContracts = nil }), false},
		"first contracts":  {limited, wire.Rules{MaxValueUSD: "10", AllowedContracts: swaps(router)}, true},
		"other contract":   {full, change(func(r *wire.Rules) { r.AllowedContracts = swaps(unlisted) }), true},
		"delegation added": {limited, wire.Rules{MaxValueUSD: "10", Delegation: delegated}, true},
		"delegation less":  {wire.Rules{Delegation: delegated}, wire.Rules{Delegation: smaller}, true},
		"delegation kept": {wire.Rules{Delegation: delegated},
			wire.Rules{Delegation: delegated, MaxValueUSD: "1"}, false},
		"delegation gone": {wire.Rules{MaxValueUSD: "1", Delegation: delegated}, limited, true},
		"any, by its name": {wire.Rules{Delegation: delegated},
			wire.Rules{Delegation: byName, MaxValueUSD: "1"}, false},
		"any, not a key's":  {wire.Rules{Delegation: keyed}, wire.Rules{Delegation: byName}, true},
		"only that gone":    {wire.Rules{MaxValueUSD: "10", Delegation: delegated}, limited, false},
		"raw digests added": {limited, wire.Rules{MaxValueUSD: "10", AllowRawDigests: true}, true},
		"raw digests gone":  {wire.Rules{AllowRawDigests: true}, limited, false},
	} {
		if got := Loosens(c.old, c.next); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// drawRules draws from so few values that two draws are often alike but for one.
func drawRules(t *rapid.T, name string) wire.Rules {
	cap := rapid.SampledFrom([]string{"", "0", "1", "2", "5"})
	address := rapid.SampledFrom([]string{bob, carol, router})
	r := wire.Rules{
		MaxValueUSD:         cap.Draw(t, name+" max"),
		DailyUSD:            cap.Draw(t, name+" day"),
		MonthlyUSD:          cap.Draw(t, name+" month"),
		AllowedDestinations: rapid.SliceOfN(address, 0, 2).Draw(t, name+" destinations"),
		AllowedChains: rapid.SliceOfN(rapid.SampledFrom([]string{"base", "polygon"}), 0, 2).Draw(t,
			name+" chains"),
		AllowedTokens: rapid.SliceOfN(rapid.SampledFrom([]string{
			"USDC", "ETH", usdc, unlisted,
		}), 0, 3).Draw(t, name+" tokens"),
		AllowRawDigests: rapid.Bool().Draw(t, name+" raw"),
		PayeesOnly:      rapid.Bool().Draw(t, name+" payees"),
	}
	if r.PayeesOnly {
		r.PayeeCoolingHours = rapid.SampledFrom([]string{"", "1", "5"}).Draw(t, name+" cooling")
	}
	for _, c := range rapid.SliceOfN(rapid.SampledFrom([]string{router, unlisted, usdc}), 0, 2).Draw(t,
		name+" contracts") {
		selectors := rapid.SliceOfN(rapid.SampledFrom([]string{swap, "0xa9059cbb"}), 1, 2).Draw(t, name+" selectors")
		r.AllowedContracts = append(r.AllowedContracts, wire.AllowedContract{
			Chain: "base", Address: c, Selectors: selectors,
		})
	}
	if rapid.IntRange(0, 3).Draw(t, name+" delegation") == 0 {
		r.Delegation = &wire.Delegation{
			ExpiresAtMs: "1900000000000", MaxValueUSD: "2", DailyUSD: "5", AllowedDestinations: []string{bob},
		}
	}
	return r
}

func everySigning(t *testing.T) []Signing {
	all := []Signing{
		{}, {RawDigest: true}, deploy(t), wrapped(t), typed(t),
		typed(t, chain.Effect{Kind: chain.ApproveAll, Contract: unlisted}), typed(t, nft),
		typed(t, chain.Effect{Kind: chain.Approve, Asset: unlisted, Contract: unlisted, Spender: bob, Amount: "1"}),
		approve(t, bob, everything), approve(t, carol, zero), call(t, usdc, "0", []byte{1}),
	}
	for _, to := range []string{bob, carol, router} {
		all = append(all, call(t, to, "0", nil), call(t, to, "500000000000000", nil),
			approve(t, to, big.NewInt(1_000_000)))
		for _, amount := range []int64{0, 1, 1_000_000, 2_000_000, 5_000_001} {
			all = append(all, transfer(t, to, amount), fee(transfer(t, to, amount), 1),
				transfer(t, to, amount).on(t, "polygon"))
		}
	}
	for _, contract := range []string{router, unlisted, usdc} {
		all = append(all, call(t, contract, "0", swapData), call(t, contract, "1", swapData),
			call(t, contract, "0", transferData(t, bob, 1)))
	}
	for i := range all {
		all[i] = known(all[i], map[string]time.Duration{bob: 6 * time.Hour, carol: 2 * time.Hour, unlisted: 0})
	}
	return all
}

// If a change does not loosen, nothing passes after it that did not before:
// neither the rules nor the delegation.
func TestSigning_NothingPassesWhatTightened(t *testing.T) {
	signings := everySigning(t)
	spents := []Totals{{}, {Day: 1_000_000, Month: 4_000_000}, {Day: unlimited, Month: unlimited}}
	tightened := 0
	rapid.Check(t, func(rt *rapid.T) {
		var old wire.Rules
		if rapid.IntRange(0, 9).Draw(rt, "none") > 0 {
			old = drawRules(rt, "old")
		}
		next := drawRules(rt, "next")
		if rapid.IntRange(0, 3).Draw(rt, "near") > 0 {
			next = near(rt, old, next)
		}
		if Loosens(old, next) {
			return
		}
		tightened++
		for i, x := range signings {
			for _, spent := range spents {
				c := Value(x, usd2000)
				if Check(next, x, c, spent) == nil && !passes(old, x, c, spent) {
					rt.Fatalf("signing %d passes only after the change", i)
				}
				if next.Delegation != nil && Covers(*next.Delegation, x, c, spent, now) &&
					(old.Delegation == nil || !Covers(*old.Delegation, x, c, spent, now)) {
					rt.Fatalf("signing %d is covered only after the change", i)
				}
			}
		}
	})
	if tightened == 0 { // with -short a fifth of them is drawn
		t.Errorf("only %d changes tightened: the property was hardly tried", tightened)
	}
}

func passes(r wire.Rules, x Signing, c Cost, spent Totals) bool {
	if len(addresses(r.AllowedTokens)) == 0 && !restricts(r) && len(r.AllowedContracts) == 0 &&
		r.Delegation == nil && !r.AllowRawDigests {
		return !x.RawDigest // no policy
	}
	return Check(r, x, c, spent) == nil
}

// near is old with one field of next.
func near(t *rapid.T, old, next wire.Rules) wire.Rules {
	switch rapid.IntRange(0, 9).Draw(t, "field") {
	case 0:
		old.MaxValueUSD = next.MaxValueUSD
	case 1:
		old.DailyUSD = next.DailyUSD
	case 2:
		old.MonthlyUSD = next.MonthlyUSD
	case 3:
		old.AllowedDestinations = next.AllowedDestinations
	case 4:
		old.AllowedChains = next.AllowedChains
	case 5:
		old.AllowedTokens = next.AllowedTokens
	case 6:
		old.AllowedContracts = next.AllowedContracts
	case 7:
		old.AllowRawDigests = next.AllowRawDigests
	case 8:
		old.Delegation = next.Delegation
	case 9:
		old.PayeesOnly, old.PayeeCoolingHours = next.PayeesOnly, next.PayeeCoolingHours
	}
	return old
}
