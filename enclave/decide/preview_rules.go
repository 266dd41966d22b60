package decide

import (
	"time"

	"github.com/railkit/railkit/enclave/policy"
	"github.com/railkit/railkit/enclave/wire"
)

// judged adds to a signing's preview what the rules say of it now: whoever stamps
// it shall know that it is refused, or that it waits for others. What was decided
// before is past all rules.
func (s *State) judged(org *organization, r Request, x signing, p *wire.Preview, now time.Time) (*wire.Preview, error) {
	x = s.informed(org, x, now)
	x.showDataFee(p)
	p.Counterparties = s.described(org, x)
	p.Warnings = append(p.Warnings, warnCounterparties(p.Counterparties, x.Network.Slug)...)
	cost := policy.Value(x.Signing, s.prices(org, now))
	p.CostUSD, p.Slippage = cost.String(), cost.Slippage.Shown()
	p.Warnings = append(p.Warnings, warnSlippage(cost.Slippage)...)
	if past, known := s.Outcome(r.Fingerprint); known && !past.Held {
		return p, nil
	}
	if p.Denial = s.denial(org, x, cost, now); p.Denial != nil {
		return p, nil
	}
	var err error
	p.Waits, err = org.signingWaits(r, x, cost, now)
	return p, err
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
func (o *organization) signingWaits(r Request, x signing, c policy.Cost, now time.Time) (*wire.Approval, error) {
	if h, ok := o.held[r.Fingerprint]; ok {
		standing := o.standing(h)
		return &standing, nil
	}
	reason := o.waits(x, c, stamping, "")
	if reason == "" {
		return nil, nil
	}
	e, err := o.hold(Submission{Request: r}, reason, stamping, now)
	if err != nil {
		return nil, err
	}
	e.Held.CostUSD = c.String()
	return e.waits(), nil
}

const warnAnyRequest = "any request of the server can use this delegation: whoever runs the server, " +
	"or takes it over, signs within its limits"

func (s *State) previewPolicy(org *organization, r Request, now time.Time) (*wire.Preview, error) {
	e, err := s.decideRule(org, Submission{Request: r}, actor{voted: true}, now)
	if err != nil {
		return nil, err
	}
	shown := &wire.Preview{Policy: e.Policy, WalletID: e.Policy.WalletID, WalletName: s.wallets[e.Policy.WalletID].Name}
	if have, err := org.policy(e.Policy.ID); err == nil {
		before := have.Rules
		shown.Before = &before
	}
	if d := e.Policy.Rules.Delegation; d != nil && d.PublicKey == nil {
		shown.Warnings = []string{warnAnyRequest}
	}
	if e.Kind == EventPolicyDeleted {
		shown.Policy, shown.Warnings = nil, nil
	}
	stamped, err := s.decideRule(org, Submission{Request: r}, stamping, now)
	shown.Waits = stamped.waits()
	return shown, err
}
