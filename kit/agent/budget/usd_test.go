package budget

import (
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/rest"
)

func TestAgents_AmountsAreExact(t *testing.T) {
	for text, want := range map[string]Nano{
		"0": 0, "0.0": 0, "0.000000001": 1, "0.018": 18_000_000, "1": 1_000_000_000, "12.345678901": 12_345_678_901,
		"4000000000": Most,
	} {
		if got, err := ParseUSD(text); err != nil || got != want {
			t.Errorf("%s: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "-1", "-0", "+1", "1e-7", "1E2", "NaN", "Infinity", "0x10", ".5", "5.", "00", "01", "1,5", " 1", "1 ",
		"0.0000000001", "0.30000000000000004", "4000000000.000000001", "9223372036854775808", "١",
	} {
		if got, err := ParseUSD(text); err == nil {
			t.Errorf("%q is read as %d", text, got)
		}
	}
	for n, want := range map[Nano]string{
		0: "0", 1: "0.000000001", 100_000: "0.0001", 1_500_000_000: "1.5", Most: "4000000000",
	} {
		if got := n.String(); got != want {
			t.Errorf("%d is written %s, want %s", n, got, want)
		}
	}
}

// A limit above the highest sum counts as that, and one that is none as nothing: neither is ever more than was stamped.
func TestAgents_LimitsOfLayers(t *testing.T) {
	for text, want := range map[string]Nano{
		"50": 50 * usd, "0": 0, "": 0, "-1": 0, "1e9": 0, "1000000000000": Most, "0.0000000001": 0,
	} {
		if got := limitOf(text); got != want {
			t.Errorf("%q allows %d, want %d", text, got, want)
		}
	}
}

func TestAgents_MonthsEnd(t *testing.T) {
	for at, want := range map[string][3]string{
		"2026-01-31T23:59:59.999999Z":      {"2026-01", "2026-01-01", "2026-02-01"},
		"2028-02-29T23:59:59.999999Z":      {"2028-02", "2028-02-01", "2028-03-01"},
		"2027-02-28T23:59:59.999999Z":      {"2027-02", "2027-02-01", "2027-03-01"},
		"2026-12-31T23:59:59.999999Z":      {"2026-12", "2026-12-01", "2027-01-01"},
		"2027-01-01T00:00:00Z":             {"2027-01", "2027-01-01", "2027-02-01"},
		"2027-01-01T00:30:00+01:00":        {"2026-12", "2026-12-01", "2027-01-01"},
		"2026-11-30T23:59:59.999999-00:01": {"2026-12", "2026-12-01", "2027-01-01"},
	} {
		when, err := time.Parse(time.RFC3339Nano, at)
		if err != nil {
			t.Fatal(err)
		}
		m := MonthOf(when)
		start, end := m.Bounds()
		got := [3]string{string(m), start.Format(time.DateOnly), end.Format(time.DateOnly)}
		if got != want {
			t.Errorf("%s: %v, want %v", at, got, want)
		}
	}
}

func TestAgents_RefusalOfAnotherKind(t *testing.T) {
	exhausted := refusal.ErrAgentBudget.With("failedLayers", []string{"infra"})
	f, _ := fault.As(OfKind(exhausted, fault.PaymentRequired))
	if f.Kind != fault.PaymentRequired || f.Code != "budget_exhausted" || f.Details["failedLayers"] == nil ||
		exhausted.Kind != fault.Forbidden {
		t.Errorf("%+v of %+v", f, exhausted)
	}
	if f, _ := fault.As(OfKind(refusal.ErrAgentPending, fault.PaymentRequired)); f.Kind != fault.Unprocessable {
		t.Errorf("another error: %+v", f)
	}
	if err := OfKind(nil, fault.PaymentRequired); err != nil {
		t.Errorf("no error: %v", err)
	}
}

// Payments are the signer's: amounts are shown as it tells them.
func TestAgents_BudgetView(t *testing.T) {
	a := wire.AgentReply{
		AgentID: "a", Limits: &wire.AgentLimits{
			InfraMonthlyUSD: "1", TokensMonthlyUSD: "2", PaymentsMonthlyUSDC: "10", PerTxUSDC: "1.5",
			ApprovalThresholdUSDC: "0.5",
		},
		Payments: wire.AgentSpending{Spent: "6", Held: "3.000001"},
	}
	v := View(a, "2026-12", map[Layer]Sum{Infra: {1, 2}, Tokens: {3 * usd, 0}}, true)
	if v.PeriodStart != "2026-12-01T00:00:00.000Z" || v.PeriodEnd != "2027-01-01T00:00:00.000Z" || !v.KillSwitch {
		t.Errorf("%+v", v)
	}
	want := rest.AgentBudgetLayers{
		Infra:  layer("1", "0.000000001", "0.000000002", "0.999999997", "USD"),
		Tokens: layer("2", "3", "0", "0", "USD"),
		Payments: rest.AgentPaymentsBudget{
			AgentBudgetLayer: layer("10", "6", "3.000001", "0.999999", "USDC"), Unused: "0", PerTx: "1.5",
			ApprovalThreshold: "0.5",
		},
	}
	if v.Layers != want {
		t.Errorf("%+v", v.Layers)
	}
}

func layer(limit, spent, held, remaining rest.Number, currency string) rest.AgentBudgetLayer {
	return rest.AgentBudgetLayer{Limit: limit, Spent: spent, Held: held, Remaining: remaining, Currency: currency}
}
