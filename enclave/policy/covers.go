package policy

import (
	"slices"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

// Covers reports whether a delegation lets the signing happen without a passkey.
// It covers nothing but transfers and approvals of what the network lists, to
// its destinations, or settlements only: nobody looked at this signing, and a text or an unlisted
// contract may mean anything.
func Covers(d wire.Delegation, x Signing, c Cost, spent Totals, now time.Time) bool {
	expires, err := strconv.ParseInt(d.ExpiresAtMs, 10, 64)
	most, noMost := ParseUSD(d.MaxValueUSD)
	daily, noDaily := ParseUSD(d.DailyUSD)
	switch {
	case err != nil || noMost != nil || noDaily != nil:
		return false
	case now.UnixMilli() >= expires:
		return false
	case x.RawDigest || c.Unknown != "" || c.Micro > most || Add(spent.Day, c.Micro) > daily:
		return false
	case x.Message && !endsWith(d, expires, x.Ends, now):
		return false
	}
	if d.SettlementsOnly {
		return settles(x)
	}
	return reaches(d, x)
}

// settles reports whether a transaction does nothing but hand in what others have signed: transfers of listed tokens
// or, where who hands in pays the fee and no more, whatever it is.
func settles(x Signing) bool {
	own := func(e chain.Effect) bool {
		_, listed := x.listed(e)
		return e.Kind != chain.Transfer || !e.HandedIn || !listed
	}
	return !x.Message && (x.FeeOnly || len(x.Effects) > 0) && !slices.ContainsFunc(x.Effects, own)
}

// endsWith reports whether a message ends with the delegation, and within the time
// that the delegation gives to messages. Else who holds its key, or the host where
// it has none, would take what it may have signed in an hour, and hand it in years
// after the delegation is gone.
func endsWith(d wire.Delegation, expiresMs, second int64, now time.Time) bool {
	return second > 0 && second <= min(expiresMs, now.Add(d.Validity()).UnixMilli())/1000
}

func reaches(d wire.Delegation, x Signing) bool {
	return len(x.Effects) > 0 && !slices.ContainsFunc(x.Effects, func(e chain.Effect) bool {
		_, listed := x.listed(e)
		switch e.Kind {
		case chain.Transfer:
			return !listed || !x.allowed(d, e.To)
		case chain.Approve:
			return !listed || !x.allowed(d, e.Spender)
		}
		return true
	})
}

// allowed reports whether an address is a destination of a delegation: it is in its list, where it has one, and in the
// book, where it says payeesOnly. One without either, which Validate refuses, reaches nobody.
func (x Signing) allowed(d wire.Delegation, address string) bool {
	if d.PayeesOnly && !x.pays(address, d.PayeeCoolingHours) {
		return false
	}
	return d.PayeesOnly && len(d.AllowedDestinations) == 0 || x.has(d.AllowedDestinations, address)
}
