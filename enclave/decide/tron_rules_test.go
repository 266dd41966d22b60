package decide

import (
	"strconv"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/tron"
	"github.com/railkit/railkit/enclave/policy"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// tronPriced is a club with prices: TRX at 0.5 USD, and 1,000 sun for a byte.
func tronPriced(t *testing.T) *club {
	c := tronClub(t)
	c.apply(Event{Kind: EventPrices, TimeMs: c.now.UnixMilli(), Sheet: &Sheet{
		AsOfMs: c.now.UnixMilli(), ExpiresAtMs: c.now.Add(time.Hour).UnixMilli(),
		Prices:   []wire.Price{{Asset: "TRX", USD: "0.5"}, {Asset: "USDT", USD: "1"}},
		DataFees: []wire.DataFee{{Chain: "tron", WeiPerByte: "1000"}},
	}})
	return c
}

// tronDenied is the rule that refuses a body of ann's; "" of one that is signed.
func (c *club) tronDenied(r Request) string {
	c.t.Helper()
	c.now = c.now.Add(time.Millisecond)
	d, err := c.judgeOn(tronTerms(), r)
	if err != nil {
		c.t.Fatal(err)
	}
	c.apply(d.Event)
	if d.Event.Denial == nil {
		return ""
	}
	return d.Event.Denial.Rule
}

// Limits count the amount, all energy that was stamped, the bytes, and of TRX an account that may be missing: 1 USDT,
// 20 TRX and 346 bytes; 5 sun, 1.1 TRX and 265 bytes.
func TestTron_T18_LimitsCountEnergyBytesAndActivation(t *testing.T) {
	for name, tc := range map[string]struct {
		p                    wire.SignIntentParams
		cost, fee, data, low string
	}{
		"USDT": {tronIntent(), "11.173", "20 TRX", "0.346 TRX", "11.1729"},
		"TRX":  {tronCoin(), "0.682503", "1.1 TRX", "0.265 TRX", "0.682502"},
	} {
		for limit, want := range map[string]string{tc.cost: "", tc.low: policy.MaxValueUSD} {
			c := tronPriced(t)
			c.rules(wire.Rules{MaxValueUSD: limit})
			r := c.body(wire.SignIntent, tc.p)
			shown, err := c.Preview(r, c.now)
			if err != nil || shown.CostUSD != tc.cost || shown.FeeDisplay != tc.fee || shown.DataDisplay != tc.data ||
				shown.ChainName != "Tron Nile" {
				t.Errorf("%s: the preview is %+v, %v", name, shown, err)
			}
			if got := c.tronDenied(r); got != want {
				t.Errorf("%s with %s: denied by %q, want %q", name, limit, got, want)
			}
		}
	}
	c := tronClub(t) // nobody signed what bytes cost
	c.rules(wire.Rules{MaxValueUSD: "1000000"})
	if got := c.tronDenied(c.body(wire.SignIntent, tronCoin())); got != policy.UnknownPrice {
		t.Errorf("without a data fee: denied by %q", got)
	}
}

// Rules name payees as the chain does, and a listed contract is certain where another one is not.
func TestTron_T18_Rules(t *testing.T) {
	coin := func(c *club) Request { return c.body(wire.SignIntent, tronCoin()) }
	token := func(c *club) Request { return c.body(wire.SignIntent, tronIntent()) }
	calls := func(data string) func(c *club) Request {
		return func(c *club) Request {
			p := tronIntent()
			p.To, p.Data, p.Transfer = tronOther, data, nil
			return c.body(wire.SignIntent, p)
		}
	}
	withPrefix := "0xa9059cbb" + "000000000000000000000041" + tronPays(tronPayee, 1)[34:]
	for name, tc := range map[string]struct {
		rules wire.Rules
		r     func(c *club) Request
		want  string
	}{
		"to the payee":     {wire.Rules{AllowedDestinations: []string{tronPayee}}, token, ""},
		"TRX to the payee": {wire.Rules{AllowedDestinations: []string{tronPayee}}, coin, ""},
		"to another": {wire.Rules{AllowedDestinations: []string{tronOther}}, token,
			policy.AllowedDestinations},
		"the contract is nobody": {wire.Rules{AllowedDestinations: []string{tronUSDT}}, token,
			policy.AllowedDestinations},
		"on another network": {wire.Rules{AllowedChains: []string{"base"}}, coin, policy.AllowedChains},
		"another token":      {wire.Rules{AllowedTokens: []string{"USDT"}}, coin, policy.AllowedTokens},
		"a contract of strangers": {wire.Rules{AllowedDestinations: []string{tronPayee}},
			calls(tronPays(tronPayee, 1)), policy.UnknownCall},
		"one whose call is allowed": {wire.Rules{AllowedContracts: []wire.AllowedContract{
			{Chain: "tron", Address: tronOther, Selectors: []string{"0xa9059cbb"}},
		}}, calls(tronPays(tronPayee, 1)), ""},
		"an address with its prefix": {wire.Rules{AllowedContracts: []wire.AllowedContract{
			{Chain: "tron", Address: tronOther, Selectors: []string{"0xa9059cbb"}},
		}}, calls(withPrefix), policy.AllowedContracts},
	} {
		c := tronPriced(t)
		c.rules(tc.rules)
		if got := c.tronDenied(tc.r(c)); got != tc.want {
			t.Errorf("%s: denied by %q, want %q", name, got, tc.want)
		}
	}
}

// A delegation signs without a passkey what goes to its payees within its bounds, and nothing else. What it signed is
// listed until it has ended.
func TestTron_T18_Delegations(t *testing.T) {
	c := tronPriced(t)
	c.rules(wire.Rules{Delegation: &wire.Delegation{
		AnyRequest: true, ExpiresAtMs: strconv.FormatInt(c.now.Add(time.Hour).UnixMilli(), 10), MaxValueUSD: "20",
		DailyUSD: "20", AllowedDestinations: []string{tronPayee},
	}})
	pays := func(to string) wire.SignTransactionParams {
		return c.tronRaw(time.Minute, func(r *tron.Raw) {
			r.To, _ = tron.ParseAddress(tronUSDT)
			r.Data, _ = chain.ParseHex(tronPays(to, 1_000_000))
			r.Amount, r.FeeLimit = 0, 20_000_000
		})
	}
	for _, tc := range []struct {
		what string
		to   string
		want EventKind
	}{
		{"to another payee", tronOther, EventHeld}, {"a payment of the delegation", tronPayee, EventTransaction},
		{"beyond its day", tronPayee, EventHeld},
	} {
		c.now = c.now.Add(time.Millisecond)
		d, err := c.Decide(Submission{Request: c.body(wire.SignTransaction, pays(tc.to))}, c.now)
		if err != nil || d.Event.Kind != tc.want {
			t.Errorf("%s: %+v, %v", tc.what, d.Event, err)
		}
		c.apply(d.Event)
	}
	q := wire.LentRequest{PolicyID: c.organizations[c.org].policies[0].ID}
	if got, _ := c.lentSeqs(q); len(got) != 1 {
		t.Errorf("what was signed under it: %v", got)
	}
	c.now = c.now.Add(17 * time.Minute)
	if got, _ := c.lentSeqs(q); len(got) != 0 {
		t.Errorf("after it has ended: %v", got)
	}
}

// The book of payees knows addresses of Tron, and warns of one that looks like another.
func TestTron_T18_Payees(t *testing.T) {
	c := tronPriced(t)
	add := func(address string) Request {
		return c.body(wire.AddPayee, wire.AddPayeeParams{
			Name: "Carol", Chain: "tron", Address: address, Kind: wire.WalletPayee,
		})
	}
	for what, address := range map[string]string{
		"the black hole": "TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy", "an address of EVM": c.address,
		"a typing error": tronPayee[:33] + "x", "hex": "410000000000000000000000000000000000000002",
	} {
		c.refused(what, refusal.ErrBody, "ann", add(address))
	}
	c.must(EventPayee, "ann", add(tronPayee))
	c.rules(wire.Rules{PayeesOnly: true})
	if got := c.tronDenied(c.body(wire.SignIntent, tronIntent())); got != "" {
		t.Errorf("a payee: denied by %q", got)
	}
	p := tronIntent()
	p.Data, p.Transfer.To = tronPays(tronOther, 1_000_000), tronOther
	if got := c.tronDenied(c.body(wire.SignIntent, p)); got != policy.PayeesOnly {
		t.Errorf("somebody else: denied by %q", got)
	}
}

// A payment that waits for votes longer than a transaction lives is made with the last vote,
// and ends ten minutes later.
func TestTron_T18_Approvals(t *testing.T) {
	c := tronPriced(t)
	c.join("bob", "bob", "key of bob")
	rules := config(true, "1")
	rules.ThresholdUSD = "1"
	c.must(EventConfig, "ann", c.body(wire.UpdateApprovalConfig, rules))
	r := c.body(wire.SignIntent, tronIntent())
	c.must(EventHeld, "ann", r)
	c.now = c.now.Add(29 * time.Minute)
	c.must(EventVote, "bob", c.vote(r.Fingerprint))
	d, err := c.Decide(Submission{Request: r, Volatile: tronTerms()}, c.now)
	if err != nil || d.Event.Transaction == nil {
		t.Fatalf("after the vote: %+v, %v", d.Event, err)
	}
	if tx, err := (tron.Family{}).DecodeUnsigned(d.Event.Transaction.Unsigned); err != nil ||
		tx.Recent.Expires != c.now.Add(10*time.Minute).UnixMilli() {
		t.Errorf("it ends at %+v, %v", tx.Recent, err)
	}
	c.apply(d.Event)
	if d, err := c.judgeOn(tronTerms(), r); err != nil || d.Past == nil {
		t.Errorf("a second time: %+v, %v", d, err)
	}
}
