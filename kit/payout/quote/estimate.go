package quote

import (
	"context"
	"math/big"
	"strings"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/bank"
	"github.com/railkit/railkit/kit/payout/fx"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/pair"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/rest"
)

// railOf is the rail of a fiat currency that the request names at an end ("source" or "destination"), or the usual one.
func railOf(end, currency, named string) (fiat.Rail, error) {
	c, rail := money.Currency(currency), fiat.Rail(named)
	switch {
	case named == "":
		return bank.DefaultRail(c), nil
	case bank.Carries(rail, c):
		return rail, nil
	}
	return "", fault.Field(end+"_payment_rail", "must be one of the "+end+" currency's")
}

// endNames are the fields of an estimate's amounts and currencies.
var endNames = [4]string{"source_amount", "destination_amount", "source_currency", "destination_currency"}

// Estimate prices a payout at the current rate. The result is not stored and cannot be executed.
func (s *Service) Estimate(ctx context.Context, in rest.OffRampQuoteRequest) (rest.OffRampQuote, error) {
	ask, err := readEnds(in.SourceAmount, in.DestinationAmount, in.SourceCurrency, in.DestinationCurrency, endNames)
	if err != nil {
		return rest.OffRampQuote{}, err
	}
	rail, err := railOf("destination", in.DestinationCurrency, in.DestinationPaymentRail)
	if err != nil {
		return rest.OffRampQuote{}, err
	}
	if err := s.checkChain(pair.Off, in.Chain, ask.from); err != nil {
		return rest.OffRampQuote{}, err
	}
	rate, terms, err := s.quoteTerms(ctx, ask, ask.from, ask.to)
	if err != nil {
		return rest.OffRampQuote{}, err
	}
	return s.viewEstimate(rate, terms, rail)
}

// checkChain refuses what cannot be had: there is a price for it, and no address or account. Without a chain it is a
// price alone.
func (s *Service) checkChain(r pair.Ramp, slug string, coin money.Currency) error {
	if slug == "" {
		return nil
	}
	return s.c.Pairs.Check(r, strings.ToLower(slug), coin)
}

func (s *Service) viewEstimate(rate fx.Rate, t order.Terms, rail fiat.Rail) (rest.OffRampQuote, error) {
	fee, err := t.Fee()
	fees := s.c.Fees
	from, to := t.Gross.Currency, t.Net.Currency
	there, limits := arrivalOf(rail, s.c.Clock.Now()), s.limits(from)
	return rest.OffRampQuote{DestinationPaymentRail: string(rail), Estimate: rest.Estimate{
		SourceAmount: t.Gross.String(), SourceCurrency: string(from), DestinationAmount: t.Net.String(),
		DestinationCurrency: string(to),
		MinimumAmount:       limits.from.String(), MaximumAmount: limits.to.String(),
		MidmarketRate: rate.Midmarket.String(), SellRate: rate.Sell.String(),
		DisplayRate:       "1 " + from.Upper() + " ≈ " + rounded(exact(rate.Sell)) + " " + to.Upper(),
		NetworkFeePercent: percent(fees.Network), NetworkFeeAmount: t.Network.String(),
		ServiceFeePercent: percent(fees.Platform), ServiceFeeAmount: t.Platform.String(),
		TotalFeePercent: percent(fees.Network + fees.Platform), TotalFeeAmount: fee.String(),
		EstimatedArrival: there.text, CutOffAt: there.cutOffAt, ArrivesBy: there.arrivesBy,
	}}, err
}

// exact is a rate as a fraction; 0 for none.
func exact(r money.Rate) *big.Rat {
	if exact, ok := new(big.Rat).SetString(r.String()); ok {
		return exact
	}
	return new(big.Rat)
}

// rounded is a rate for display: two decimals, more if it is small.
func rounded(exact *big.Rat) string {
	if exact.Cmp(big.NewRat(1, 1)) < 0 {
		return exact.FloatString(4)
	}
	return exact.FloatString(2)
}

// percent writes basis points as a percentage.
func percent(basisPoints int64) rest.Number {
	text := big.NewRat(basisPoints, 100).FloatString(2)
	return rest.Number(strings.TrimSuffix(strings.TrimRight(text, "0"), "."))
}
