package policy

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

// field is what a test knows of one field of rules: a value under which less may happen than under another, one that
// nobody can mean, and something that only the looser value lets happen.
type field[R any] struct {
	tight, loose func(*R)
	wrong        func(*R)     // nil where any value has a meaning
	passes       func(R) bool // nil where another package holds the rule: elsewhere says which test
	elsewhere    string
}

// fields holds every field of R to its row, so that whoever adds one has to say what it does.
func fields[R any](t *testing.T, base R, rows map[string]field[R], loosens func(a, b R) bool, valid func(R) error) {
	t.Helper()
	for i := range reflect.TypeFor[R]().NumField() {
		name, _, _ := strings.Cut(reflect.TypeFor[R]().Field(i).Tag.Get("json"), ",")
		row, known := rows[name]
		if !known {
			t.Errorf("%s has no row: say what tightens it, what it refuses, and how it is checked", name)
			continue
		}
		with := func(change func(*R)) R {
			r := base
			change(&r)
			return r
		}
		tight, loose := with(row.tight), with(row.loose)
		if err := valid(tight); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := valid(loose); err != nil {
			t.Errorf("%s, loose: %v", name, err)
		}
		if !loosens(tight, loose) || loosens(loose, loose) {
			t.Errorf("%s: whether it is loosened is not told", name)
		}
		if row.passes == nil && row.elsewhere == "" || row.passes != nil && (row.passes(tight) || !row.passes(loose)) {
			t.Errorf("%s: the rule does not refuse what it should, or refuses what it should not", name)
		}
		if row.wrong != nil {
			if err := valid(with(row.wrong)); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: a value that nobody can mean is refused with %v", name, err)
			}
		}
	}
}

// bookFor is a signing in whose book bob has been for so long.
func bookFor(x Signing, age time.Duration) Signing {
	x.Payees = func(address string) (InBook, bool) { return InBook{For: age}, address == bob }
	return x
}

// checks reports whether rules let a signing happen, at its cost, after some was spent.
func checks(x Signing, spent Totals) func(wire.Rules) bool {
	return func(r wire.Rules) bool { return Check(r, x, Value(x, usd2000), spent) == nil }
}

func TestEveryRuleIsHeld(t *testing.T) {
	type r = wire.Rules
	toBob, toCarol := transfer(t, bob, 2_000_000), transfer(t, carol, 2_000_000)
	rows := map[string]field[r]{
		"maxValueUsd": {func(r *r) { r.MaxValueUSD = "1" }, func(r *r) { r.MaxValueUSD = "2" },
			func(r *r) { r.MaxValueUSD = "x" }, checks(toBob, Totals{}), ""},
		"dailyUsd": {func(r *r) { r.DailyUSD = "2" }, func(r *r) { r.DailyUSD = "3" },
			func(r *r) { r.DailyUSD = "x" }, checks(toBob, Totals{Day: 1_000_000}), ""},
		"monthlyUsd": {func(r *r) { r.MonthlyUSD = "2" }, func(r *r) { r.MonthlyUSD = "3" },
			func(r *r) { r.MonthlyUSD = "x" }, checks(toBob, Totals{Month: 1_000_000}), ""},
		"allowedDestinations": {func(r *r) { r.AllowedDestinations = []string{bob} },
			func(r *r) { r.AllowedDestinations = []string{bob, carol} },
			func(r *r) { r.AllowedDestinations = []string{"x"} }, checks(toCarol, Totals{}), ""},
		"allowedChains": {func(r *r) { r.AllowedChains = []string{"polygon"} },
			func(r *r) { r.AllowedChains = []string{"polygon", "base"} },
			func(r *r) { r.AllowedChains = []string{"x"} }, checks(toBob, Totals{}), ""},
		"allowedTokens": {func(r *r) { r.AllowedTokens = []string{"ETH"} },
			func(r *r) { r.AllowedTokens = []string{"ETH", "USDC"} },
			func(r *r) { r.AllowedTokens = []string{"?"} }, checks(toBob, Totals{}), ""},
		"allowedContracts": {func(*r) {}, func(r *r) { r.AllowedContracts = swaps(unlisted) },
			func(r *r) { r.AllowedContracts = []wire.AllowedContract{{Chain: "base"}} },
			checks(call(t, unlisted, "0", swapData), Totals{}), ""},
		"allowRawDigests": {func(r *r) { *r = wire.Rules{PayeesOnly: true} },
			func(r *r) { *r = wire.Rules{AllowRawDigests: true} }, nil,
			func(r r) bool { return Check(r, Signing{RawDigest: true, Message: true}, Cost{}, Totals{}) == nil }, ""},
		"payeesOnly": {func(r *r) { r.PayeesOnly = true }, func(*r) {}, nil, checks(toBob, Totals{}), ""},
		"payeeCoolingHours": {func(r *r) { r.PayeesOnly, r.PayeeCoolingHours = true, "24" },
			func(r *r) { r.PayeesOnly, r.PayeeCoolingHours = true, "1" },
			func(r *r) { r.PayeesOnly, r.PayeeCoolingHours = true, "x" },
			checks(bookFor(toBob, 2*time.Hour), Totals{}), ""},
		"maxSlippagePercent": {func(r *r) { r.MaxSlippagePercent = "1" }, func(r *r) { r.MaxSlippagePercent = "5" },
			func(r *r) { r.MaxSlippagePercent = "51" }, checks(sale(t, alice, even*97/100), Totals{}), ""},
		"delegation": {func(*r) {}, func(r *r) { d := delegated(nil); r.Delegation = &d },
			func(r *r) { r.Delegation = &wire.Delegation{} },
			func(r r) bool { return r.Delegation != nil && Covers(*r.Delegation, toBob, Cost{}, Totals{}, now) }, ""},
	}
	base := wire.Rules{AllowedChains: []string{"base", "polygon"}}
	fields(t, base, rows, Loosens, func(r wire.Rules) error { return Validate(r, chain.Networks(chain.Sandbox), now) })
}

func TestEveryBoundOfADelegationIsHeld(t *testing.T) {
	type d = wire.Delegation
	key := "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
	later := strconv.FormatInt(now.Add(2*time.Hour).UnixMilli(), 10)
	covers := func(x Signing, spent Totals, at time.Time) func(d) bool {
		return func(d d) bool { return Covers(d, x, Value(x, usd2000), spent, at) }
	}
	toBob, message := transfer(t, bob, 2_000_000), transfer(t, bob, 2_000_000)
	message.Message, message.Ends = true, now.Add(30*time.Minute).Unix()
	handedIn := transfer(t, carol, 2_000_000)
	handedIn.Effects[0].HandedIn = true
	rows := map[string]field[d]{
		"publicKey": {func(d *d) { d.AnyRequest, d.PublicKey = false, &key }, func(*d) {}, func(d *d) {
			wrong := "x"
			d.AnyRequest, d.PublicKey = false, &wrong
		}, func(d d) bool { return d.Key() == "" }, ""},
		"anyRequest": {func(d *d) { d.AnyRequest, d.PublicKey = false, &key }, func(*d) {}, nil,
			func(d d) bool { return d.Key() == "" }, ""},
		"expiresAtMs": {func(*d) {}, func(d *d) { d.ExpiresAtMs = later }, func(d *d) { d.ExpiresAtMs = "x" },
			covers(toBob, Totals{}, now.Add(90*time.Minute)), ""},
		"maxValiditySeconds": {func(d *d) { d.MaxValiditySeconds = "60" }, func(*d) {},
			func(d *d) { d.MaxValiditySeconds = "x" }, covers(message, Totals{}, now), ""},
		"maxValueUsd": {func(d *d) { d.MaxValueUSD = "1" }, func(*d) {}, func(d *d) { d.MaxValueUSD = "x" },
			covers(toBob, Totals{}, now), ""},
		"dailyUsd": {func(d *d) { d.DailyUSD = "2" }, func(*d) {}, func(d *d) { d.DailyUSD = "x" },
			covers(toBob, Totals{Day: 1_000_000}, now), ""},
		"allowedDestinations": {func(d *d) { d.AllowedDestinations = []string{carol} }, func(*d) {},
			func(d *d) { d.AllowedDestinations = []string{"x"} }, covers(toBob, Totals{}, now), ""},
		"settlementsOnly": {func(*d) {}, func(d *d) { d.AllowedDestinations, d.SettlementsOnly = nil, true }, nil,
			covers(handedIn, Totals{}, now), ""},
		"payeesOnly": {func(d *d) { d.PayeesOnly = true }, func(*d) {}, nil, covers(toBob, Totals{}, now), ""},
		"payeeCoolingHours": {func(d *d) { d.PayeesOnly, d.PayeeCoolingHours = true, "24" },
			func(d *d) { d.PayeesOnly, d.PayeeCoolingHours = true, "1" },
			func(d *d) { d.PayeesOnly, d.PayeeCoolingHours = true, "x" },
			covers(bookFor(toBob, 2*time.Hour), Totals{}, now), ""},
	}
	loosens := func(a, b d) bool { return Delegates(&a, &b) }
	fields(t, delegated(nil), rows, loosens, func(d d) error {
		return Validate(wire.Rules{Delegation: &d}, chain.Networks(chain.Sandbox), now)
	})
}

func TestEveryLimitOfAnAgentIsHeld(t *testing.T) {
	type l = wire.AgentLimits
	pays := func(x Signing, micro, spent int64) func(l) bool {
		return func(l l) bool {
			fee := Cost{Micro: 750_000}
			d, lacks := CheckAgent(l, AgentPayment{Signing: x, Micro: micro, Spent: spent, Fee: fee})
			return d == nil && lacks == nil
		}
	}
	toBob, toCarol := transfer(t, bob, 1_000_000), transfer(t, carol, 1_000_000)
	book := func(hours string) func(*l) {
		return func(l *l) { l.AllowedRecipients, l.PayeesOnly, l.PayeeCoolingHours = nil, true, hours }
	}
	const budget = "internal/test/walk and kit/agent/budget hold it against what was reported"
	rows := map[string]field[l]{
		"infraMonthlyUsd": {func(l *l) { l.InfraMonthlyUSD = "1" }, func(*l) {}, func(l *l) { l.InfraMonthlyUSD = "x" },
			nil, budget},
		"tokensMonthlyUsd": {func(l *l) { l.TokensMonthlyUSD = "1" }, func(*l) {},
			func(l *l) { l.TokensMonthlyUSD = "x" }, nil, budget},
		"paymentsMonthlyUsdc": {func(l *l) { l.PaymentsMonthlyUSDC = "9" }, func(*l) {},
			func(l *l) { l.PaymentsMonthlyUSDC = "x" }, pays(toBob, 1_000_000, 9_000_000), ""},
		"perTxUsdc": {func(l *l) { l.PerTxUSDC = "0.5" }, func(*l) {}, func(l *l) { l.PerTxUSDC = "x" },
			pays(toBob, 1_000_000, 0), ""},
		"approvalThresholdUsdc": {func(l *l) { l.ApprovalThresholdUSDC = "0" }, func(*l) {},
			func(l *l) { l.ApprovalThresholdUSDC = "x" }, nil, "enclave/decide: payment.waits"},
		"maxFeeUsd": {func(l *l) { l.MaxFeeUSD = "0.5" }, func(*l) {}, func(l *l) { l.MaxFeeUSD = "x" },
			pays(toBob, 1_000_000, 0), ""},
		"allowedChains": {func(l *l) { l.AllowedChains = []string{"polygon"} },
			func(l *l) { l.AllowedChains = []string{"polygon", "base"} },
			func(l *l) { l.AllowedChains = []string{"x"} }, pays(toBob, 1_000_000, 0), ""},
		"allowedRecipients": {func(*l) {}, func(l *l) { l.AllowedRecipients = []string{bob, carol} },
			func(l *l) { l.AllowedRecipients = []string{"x"} }, pays(toCarol, 1_000_000, 0), ""},
		"payeesOnly": {book(""), func(l *l) { l.AllowedRecipients, l.AnyRecipient = nil, true }, nil,
			pays(toBob, 1_000_000, 0), ""},
		"anyRecipient": {func(*l) {}, func(l *l) { l.AllowedRecipients, l.AnyRecipient = nil, true }, nil,
			pays(toCarol, 1_000_000, 0), ""},
		"payeeCoolingHours": {book("24"), book("1"), book("x"), pays(bookFor(toBob, 2*time.Hour), 1_000_000, 0), ""},
		"allowedHosts": {func(*l) {}, func(l *l) { l.AllowedHosts = []string{"shop.example"} },
			func(l *l) { l.AllowedHosts = []string{"https://x"} },
			func(l l) bool { return l.AllowsURL("https://shop.example/report") == nil }, ""},
		"requireHttpSignature": {func(l *l) { l.RequireHTTPSignature = true }, func(*l) {}, nil, nil,
			"enclave/decide: Claim.Permits"},
		"maxWallets": {func(*l) {}, func(l *l) { l.MaxWallets = "1" }, func(l *l) { l.MaxWallets = "x" },
			func(l l) bool { return Wallets(l) > 0 }, ""},
	}
	fields(t, agentLimits(), rows, LoosensAgent, func(l l) error {
		return ValidateAgent(l, chain.Sandbox, chain.Networks(chain.Sandbox))
	})
}
