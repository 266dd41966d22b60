package chain_test

import (
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
)

// Everything that a network lists is known there, in any case, and its exchanges and pools are known nowhere else.
func TestKnown_WhatNetworksList(t *testing.T) {
	for _, env := range environments {
		for _, n := range chain.OfKind(chain.EVM, chain.Networks(env)) {
			listed := map[string]chain.KnownKind{}
			for _, token := range n.Tokens {
				listed[token.Address] = chain.KnownToken
			}
			for _, m := range chain.Markets(n) {
				listed[m.Router], listed[m.Factory], listed[m.Quoter] =
					chain.KnownVenue, chain.KnownVenue, chain.KnownVenue
			}
			for _, p := range chain.LendingPools(n) {
				listed[p.Pool], listed[p.Gateway], listed[p.Oracle] =
					chain.KnownVenue, chain.KnownVenue, chain.KnownVenue
			}
			delete(listed, "")
			for address, kind := range listed {
				for _, text := range []string{address, strings.ToLower(address)} {
					if k, found := chain.KnownAt(n, text); !found || k.Kind != kind || k.Name == "" {
						t.Errorf("%s: %s: %+v", n.Name, text, k)
					}
				}
				elsewhere := chain.Network{Kind: chain.EVM, ChainID: 77}
				if _, found := chain.KnownAt(elsewhere, address); found {
					t.Errorf("%s is known on a network that does not list it", address)
				}
			}
		}
	}
}

func TestKnown_OnEveryChain(t *testing.T) {
	base, _ := chain.BySlug(chain.Sandbox, "base")
	fuji, _ := chain.BySlug(chain.Sandbox, "avalanche_c_chain")
	evm, _ := families.Of(chain.EVM)
	for address, want := range map[string]chain.KnownKind{
		"0x0000000000000000000000000000000000000000": chain.KnownNobody,
		"0x000000000000000000000000000000000000dEaD": chain.KnownNobody,
		"0xdEAD000000000000000042069420694206942069": chain.KnownNobody,
		"0xdeaDDeADDEaDdeaDdEAddEADDEAdDeadDEADDEaD": chain.KnownNobody,
		"0xDeaDDEaDDeAdDeAdDEAdDEaddeAddEAdDEAd0001": chain.KnownNobody,
		"0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE": chain.KnownNobody,
		"0xFFfFfFffFFfffFFfFFfFFFFFffFFFffffFfFFFfF": chain.KnownNobody,
		"0x000000000022D473030F116dDEE9F6B43aC78BA3": chain.KnownTool,
		"0xcA11bde05977b3631167028862bE2a173976CA11": chain.KnownTool,
		"0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789": chain.KnownTool,
		"0x0000000071727De22E5E9d8BAf0edAc6f37da032": chain.KnownTool,
		"0x402085c248EeA27D92E8b30b2C58ed07f9E20001": chain.KnownTool,
		"0x4020A4f3b7b90ccA423B9fabCc0CE57C6C240002": chain.KnownTool,
		"0x0000000000000000000000000000000000000001": chain.KnownSystem, // precompile: ecrecover
		"0x0000000000000000000000000000000000000100": chain.KnownSystem, // precompile of RIP-7212
		"0x0000000000000000000000000000000000001010": chain.KnownSystem, // Polygon's coin as a token
		"0x0000000000000000000000000000000000000064": chain.KnownSystem, // Arbitrum's ArbSys
		"0x000000000000000000000000000000000000fFfF": chain.KnownSystem,
		"0x0100000000000000000000000000000000000000": chain.KnownSystem, // Avalanche's black hole
		"0x0200000000000000000000000000000000000005": chain.KnownSystem, // Avalanche's messenger
		"0x4200000000000000000000000000000000000006": chain.KnownToken,  // WETH of the OP stack
		"0x4200000000000000000000000000000000000015": chain.KnownSystem,
		"0x42000000000000000000000000000000000007fF": chain.KnownSystem,
		"0x4200000000000000000000000000000000000800": "",
		"0x4200000000000000000000000000000000010006": "",
		"0x0400000000000000000000000000000000000001": "",
		"0x0100000000000000000000000000000000000100": "",
		"0x0000000000000000000000000000000000010000": "",
		"0x70997970C51812dc3A010C7d01b50e0d17dc79C8": "",
		"":       "",
		"0x00":   "",
		"native": "",
	} {
		for _, text := range []string{address, strings.ToLower(address)} {
			n := base
			if strings.HasPrefix(text, "0x01") || strings.HasPrefix(text, "0x02") {
				n = fuji
			}
			if k, found := chain.KnownAt(n, text); k.Kind != want || found != (want != "") {
				t.Errorf("%q: %+v, %t", text, k, found)
			}
		}
		if want != chain.KnownNobody && want != chain.KnownTool {
			continue
		}
		if canonical, err := evm.ParseAddress(address); err != nil || evm.CheckToken(canonical) == nil {
			t.Errorf("%s may be listed as a token", address)
		}
	}
	for _, address := range []string{
		"0x0200000000000000000000000000000000000005", "0x4200000000000000000000000000000000000015",
	} {
		if k, found := chain.KnownAt(chain.Network{Kind: chain.EVM, ChainID: 1}, address); found {
			t.Errorf("%s on another network: %+v", address, k)
		}
	}
	if k, found := chain.KnownAt(chain.Network{Kind: chain.Solana}, "0x"+strings.Repeat("0", 39)+"1"); found {
		t.Errorf("of another kind of network: %+v", k)
	}
}

func TestKnown_Stranded(t *testing.T) {
	const alice, bob = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
	const unlisted = "0x5FbDB2315678afecb367f032d93F642f64180aa3"
	base, _ := chain.BySlug(chain.Sandbox, "base")
	usdc, router := base.Tokens[0].Address, chain.Markets(base)[0].Router
	coin, token := "native", usdc
	for name, c := range map[string]struct {
		e    chain.Effect
		want chain.KnownKind
	}{
		"to somebody":           {chain.Effect{Asset: token, To: bob, Amount: "1"}, ""},
		"to the router":         {chain.Effect{Asset: token, To: router, Amount: "1"}, chain.KnownVenue},
		"coin to the router":    {chain.Effect{Asset: coin, To: router, Amount: "1"}, chain.KnownVenue},
		"by a call of it":       {chain.Effect{Asset: token, To: router, Amount: "1", ByCall: true}, ""},
		"to the token":          {chain.Effect{Asset: token, To: usdc, Amount: "1"}, chain.KnownToken},
		"to an unlisted token":  {chain.Effect{Asset: unlisted, To: unlisted, Amount: "1"}, chain.KnownToken},
		"to another's contract": {chain.Effect{Asset: token, To: unlisted, Amount: "1"}, ""},
		"to oneself":            {chain.Effect{Asset: token, To: alice, Amount: "1"}, chain.KnownSender},
		"coin to oneself":       {chain.Effect{Asset: coin, To: alice, Amount: "1"}, chain.KnownSender},
		"a void":                {chain.Effect{Asset: coin, To: alice, Amount: "0"}, ""},
		"no token to oneself":   {chain.Effect{Asset: token, To: alice, Amount: "0"}, chain.KnownSender},
		"nothing to nobody":     {chain.Effect{Asset: coin, To: router, Amount: "0"}, chain.KnownVenue},
		"an allowance":          {chain.Effect{Kind: chain.Approve, Asset: token, Spender: router, Amount: "1"}, ""},
		"what comes back":       {chain.Effect{Kind: chain.Receive, Asset: token, To: router, Amount: "1"}, ""},
	} {
		if c.e.Kind == "" {
			c.e.Kind = chain.Transfer
		}
		c.e.From = alice
		k, stranded := chain.Stranded(base, c.e)
		if k.Kind != c.want || stranded != (c.want != "") {
			t.Errorf("%s: %+v, %t", name, k, stranded)
		}
		if stranded && (k.Name == "" || !strings.HasPrefix(k.Said(c.e.To), c.e.To+" is "+k.Name+", ")) {
			t.Errorf("%s: %q", name, k.Said(c.e.To))
		}
	}
}
