package analytics

import (
	"context"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// Config wires a Service.
type Config struct {
	Store     Store
	Agents    Agents
	Directory Directory
}

// Service answers what agents spent and did.
type Service struct{ c Config }

// New makes a Service.
func New(c Config) *Service { return &Service{c} }

// Agent tells of one agent: day, week or month.
func (s *Service) Agent(ctx context.Context, p auth.Principal, id, period string) (rest.AgentAnalytics, error) {
	a, err := s.c.Agents.Own(ctx, p, id)
	if err != nil {
		return rest.AgentAnalytics{}, err
	}
	since, until, err := s.span(ctx, period)
	if err != nil {
		return rest.AgentAnalytics{}, err
	}
	days, err := s.tally(ctx, a, since, until)
	sum := days.sum()
	v := rest.AgentAnalytics{
		AgentID: a.AgentID, Name: a.Name, Period: period, From: clock.ISO(since), To: clock.ISO(until),
		Layers: sum.usage(), Calls: sum.calls, Events: sum.events, Refusals: sum.refusals,
	}
	for _, d := range days {
		v.Timeseries = append(v.Timeseries, d.view())
	}
	return v, err
}

// Summary tells of a page of the workspace's agents.
func (s *Service) Summary(
	ctx context.Context, p auth.Principal, period string, at page.Page,
) ([]rest.AgentActivity, *page.Cursor, int, error) {
	agents, next, total, err := s.c.Directory.AgentsOf(ctx, p, at)
	if err != nil {
		return nil, nil, 0, err
	}
	since, until, err := s.span(ctx, period)
	if err != nil {
		return nil, nil, 0, err
	}
	views := []rest.AgentActivity{}
	for _, a := range agents {
		days, err := s.tally(ctx, a, since, until)
		if err != nil {
			return nil, nil, 0, err
		}
		sum := days.sum()
		views = append(views, rest.AgentActivity{
			AgentID: a.AgentID, Name: a.Name, Status: string(a.Status), Layers: sum.usage(), Calls: sum.calls,
			Events: sum.events, Refusals: sum.refusals,
		})
	}
	return views, next, total, nil
}

// span is a period that ends with today.
func (s *Service) span(ctx context.Context, period string) (since, until time.Time, err error) {
	now, err := s.c.Store.Now(ctx)
	since, until = spanOf(period, now)
	return since, until, err
}

func spanOf(period string, now time.Time) (since, until time.Time) {
	today := now.UTC().Truncate(24 * time.Hour)
	until = today.AddDate(0, 0, 1)
	switch period {
	case "day":
		return today, until
	case "week":
		return today.AddDate(0, 0, -6), until
	}
	return today.AddDate(0, 0, 1-today.Day()), until
}

func (s *Service) tally(ctx context.Context, a wire.AgentReply, since, until time.Time) (tally, error) {
	of := Of{a.WorkspaceID, a.AgentID, a.WalletID, since, until}
	t := newTally(of)
	calls, err := s.c.Store.CallsByDay(ctx, of)
	if err != nil {
		return t, err
	}
	t.addCalls(calls)
	events, err := s.c.Store.EventsByDay(ctx, of)
	if err != nil {
		return t, err
	}
	t.addEvents(events)
	refusals, err := s.c.Store.RefusalsByDay(ctx, of)
	if err != nil {
		return t, err
	}
	t.addRefusals(refusals)
	payments, err := s.c.Store.PaymentsByDay(ctx, of)
	if err != nil {
		return t, err
	}
	return t, t.addPayments(payments)
}
