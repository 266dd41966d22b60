package signing_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// A policy with payeesOnly pays who is in the book, once the payee has been there for long enough.
func TestSigning_PayeesOnly(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	p := limit(t, c, alice, railkit.PolicyRules{PayeesOnly: true})
	if !p.Rules.PayeesOnly || p.Rules.PayeeCoolingHours != 0 {
		t.Errorf("made %+v", p.Rules)
	}
	_, err := c.Transactions.Prepare(ctx, alice.Payment(receiver, "1"))
	wantDenied(t, err, "payeesOnly")
	added(t, c, alice, payeeOf(alice, "Bea", receiver))
	if _, err := c.Transactions.Send(ctx, alice.Passkey, alice.Payment(receiver, "1")); err != nil {
		t.Errorf("a payee: %v", err)
	}

	update := func(patch railkit.RulesPatch) (*railkit.Policy, error) {
		return c.Policies.Update(ctx, p.ID, railkit.PolicyUpdate{Rules: patch})
	}
	cooling, err := update(railkit.RulesPatch{"payeeCoolingHours": 24})
	if err != nil || !cooling.Rules.PayeesOnly || cooling.Rules.PayeeCoolingHours != 24 {
		t.Fatalf("with a cooling: %+v, %v", cooling, err)
	}
	_, err = c.Transactions.Prepare(ctx, alice.Payment(receiver, "1"))
	wantDenied(t, err, "payeeCoolingHours")
	for name, patch := range map[string]railkit.RulesPatch{
		"a shorter cooling": {"payeeCoolingHours": 1}, "no cooling": {"payeeCoolingHours": nil},
		"anybody": {"payeesOnly": nil, "payeeCoolingHours": nil, "maxValueUsd": 5},
	} {
		if _, err := update(patch); err == nil {
			t.Errorf("%s came without a vote", name)
		} else {
			wantQueued(t, err)
		}
	}
	if _, err := update(railkit.RulesPatch{"payeesOnly": false}); !railkit.IsBadRequest(err) ||
		!strings.Contains(err.Error(), "rules.payeeCoolingHours ") {
		t.Errorf("a cooling alone: %v", err)
	}
	freely := railkit.PolicyUpdate{
		Rules: railkit.RulesPatch{"payeesOnly": nil, "payeeCoolingHours": nil, "maxValueUsd": 5},
	}
	freely.SignedActivity = stampedBy(t, alice)(c.Policies.PrepareUpdate(ctx, p.ID, freely))
	free, err := c.Policies.Update(ctx, p.ID, freely)
	if err != nil || free.Rules.PayeesOnly || free.Rules.PayeeCoolingHours != 0 {
		t.Errorf("under a stamp: %+v, %v", free, err)
	}
}

// A delegation with payeesOnly needs no destinations, and pays who is added later.
func TestSigning_DelegationToPayees(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	req := policyOn(alice, railkit.PolicyRules{Delegation: &railkit.Delegation{
		AnyRequest: true, ExpiresAt: time.Now().Add(time.Hour).UTC().Format(time.RFC3339), MaxValueUSD: "100",
		DailyUSD: "100", PayeesOnly: true,
	}})
	req.SignedActivity = stampedBy(t, alice)(c.Policies.Prepare(ctx, req))
	p, err := c.Policies.Create(ctx, req)
	if err != nil || !p.Rules.Delegation.PayeesOnly || p.Rules.Delegation.AllowedDestinations != nil {
		t.Fatalf("made %+v, %v", p, err)
	}
	sign := func() apptest.Answer {
		return a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/sign", apptest.JSON(t, toSign(t, alice, 0)))
	}
	queued(t, sign())
	added(t, c, alice, payeeOf(alice, "Bea", receiver))
	if got := sign(); got.Status != 201 && got.Status != 200 {
		t.Errorf("to a payee: %d %s", got.Status, got.Body)
	}
}

// Wrong words about payees in rules are refused by the name of the member.
func TestSigning_PayeeRuleInputs(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	alice := a.Fund(a.Client(), "alice@example.com")
	const lent = `{"delegation":{"anyRequest":true,"expiresAt":"2026-12-31T00:00:00Z","maxValueUsd":1,"dailyUsd":1`
	for rules, field := range map[string]string{
		`{"payeesOnly":"yes"}`:                        "rules.payeesOnly",
		`{"payeeCoolingHours":24}`:                    "rules.payeeCoolingHours",
		`{"payeesOnly":false,"payeeCoolingHours":24}`: "rules.payeeCoolingHours",
		`{"payeesOnly":true,"payeeCoolingHours":0}`:   "rules.payeeCoolingHours",
		`{"payeesOnly":true,"payeeCoolingHours":721}`: "rules.payeeCoolingHours",
		`{"payeesOnly":true,"payeeCoolingHours":1.5}`: "rules.payeeCoolingHours",
		`{"payeesOnly":true,"allowRawDigests":true}`:  "rules.allowRawDigests",

		lent + `,"settlementsOnly":true,"payeesOnly":true}}`:           "rules.delegation.settlementsOnly",
		lent + `,"settlementsOnly":true,"allowedDestinations":["x"]}}`: "rules.delegation.settlementsOnly",

		lent + `}}`:                                           "rules.delegation.allowedDestinations",
		lent + `,"payeesOnly":false}}`:                        "rules.delegation.allowedDestinations",
		lent + `,"allowedDestinations":[]}}`:                  "rules.delegation.allowedDestinations",
		lent + `,"payeesOnly":true,"payeeCoolingHours":721}}`: "rules.delegation.payeeCoolingHours",
		lent + `,"payeeCoolingHours":1,"allowedDestinations":["` + receiver + `"]}}`: "rules.delegation.payeeCoolingHours",
	} {
		got := a.Do(a.Keys.BenchKey, "POST", policies+"?prepare=true",
			fmt.Sprintf(`{"name":"x","walletId":%q,"rules":%s}`, alice.Wallet.WalletID, rules))
		if message := fmt.Sprint(got.Field("message")); got.Status != 400 || !strings.Contains(message, field+" ") {
			t.Errorf("%s: %d %s, want 400 naming %s", rules, got.Status, got.Body, field)
		}
	}
}
