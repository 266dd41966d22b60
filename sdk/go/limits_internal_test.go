package railkit

import (
	"reflect"
	"strings"
	"testing"

	"github.com/railkit/railkit/enclave/wire"
)

// filled are limits with a value in every field.
func filled[L any]() *L {
	l := new(L)
	for i := range reflect.TypeFor[L]().NumField() {
		fill(reflect.ValueOf(l).Elem().Field(i), "7")
	}
	return l
}

// fill gives a field a value.
func fill(f reflect.Value, text string) {
	switch f.Kind() {
	case reflect.String:
		f.SetString(text)
	case reflect.Bool:
		f.SetBool(true)
	case reflect.Slice:
		f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		if f.Type().Elem().Kind() == reflect.String {
			f.Index(0).SetString(text)
		}
	case reflect.Pointer:
		f.Set(reflect.New(f.Type().Elem()))
		if f.Type().Elem().Kind() != reflect.Struct {
			fill(f.Elem(), text)
		}
	}
}

// What is stamped is compared with what was asked for, rule by rule: a rule that was left out of the comparison could
// be changed by whoever runs the server.
func TestSigning_A01_EveryRuleIsCompared(t *testing.T) {
	of := reflect.TypeFor[wire.Rules]()
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		var w wire.Rules
		fill(reflect.ValueOf(&w).Elem().Field(i), "7")
		if w.Delegation != nil {
			w.Delegation.ExpiresAtMs = "1893456000000"
		}
		if err := matchRules(w, PolicyRules{}); err == nil {
			t.Errorf("%s: a rule that nobody asked for is taken", name)
		}
	}
}

func TestSigning_A01_EveryBoundOfADelegationIsCompared(t *testing.T) {
	full := filled[wire.Delegation]()
	full.ExpiresAtMs = "1893456000000"
	asked := PolicyRules{Delegation: &Delegation{
		PublicKey: "7", ExpiresAt: "2030-01-01T00:00:00Z", MaxValiditySeconds: 7, MaxValueUSD: "7", DailyUSD: "7",
		AllowedDestinations: []string{"7"}, SettlementsOnly: true, PayeesOnly: true, PayeeCoolingHours: 7,
	}}
	if err := matchRules(wire.Rules{Delegation: full}, asked); err != nil {
		t.Fatal(err)
	}
	for i := range reflect.TypeFor[wire.Delegation]().NumField() {
		other := *full
		f, name := reflect.ValueOf(&other).Elem().Field(i), reflect.TypeFor[wire.Delegation]().Field(i).Name
		f.SetZero()
		if name == "ExpiresAtMs" {
			f.SetString("1893456000001")
		}
		if name == "AnyRequest" { // the signer and the comparison go by the key: none is any request
			continue
		}
		if err := matchRules(wire.Rules{Delegation: &other}, asked); err == nil {
			t.Errorf("%s: another delegation than was asked for is taken", name)
		}
	}
}

func TestAgents_EveryLimitIsCompared(t *testing.T) {
	full := filled[wire.AgentLimits]()
	yes, seven := true, 7
	asked := AgentReach{
		AllowedChains: []string{"7"}, AllowedRecipients: []string{"7"}, PayeesOnly: true, PayeeCoolingHours: 7,
		AnyRecipient: true, AllowedHosts: []string{"7"}, RequireHTTPSignature: &yes, MaxWallets: &seven,
	}
	budget := AgentBudget{
		InfraMonthlyUSD: "7", TokensMonthlyUSD: "7", PaymentsMonthlyUSDC: "7", PerTxUSDC: "7",
		ApprovalThresholdUSDC: "7", MaxFeeUSD: "7",
	}
	if err := matchAgentLimits(*full, budget, asked); err != nil {
		t.Fatal(err)
	}
	for i := range reflect.TypeFor[wire.AgentLimits]().NumField() {
		other := *full
		reflect.ValueOf(&other).Elem().Field(i).SetZero()
		if err := matchAgentLimits(other, budget, asked); err == nil {
			name := reflect.TypeFor[wire.AgentLimits]().Field(i).Name
			t.Errorf("%s: other limits than were asked for are taken", name)
		}
	}
}

// That any request may use a delegation is asked for by name, or not stamped: also where the enclave's rules are from
// before there was a word for it.
func TestSigning_A01_AnyRequestIsAskedForByName(t *testing.T) {
	asked := Delegation{ExpiresAt: "2030-01-01T01:00:00.0004+01:00", MaxValueUSD: "5.50", DailyUSD: "7"}
	stamped := wire.Delegation{ExpiresAtMs: "1893456000000", MaxValueUSD: "5.50", DailyUSD: "7"}
	for _, said := range []bool{true, false} {
		stamped.AnyRequest = said
		for _, named := range []bool{true, false} {
			asked.AnyRequest = named
			err := matchRules(wire.Rules{Delegation: &stamped}, PolicyRules{Delegation: &asked})
			if (err == nil) != named {
				t.Errorf("asked for %v, stamped as %v: %v", named, said, err)
			}
		}
	}
}

// The wallet of a new agent is for the networks that were asked for, also where the request names none: whoever runs
// the server could have it made for others, at which no money of the agent's would be found.
func TestSigning_A01_NetworksOfANewAgentAreCompared(t *testing.T) {
	c := &Client{networks: networksOf("sandbox", nil)}
	both := AgentReach{AllowedChains: []string{"base", "solana"}}
	for _, tc := range []struct {
		asked AgentRequest
		is    []string
		fits  bool
	}{
		{AgentRequest{}, []string{"solana"}, true},
		{AgentRequest{}, nil, false},
		{AgentRequest{}, []string{"solana", "base"}, false},
		{AgentRequest{ChainID: 84532}, nil, true},
		{AgentRequest{ChainID: 84532}, []string{"solana"}, false},
		{AgentRequest{AgentReach: both}, []string{"base", "solana"}, true},
		{AgentRequest{AgentReach: both}, []string{"base"}, false},
		{AgentRequest{AgentReach: both}, nil, false},
		{AgentRequest{AgentReach: AgentReach{AllowedChains: []string{"base", "polygon"}}}, nil, true},
	} {
		if err := c.matchNetworks(tc.is, tc.asked); (err == nil) != tc.fits {
			t.Errorf("%q for %+v: %v", tc.is, tc.asked.AgentReach.AllowedChains, err)
		}
	}
}
