package policy

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

// agentLimits let an agent pay bob on Base: 10 USDC a month and 1 USDC at once.
func agentLimits() wire.AgentLimits {
	return wire.AgentLimits{
		InfraMonthlyUSD: "50", TokensMonthlyUSD: "200", PaymentsMonthlyUSDC: "10", PerTxUSDC: "1",
		ApprovalThresholdUSDC: "0.5", MaxFeeUSD: "1", AllowedChains: []string{"base"}, AllowedRecipients: []string{bob},
	}
}

// limitsWith are the limits with one change.
func limitsWith(change func(*wire.AgentLimits)) wire.AgentLimits {
	l := agentLimits()
	change(&l)
	return l
}

// A change tightens only if nothing is allowed afterwards that was not before: each field alone, both ways.
func TestAgents_LoosensAgent(t *testing.T) {
	book := func(hours string) func(*wire.AgentLimits) {
		return func(l *wire.AgentLimits) { l.AllowedRecipients, l.PayeesOnly, l.PayeeCoolingHours = nil, true, hours }
	}
	anybody := func(l *wire.AgentLimits) { l.AllowedRecipients, l.AnyRecipient = nil, true }
	two := func(l *wire.AgentLimits) { l.AllowedRecipients = []string{bob, carol} }
	same := func(*wire.AgentLimits) {}
	chains := func(all ...string) func(*wire.AgentLimits) {
		return func(l *wire.AgentLimits) { l.AllowedChains = all }
	}
	httpOnly := func(l *wire.AgentLimits) { l.RequireHTTPSignature = true }
	wallets := func(most string) func(*wire.AgentLimits) {
		return func(l *wire.AgentLimits) { l.MaxWallets = most }
	}
	hosts := func(all ...string) func(*wire.AgentLimits) {
		return func(l *wire.AgentLimits) { l.AllowedHosts = all }
	}
	for name, c := range map[string]struct {
		old, next func(*wire.AgentLimits)
		want      bool
	}{
		"the same":                {same, same, false},
		"less for calls":          {same, func(l *wire.AgentLimits) { l.InfraMonthlyUSD = "49" }, false},
		"more for calls":          {same, func(l *wire.AgentLimits) { l.InfraMonthlyUSD = "50.000001" }, true},
		"less for tokens":         {same, func(l *wire.AgentLimits) { l.TokensMonthlyUSD = "0" }, false},
		"more for tokens":         {same, func(l *wire.AgentLimits) { l.TokensMonthlyUSD = "201" }, true},
		"a lower month":           {same, func(l *wire.AgentLimits) { l.PaymentsMonthlyUSDC = "9.999999" }, false},
		"a higher month":          {same, func(l *wire.AgentLimits) { l.PaymentsMonthlyUSDC = "10.000001" }, true},
		"less at once":            {same, func(l *wire.AgentLimits) { l.PerTxUSDC = "0.9" }, false},
		"more at once":            {same, func(l *wire.AgentLimits) { l.PerTxUSDC = "1.1" }, true},
		"asks earlier":            {same, func(l *wire.AgentLimits) { l.ApprovalThresholdUSDC = "0" }, false},
		"asks later":              {same, func(l *wire.AgentLimits) { l.ApprovalThresholdUSDC = "0.6" }, true},
		"a lower fee":             {same, func(l *wire.AgentLimits) { l.MaxFeeUSD = "0.5" }, false},
		"a higher fee":            {same, func(l *wire.AgentLimits) { l.MaxFeeUSD = "2" }, true},
		"one more chain":          {same, chains("base", "polygon"), true},
		"another chain":           {same, chains("polygon"), true},
		"one lower, one higher":   {same, func(l *wire.AgentLimits) { l.PerTxUSDC, l.MaxFeeUSD = "0.5", "2" }, true},
		"a limit that is none":    {same, func(l *wire.AgentLimits) { l.PerTxUSDC = "x" }, true},
		"one more recipient":      {same, two, true},
		"one recipient less":      {two, same, false},
		"another recipient":       {same, func(l *wire.AgentLimits) { l.AllowedRecipients = []string{carol} }, true},
		"anybody":                 {same, anybody, true},
		"the book for a list":     {same, book(""), true},
		"a list for the book":     {book(""), same, true},
		"a list for anybody":      {anybody, same, false},
		"the book for anybody":    {anybody, book(""), false},
		"anybody for the book":    {book(""), anybody, true},
		"a longer cooling":        {book("2"), book("3"), false},
		"a shorter cooling":       {book("3"), book("2"), true},
		"no cooling":              {book("3"), book(""), true},
		"the first cooling":       {book(""), book("3"), false},
		"anybody, and no chain":   {anybody, func(l *wire.AgentLimits) { anybody(l); l.AllowedChains = nil }, true},
		"nobody for a recipient":  {same, func(l *wire.AgentLimits) { l.AllowedRecipients = nil }, true},
		"signed by one form only": {same, httpOnly, false},
		"signed by either form":   {httpOnly, same, true},
		"the first wallet":        {same, wallets("1"), true},
		"one wallet more":         {wallets("1"), wallets("2"), true},
		"one wallet less":         {wallets("2"), wallets("1"), false},
		"no wallet any more":      {wallets("2"), same, false},
		"the first host":          {same, hosts("a.example"), true},
		"no host any more":        {hosts("a.example"), same, false},
		"one host less":           {hosts("a.example", "b.example"), hosts("b.example"), false},
		"one host more":           {hosts("a.example"), hosts("a.example", "b.example"), true},
		"another host":            {hosts("a.example"), hosts("b.example"), true},
		"another port":            {hosts("a.example"), hosts("a.example:8443"), true},
		"hosts in another order":  {hosts("a.example", "b.example"), hosts("b.example", "a.example"), false},
		"anybody as before, less": {anybody, func(l *wire.AgentLimits) { anybody(l); l.PerTxUSDC = "0.1" }, false},
	} {
		if got := LoosensAgent(limitsWith(c.old), limitsWith(c.next)); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// agentPays is a transfer of USDC on Base.
func agentPays(micro int64, to string) AgentPayment {
	base, _ := chain.WithSlug(chain.Networks(chain.Sandbox), "base")
	usdc := base.Tokens[0]
	return AgentPayment{Micro: micro, Fee: Cost{Micro: 1_000_000}, ResetsAt: "later", Signing: Signing{
		Network: base, MaxFee: big.NewInt(1), Effects: []chain.Effect{{
			Kind: chain.Transfer, Asset: usdc.Address, Symbol: usdc.Symbol, Decimals: 6, From: alice, To: to,
			Amount: big.NewInt(micro).String(), Contract: usdc.Address,
		}},
	}}
}

func TestAgents_CheckAgent(t *testing.T) {
	pays := func(spent, held, micro int64) AgentPayment {
		p := agentPays(micro, bob)
		p.Spent, p.Held = spent, held
		return p
	}
	fee := pays(0, 0, 1)
	fee.Fee.Micro++
	unknownFee := pays(0, 0, 1)
	unknownFee.Fee.Unknown = "no price"
	elsewhere := pays(0, 0, 1)
	elsewhere.Network.Slug = "polygon"
	change := limitsWith
	nobody := change(func(l *wire.AgentLimits) { l.AllowedRecipients = nil })
	anybody := change(func(l *wire.AgentLimits) { l.AllowedRecipients, l.AnyRecipient = nil, true })
	small := change(func(l *wire.AgentLimits) { l.PaymentsMonthlyUSDC = "0.5" })
	nothing := change(func(l *wire.AgentLimits) { l.PerTxUSDC = "0" })
	none := change(func(l *wire.AgentLimits) { l.PerTxUSDC = "" })
	const month = "paymentsMonthlyUsdc"
	cooled := change(func(l *wire.AgentLimits) {
		l.AllowedRecipients, l.PayeesOnly, l.PayeeCoolingHours = nil, true, "2"
	})
	young, old := pays(0, 0, 1), pays(0, 0, 1)
	young.Payees = func(string) (InBook, bool) { return InBook{For: time.Hour}, true }
	old.Payees = func(string) (InBook, bool) { return InBook{For: 2 * time.Hour}, true }
	for name, c := range map[string]struct {
		limits wire.AgentLimits
		pays   AgentPayment
		want   string // the rule
		never  bool
	}{
		"all that there is at once":   {agentLimits(), pays(0, 0, 1_000_000), "", false},
		"one unit more at once":       {agentLimits(), pays(0, 0, 1_000_001), "perTxUsdc", true},
		"all that is left":            {agentLimits(), pays(6_000_000, 3_000_000, 1_000_000), "", false},
		"one unit more than is left":  {agentLimits(), pays(6_000_001, 3_000_000, 1_000_000), month, false},
		"one unit more is held":       {agentLimits(), pays(6_000_000, 3_000_001, 1_000_000), month, false},
		"more than was ever allowed":  {agentLimits(), pays(1<<62, 1<<62, 1), month, false},
		"more than a month has":       {small, pays(0, 0, 600_000), month, true},
		"a limit of nothing":          {nothing, pays(0, 0, 1), "perTxUsdc", true},
		"a limit that is none":        {none, pays(0, 0, 1), "perTxUsdc", true},
		"a stranger":                  {agentLimits(), agentPays(1, carol), AllowedDestinations, false},
		"nobody is allowed":           {nobody, pays(0, 0, 1), AllowedDestinations, false},
		"anybody is":                  {anybody, agentPays(1, carol), "", false},
		"another chain":               {agentLimits(), elsewhere, AllowedChains, false},
		"a fee above the limit":       {agentLimits(), fee, "maxFeeUsd", false},
		"a fee that nobody can tell":  {agentLimits(), unknownFee, "maxFeeUsd", false},
		"nobody in the book":          {cooled, pays(0, 0, 1), PayeesOnly, false},
		"in the book for an hour":     {cooled, young, PayeeCoolingHours, false},
		"in the book for long enough": {cooled, old, "", false},
	} {
		denial, lacks := CheckAgent(c.limits, c.pays)
		got, never := "", false
		if denial != nil {
			got = denial.Rule
		}
		if lacks != nil {
			got, never = lacks.Rule, lacks.NeverFits
			if (lacks.ResetsAt == "") != never {
				t.Errorf("%s: resets at %q", name, lacks.ResetsAt)
			}
		}
		if got != c.want || never != c.never || denial != nil && lacks != nil {
			t.Errorf("%s: %q, never %v: %+v, %+v", name, got, never, denial, lacks)
		}
	}
}

func TestAgents_MaxWalletsIsValidated(t *testing.T) {
	for text, most := range map[string]int{
		"": 0, "1": 1, "100": 100, "0": -1, "101": -1, "-1": -1, "+1": -1, "01": -1, "1.5": -1, "x": -1,
	} {
		l := limitsWith(func(l *wire.AgentLimits) { l.MaxWallets = text })
		err := ValidateAgent(l, chain.Sandbox, chain.Networks(chain.Sandbox))
		if (err == nil) != (most >= 0) || err == nil && Wallets(l) != most {
			t.Errorf("%q: %d, %v", text, Wallets(l), err)
		}
	}
}

// An agent pays in USDC, so that a network without it is refused whatever family it is of.
func TestAgents_NetworksHaveUSDC(t *testing.T) {
	for _, env := range []chain.Environment{chain.Sandbox, chain.Production} {
		for _, n := range chain.Networks(env) {
			l := limitsWith(func(l *wire.AgentLimits) { l.AllowedChains = []string{"base", n.Slug} })
			if n.Slug == "base" {
				l.AllowedChains = l.AllowedChains[1:]
			}
			err := ValidateAgent(l, env, chain.Networks(env))
			if _, has := n.USDC(); has != (err == nil) || has == (n.Kind == chain.Tron) ||
				err != nil && !strings.Contains(err.Error(), "limits.allowedChains[1] is "+n.Slug+", where no USDC") {
				t.Errorf("%s in %s: %v", n.Slug, env, err)
			}
		}
	}
}
