package decide

import (
	"slices"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/policy"
	"github.com/railkit/railkit/enclave/wire"
)

// judged adds to a signing's preview what the rules say of it now: whoever stamps
// it shall know that it is refused, or that it waits for others. What was decided
// before is past all rules.
func (c call) judged(x signing, p *wire.Preview) (*wire.Preview, error) {
	x = c.informed(x)
	if fee, ok := settleable(c, x); ok {
		x = fee
		p.Warnings = append(p.Warnings, warnSettlement)
	}
	prices := c.prices(c.org, c.now)
	x.showDataFee(p)
	x.showCharges(p, prices)
	p.Counterparties = c.described(x)
	p.Warnings = append(p.Warnings, warnCounterparties(p.Counterparties, x.Network.Slug)...)
	cost := policy.Value(x.Signing, prices)
	p.CostUSD, p.Slippage = cost.String(), cost.Slippage.Shown()
	p.Warnings = append(p.Warnings, warnSlippage(cost.Slippage)...)
	if past, known := c.Outcome(c.sub.Fingerprint); known && !past.Held {
		return p, nil
	}
	if p.Denial = c.denial(x, cost); p.Denial != nil {
		return p, nil
	}
	var err error
	p.Waits, err = c.signingWaits(x, cost)
	return p, err
}

const warnSettlement = "pays the fee of what others have signed: only the key of the wallet's delegation for " +
	"settlements has it signed"

// showCharges says what of the cost the network takes, part by part.
func (x signing) showCharges(p *wire.Preview, prices policy.Prices) {
	of := policy.ChargesOf(x.Signing, prices)
	p.FeeUSD, p.DataUSD, p.RentUSD = of.FeeUSD, of.DataUSD, of.RentUSD
	if of.Rent.Sign() > 0 {
		native := x.Network.Native
		p.MaxRent, p.RentDisplay = of.Rent.String(), chain.FormatUnits(of.Rent, native.Decimals)+" "+native.Symbol
	}
}

// warnSlippage warns of a swap that may lose more than people take for granted, and of one whose loss nobody can tell.
func warnSlippage(s policy.Slippage) []string {
	switch {
	case s.Unknown != "":
		return []string{"swap: nobody can tell how much less it may bring back than it sells: " + s.Unknown}
	case s.Bps > policy.UsualSlippage:
		lost := policy.FormatPercent(s.Bps)
		return []string{"swap: it may bring back " + lost + " % less than it sells, in signed prices"}
	}
	return nil
}

// signingWaits is how a signing that a passkey stamps waits for votes, or waits
// already; nil where it does not.
func (c call) signingWaits(x signing, cost policy.Cost) (*wire.Approval, error) {
	if h, ok := c.org.held[c.sub.Fingerprint]; ok {
		standing := c.org.standing(h)
		return &standing, nil
	}
	reason := c.org.waits(x, cost, previewer, "")
	if reason == "" {
		return nil, nil
	}
	e, err := c.hold(reason)
	if err != nil {
		return nil, err
	}
	e.Held.CostUSD = cost.String()
	return e.waits(), nil
}

const warnAnyRequest = "any request of the server can use this delegation: whoever runs the server, " +
	"or takes it over, signs within its limits"

// showPolicy shows a policy as it would stand, beside what it is now.
func showPolicy[P any](judge func(call, *P) (Event, error)) func(call, *P) (*wire.Preview, error) {
	return func(c call, p *P) (*wire.Preview, error) {
		e, err := judge(c.as(actor{voted: true}), p)
		if err != nil {
			return nil, err
		}
		shown := &wire.Preview{
			Policy: e.Policy, WalletID: e.Policy.WalletID, WalletName: c.wallets[e.Policy.WalletID].Name,
		}
		if have, err := c.org.policy(e.Policy.ID); err == nil {
			before := have.Rules
			shown.Before = &before
		}
		if d := e.Policy.Rules.Delegation; d != nil && d.PublicKey == nil {
			shown.Warnings = []string{warnAnyRequest}
		}
		shown.Counterparties = c.org.destinations(e.Policy.Rules, shown.Before)
		shown.Warnings = append(shown.Warnings, warnAlike(shown.Counterparties)...)
		if e.Kind == EventPolicyDeleted {
			shown.Policy, shown.Warnings = nil, nil
		}
		stamped, err := judge(c, p)
		shown.Waits = stamped.waits()
		return shown, err
	}
}

// destinations is what the book says of the addresses that rules and a delegation name, as they would be and as they
// are: of those that it knows, or that can be mistaken for one that it knows. Rules are for all networks, so that each
// name comes with its own.
func (o *organization) destinations(now wire.Rules, before *wire.Rules) (all []wire.Counterparty) {
	own := o.ownAddresses()
	for _, address := range append(namedBy(&now), namedBy(before)...) {
		said := o.payees.Counterparty("", address, own)
		if len(said.Elsewhere) > 0 {
			said.LooksLike = nil
		}
		known := slices.ContainsFunc(all, func(other wire.Counterparty) bool { return other.Address == address })
		if !known && (said.OwnWallet != "" || len(said.Elsewhere)+len(said.LooksLike) > 0) {
			all = append(all, said)
		}
	}
	return all
}

// namedBy lists the addresses that rules name as destinations.
func namedBy(r *wire.Rules) []string {
	if r == nil {
		return nil
	}
	all := slices.Clone(r.AllowedDestinations)
	if r.Delegation != nil {
		all = append(all, r.Delegation.AllowedDestinations...)
	}
	return all
}

// warnAlike warns of addresses that can be mistaken for others.
func warnAlike(all []wire.Counterparty) (warnings []string) {
	for _, c := range all {
		warnings = append(warnings,
			warnCounterparties([]wire.Counterparty{{Address: c.Address, LooksLike: c.LooksLike}}, "")...)
	}
	return warnings
}
