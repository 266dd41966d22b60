package policy

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/wire"
)

// maxEntries is the bound of every list, and maxDelegation of a delegation's life.
const (
	maxEntries    = 100
	maxDelegation = 90 * 24 * time.Hour
)

// Validate refuses rules that nobody can mean, and names the field.
func Validate(r wire.Rules, networks []chain.Network, now time.Time) error {
	if reflect.DeepEqual(r, wire.Rules{}) {
		return errors.New("rules says nothing")
	}
	if r.AllowRawDigests && restricts(r) {
		return errors.New(
			"rules.allowRawDigests cannot stand beside a limit or a list: what a digest does cannot be held against it",
		)
	}
	return first(
		optionalUSD("maxValueUsd", r.MaxValueUSD), optionalUSD("dailyUsd", r.DailyUSD),
		optionalUSD("monthlyUsd", r.MonthlyUSD),
		list("rules.allowedDestinations", r.AllowedDestinations, address),
		list("rules.allowedChains", r.AllowedChains, func(s string) string { return slug(networks, s) }),
		list("rules.allowedTokens", r.AllowedTokens, func(s string) string { return token(networks, s) }),
		contracts(r.AllowedContracts, networks), payees("rules.", r.PayeesOnly, r.PayeeCoolingHours),
		percent(r.MaxSlippagePercent), delegation(r.Delegation, now),
	)
}

func first(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

func optionalUSD(field, text string) error {
	if text == "" {
		return nil
	}
	return usd("rules."+field, text)
}

func usd(field, text string) error {
	if _, err := ParseUSD(text); err != nil {
		return fmt.Errorf("%s %w", field, err)
	}
	return nil
}

// list holds each entry against a rule, which answers with what is wrong.
func list(field string, entries []string, wrong func(string) string) error {
	if err := size(field, entries == nil, len(entries)); err != nil {
		return err
	}
	for i, e := range entries {
		if why := wrong(e); why != "" {
			return fmt.Errorf("%s[%d] %s", field, i, why)
		}
		if slices.Contains(entries[:i], e) { // each has one spelling
			return fmt.Errorf("%s[%d] is there twice", field, i)
		}
	}
	return nil
}

func required(field string, entries []string, wrong func(string) string) error {
	if len(entries) == 0 {
		return fmt.Errorf("%s is missing", field)
	}
	return list(field, entries, wrong)
}

// size refuses an empty list: it would say the opposite of none.
func size(field string, absent bool, n int) error {
	switch {
	case !absent && n == 0:
		return fmt.Errorf("%s is empty; leave it out where nothing is restricted", field)
	case n > maxEntries:
		return fmt.Errorf("%s has more than %d entries", field, maxEntries)
	}
	return nil
}

func address(text string) string {
	canonical, f, ok := families.ParseAddress(text)
	if !ok || canonical != text {
		return "is not an address in " + families.CanonicalForms()
	}
	if err := f.CheckPayee(text); err != nil {
		return err.Error()
	}
	return ""
}

func slug(networks []chain.Network, text string) string {
	n, _ := chain.WithSlug(networks, text)
	if _, ok := families.Of(n.Kind); !ok {
		return "is no network of this environment"
	}
	return ""
}

func token(networks []chain.Network, text string) string {
	if len(text) > chain.LongestSymbol {
		return address(text)
	}
	for _, n := range networks {
		if n.Native.Symbol == text || slices.ContainsFunc(n.Tokens, func(t chain.Token) bool {
			return t.Symbol == text
		}) {
			return ""
		}
	}
	return "is no listed symbol and no address"
}

// selector checks a function's name in the way of the contract's network.
func selector(n chain.Network) func(string) string {
	return func(text string) string {
		f, ok := families.Of(n.Kind)
		if !ok {
			return "is of no network of this environment"
		}
		if err := f.CheckSelector(text); err != nil {
			return err.Error()
		}
		return ""
	}
}
