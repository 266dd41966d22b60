package x402_test

import (
	"encoding/base64"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/signed"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/x402"
)

const max256 = "115792089237316195423570985008687907853269984665640564039457584007913129639935"

// Each reason to skip an offer, by every way to it.
func TestAgents_ChooseSkips(t *testing.T) {
	doc, err := os.ReadFile("../docs/x402.md")
	if err != nil {
		t.Fatal(err)
	}
	permit := fields{"name": "USDC", "version": "2", "assetTransferMethod": "permit2"}
	for why, offers := range map[x402.Why][]string{
		x402.WhyUnreadable: {
			`"exact"`, `[]`, `null`, offerV2(fields{"amount": 10000}), offerV2(fields{"maxTimeoutSeconds": "60"}),
			offerV2(fields{"maxTimeoutSeconds": 1e30}), offerV2(fields{"extra": "USDC"}),
			offerV2(fields{"payTo": fields{}}),
			offerV2(fields{"extra": fields{"name": 1}}),
		},
		x402.WhyFeePayer: {
			offerSolana(fields{"extra": nil}), offerSolana(fields{"extra": fields{"feePayer": "x"}}),
			offerSolana(fields{"extra": fields{"feePayer": buyerSolana.String()}}),
			offerSolana(fields{"extra": fields{"feePayer": usdcAccount}}),
		},
		x402.WhyScheme: {
			offerV2(fields{"scheme": nil}), offerV2(fields{"scheme": "EXACT"}),
			offerV2(fields{"scheme": "batch-settlement"}),
			offerV2(fields{"scheme": "charge"}), offerV2(fields{"scheme": "deferred"}),
		},
		x402.WhyNetwork: {
			offerV2(fields{"network": nil}), offerV2(fields{"network": "base-sepolia"}),
			offerV2(fields{"network": "eip155:8453"}),
			offerV2(fields{"network": "eip155:084532"}), offerV2(fields{"network": "eip155:84532 "}),
			offerV2(fields{"network": "eip155:+84532"}), offerV2(fields{"network": "eip155:0"}),
			offerSolana(fields{"network": "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"}), // production's
			offerSolana(fields{"network": devnet + "w"}), offerSolana(fields{"network": "solana-devnet"}),
			offerSolana(fields{"network": "solana:devnet"}), offerSolana(fields{"network": "solana:"}),
			offerV2(fields{"network": "cloudflare:402"}), offerV2(fields{"network": "eip155:18446744073709636148"}),
		},
		x402.WhyAsset: {
			offerV2(fields{"asset": "USDC"}), offerV2(fields{"asset": gasText}), offerV2(fields{"asset": nil}),
			offerSolana(fields{"asset": usdcText}), offerSolana(fields{"asset": strings.ToLower(mintText)}),
			// A look-alike: one digit of the contract, the name and domain of USDC.
			offerV2(fields{"asset": "0x036cbd53842c5426634e7929541ec2318f3dcf7f"}),
			offerV2(fields{"asset": strings.Replace(usdcText, "0x", "", 1)}),
			// A wrong checksum.
			offerV2(fields{"asset": "0x036cbD53842c5426634e7929541eC2318f3dCF7e"}),
			// USDT, which the buyer does not want.
			offerV2(fields{"network": "eip155:80002", "asset": "0x502465eB63Af51B4d81021d5F9982E1AAD6eEfC6"}),
		},
		x402.WhyMethod: {
			offerV2(fields{"extra": fields{"name": "USDC", "version": "2", "assetTransferMethod": "erc7710"}}),
			offerV2(fields{"scheme": "upto", "extra": fields{"assetTransferMethod": "eip3009",
				"facilitatorAddress": gasText}}),
			offerSolana(fields{"scheme": "upto"}),
			offerSolana(fields{"extra": fields{"feePayer": sponsorSolana.String(), "assetTransferMethod": "eip3009"}}),
			offerV2(fields{"extra": fields{"name": "USDC", "version": "2", "assetTransferMethod": "sponsored"}}),
		},
		x402.WhyDomain: {
			offerV2(fields{"extra": nil}), offerV2(fields{"extra": fields{"name": "USD Coin", "version": "2"}}),
			offerV2(fields{"extra": fields{"name": "USDC", "version": "1"}}),
			offerV2(fields{"extra": fields{"name": "USDC"}}),
			offerV2(fields{"extra": fields{"name": "GatewayWalletBatched", "version": "1"}}),
			offerV2(fields{"extra": merge(fields{"name": "USD Coin"}, merge(permit, fields{"name": nil}))}),
		},
		x402.WhyFlow: {offerV2(fields{"extra": fields{"name": "USDC", "version": "2", "paymentFlow": "escrow"}})},
		x402.WhyExtra: {
			offerV2(fields{"extra": fields{"name": "USDC", "version": "2", "surprise": 1}}),
			offerV2(fields{"extra": fields{"name": "USDC", "version": "2", "feePayer": gasText}}),
			offerV2(fields{"extra": fields{"name": "USDC", "version": "2", "memo": "order-1"}}),
			offerV2(fields{"extra": fields{"name": "USDC", "version": "2", "recentBlockhash": "1"}}),
			offerSolana(fields{"extra": fields{"feePayer": sponsorSolana.String(), "surprise": 1}}),
			offerSolana(fields{"extra": fields{"feePayer": sponsorSolana.String(), "memo": strings.Repeat("m", 257)}}),
			offerV2(fields{"scheme": "upto", "extra": fields{"name": "USDC", "version": "2"}}),
			offerV2(fields{"scheme": "upto", "extra": fields{"facilitatorAddress": "0x" + strings.Repeat("0", 40)}}),
		},
		x402.WhyPayTo: {
			offerV2(fields{"payTo": nil}), offerV2(fields{"payTo": "merchant"}),
			offerV2(fields{"payTo": "0x" + strings.Repeat("0", 40)}),
			offerSolana(fields{"payTo": mintText}), offerSolana(fields{"payTo": sellerText}),
			offerSolana(fields{"payTo": solana.SystemProgram.String()}),
			offerV2(fields{"payTo": usdcText}), offerV2(fields{"payTo": evm.Permit2Address().String()}),
			offerV2(fields{"payTo": signed.ExactProxy().String()}),
			offerV2(fields{"payTo": signed.UptoProxy().String()}),
			offerV2(fields{"payTo": chain.Markets(baseSepolia)[0].Router}),
			offerV2(fields{"payTo": "0x000000000000000000000000000000000000dEaD"}),
			offerV2(fields{"payTo": "0x70997970c51812dc3A010C7d01b50e0d17dc79C8"}), // checksum
		},
		x402.WhyOwn: {
			offerSolana(fields{"payTo": buyerSolana.String()}),
			offerV2(fields{"payTo": buyer.String()}), offerV2(fields{"payTo": strings.ToLower(buyer.String())}),
		},
		x402.WhyAmount: {
			offerV2(fields{"amount": nil}), offerV2(fields{"amount": ""}), offerV2(fields{"amount": "-1"}),
			offerV2(fields{"amount": "+1"}), offerV2(fields{"amount": "1e3"}), offerV2(fields{"amount": "0.01"}),
			offerV2(fields{"amount": "010000"}), offerV2(fields{"amount": "0x10"}), offerV2(fields{"amount": " 1"}),
			offerV2(fields{"amount": "1_000"}), offerV2(fields{"amount": "١"}),
			offerV2(fields{"amount": max256[:77] + "6"}),
			offerV2(fields{"amount": strings.Repeat("9", 5000)}),
		},
		x402.WhyZero: {offerV2(fields{"amount": "0"})},
		x402.WhyTooMuch: {
			offerV2(fields{"amount": "1000001"}), offerV2(fields{"amount": max256}),
			offerV2(fields{"amount": "18446744073709561616"}), // 10000 in 64 bits
		},
		x402.WhyTooShort: {
			offerV2(fields{"maxTimeoutSeconds": nil}), offerV2(fields{"maxTimeoutSeconds": 9}),
			offerV2(fields{"maxTimeoutSeconds": -60}),
		},
	} {
		if !strings.Contains(string(doc), "`"+string(why)+"`") {
			t.Errorf("docs/x402.md does not explain %s", why)
		}
		for _, o := range offers {
			all := asked(t, x402.V2, o, offerV2(nil)) // one that fits stands behind it
			best, skipped, ok := x402.Choose(all, ready())
			if !ok || len(skipped) != 1 || skipped[0].Number != 0 || best.Offer.Amount != "10000" {
				t.Errorf("%s: %v %+v", o, ok, skipped)
				continue
			}
			if skipped[0].Why != why || skipped[0].Why.Sentence() == "" {
				t.Errorf("%s is skipped as %s, want %s", o, skipped[0].Why, why)
			}
		}
	}
}

// What the buyer is not ready for is skipped as well.
func TestChooseWants(t *testing.T) {
	for why, change := range map[x402.Why]func(w *x402.Wants){
		x402.WhyNetwork:  func(w *x402.Wants) { w.Networks = nil },
		x402.WhyAsset:    func(w *x402.Wants) { w.Tokens = []string{"USDT"} },
		x402.WhyMethod:   func(w *x402.Wants) { w.Methods = []x402.Method{x402.Permit2} },
		x402.WhyOwn:      func(w *x402.Wants) { w.Own = append(w.Own, sellerText) },
		x402.WhyTooMuch:  func(w *x402.Wants) { w.Max = nil },
		x402.WhyTooShort: func(w *x402.Wants) { w.MinSeconds = 61 },
	} {
		w := ready()
		change(&w)
		if _, skipped, ok := x402.Choose(asked(t, x402.V2, offerV2(nil)), w); ok || skipped[0].Why != why {
			t.Errorf("%s: %v %+v", why, ok, skipped)
		}
	}
	w := ready()
	w.Upto = false
	upto := offerV2(fields{"scheme": "upto", "extra": fields{"facilitatorAddress": gasText}})
	if _, skipped, ok := x402.Choose(asked(t, x402.V2, upto), w); ok || skipped[0].Why != x402.WhyScheme {
		t.Errorf("upto: %v %+v", ok, skipped)
	}
}

// The cheapest, and of equally cheap ones the first.
func TestChooseCheapest(t *testing.T) {
	all := asked(t, x402.V2, offerV2(nil), offerV2(fields{"amount": "7000", "payTo": gasText}),
		offerV2(fields{"amount": "7000"}), offerV2(fields{"amount": "6999", "network": "eip155:1"}))
	best, skipped, ok := x402.Choose(all, ready())
	if !ok || best.Amount.Int64() != 7000 || best.PayTo != gasText || len(skipped) != 1 {
		t.Errorf("%+v %+v", best, skipped)
	}
	if _, skipped, ok := x402.Choose(x402.Offers{}, ready()); ok || skipped != nil {
		t.Error("something was chosen from nothing")
	}
}

// Identity is chain and contract: of all offers that fit, the token is the registry's.
func TestChooseIsTheRegistry(t *testing.T) {
	networks := chain.Networks(chain.Sandbox)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom(networks).Draw(t, "network")
		token := rapid.SampledFrom(n.Tokens).Draw(t, "token")
		asset := rapid.SampledFrom([]string{token.Address, strings.ToLower(token.Address), gasText}).Draw(t, "asset")
		name := rapid.SampledFrom([]string{"USDC", "USD Coin", "USDT"}).Draw(t, "name")
		extra := fields{"name": name, "version": token.DomainVersion}
		if n.Kind == chain.Solana { // no case is folded there, and no domain compared
			asset = rapid.SampledFrom([]string{token.Address, gasText}).Draw(t, "mint")
			extra["feePayer"] = sponsorSolana.String()
		}
		offer, err := x402.ParseOffer(x402.V2, []byte(offerV2(fields{
			"network": x402.NetworkID(n), "asset": asset,
			"payTo": payToOn(n), "extra": extra,
		})))
		if err != nil {
			t.Fatal(err)
		}
		c, _, ok := x402.Choose(x402.Offers{Dialect: x402.V2, List: []x402.Offer{offer}}, ready())
		named := name == token.DomainName || n.Kind == chain.Solana
		if want := asset != gasText && token.Symbol == "USDC" && named; ok != want {
			t.Fatalf("chosen %v, want %v", ok, want)
		}
		if ok && (c.Token != token || c.Network.Slug != n.Slug || !strings.EqualFold(c.Token.Address, token.Address)) {
			t.Fatalf("%+v", c)
		}
	})
}

func TestChooseMPP(t *testing.T) {
	line := func(request string, more string) x402.Offers {
		all, err := x402.ReadOffers(402, header("WWW-Authenticate", challenge(request)+more), nil, x402.MPP)
		if err != nil {
			t.Fatalf("%s %s: %v", request, more, err)
		}
		return all
	}
	end := func(d time.Duration) string { return `, expires="` + now.Add(d).Format(time.RFC3339) + `"` }
	for name, c := range map[string]struct {
		all     x402.Offers
		why     x402.Why
		seconds int64
	}{
		"no end":       {line(chargeRequest, ""), "", 120},
		"an end":       {line(chargeRequest, end(time.Minute)), "", 60},
		"a late end":   {line(chargeRequest, end(time.Hour)), "", 120},
		"over":         {line(chargeRequest, end(0)), x402.WhyExpired, 0},
		"nearly over":  {line(chargeRequest, end(5*time.Second)), x402.WhyTooShort, 0},
		"a wrong end":  {line(chargeRequest, `, expires="soon"`), x402.WhyUnreadable, 0},
		"a header":     {line(chargeRequest, `, header="Payment-Authorization"`), "", 120},
		"other header": {line(chargeRequest, `, header="Cookie"`), x402.WhyUnreadable, 0},
		"splits": {line(strings.Replace(chargeRequest, `"chainId"`,
			`"splits":[{"recipient":"x","amount":"1"}],"chainId"`, 1), ""),
			x402.WhyExtra, 0},
		"transaction only": {line(strings.Replace(chargeRequest, "authorization", "transaction", 1), ""),
			x402.WhyMethod, 0},
		"another chain": {line(strings.Replace(chargeRequest, "84532", "8453", 1), ""), x402.WhyNetwork, 0},
		"no request":    {line("", ""), x402.WhyUnreadable, 0},
	} {
		got, skipped, ok := x402.Choose(c.all, ready())
		if ok != (c.why == "") || got.Seconds != c.seconds || !ok && skipped[0].Why != c.why {
			t.Errorf("%s: %d %+v", name, got.Seconds, skipped)
		}
	}
	other := `Payment id="1", realm="r", method="tempo", intent="session", request="` +
		base64.RawURLEncoding.EncodeToString([]byte(chargeRequest)) + `"`
	all, err := x402.ReadOffers(402, header("WWW-Authenticate", other+", "+challenge(chargeRequest)), nil, x402.MPP)
	if err != nil || len(all.List) != 2 {
		t.Fatalf("%+v %v", all, err)
	}
	if _, skipped, ok := x402.Choose(all, ready()); !ok || len(skipped) != 1 || skipped[0].Why != x402.WhyScheme {
		t.Errorf("%v %+v", ok, skipped)
	}
}

// The older dialect names networks by slug and amounts in units. It is paid as version 1, which has a name for few
// networks.
func TestChooseOlder(t *testing.T) {
	for body, want := range map[string]x402.Why{
		oldBody: "",
		strings.Replace(oldBody, `"0.01"`, `"0.0000001"`, 1):    x402.WhyAmount,
		strings.Replace(oldBody, `"0.01"`, `"1.000001"`, 1):     x402.WhyTooMuch,
		strings.Replace(oldBody, `"0.01"`, `0.01`, 1):           x402.WhyUnreadable,
		strings.Replace(oldBody, `"base"`, `"solana"`, 1):       x402.WhyFeePayer,
		strings.Replace(oldBody, `"base"`, `"arbitrum"`, 1):     x402.WhyNetwork,
		strings.Replace(oldBody, `"base"`, `"base-sepolia"`, 1): x402.WhyNetwork,
		strings.Replace(oldBody, `"USDC"`, `"usdt"`, 1):         x402.WhyAsset,
	} {
		all, err := x402.ReadOffers(402, nil, []byte(body), x402.Old)
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		c, skipped, ok := x402.Choose(all, ready())
		if ok != (want == "") || !ok && skipped[0].Why != want || ok && c.Amount.Cmp(big.NewInt(10000)) != 0 {
			t.Errorf("%s: %+v", body, skipped)
		}
	}
}
