package decide

import (
	"cmp"
	"time"

	"github.com/railkit/railkit/enclave/policy"
	"github.com/railkit/railkit/enclave/wire"
)

// signing is anything that an account of a wallet is to sign.
type signing struct {
	policy.Signing
	account   account
	dataBytes int // 0 of a message; of an intent, those of the longest transaction that it can become
}

// tally is what a wallet, or a delegation, has spent in the latest day and month
// that it spent anything in.
type tally struct {
	Day, Month           int32 // UTC: days since 1970, months since year 0
	DayMicro, MonthMicro int64
}

// spentBook is what was spent by wallet, and by policy with a delegation.
type spentBook map[string]tally

// sign holds a signing against everything that could be in its way, in
// this order: a rule that refuses it for good, and consent that it has to wait
// for. What it may cost is counted in the very entry that lets it happen.
func (c call) sign(x signing, sign func() (Event, error)) (Event, error) {
	x = settlement(c, c.informed(x))
	cost := policy.Value(x.Signing, c.prices(c.org, c.now))
	if d := c.denial(x, cost); d != nil {
		return Event{Kind: EventDenied, Denial: d}, nil
	}
	delegation, err := c.covers(x, cost)
	if err != nil {
		return Event{}, err
	}
	if reason := c.org.waits(x, cost, c.by, delegation); reason != "" {
		e, err := c.hold(reason)
		if err == nil {
			e.Held.WalletID, e.Held.CostUSD = x.account.WalletID, cost.String()
			e.Held.Chain, e.Held.Pays = x.Network.Slug, x.counterparties()
		}
		return e, err
	}
	e, err := sign()
	e.Spend = &Spend{WalletID: x.account.WalletID, DelegationID: delegation, MicroUSD: cost.Micro}
	return e, err
}

// settlement is a signing as a delegation for settlements has it: where the account pays a fee and does no more, what
// others have signed is theirs, and the fee is all that is counted. Nothing else sees it so. Without such a delegation,
// above its limits, or under a vote it is what its bytes say, and what of them is not understood passes no rule.
//
// Example: a payer signs the call of a program that nobody here knows, and leaves the fee of 10,001 lamports to this
// account. The key of a delegation for settlements has that signed. A passkey does not, where the wallet has a policy.
func settlement(c call, x signing) signing {
	if !x.FeeOnly {
		return x
	}
	fee := x
	fee.Effects = nil
	id, err := c.covers(fee, policy.Value(fee.Signing, c.prices(c.org, c.now)))
	if err != nil || id == "" {
		return x
	}
	return fee
}

// settleable is a signing as the key of a delegation for settlements would have it, where the wallet has one that
// covers it: what a preview says is for whoever stamps, and only that key can.
func settleable(c call, x signing) (fee signing, ok bool) {
	if !x.FeeOnly {
		return x, false
	}
	fee = x
	fee.Effects = nil
	cost := policy.Value(fee.Signing, c.prices(c.org, c.now))
	for _, p := range c.org.policies {
		if d := p.Rules.Delegation; p.WalletID == x.account.WalletID && d != nil && d.SettlementsOnly &&
			policy.Covers(*d, fee.Signing, cost, c.spent.totals(p.ID, c.now), c.now) {
			return fee, true
		}
	}
	return x, false
}

// informed adds what rules need beyond the signing itself: the fee for its bytes, and the organization's book.
func (c call) informed(x signing) signing {
	x.DataFee = c.dataFee(x, c.now)
	x.Payees = func(address string) (policy.InBook, bool) {
		e, ok := c.org.payees.Find(x.Network.Slug, address)
		return policy.InBook{For: c.now.Sub(time.UnixMilli(e.AddedMs)), Contract: e.Kind == wire.ContractPayee}, ok
	}
	return x
}

// waits says why a signing has to wait for votes, if it has to.
func (o *organization) waits(x signing, cost policy.Cost, by actor, delegation string) string {
	switch {
	case by.voted:
		return ""
	case by.credential == nil && delegation == "":
		return wire.ReasonNoStamp
	case o.config.Enabled && cost.Over(o.config.ThresholdUSD):
		return wire.ReasonThreshold
	case o.config.Enabled && o.config.IncludeMessages && x.Message:
		return wire.ReasonMessage
	}
	return ""
}

// denial is the first rule of the wallet's policies that refuses.
func (c call) denial(x signing, cost policy.Cost) *wire.Denial {
	spent := c.spent.totals(x.account.WalletID, c.now)
	if x.RawDigest && !c.org.allowsRawDigests(x.account.WalletID) {
		return &wire.Denial{
			WalletID: x.account.WalletID,
			Rule:     "rawDigest",
			Field:    "type",
			Observed: wire.MessageRawDigest,
			Limit:    "a policy with allowRawDigests",
		}
	}
	for _, p := range c.org.policies {
		if p.WalletID != x.account.WalletID {
			continue
		}
		if d := cmp.Or(policy.Check(p.Rules, x.Signing, cost, spent), policy.Late(x.Signing, c.now)); d != nil {
			d.PolicyID, d.WalletID = p.ID, p.WalletID
			if known, ok := c.org.payees.Find(x.Network.Slug, d.Observed); ok {
				d.Payee = known.Name
			}
			return d
		}
	}
	return nil
}

func (o *organization) allowsRawDigests(walletID string) bool {
	for _, p := range o.policies {
		if p.WalletID == walletID && p.Rules.AllowRawDigests {
			return true
		}
	}
	return false
}

// covers is the policy whose delegation covers a signing that no passkey stamped.
// A stamp of a key that no delegation of the wallet names is no stamp.
func (c call) covers(x signing, cost policy.Cost) (policyID string, err error) {
	if c.by.credential != nil || c.by.voted {
		return "", nil
	}
	known := c.by.key == ""
	for _, p := range c.org.policies {
		d := p.Rules.Delegation
		if p.WalletID != x.account.WalletID || d == nil || d.Key() != c.by.key {
			continue
		}
		known = true
		then := x.Signing
		then.Network = c.listedAt(x.Network, c.org.delegated[p.ID])
		if policy.Covers(*d, then, cost, c.spent.totals(p.ID, c.now), c.now) {
			return p.ID, nil
		}
	}
	if !known {
		return "", ErrStranger
	}
	return "", nil
}

// totals are what was spent in the day and in the month of now.
func (b spentBook) totals(id string, now time.Time) policy.Totals {
	t, day, month := b[id], dayOf(now), monthOf(now)
	var all policy.Totals
	if t.Day == day {
		all.Day = t.DayMicro
	}
	if t.Month == month {
		all.Month = t.MonthMicro
	}
	return all
}

// add counts what a signing costs.
func (b spentBook) add(e Event) {
	if e.Spend == nil {
		return
	}
	at := time.UnixMilli(e.TimeMs).UTC()
	for _, id := range []string{e.Spend.WalletID, e.Spend.DelegationID} {
		if id == "" {
			continue
		}
		all := b.totals(id, at)
		b[id] = tally{
			Day: dayOf(at), Month: monthOf(at),
			DayMicro: policy.Add(all.Day, e.Spend.MicroUSD), MonthMicro: policy.Add(all.Month, e.Spend.MicroUSD),
		}
	}
}

func dayOf(t time.Time) int32   { return int32(t.UTC().Unix() / 86400) }
func monthOf(t time.Time) int32 { return int32(t.UTC().Year()*12 + int(t.UTC().Month()) - 1) }
