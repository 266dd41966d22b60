package quote

import (
	"context"
	"errors"
	"math/big"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/fx"
	"github.com/railkit/railkit/kit/payout/pair"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/rest"
)

// EstimateDeposit prices a deposit at the current rate. The result is not stored and binds nobody: a deposit is
// converted at the rate of the moment in which it comes.
func (s *Service) EstimateDeposit(ctx context.Context, in rest.OnRampQuoteRequest) (rest.OnRampQuote, error) {
	ask, err := readEnds(in.SourceAmount, in.DestinationAmount, in.SourceCurrency, in.DestinationCurrency, endNames)
	if err != nil {
		return rest.OnRampQuote{}, err
	}
	rail, err := railOf("source", in.SourceCurrency, in.SourcePaymentRail)
	if err != nil {
		return rest.OnRampQuote{}, err
	}
	if err := s.checkChain(pair.On, in.Chain, ask.to); err != nil {
		return rest.OnRampQuote{}, err
	}
	limits := s.c.Deposits[ask.from]
	if ask.amount.Currency == ask.from {
		if err := within(limits, ask.field, ask.amount); err != nil {
			return rest.OnRampQuote{}, err
		}
	}
	rate, err := s.rate(ctx, ask.from, ask.to)
	if err != nil {
		return rest.OnRampQuote{}, err
	}
	d, err := ask.deposit(limits, rate.Sell)
	if err != nil {
		return rest.OnRampQuote{}, err
	}
	return s.viewDeposit(rate, d, limits, rail)
}

// deposit prices what was asked between a fiat currency and a stablecoin.
func (a asked) deposit(l price.Limits, sell money.Rate) (price.Deposit, error) {
	d, err := price.Deposit{}, error(nil)
	if a.amount.Currency == a.from {
		d, err = l.Fees.OfDeposit(a.amount, sell, a.to)
	} else if d, err = l.Fees.ForTarget(a.amount, sell, a.from); err == nil {
		err = within(l, a.field, d.Gross)
	}
	switch {
	case errors.Is(err, price.ErrNothing):
		return d, errNothingLeft.Because(err)
	case errors.Is(err, money.ErrRange):
		return d, fault.Field(a.field, "takes more than a deposit may be, which must be at most "+l.Max.Display())
	}
	return d, err
}

// within refuses a deposit that is outside of the limits. The error is at the field that the caller has sent.
func within(l price.Limits, field string, deposit money.Amount) error {
	constraint := "must be "
	if field != endNames[0] {
		constraint = "takes a deposit of " + deposit.Display() + ", which must be "
	}
	switch err := l.Check(deposit); {
	case errors.Is(err, price.ErrLess):
		constraint += "at least " + l.Min.Display()
	case errors.Is(err, price.ErrMore):
		constraint += "at most " + l.Max.Display()
	default:
		return err
	}
	return fault.Field(
		field, constraint,
	).With("field", field).With("minimum", l.Min.String()).With("maximum", l.Max.String()).With(
		"currency", l.Min.Currency.Upper(),
	)
}

func (s *Service) viewDeposit(
	rate fx.Rate, d price.Deposit, l price.Limits, rail fiat.Rail,
) (rest.OnRampQuote, error) {
	fee, err := d.Gross.Sub(d.Converted)
	if err != nil {
		return rest.OnRampQuote{}, err
	}
	net, err := d.Net.Sub(d.Beyond)
	from, to := d.Gross.Currency, d.Net.Currency
	there := arrivalOf(rail, s.c.Clock.Now())
	return rest.OnRampQuote{
		ConvertedAmount: d.Converted.String(), BeyondAmount: d.Beyond.String(), SourcePaymentRail: string(rail),
		DeveloperFeePercent: percent(l.Fees.Platform), DeveloperFeeAmount: d.Platform.String(),
		Estimate: rest.Estimate{
			SourceAmount: d.Gross.String(), SourceCurrency: string(from), DestinationAmount: net.String(),
			DestinationCurrency: string(to), MinimumAmount: l.Min.String(), MaximumAmount: l.Max.String(),
			MidmarketRate: rate.Midmarket.String(), SellRate: rate.Sell.String(),
			DisplayRate:       "1 " + to.Upper() + " ≈ " + rounded(priceOfOne(rate.Sell)) + " " + from.Upper(),
			NetworkFeePercent: percent(l.Fees.Network), NetworkFeeAmount: d.Network.String(),
			ServiceFeePercent: percent(l.Fees.Platform), ServiceFeeAmount: d.Platform.String(),
			TotalFeePercent: percent(l.Fees.Network + l.Fees.Platform), TotalFeeAmount: fee.String(),
			EstimatedArrival: there.text, CutOffAt: there.cutOffAt, ArrivesBy: there.arrivesBy,
		},
	}, err
}

// priceOfOne is what one unit of what is bought costs, for display.
func priceOfOne(sell money.Rate) *big.Rat {
	r := exact(sell)
	if r.Sign() == 0 {
		return r
	}
	return r.Inv(r)
}
