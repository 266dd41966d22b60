package analytics

import (
	"time"

	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/rest"
)

// day is what an agent spent and did on one.
type day struct {
	date                             time.Time
	infra, tokens, paid              budget.Nano
	infraCount, tokenCount, payments int
	calls, events, refusals          int
}

// tally is a period, day by day.
type tally []day

// newTally is a period in which nothing happened.
func newTally(of Of) tally {
	var t tally
	for d := of.Since; d.Before(of.Until); d = d.AddDate(0, 0, 1) {
		t = append(t, day{date: d})
	}
	return t
}

// on is the day of an instant. What lies outside of the period is counted nowhere.
func (t tally) on(at time.Time) *day {
	if i := int(at.Sub(t[0].date).Hours() / 24); !at.Before(t[0].date) && i < len(t) {
		return &t[i]
	}
	return &day{}
}

func (t tally) addCalls(all []Calls) {
	for _, c := range all {
		switch d := t.on(c.Day); c.State {
		case budget.Captured:
			d.calls += c.Count
			d.infraCount += c.Count
			d.infra += c.Infra
		case budget.Void:
			d.refusals += c.Count
		}
	}
}

func (t tally) addEvents(all []Events) {
	for _, e := range all {
		d := t.on(e.Day)
		d.events += e.Count
		switch e.Layer {
		case budget.Infra:
			d.infraCount += e.Count
			d.infra += e.Amount
		case budget.Tokens:
			d.tokenCount += e.Count
			d.tokens += e.Amount
		}
	}
}

func (t tally) addRefusals(all []Counted) {
	for _, r := range all {
		t.on(r.Day).refusals += r.Count
	}
}

func (t tally) addPayments(all []Payments) error {
	for _, p := range all {
		amount, err := budget.ParseUSD(p.Amount)
		if err != nil {
			return err
		}
		d := t.on(p.Day)
		d.payments += p.Count
		d.paid += amount * budget.Nano(p.Count)
	}
	return nil
}

// sum is all of its days in one.
func (t tally) sum() (s day) {
	for _, d := range t {
		s.infra, s.tokens, s.paid = s.infra+d.infra, s.tokens+d.tokens, s.paid+d.paid
		s.infraCount, s.tokenCount = s.infraCount+d.infraCount, s.tokenCount+d.tokenCount
		s.payments, s.calls = s.payments+d.payments, s.calls+d.calls
		s.events, s.refusals = s.events+d.events, s.refusals+d.refusals
	}
	return s
}

func (d day) usage() rest.AgentUsage {
	return rest.AgentUsage{
		Infra:    rest.AgentLayerUsage{Spent: d.infra.Number(), Count: d.infraCount, Currency: "USD"},
		Tokens:   rest.AgentLayerUsage{Spent: d.tokens.Number(), Count: d.tokenCount, Currency: "USD"},
		Payments: rest.AgentLayerUsage{Spent: d.paid.Number(), Count: d.payments, Currency: "USDC"},
	}
}

func (d day) view() rest.AgentDay {
	return rest.AgentDay{
		Date: d.date.Format(time.DateOnly), Infra: d.infra.Number(), Tokens: d.tokens.Number(),
		Payments: d.paid.Number(), Calls: d.calls, Events: d.events, PaymentCount: d.payments, Refusals: d.refusals,
	}
}
