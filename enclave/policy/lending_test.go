package policy

import (
	"math/big"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm/aave"
	"github.com/railkit/railkit/enclave/wire"
)

// A supply costs what leaves for the pool, and one for a stranger is paid to him. What comes back costs nothing unless
// it goes to somebody else. An allowance without an end costs more than any limit.
func TestSigning_E20_RulesOfLending(t *testing.T) {
	n := base(t)
	p := chain.LendingPools(n)[0]
	lend := func(c chain.Call, err error) Signing {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return call(t, c.To, c.Value.String(), c.Data)
	}
	ten, coin := big.NewInt(10_000_000), big.NewInt(1e18)
	atPool := wire.Rules{AllowedDestinations: []string{p.Pool, p.Gateway}}
	limit, nothing := wire.Rules{MaxValueUSD: "10"}, wire.Rules{MaxValueUSD: "0.01"}
	atCarol := wire.Rules{AllowedDestinations: []string{carol}}
	huge := wire.Rules{MaxValueUSD: "1000000000"}
	supply := func(owner string) Signing { return lend(aave.Supply(p, usdc, ten, owner)) }
	back := func(amount *big.Int, to string) Signing { return lend(aave.Withdraw(p, usdc, amount, to)) }
	coinBack := func(to string) Signing { return lend(aave.WithdrawCoin(p, coin, to)) }
	for name, c := range map[string]struct {
		r    wire.Rules
		x    Signing
		rule string
	}{
		"within a limit":              {limit, supply(alice), ""},
		"above a limit":               {wire.Rules{MaxValueUSD: "9.99"}, supply(alice), MaxValueUSD},
		"the pool named":              {atPool, supply(alice), ""},
		"the pool not named":          {atCarol, supply(alice), AllowedDestinations},
		"for a stranger":              {atPool, supply(bob), AllowedDestinations},
		"another token":               {wire.Rules{AllowedTokens: []string{"WETH"}}, supply(alice), AllowedTokens},
		"the coin, for a stranger":    {atPool, lend(aave.SupplyCoin(p, coin, bob)), AllowedDestinations},
		"the coin":                    {atPool, lend(aave.SupplyCoin(p, coin, alice)), ""},
		"the coin counts":             {limit, lend(aave.SupplyCoin(p, coin, alice)), MaxValueUSD},
		"back to itself":              {nothing, back(ten, alice), ""},
		"all back to itself":          {nothing, back(aave.All, alice), ""},
		"back to itself, pool only":   {atPool, back(ten, alice), ""},
		"back to a stranger":          {atPool, back(ten, bob), AllowedDestinations},
		"back to a stranger, counted": {wire.Rules{MaxValueUSD: "9.99"}, back(ten, bob), MaxValueUSD},
		"all back to a stranger":      {huge, back(aave.All, bob), MaxValueUSD},
		"the coin back to itself":     {nothing, coinBack(alice), ""},
		"the coin back to a stranger": {limit, coinBack(bob), MaxValueUSD},
		"an exact allowance":          {limit, lend(aave.Approve(usdc, p.Pool, ten)), ""},
		"an allowance without an end": {huge, lend(aave.Approve(usdc, p.Pool, aave.All)), MaxValueUSD},
	} {
		if d := Check(c.r, c.x, Value(c.x, usd2000), Totals{}); ruleOf(d) != c.rule {
			t.Errorf("%s: %q, want %q (%+v)", name, ruleOf(d), c.rule, d)
		}
	}
}

// A policy, a book or a delegation that names a pool or a router lets its calls and allowances pass, and nothing that
// would be stranded there. So does a policy that names nobody.
func TestSigning_E21_KnownContractsArePaidByTheirCallsOnly(t *testing.T) {
	n := base(t)
	p := chain.LendingPools(n)[0]
	coin, _ := n.Wrapped()
	swap, at := exchange(t, alice, now.Add(time.Minute))
	swapForPool, _ := exchange(t, p.Pool, now.Add(time.Minute))
	lend := func(c chain.Call, err error) Signing {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return call(t, c.To, c.Value.String(), c.Data)
	}
	const dead = "0x000000000000000000000000000000000000dEaD"
	ten, some := big.NewInt(10_000_000), big.NewInt(1e15)
	for name, c := range map[string]struct {
		x  Signing
		at string // where it is stranded
	}{
		"a swap":                {swap, ""},
		"a supply":              {lend(aave.Supply(p, usdc, ten, alice)), ""},
		"the coin":              {lend(aave.SupplyCoin(p, some, alice)), ""},
		"a withdrawal":          {lend(aave.Withdraw(p, usdc, ten, alice)), ""},
		"an allowance":          {lend(aave.Approve(usdc, p.Pool, ten)), ""},
		"coin that is wrapped":  {call(t, coin.Address, "1", []byte{0xd0, 0xe3, 0x0d, 0xb0}), ""},
		"a void":                {call(t, alice, "0", nil), ""},
		"a transfer":            {transfer(t, at, 1), at},
		"coin":                  {call(t, p.Gateway, "1", nil), p.Gateway},
		"coin to WETH":          {call(t, coin.Address, "1", nil), coin.Address},
		"a supply for a router": {lend(aave.Supply(p, usdc, ten, at)), at},
		"a supply for the pool": {lend(aave.Supply(p, usdc, ten, p.Pool)), p.Pool},
		"back to the pool":      {lend(aave.Withdraw(p, usdc, ten, p.Pool)), p.Pool},
		"a swap for the pool":   {swapForPool, p.Pool},
		"a token to itself":     {transfer(t, usdc, 1), usdc},
		"to nobody":             {transfer(t, dead, 1), dead},
		"to the sender":         {transfer(t, alice, 1), alice},
	} {
		everybody := []string{at, p.Pool, p.Gateway, coin.Address, usdc, dead, alice}
		book := map[string]time.Duration{}
		for _, address := range everybody {
			book[address] = time.Hour
		}
		listed := wire.Rules{AllowedDestinations: everybody}
		for rules, d := range map[string]*wire.Denial{
			"listed": Check(listed, c.x, Cost{}, Totals{}),
			"limit":  Check(wire.Rules{MaxValueUSD: "100"}, c.x, Value(c.x, usd2000), Totals{}),
			"payees": Check(wire.Rules{PayeesOnly: true}, known(c.x, book), Cost{}, Totals{}),
		} {
			want := wire.Denial{Rule: KnownContract, Field: "to", Observed: c.at}
			if d != nil {
				want.Limit = d.Limit
			}
			if (d == nil) != (c.at == "") || d != nil && *d != want {
				t.Errorf("%s, %s: %+v", name, rules, d)
			}
		}
		agent := wire.AgentLimits{AllowedChains: []string{"base"}, AnyRecipient: true, MaxFeeUSD: "1"}
		d, _ := CheckAgent(agent, AgentPayment{Signing: c.x})
		if ruleOf(d) == KnownContract != (c.at != "") {
			t.Errorf("%s, an agent: %+v", name, d)
		}
	}
}

// Who is in the book as a contract gets no plain transfer, whatever else the rules say; a Safe is there as a wallet.
func TestSigning_E21_PayeesThatAreContracts(t *testing.T) {
	as := func(contract bool, x Signing) Signing {
		x.Payees = func(address string) (InBook, bool) { return InBook{time.Hour, contract}, address == router }
		return x
	}
	only := wire.Rules{PayeesOnly: true, AllowedContracts: swaps(router)}
	for name, c := range map[string]struct {
		r        wire.Rules
		x        Signing
		contract bool
		rule     string
	}{
		"a wallet":           {only, transfer(t, router, 1), false, ""},
		"a contract":         {only, transfer(t, router, 1), true, KnownContract},
		"coin":               {only, call(t, router, "1", nil), true, KnownContract},
		"a call":             {only, call(t, router, "0", swapData), true, ""},
		"coin with a call":   {only, call(t, router, "1", swapData), true, ""},
		"an allowance":       {only, approve(t, router, everything), true, ""},
		"without payeesOnly": {wire.Rules{MaxValueUSD: "5"}, transfer(t, router, 1), true, KnownContract},
		"to somebody else":   {wire.Rules{MaxValueUSD: "5"}, transfer(t, bob, 1), true, ""},
	} {
		x := as(c.contract, c.x)
		if d := Check(c.r, x, Value(x, usd2000), Totals{}); ruleOf(d) != c.rule {
			t.Errorf("%s: %+v, want %q", name, d, c.rule)
		}
	}
}
