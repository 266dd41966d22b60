package policy

import (
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/wire"
)

// known gives a signing the book of an organization: since when each address is in it.
func known(x Signing, book map[string]time.Duration) Signing {
	x.Payees = func(address string) (InBook, bool) {
		since, ok := book[address]
		return InBook{For: since}, ok
	}
	return x
}

func TestPayees_Check(t *testing.T) {
	only := wire.Rules{PayeesOnly: true}
	cooling := wire.Rules{PayeesOnly: true, PayeeCoolingHours: "24"}
	swapping := wire.Rules{PayeesOnly: true, AllowedContracts: swaps(router)}
	named := wire.Rules{PayeesOnly: true, AllowedTokens: []string{unlisted}}
	book := map[string]time.Duration{bob: 24 * time.Hour}
	unknown := func(field, who string) *wire.Denial {
		return &wire.Denial{Rule: "payeesOnly", Field: field, Observed: who, Limit: "the book of payees"}
	}
	tooNew := &wire.Denial{
		Rule: "payeeCoolingHours", Field: "to", Observed: bob,
		Limit: "24 hours after it was added to the book of payees",
	}
	for name, c := range map[string]struct {
		r    wire.Rules
		x    Signing
		book map[string]time.Duration
		want *wire.Denial
	}{
		"a payee":                  {only, transfer(t, bob, 1), book, nil},
		"a payee of coin":          {only, call(t, bob, "1", nil), book, nil},
		"nobody's address":         {only, transfer(t, carol, 1), book, unknown("to", carol)},
		"no book":                  {only, transfer(t, bob, 1), nil, unknown("to", bob)},
		"nothing, to nobody's":     {only, call(t, carol, "0", nil), book, unknown("to", carol)},
		"may take it":              {only, approve(t, bob, everything), book, nil},
		"may take it, unknown":     {only, approve(t, carol, everything), book, unknown("spender", carol)},
		"may not take it any more": {only, approve(t, carol, zero), book, nil},
		"a text":                   {only, Signing{}, book, nil},
		"a digest":                 {only, Signing{RawDigest: true}, book, rawDenied()},
		"cooled":                   {cooling, transfer(t, bob, 1), book, nil},
		"a moment too new": {
			cooling, transfer(t, bob, 1), map[string]time.Duration{bob: 24*time.Hour - 1}, tooNew,
		},
		"cooling, unknown": {cooling, transfer(t, carol, 1), book, unknown("to", carol)},
		"a call":           {swapping, call(t, router, "0", swapData), book, unknown("contract", router)},
		"a call of a payee": {
			swapping, call(t, router, "0", swapData), map[string]time.Duration{router: 0}, nil,
		},
		"a token that is no payee": {
			named, call(t, unlisted, "0", transferData(t, bob, 1)), book, unknown("contract", unlisted),
		},
		"a token, to nobody's": {
			named, call(t, unlisted, "0", transferData(t, carol, 1)), map[string]time.Duration{unlisted: 0},
			unknown("to", carol),
		},
		"a token that is one": {
			named, call(t, unlisted, "0", transferData(t, bob, 1)), map[string]time.Duration{unlisted: 0, bob: 0}, nil,
		},
		"two, of which one is known": {
			only, twice(transfer(t, bob, 1), transfer(t, carol, 1)), book, unknown("to", carol),
		},
	} {
		got := Check(c.r, known(c.x, c.book), Cost{}, Totals{})
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func rawDenied() *wire.Denial {
	return Check(wire.Rules{MaxValueUSD: "1"}, Signing{RawDigest: true}, Cost{}, Totals{})
}

func twice(a, b Signing) Signing {
	a.Effects = append(a.Effects, b.Effects...)
	return a
}

func TestPayees_DelegationCovers(t *testing.T) {
	anyPayee := delegated(func(d *wire.Delegation) { d.AllowedDestinations, d.PayeesOnly = nil, true })
	some := delegated(func(d *wire.Delegation) { d.PayeesOnly = true })
	cooled := delegated(func(d *wire.Delegation) { d.PayeesOnly, d.PayeeCoolingHours = true, "2" })
	book := map[string]time.Duration{bob: time.Hour, carol: time.Hour}
	for name, c := range map[string]struct {
		d    wire.Delegation
		x    Signing
		book map[string]time.Duration
		want bool
	}{
		"a payee":           {anyPayee, transfer(t, carol, 1), book, true},
		"nobody's":          {anyPayee, transfer(t, router, 1), book, false},
		"spender":           {anyPayee, approve(t, carol, zero), book, true},
		"no book":           {anyPayee, transfer(t, bob, 1), nil, false},
		"in list and book":  {some, transfer(t, bob, 1), book, true},
		"in the book alone": {some, transfer(t, carol, 1), book, false},
		"in the list alone": {some, transfer(t, bob, 1), nil, false},
		"too new":           {cooled, transfer(t, bob, 1), book, false},
		"cooled":            {cooled, transfer(t, bob, 1), map[string]time.Duration{bob: 2 * time.Hour}, true},
		"neither list nor book": {delegated(func(d *wire.Delegation) {
			d.AllowedDestinations = nil
		}), transfer(t, bob, 1), book, false},
	} {
		if got := Covers(c.d, known(c.x, c.book), Cost{Micro: 1}, Totals{}, now); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestPayees_Loosens(t *testing.T) {
	rules := func(only bool, hours string) wire.Rules {
		return wire.Rules{MaxValueUSD: "1", PayeesOnly: only, PayeeCoolingHours: hours}
	}
	for name, c := range map[string]struct {
		old, next wire.Rules
		want      bool
	}{
		"set":              {rules(false, ""), rules(true, ""), false},
		"taken back":       {rules(true, ""), rules(false, ""), true},
		"cooling":          {rules(true, ""), rules(true, "24"), false},
		"longer":           {rules(true, "9"), rules(true, "24"), false},
		"shorter":          {rules(true, "24"), rules(true, "9"), true},
		"none":             {rules(true, "24"), rules(true, ""), true},
		"in a new policy":  {wire.Rules{}, rules(true, ""), false},
		"of a delegation":  {wire.Rules{Delegation: deleg("24")}, wire.Rules{Delegation: deleg("48")}, true},
		"the same of both": {wire.Rules{Delegation: deleg("24")}, wire.Rules{Delegation: deleg("24")}, false},
	} {
		if got := Loosens(c.old, c.next); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func deleg(hours string) *wire.Delegation {
	d := delegated(func(d *wire.Delegation) { d.PayeesOnly, d.PayeeCoolingHours = true, hours })
	return &d
}
