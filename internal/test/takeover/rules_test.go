package takeover

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/railkit/railkit/enclave/wire"
)

// calls writes calldata: numbers, addresses and raw words of 32 bytes in hex.
func calls(signature string, words ...any) string {
	data := "0x" + hex.EncodeToString(crypto.Keccak256([]byte(signature))[:4])
	for _, w := range words {
		switch w := w.(type) {
		case int:
			data += fmt.Sprintf("%064x", w)
		case *big.Int:
			data += fmt.Sprintf("%064x", w)
		case string:
			data += fmt.Sprintf("%064s", strings.ToLower(strings.TrimPrefix(w, "0x")))
		}
	}
	return data
}

var everything = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))

const (
	multicall3 = "0xcA11bde05977b3631167028862bE2a173976CA11"
	permit2    = "0x000000000022D473030F116dDEE9F6B43aC78BA3"
	owner      = "0123456789abcdef0123456789abcdef01234567" // stands for the wallet's address
)

// limited is an attack with a payment that its owner stamped, of a wallet whose
// policy he stamped before.
func limited(r wire.Rules, change func(p *person, x *wire.SignIntentParams)) func(*host) {
	return func(h *host) {
		p := h.newcomer()
		p.must(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: p.wallet, Rules: r})
		x := p.intent(shop, someWei, noData)
		change(p, &x)
		body := p.body(wire.SignIntent, x)
		_, _, _ = h.submit(body, p.agree(body))
	}
}

// to are calls of contracts that may be paid, under a policy of destinations.
func to(contract, data string) func(*host) {
	return limited(wire.Rules{AllowedDestinations: []string{shop, usdc, multicall3, permit2}},
		func(p *person, x *wire.SignIntentParams) {
			x.To, x.Value, x.Data = contract, "0", strings.ReplaceAll(data, owner, strings.ToLower(p.address[2:]))
		})
}

// hidden pays the robber in the depth of a multicall.
func hidden(depth int) string {
	data := strings.TrimPrefix(transferData(robber, 5_000_000), "0x")
	target := usdc
	for range depth {
		size := len(data) / 2
		data += strings.Repeat("0", (64-len(data)%64)%64)
		data = strings.TrimPrefix(calls("aggregate((address,bytes)[])", 32, 1, 32, target, 64, size), "0x") + data
		target = multicall3
	}
	return "0x" + data
}

// several pays again and again, at once or one after the other.
func several(r wire.Rules, n, atOnce int) func(*host) {
	return func(h *host) {
		p := h.newcomer()
		p.must(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: p.wallet, Rules: r})
		for range n / atOnce {
			bodies, agreed := make([]string, atOnce), make([]*wire.Stamp, atOnce)
			for i := range bodies {
				bodies[i] = p.pays(shop)
				agreed[i] = p.agree(bodies[i])
			}
			h.atOnce(atOnce, func(i int) { _, _, _ = h.submit(bodies[i], agreed[i]) })
		}
	}
}

// priced is an attack on the price of what is paid: 12 USD, where 11 are allowed.
// At the price of a while ago it would be 10.
func priced(how func(p *person)) func(*host) {
	return func(h *host) {
		p := h.newcomer()
		p.must(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: p.wallet, Rules: wire.Rules{MaxValueUSD: "11"}})
		how(p)
		body := p.body(wire.SignIntent, p.intent(shop, "4000000000000000", noData))
		_, _, _ = h.submit(body, p.agree(body))
		_ = h.handIn(h.sheet(h.prices.key, market, wire.MaxSheetLife))
	}
}

var cheap = map[string]string{"ETH": "2400", "USDC": "1"}

// unruly is an attack on the rules themselves, by nobody's stamp.
func unruly(r wire.Rules, change func(p *person, policyID string) string) func(*host) {
	return func(h *host) {
		p := h.newcomer()
		_, made := p.must(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: p.wallet, Rules: r})
		h.change(change(p, made.Policy.ID))
		body := p.pays(robber)
		_, _, _ = h.submit(body, p.agree(body))
	}
}

// delegated is an attack with a delegation, by exact bytes that nobody stamps.
func delegated(change func(d *wire.Delegation), pay func(p *person)) func(*host) {
	return func(h *host) {
		p := h.newcomer()
		d := wire.Delegation{
			AnyRequest:          true,
			ExpiresAtMs:         millis(time.Now().Add(time.Hour)),
			MaxValueUSD:         "5",
			DailyUSD:            "10",
			AllowedDestinations: []string{shop},
		}
		change(&d)
		p.must(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: p.wallet, Rules: wire.Rules{Delegation: &d}})
		pay(p)
	}
}

func asAgreed(*wire.Delegation) {}

func toTheShop(p *person) { _, _, _ = p.h.submit(p.exact(shop, 0), nil) }

var onlyShop = wire.Rules{AllowedDestinations: []string{shop}}

// rulesOfWallets are the attacks on policies: E.
var rulesOfWallets = []attack{
	{"E01", "a payment to nobody on the list", "destinations",
		limited(onlyShop, func(_ *person, x *wire.SignIntentParams) { x.To = robber })},
	{"E01", "a token's receiver in calldata", "calldata", to(usdc, transferData(robber, 5_000_000))},
	{"E01", "the token itself as destination", "destinations",
		limited(wire.Rules{AllowedDestinations: []string{usdc}}, func(_ *person, x *wire.SignIntentParams) {
			x.To, x.Value, x.Data = usdc, "0", transferData(robber, 5_000_000)
		})},
	{"E02", "transferFrom the wallet", "calldata",
		to(usdc, calls("transferFrom(address,address,uint256)", owner, robber, 5_000_000))},
	{"E02", "an allowance", "calldata", to(usdc, calls("approve(address,uint256)", robber, everything))},
	{"E02", "a higher allowance", "calldata",
		to(usdc, calls("increaseAllowance(address,uint256)", robber, everything))},
	{"E02", "an allowance for all", "calldata", to(usdc, calls("setApprovalForAll(address,bool)", robber, 1))},
	{"E02", "a permit", "calldata",
		to(usdc, calls("permit(address,address,uint256,uint256,uint8,bytes32,bytes32)", owner, robber,
			everything, everything, 27, 1, 1))},
	{"E02", "an authorization", "calldata",
		to(usdc,
			calls("transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)",
				owner, robber, 5_000_000, 0, everything, 1, 27, 1, 1))},
	{"E02", "an allowance by Permit2", "calldata",
		to(permit2, calls("approve(address,address,uint160,uint48)", usdc, robber, 1<<62, 1<<47))},
	{"E02", "an unlimited allowance of the shop", "value",
		limited(wire.Rules{MaxValueUSD: "10"}, func(_ *person, x *wire.SignIntentParams) {
			x.To, x.Value, x.Data = usdc, "0", calls("approve(address,uint256)", shop, everything)
		})},
	{"E03", "a payment in a multicall", "calldata", to(multicall3, hidden(1))},
	{"E03", "a payment in a multicall of multicalls", "calldata", to(multicall3, hidden(3))},
	{"E03", "a payment deeper than anybody looks", "calldata", to(multicall3, hidden(9))},
	{"E03", "a call that nobody knows", "calls",
		limited(wire.Rules{AllowedChains: []string{"base"}}, func(_ *person, x *wire.SignIntentParams) {
			x.Value, x.Data = "0", "0x12345678"
		})},
	{"E04", "a delegate call of a Safe", "calldata",
		to(shop, calls("execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)",
			robber, 0, 320, 1, 0, 0, 0, 0, 0, 352, 0, 0))},
	{"E04", "a new master of a proxy", "calldata", to(shop, calls("upgradeTo(address)", robber))},
	{"E07", "another network", "chains",
		limited(wire.Rules{AllowedChains: []string{"polygon"}}, func(*person, *wire.SignIntentParams) {})},
	{"E08", "an address with dirt above it", "calldata",
		to(usdc, "0xa9059cbb"+strings.Repeat("f", 24)+strings.ToLower(robber[2:])+fmt.Sprintf("%064x", 5_000_000))},
	{"E08", "calldata with a tail", "calldata", to(usdc, transferData(shop, 5_000_000)+"00")},
	{"E08", "calldata that ends early", "calldata", to(usdc, transferData(robber, 5_000_000)[:100])},
	{"E08", "another token than is listed", "tokens",
		limited(wire.Rules{AllowedTokens: []string{"USDC"}}, func(*person, *wire.SignIntentParams) {})},
	{"E09", "the fee as a way out", "gas",
		limited(wire.Rules{MaxValueUSD: "4"}, func(_ *person, x *wire.SignIntentParams) {
			x.GasLimit, x.MaxTotalFee = "50000000", "100000000000000000"
		})},
	{"E10", "more than one may cost", "value",
		limited(wire.Rules{MaxValueUSD: "3"}, func(*person, *wire.SignIntentParams) {})},
	{"E10", "an amount beyond 64 bits", "value", limited(wire.Rules{MaxValueUSD: "3"},
		func(_ *person, x *wire.SignIntentParams) { x.Value = "18446744073709551617000000000000000000" })},
	{"E13", "an asset without a price", "price",
		limited(wire.Rules{MaxValueUSD: "10"}, func(_ *person, x *wire.SignIntentParams) {
			x.Chain, x.ChainID, x.Value = "polygon", "80002", "5000000000000000000"
		})},
	{"E13", "prices of another signer", "sheet", priced(func(p *person) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			p.h.t.Fatal(err)
		}
		_ = p.h.handIn(p.h.sheet(key, cheap, wire.MaxSheetLife))
	})},
	{"E13", "prices of a while ago", "sheetOrder", priced(func(p *person) {
		old := p.h.sheet(p.h.prices.key, cheap, wire.MaxSheetLife)
		p.h.honestPrices(market)
		_ = p.h.handIn(old)
	})},
	{"E13", "prices that have expired", "fresh", priced(func(p *person) {
		p.h.expired(cheap) // the data fee of the sheet before lasts
	})},
	{"E13", "a price that fell by nearly all", "jump", priced(func(p *person) {
		_ = p.h.handIn(p.h.sheet(p.h.prices.key, map[string]string{"ETH": "1", "USDC": "1"}, wire.MaxSheetLife))
	})},
	{"E13", "a price that nobody lets count again", "loosens", priced(func(p *person) {
		_ = p.h.handIn(p.h.sheet(p.h.prices.key, map[string]string{"ETH": "2000", "USDC": "1"}, wire.MaxSheetLife))
		p.h.change(p.body(wire.OverridePrice, wire.OverridePriceParams{Asset: "ETH", USD: "2000"}))
	})},
	{"E14", "a day's limit in small parts", "spend", several(wire.Rules{DailyUSD: "10"}, 6, 1)},
	{"E14", "a month's limit in small parts", "caps", several(wire.Rules{MonthlyUSD: "10"}, 6, 1)},
	{"E15", "two hundred payments at once under a day's limit", "spend", several(wire.Rules{DailyUSD: "20"}, 200, 200)},
	{"E16", "a policy that nobody took away", "loosens", unruly(onlyShop, func(p *person, id string) string {
		return p.body(wire.DeletePolicy, wire.DeletePolicyParams{PolicyID: id})
	})},
	{"E16", "a policy with one more destination", "loosens", unruly(onlyShop, func(p *person, id string) string {
		return p.body(wire.UpdatePolicy, wire.UpdatePolicyParams{
			PolicyID: id, Rules: wire.Rules{AllowedDestinations: []string{shop, robber}},
		})
	})},
	{"E16", "a lower limit and no more destinations", "loosens",
		unruly(wire.Rules{AllowedDestinations: []string{shop}, DailyUSD: "100"}, func(p *person, id string) string {
			return p.body(wire.UpdatePolicy, wire.UpdatePolicyParams{PolicyID: id, Rules: wire.Rules{DailyUSD: "50"}})
		})},
	{"E16", "a policy of another sub-organization", "rules", func(h *host) {
		p, m := h.newcomer(), h.mallory()
		_, made := p.must(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: p.wallet, Rules: onlyShop})
		away := m.body(wire.DeletePolicy, wire.DeletePolicyParams{PolicyID: made.Policy.ID})
		_, _, _ = h.submit(away, m.stamp(m.key, away))
		body := p.pays(robber)
		_, _, _ = h.submit(body, p.agree(body))
	}},
	{"E17", "what was denied before the rule was taken away", "final", func(h *host) {
		p := h.newcomer()
		_, made := p.must(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: p.wallet, Rules: onlyShop})
		body := p.pays(robber)
		stamp := p.agree(body)
		if state, _, _ := h.submit(body, stamp); state == wire.Denied {
			h.ledger.reject(body) // the owner was told that this is the end of it
		}
		away := p.body(wire.DeletePolicy, wire.DeletePolicyParams{PolicyID: made.Policy.ID})
		_, _, _ = h.submit(away, p.agree(away))
		h.ledger.repealed(p.org, made.Policy.ID)
		_, _, _ = h.submit(body, stamp)
	}},
	{"E18", "a delegation that nobody gave", "loosens", func(h *host) {
		p := h.newcomer()
		h.change(p.body(wire.CreatePolicy,
			wire.CreatePolicyParams{WalletID: p.wallet, Rules: wire.Rules{Delegation: &wire.Delegation{
				AnyRequest: true, ExpiresAtMs: millis(time.Now().Add(time.Hour)), MaxValueUSD: "100", DailyUSD: "100",
				AllowedDestinations: []string{robber},
			}}}))
		_, _, _ = h.submit(p.exact(robber, 0), nil)
	}},
	{"E18", "a delegation for another destination", "delegationTo",
		delegated(asAgreed, func(p *person) { _, _, _ = p.h.submit(p.exact(robber, 0), nil) })},
	{"E18", "a delegation for more at once", "delegationValue",
		delegated(func(d *wire.Delegation) { d.MaxValueUSD = "3" }, toTheShop)},
	{"E18", "a delegation for more a day", "delegationDaily", delegated(asAgreed, func(p *person) {
		for n := range uint64(6) {
			_, _, _ = p.h.submit(p.exact(shop, n), nil)
		}
	})},
	{"E18", "a delegation whose time is over", "delegationTime", delegated(func(d *wire.Delegation) {
		d.ExpiresAtMs = millis(time.Now().Add(600 * time.Millisecond))
	}, func(p *person) {
		p.h.until(func() bool { return false }, 700*time.Millisecond)
		toTheShop(p)
	})},
	{"E18", "a delegation for any request that does not say so", "anyRequest", func(h *host) {
		p := h.newcomer()
		body := p.body(wire.CreatePolicy,
			wire.CreatePolicyParams{WalletID: p.wallet, Rules: wire.Rules{Delegation: &wire.Delegation{
				ExpiresAtMs: millis(time.Now().Add(time.Hour)), MaxValueUSD: "5", DailyUSD: "10",
				AllowedDestinations: []string{shop},
			}}})
		_, _, _ = h.submit(body, p.agree(body))
		toTheShop(p)
	}},
	{"E18", "typed data that outlives a delegation", "validity", delegated(asAgreed, func(p *person) {
		_, _, _ = p.h.submit(p.authorization(shop, "2000000", 9_999_999_999), nil)
	})},
	{"E18", "typed data that lasts as long as a long delegation", "validity", delegated(func(d *wire.Delegation) {
		d.ExpiresAtMs = millis(time.Now().Add(80 * 24 * time.Hour))
	}, func(p *person) {
		_, _, _ = p.h.submit(p.authorization(shop, "2000000", time.Now().Add(79*24*time.Hour).Unix()), nil)
	})},
	{"E18", "a delegation's last nonce first", "nonce",
		delegated(asAgreed, func(p *person) { _, _, _ = p.h.submit(p.exact(shop, 65535), nil) })},
	{"E18", "a delegation without its key", "delegationKey", delegated(func(d *wire.Delegation) {
		d.PublicKey, d.AnyRequest = new("036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"), false
	}, toTheShop)},
}
