package policy

import (
	"reflect"
	"slices"

	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/wire"
)

// Loosens reports whether anything passes the new rules that did not pass the
// old: all but a lower cap, a smaller list, and a restriction where there was
// none. No rules at all (the zero Rules, which Validate refuses) is no policy.
func Loosens(old, next wire.Rules) bool {
	if next.AllowRawDigests && !old.AllowRawDigests || Delegates(old.Delegation, next.Delegation) {
		return true
	}
	if reflect.DeepEqual(old, wire.Rules{}) {
		return false // one more policy: all have to pass
	}
	return higher(old.MaxValueUSD, next.MaxValueUSD) || higher(old.DailyUSD, next.DailyUSD) ||
		higher(old.MonthlyUSD, next.MonthlyUSD) ||
		wider(old.AllowedDestinations, next.AllowedDestinations) || wider(old.AllowedChains, next.AllowedChains) ||
		wider(old.AllowedTokens, next.AllowedTokens) || permits(old, next) ||
		old.PayeesOnly && !next.PayeesOnly || cooling(next.PayeeCoolingHours) < cooling(old.PayeeCoolingHours) ||
		moreSlippage(old.MaxSlippagePercent, next.MaxSlippagePercent)
}

// Delegates reports whether the next delegation is a new one: whoever changes a delegation at all makes a new one. To
// say of an old one that it serves any request, as it does, changes nothing.
func Delegates(old, next *wire.Delegation) bool {
	return next != nil && (old == nil || !reflect.DeepEqual(named(*old), named(*next)))
}

func named(d wire.Delegation) wire.Delegation {
	d.AnyRequest = d.PublicKey == nil
	return d
}

func higher(old, next string) bool { return above(old, next, ParseUSD) }

func moreSlippage(old, next string) bool { return above(old, next, parsePercent) }

// above reports whether a limit is higher than it was, or is none any more.
func above(old, next string, parse func(string) (int64, error)) bool {
	if old == "" {
		return false // nothing was limited
	}
	before, err := parse(old)
	after, also := parse(next)
	return err != nil || also != nil || after > before
}

// wider compares lists that restrict: none at all is the widest.
func wider(old, next []string) bool {
	if len(old) == 0 {
		return false
	}
	return len(next) == 0 || !within(next, old)
}

func within(part, whole []string) bool {
	return !slices.ContainsFunc(part, func(p string) bool { return !slices.Contains(whole, p) })
}

// permits compares what lets pass: calls that nobody understands, and tokens that
// are named by their address, since nobody else may list them.
func permits(old, next wire.Rules) bool {
	return !within(calls(next), calls(old)) || !within(addresses(next.AllowedTokens), old.AllowedTokens)
}

func calls(r wire.Rules) []string {
	var all []string
	for _, c := range r.AllowedContracts {
		for _, s := range c.Selectors {
			all = append(all, c.Chain+" "+c.Address+" "+s)
		}
	}
	return all
}

func addresses(tokens []string) []string {
	return slices.DeleteFunc(slices.Clone(tokens), func(t string) bool {
		_, _, ok := families.ParseAddress(t)
		return !ok
	})
}
