package x402pay

import (
	"context"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// Find finds a payment of an agent.
func (s *Service) Find(ctx context.Context, workspaceID, agentID, id string) (Payment, error) {
	p, err := s.c.Store.X402Payment(ctx, workspaceID, id)
	if err == nil && p.AgentID != agentID {
		err = fault.Missing("Payment")
	}
	return p, err
}

// List lists payments of an agent, newest first.
func (s *Service) List(ctx context.Context, f Filter) ([]rest.X402Payment, *page.Cursor, int, error) {
	rows, total, err := s.c.Store.X402Payments(ctx, f)
	if err != nil {
		return nil, nil, 0, err
	}
	views := make([]rest.X402Payment, len(rows))
	for i, p := range rows {
		views[i] = p.View()
	}
	return views, page.Next(f.Page, rows, total, Payment.Cursor), total, nil
}

// monthOf is when the month began in which nonces count.
func monthOf(now time.Time) time.Time {
	now = now.UTC()
	return time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
}

// Reusable is what was signed for this month and never moved: the signer counts it, and takes nothing more for the next
// payments, which have the nonces of these.
func (s *Service) Reusable(ctx context.Context, workspaceID, agentID string) (micro int64, err error) {
	rows, err := s.c.Store.UnusedX402Payments(ctx, workspaceID, agentID, monthOf(s.c.Clock.Now()), mostUnused)
	for _, p := range rows {
		micro += p.Counted
	}
	return micro, err
}
