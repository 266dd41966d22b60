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

// terms are what an order is paid at now.
func (s *Service) terms(ctx context.Context, o order.Order) (terms order.Terms, why string, err error) {
	if o.Terms.Quoted {
		return s.promised(ctx, o)
	}
	rate, err := s.rates.Rate(ctx, o.Source, o.Destination)
	if err != nil {
		return terms, "", err
	}
	if s.band.OffMiddle(rate) {
		return terms, holdOffRate, nil
	}
	terms, err = s.fees.OfGross(o.Terms.Gross, rate.Sell, o.Destination)
	terms.Told = rate.Sell
	if errors.Is(err, price.ErrNothing) {
		return terms, holdSmall, nil
	}
	return terms, "", err
}

// promised are a quote's terms, unless the rate has moved further than its fees are
// high. What the net amount does not cost now is ours: the wallet gives the gross.
func (s *Service) promised(ctx context.Context, o order.Order) (terms order.Terms, why string, err error) {
	rate, err := s.rates.Newest(ctx, o.Source, o.Destination)
	if err != nil {
		return terms, "", err
	}
	if s.band.OffMiddle(rate) {
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
