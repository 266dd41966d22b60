package policy

import (
	"errors"
	"strconv"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

// ValidateAgent refuses limits of an agent that nobody can mean, and names the field.
func ValidateAgent(l wire.AgentLimits, env chain.Environment, networks []chain.Network) error {
	const at = "limits."
	if err := first(
		usd(at+"infraMonthlyUsd", l.InfraMonthlyUSD), usd(at+"tokensMonthlyUsd", l.TokensMonthlyUSD),
		usd(at+"paymentsMonthlyUsdc", l.PaymentsMonthlyUSDC), usd(at+"perTxUsdc", l.PerTxUSDC),
		usd(at+"approvalThresholdUsdc", l.ApprovalThresholdUSDC), usd(at+"maxFeeUsd", l.MaxFeeUSD),
		required(at+"allowedChains", l.AllowedChains, func(s string) string { return paying(networks, s) }),
		list(at+"allowedRecipients", l.AllowedRecipients, address),
		payees(at, l.PayeesOnly, l.PayeeCoolingHours),
		maxWallets(at+"maxWallets", l.MaxWallets), hosts(at+"allowedHosts", l.AllowedHosts, env == chain.Sandbox),
	); err != nil {
		return err
	}
	said := 0
	for _, yes := range []bool{len(l.AllowedRecipients) > 0, l.PayeesOnly, l.AnyRecipient} {
		if yes {
			said++
		}
	}
	if said != 1 {
		return errors.New("limits names not exactly one of allowedRecipients, payeesOnly and anyRecipient")
	}
	return nil
}

// paying is slug, for networks on which agents pay: their limits are counted in USDC.
func paying(networks []chain.Network, text string) string {
	n, _ := chain.WithSlug(networks, text)
	if why := slug(networks, text); why != "" {
		return why
	}
	return n.WhyNoAgents()
}

// LoosensAgent reports whether an agent may do anything under the next limits that it may not do under the old ones.
// Who is paid is compared as a whole: only a smaller list of recipients, a longer cooling, or a restriction where there
// was none is known to tighten. A host that was not named could not be paid.
func LoosensAgent(old, next wire.AgentLimits) bool {
	return higher(old.InfraMonthlyUSD, next.InfraMonthlyUSD) || higher(old.TokensMonthlyUSD, next.TokensMonthlyUSD) ||
		higher(old.PaymentsMonthlyUSDC, next.PaymentsMonthlyUSDC) || higher(old.PerTxUSDC, next.PerTxUSDC) ||
		higher(old.ApprovalThresholdUSDC, next.ApprovalThresholdUSDC) || higher(old.MaxFeeUSD, next.MaxFeeUSD) ||
		wider(old.AllowedChains, next.AllowedChains) || paysMore(old, next) ||
		!within(next.AllowedHosts, old.AllowedHosts) || old.RequireHTTPSignature && !next.RequireHTTPSignature ||
		Wallets(next) > Wallets(old)
}

func paysMore(old, next wire.AgentLimits) bool {
	switch {
	case old.AnyRecipient:
		return false
	case old.PayeesOnly:
		return !next.PayeesOnly || cooling(next.PayeeCoolingHours) < cooling(old.PayeeCoolingHours)
	}
	return len(next.AllowedRecipients) == 0 || !within(next.AllowedRecipients, old.AllowedRecipients)
}

// AgentPayment is what an agent wants to pay.
type AgentPayment struct {
	Signing
	Micro       int64  // of USDC
	Counted     int64  // of Micro, in Spent already: signed for under the same nonce
	Fee         Cost   // at most
	Spent, Held int64  // micro-USDC of the month that counts, without this payment
	ResetsAt    string // the end of that month
}

// CheckAgent holds a payment against an agent's limits. It gives either the rule that refuses every such payment, or
// what the budget lacks; nil twice where it may happen. Whether it has to wait for approval is another question.
//
// With paymentsMonthlyUsdc 10, spent 6 and held 3, a payment of 1 passes and leaves nothing; one of 1.000001 does not.
func CheckAgent(l wire.AgentLimits, p AgentPayment) (*wire.Denial, *wire.Shortfall) {
	rules := wire.Rules{
		AllowedChains: l.AllowedChains, AllowedDestinations: l.AllowedRecipients,
		PayeesOnly: l.PayeesOnly, PayeeCoolingHours: l.PayeeCoolingHours,
	}
	if len(l.AllowedRecipients) == 0 && !l.PayeesOnly && !l.AnyRecipient { // ValidateAgent refuses it: nobody is nobody
		return &wire.Denial{Rule: AllowedDestinations, Field: "to", Limit: "nobody"}, nil
	}
	if d := Check(rules, p.Signing, Cost{}, Totals{}); d != nil {
		return d, nil
	}
	if fee, err := ParseUSD(l.MaxFeeUSD); err != nil || p.Fee.Unknown != "" || p.Fee.Micro > fee {
		return &wire.Denial{Rule: "maxFeeUsd", Field: "fee", Observed: p.Fee.String(), Limit: l.MaxFeeUSD}, nil
	}
	if s := p.lacks("perTxUsdc", l.PerTxUSDC, p.Micro, 0, 0); s != nil {
		return nil, s
	}
	return nil, p.lacks("paymentsMonthlyUsdc", l.PaymentsMonthlyUSDC, max(0, p.Micro-p.Counted), p.Spent, p.Held)
}

// lacks holds an amount and what was spent and is held before it against one limit.
func (p AgentPayment) lacks(rule, limit string, adds, spent, held int64) *wire.Shortfall {
	most, err := ParseUSD(limit)
	if err == nil && Add(Add(spent, held), adds) <= most {
		return nil
	}
	s := &wire.Shortfall{
		Layer: wire.LayerPayments, Rule: rule, Requested: FormatUSD(adds), Limit: limit,
		Spent: FormatUSD(spent), Held: FormatUSD(held), NeverFits: err != nil || adds > most,
	}
	if !s.NeverFits {
		s.ResetsAt = p.ResetsAt
	}
	return s
}

// mostWallets is the bound of maxWallets.
const mostWallets = 100

func maxWallets(field, text string) error {
	if n := Wallets(wire.AgentLimits{MaxWallets: text}); text != "" && (n == 0 || strconv.Itoa(n) != text) {
		return errors.New(field + " is not a whole number from 1 to 100; leave it out where there shall be none")
	}
	return nil
}

// Wallets is how many wallets an agent may make.
func Wallets(l wire.AgentLimits) int {
	n, err := strconv.Atoi(l.MaxWallets)
	if err != nil || n < 0 || n > mostWallets {
		return 0
	}
	return n
}
