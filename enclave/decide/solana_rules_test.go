package decide

import (
	"strconv"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/enclave/policy"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// solPriced is a club with prices: SOL at 150 USD, and so 0.30 USD of rent and fee at most.
func solPriced(t *testing.T) *club {
	c := solClub(t)
	c.apply(Event{Kind: EventPrices, TimeMs: c.now.UnixMilli(), Sheet: &Sheet{
		AsOfMs: c.now.UnixMilli(), ExpiresAtMs: c.now.Add(time.Hour).UnixMilli(),
		Prices: []wire.Price{{Asset: "SOL", USD: "150"}, {Asset: "USDC", USD: "1"}},
	}})
	return c
}

func (c *club) rules(r wire.Rules) {
	c.t.Helper()
	c.must(EventPolicy, "ann", c.body(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: c.wallet, Rules: r}))
}

// deniedBy is the rule that refuses a body of ann's; "" of one that is signed.
func (c *club) deniedBy(r Request) string {
	c.t.Helper()
	v := solTerms()
	v.Blockhash = solana.Address{9, byte(c.bodies)}.String()
	d, err := c.judgeOn(v, r)
	if err != nil {
		c.t.Fatal(err)
	}
	c.apply(d.Event)
	if d.Event.Denial == nil {
		return ""
	}
	return d.Event.Denial.Rule
}

// Limits count the amount, the rent that was stamped and the highest fee: 1 USDC, 0.0021 SOL and 0.00001 SOL.
func TestSolana_L18_LimitsCountFeeAndRent(t *testing.T) {
	for limit, want := range map[string]string{"1.3165": "", "1.3164": policy.MaxValueUSD} {
		c := solPriced(t)
		c.rules(wire.Rules{MaxValueUSD: limit})
		r := c.body(wire.SignIntent, solIntent())
		if shown, err := c.Preview(r, c.now); err != nil || shown.CostUSD != "1.3165" || shown.FeeUSD != "0.0015" ||
			shown.MaxRent != "2100000" || shown.RentDisplay != "0.0021 SOL" || shown.RentUSD != "0.315" {
			t.Errorf("the preview is %+v, %v", shown, err)
		}
		if got := c.deniedBy(r); got != want {
			t.Errorf("with %s: denied by %q, want %q", limit, got, want)
		}
	}
	c := solPriced(t)
	c.rules(wire.Rules{DailyUSD: "3"})
	for i, want := range []string{"", "", policy.DailyUSD} {
		if got := c.deniedBy(c.body(wire.SignIntent, solIntent())); got != want {
			t.Errorf("payment %d of the day: denied by %q, want %q", i, got, want)
		}
	}
}

// Fee and rent of exact bytes are told apart too, and where no price tells the dollars, the lamports are.
func TestSolana_L18_FeeAndRentOfBytes(t *testing.T) {
	own, mint := solAddress(solOwn), solAddress(solMint)
	opens := []solana.Instruction{
		solana.CreateAssociated(own, solAddress(solPayee), mint),
		solana.CreateAssociated(own, solAddress(solOther), mint),
		solana.TransferToken(own, solAddress(solPayee), mint, 5, 6),
	}
	for name, tc := range map[string]struct {
		c                  *club
		fee, rent, rentUSD string
	}{
		"priced":     {solPriced(t), "0.00075", "4078560", "0.611784"},
		"not priced": {solClub(t), "", "4078560", ""},
	} {
		shown, err := tc.c.Preview(tc.c.body(wire.SignTransaction, tc.c.solBytes(solOwn, opens...)), tc.c.now)
		if err != nil || shown.FeeUSD != tc.fee || shown.MaxRent != tc.rent || shown.RentUSD != tc.rentUSD {
			t.Errorf("%s: %+v, %v", name, shown, err)
		}
		shown, err = tc.c.Preview(tc.c.body(wire.SignTransaction, tc.c.solBytes(solOwn, opens[2])), tc.c.now)
		if err != nil || shown.MaxRent != "" || shown.RentDisplay != "" || shown.RentUSD != "" {
			t.Errorf("%s, without an account: %+v, %v", name, shown, err)
		}
	}
}

// Destinations are owners: of an intent, and of exact bytes, whose token account has to be the owner's.
func TestSolana_L18_DestinationsAreOwners(t *testing.T) {
	own, payee, mint := solAddress(solOwn), solAddress(solPayee), solAddress(solMint)
	account := solana.AssociatedAddress(payee, mint, solana.TokenProgram)
	opens := []solana.Instruction{
		solana.CreateAssociated(own, payee, mint), solana.TransferToken(own, payee, mint, 5, 6),
	}
	nobody := solana.TransferToken(own, payee, mint, 5, 6)
	nobody.Accounts = nobody.Accounts[:4]
	for name, tc := range map[string]struct {
		allowed string
		r       func(c *club) Request
		want    string
	}{
		"an intent to the owner": {solPayee, func(c *club) Request { return c.body(wire.SignIntent, solIntent()) }, ""},
		"an intent to another": {solOther, func(c *club) Request { return c.body(wire.SignIntent, solIntent()) },
			policy.AllowedDestinations},
		"the token account is no owner": {account.String(),
			func(c *club) Request { return c.body(wire.SignIntent, solIntent()) }, policy.AllowedDestinations},
		"bytes that open his account": {solPayee, func(c *club) Request {
			return c.body(wire.SignTransaction, c.solBytes(solOwn, opens...))
		}, ""},
		"bytes that open another's": {solOther, func(c *club) Request {
			return c.body(wire.SignTransaction, c.solBytes(solOwn, opens...))
		}, policy.AllowedDestinations},
		"bytes that name no owner": {solPayee, func(c *club) Request {
			return c.body(wire.SignTransaction, c.solBytes(solOwn, nobody))
		}, policy.UnknownCall},
	} {
		c := solPriced(t)
		c.rules(wire.Rules{AllowedDestinations: []string{tc.allowed}})
		if got := c.deniedBy(tc.r(c)); got != tc.want {
			t.Errorf("%s: denied by %q, want %q", name, got, tc.want)
		}
	}
}

// A delegation signs without a passkey what goes to its owners within its bounds, and nothing else.
func TestSolana_L18_Delegations(t *testing.T) {
	c := solPriced(t)
	c.rules(wire.Rules{Delegation: &wire.Delegation{
		AnyRequest: true, ExpiresAtMs: strconv.FormatInt(c.now.Add(time.Hour).UnixMilli(), 10), MaxValueUSD: "2",
		DailyUSD: "2", AllowedDestinations: []string{solPayee},
	}})
	alone := func(r Request) EventKind {
		d, err := c.Decide(Submission{Request: r, Volatile: solTerms()}, c.now)
		if err != nil {
			t.Fatal(err)
		}
		c.apply(d.Event)
		return d.Event.Kind
	}
	advance := solana.Instruction{Program: solana.SystemProgram, Accounts: []solana.Account{
		{Address: solAddress(solOther), Written: true}, {Address: solAddress(solPayee)},
		{Address: solAddress(solOwn), Signs: true},
	}, Data: []byte{4, 0, 0, 0}}
	durable := c.body(wire.SignTransaction, c.solBytes(solOwn, advance, solCoin(1)))
	if got := c.deniedBy(durable); got != policy.UnknownCall {
		t.Errorf("a durable nonce: denied by %q", got)
	}
	pays := func(to string, amount uint64) Request {
		i := solana.TransferToken(solAddress(solOwn), solAddress(to), solAddress(solMint), amount, 6)
		return c.body(wire.SignTransaction, c.solBytes(solOwn, i))
	}
	for _, tc := range []struct {
		what string
		r    Request
		want EventKind
	}{
		{"to another owner", pays(solOther, 1_000_000), EventHeld},
		{"a payment of the delegation", pays(solPayee, 1_000_000), EventTransaction},
		{"beyond its day", pays(solPayee, 1_000_001), EventHeld},
	} {
		if got := alone(tc.r); got != tc.want {
			t.Errorf("%s: %s", tc.what, got)
		}
	}
	lent, err := c.Describe(wire.StateRequest{OrganizationID: c.org, Lent: &wire.LentRequest{
		PolicyID: c.organizations[c.org].policies[0].ID,
	}}, c.now)
	if err != nil || len(lent.Lent.Signed) != 1 {
		t.Errorf("what was signed under it: %+v, %v", lent, err)
	}
}

// The book of payees knows owners, and warns of one that looks like another.
func TestSolana_L18_Payees(t *testing.T) {
	c := solPriced(t)
	add := func(name, address string) Request {
		return c.body(wire.AddPayee, wire.AddPayeeParams{
			Name: name, Chain: "solana", Address: address, Kind: wire.WalletPayee,
		})
	}
	for what, address := range map[string]string{
		"a program": solana.TokenProgram.String(), "an address of EVM": c.address, "a typing error": "0" + solPayee[1:],
	} {
		c.refused(what, refusal.ErrBody, "ann", add("Nobody", address))
	}
	c.must(EventPayee, "ann", add("Carol", solPayee))
	c.rules(wire.Rules{PayeesOnly: true})
	if got := c.deniedBy(c.body(wire.SignIntent, solIntent())); got != "" {
		t.Errorf("a payee: denied by %q", got)
	}
	like := "9b5" + solPayee[3:40] + "Ns6g"
	p := solIntent()
	p.To, p.Transfer.To = like, like
	shown, err := c.Preview(c.body(wire.SignIntent, p), c.now)
	if err != nil || shown.Denial == nil || shown.Denial.Rule != policy.PayeesOnly || !warned(shown, "is not Carol") {
		t.Errorf("one that looks like it: %+v, %v", shown, err)
	}
}

// A payment that waits for votes is signed after the last one, under the blockhash of that moment.
func TestSolana_L18_Approvals(t *testing.T) {
	c := solPriced(t)
	c.join("bob", "bob", "key of bob")
	rules := config(true, "1")
	rules.ThresholdUSD = "1"
	c.must(EventConfig, "ann", c.body(wire.UpdateApprovalConfig, rules))
	r := c.body(wire.SignIntent, solIntent())
	c.must(EventHeld, "ann", r)
	c.must(EventVote, "bob", c.vote(r.Fingerprint))
	v := solTerms()
	v.Blockhash = solHash2
	d, err := c.Decide(Submission{Request: r, Volatile: v}, c.now)
	if err != nil || d.Event.Transaction == nil {
		t.Fatalf("after the vote: %+v, %v", d.Event, err)
	}
	c.apply(d.Event)
	if d, err := c.judgeOn(solTerms(), r); err != nil || d.Past == nil {
		t.Errorf("a second time: %+v, %v", d, err)
	}
}
