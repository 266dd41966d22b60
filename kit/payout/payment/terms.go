package payment

import (
	"context"
	"errors"

	"github.com/railkit/railkit/kit/payout/fx"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/money"
)

// Rates are the partner's, fresh enough to pay at.
type Rates interface {
	Rate(ctx context.Context, from, to money.Currency) (fx.Rate, error)
	Newest(ctx context.Context, from, to money.Currency) (fx.Rate, error)
}

// terms are the terms at which an order is paid now, or the reason to hold it.
func (s *Service) terms(ctx context.Context, o order.Order) (terms order.Terms, why string, err error) {
	if o.Terms.Quoted {
		return s.promised(ctx, o)
	}
	rate, err := s.c.Rates.Rate(ctx, o.Source, o.Destination)
	if err != nil {
		return terms, "", err
	}
	if s.c.Band.OffMiddle(ctx, rate) {
		return terms, holdOffRate, nil
	}
	terms, err = s.c.Fees.OfGross(o.Terms.Gross, rate.Sell, o.Destination)
	terms.Told = rate.Sell
	if errors.Is(err, price.ErrNothing) {
		return terms, holdSmall, nil
	}
	return terms, "", err
}

// promised are the terms of a quote: Net stays as quoted, and the gross less the current cost of Net is ours. If Net
// now costs more than the gross, the order is held (rate_moved).
func (s *Service) promised(ctx context.Context, o order.Order) (terms order.Terms, why string, err error) {
	rate, err := s.c.Rates.Newest(ctx, o.Source, o.Destination)
	if err != nil {
		return terms, "", err
	}
	if s.c.Band.OffMiddle(ctx, rate) {
		return terms, holdOffRate, nil
	}
	terms = o.Terms
	terms.Told = rate.Sell
	cost, err := rate.Sell.Cost(terms.Net, o.Source)
	if err != nil {
		return terms, "", err
	}
	if terms.Ours, err = terms.Gross.Sub(cost); err == nil && terms.Ours.Minor < 0 {
		why = holdRate
	}
	return terms, why, err
}
