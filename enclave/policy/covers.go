package policy

import (
	"slices"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/weak"
	"github.com/railkit/railkit/enclave/wire"
)

// Covers reports whether a delegation lets the signing happen without a passkey.
// It covers nothing but transfers and approvals of what the network lists, to
// its destinations: nobody looked at this signing, and a text or an unlisted
// contract may mean anything.
func Covers(d wire.Delegation, x Signing, c Cost, spent Totals, now time.Time) bool {
	expires, err := strconv.ParseInt(d.ExpiresAtMs, 10, 64)
	most, noMost := ParseUSD(d.MaxValueUSD)
	daily, noDaily := ParseUSD(d.DailyUSD)
	switch {
	case err != nil || noMost != nil || noDaily != nil:
		return false
	case now.UnixMilli() >= expires && !weak.DelegationTime:
		return false
	case x.RawDigest || c.Unknown != "" || c.Micro > most && !weak.DelegationValue || Add(spent.Day, c.Micro) > daily && !weak.DelegationDaily:
		return false
	}
	return weak.DelegationTo || reaches(d.AllowedDestinations, x)
}

func reaches(destinations []string, x Signing) bool {
	return len(x.Effects) > 0 && !slices.ContainsFunc(x.Effects, func(e chain.Effect) bool {
		_, listed := x.listed(e)
		switch e.Kind {
		case chain.Transfer:
			return !listed || !has(destinations, e.To)
		case chain.Approve:
			return !listed || !has(destinations, e.Spender)
		}
		return true
	})
}
