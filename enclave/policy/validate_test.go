package policy

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

// theGenerator is a public key: the generator of P-256.
const theGenerator = "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"

func TestValidate(t *testing.T) {
	expiry := func(ms int64) wire.Rules {
		d := delegated(func(d *wire.Delegation) { d.ExpiresAtMs = strconv.FormatInt(ms, 10) })
		return wire.Rules{Delegation: &d}
	}
	with := func(f func(*wire.Delegation)) wire.Rules {
		d := delegated(f)
		return wire.Rules{Delegation: &d}
	}
	contract := func(chain, address string, selectors ...string) wire.Rules {
		return wire.Rules{AllowedContracts: []wire.AllowedContract{{Chain: chain, Address: address,
			Selectors: selectors}}}
	}
	to := func(all ...string) wire.Rules { return wire.Rules{AllowedDestinations: all} }
	var many []string
	for i := range 101 {
		many = append(many, fmt.Sprintf("0x%08x", i))
	}
	for name, c := range map[string]struct {
		r    wire.Rules
		want string // start of the error
	}{
		"limits": {wire.Rules{MaxValueUSD: "0", DailyUSD: "0.000001", MonthlyUSD: "1000000000000"}, ""},
		"lists": {wire.Rules{AllowedDestinations: []string{bob, carol}, AllowedChains: []string{"base"},
			AllowedTokens: []string{"ETH", "USDT", usdc}}, ""},
		"contract":   {contract("base", router, swap), ""},
		"delegation": {with(nil), ""},
		"delegation of a key": {with(func(d *wire.Delegation) {
			d.PublicKey, d.AnyRequest = new(theGenerator), false
		}), ""},
		"raw digests":       {wire.Rules{AllowRawDigests: true}, ""},
		"payees":            {wire.Rules{PayeesOnly: true, PayeeCoolingHours: "720"}, ""},
		"cooling alone":     {wire.Rules{PayeeCoolingHours: "1"}, "rules.payeeCoolingHours stands only beside"},
		"no hour":           {wire.Rules{PayeesOnly: true, PayeeCoolingHours: "0"}, "rules.payeeCoolingHours is not"},
		"a second form":     {wire.Rules{PayeesOnly: true, PayeeCoolingHours: "01"}, "rules.payeeCoolingHours is not"},
		"a month and more":  {wire.Rules{PayeesOnly: true, PayeeCoolingHours: "721"}, "rules.payeeCoolingHours is not"},
		"digests of payees": {wire.Rules{PayeesOnly: true, AllowRawDigests: true}, "rules.allowRawDigests cannot"},
		"delegation to payees": {with(func(d *wire.Delegation) {
			d.AllowedDestinations, d.PayeesOnly, d.PayeeCoolingHours = nil, true, "1"
		}), ""},
		"delegation to some payees": {with(func(d *wire.Delegation) { d.PayeesOnly = true }), ""},
		"delegation to an empty list": {with(func(d *wire.Delegation) {
			d.AllowedDestinations, d.PayeesOnly = []string{}, true
		}), "rules.delegation.allowedDestinations is empty"},
		"delegation, cooling alone": {with(func(d *wire.Delegation) { d.PayeeCoolingHours = "1" }),
			"rules.delegation.payeeCoolingHours stands only"},
		"nothing":            {wire.Rules{}, "rules says nothing"},
		"digests beside cap": {wire.Rules{AllowRawDigests: true, DailyUSD: "1"}, "rules.allowRawDigests cannot"},
		"digests beside list": {wire.Rules{AllowRawDigests: true, AllowedChains: []string{"base"}},
			"rules.allowRawDigests cannot"},
		"limit":        {wire.Rules{MaxValueUSD: "-1"}, "rules.maxValueUsd is not"},
		"day":          {wire.Rules{DailyUSD: "1e400"}, "rules.dailyUsd is not"},
		"month":        {wire.Rules{MonthlyUSD: "NaN"}, "rules.monthlyUsd is not"},
		"empty list":   {wire.Rules{AllowedDestinations: []string{}}, "rules.allowedDestinations is empty"},
		"empty chains": {wire.Rules{AllowedChains: []string{}}, "rules.allowedChains is empty"},
		"empty tokens": {wire.Rules{AllowedTokens: []string{}}, "rules.allowedTokens is empty"},
		"empty contracts": {wire.Rules{AllowedContracts: []wire.AllowedContract{}},
			"rules.allowedContracts is empty"},
		"too many":   {to(many...), "rules.allowedDestinations has more than 100"},
		"name":       {to("alice.eth"), "rules.allowedDestinations[0] is not an address"},
		"lower case": {to(bob, strings.ToLower(carol)), "rules.allowedDestinations[1] is not an address"},
		"checksum": {to(strings.Replace(bob, "C5", "c5", 1)),
			"rules.allowedDestinations[0] is not an address"},
		"nobody": {to("0x0000000000000000000000000000000000000000"),
			"rules.allowedDestinations[0] is the zero address"},
		"twice": {to(bob, carol, bob), "rules.allowedDestinations[2] is there twice"},
		"chain": {wire.Rules{AllowedChains: []string{"base", "Base"}},
			"rules.allowedChains[1] is no network"},
		"token": {wire.Rules{AllowedTokens: []string{"usdc"}},
			"rules.allowedTokens[0] is no listed symbol"},
		"token's address": {wire.Rules{AllowedTokens: []string{strings.ToLower(usdc)}},
			"rules.allowedTokens[0] is not an address"},
		"contract's chain":     {contract("mars", router, swap), "rules.allowedContracts[0].chain is no network"},
		"contract's address":   {contract("base", "x", swap), "rules.allowedContracts[0].address is not an address"},
		"contract's selectors": {contract("base", router), "rules.allowedContracts[0].selectors is missing"},
		"short selector": {contract("base", router, "0x1234"),
			"rules.allowedContracts[0].selectors[0] is not 0x"},
		"upper selector": {contract("base", router, "0xABCDEF01"),
			"rules.allowedContracts[0].selectors[0] is not 0x"},
		"many selectors": {contract("base", router, many...),
			"rules.allowedContracts[0].selectors has more than 100"},
		"contract twice": {wire.Rules{AllowedContracts: append(swaps(router), swaps(router)...)},
			"rules.allowedContracts[1] is there twice"},
		"key": {with(func(d *wire.Delegation) { d.PublicKey, d.AnyRequest = new("02"), false }),
			"rules.delegation.publicKey is not"},
		"upper key": {with(func(d *wire.Delegation) {
			d.PublicKey, d.AnyRequest = new(strings.ToUpper(theGenerator)), false
		}), "rules.delegation.publicKey is not"},
		"empty key": {with(func(d *wire.Delegation) { d.PublicKey, d.AnyRequest = new(""), false }),
			"rules.delegation.publicKey is not"},
		"no key, not by name": {with(func(d *wire.Delegation) { d.AnyRequest = false }),
			"rules.delegation.publicKey is missing"},
		"key and any request": {with(func(d *wire.Delegation) { d.PublicKey = new(theGenerator) }),
			"rules.delegation.anyRequest cannot"},
		"empty and any": {with(func(d *wire.Delegation) { d.PublicKey = new("") }),
			"rules.delegation.anyRequest cannot"},
		"validity": {with(func(d *wire.Delegation) { d.MaxValiditySeconds = "86400" }), ""},
		"too long validity": {with(func(d *wire.Delegation) { d.MaxValiditySeconds = "86401" }),
			"rules.delegation.maxValiditySeconds is not"},
		"no validity": {with(func(d *wire.Delegation) { d.MaxValiditySeconds = "0" }),
			"rules.delegation.maxValiditySeconds is not"},
		"validity, zeros": {with(func(d *wire.Delegation) { d.MaxValiditySeconds = "060" }),
			"rules.delegation.maxValiditySeconds is not"},
		"expired": {expiry(now.UnixMilli()), "rules.delegation.expiresAtMs is not within 90 days"},
		"90 days": {expiry(now.Add(90 * 24 * time.Hour).UnixMilli()), ""},
		"a moment more": {expiry(now.Add(90*24*time.Hour).UnixMilli() + 1),
			"rules.delegation.expiresAtMs is not within 90 days"},
		"far": {expiry(1<<63 - 1), "rules.delegation.expiresAtMs is not decimal"},
		"never": {with(func(d *wire.Delegation) { d.ExpiresAtMs = "" }),
			"rules.delegation.expiresAtMs is not decimal"},
		"zeros": {with(func(d *wire.Delegation) { d.ExpiresAtMs = "0" + d.ExpiresAtMs }),
			"rules.delegation.expiresAtMs is not decimal"},
		"delegated limit": {with(func(d *wire.Delegation) { d.MaxValueUSD = "" }),
			"rules.delegation.maxValueUsd is not"},
		"delegated day": {with(func(d *wire.Delegation) { d.DailyUSD = "x" }),
			"rules.delegation.dailyUsd is not"},
		"delegated to all": {with(func(d *wire.Delegation) { d.AllowedDestinations = nil }),
			"rules.delegation.allowedDestinations is missing"},
		"delegated to a name": {with(func(d *wire.Delegation) { d.AllowedDestinations = []string{"a.eth"} }),
			"rules.delegation.allowedDestinations[0] is not"},
	} {
		err := Validate(c.r, chain.Networks(chain.Sandbox), now)
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
