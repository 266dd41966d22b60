package quote

import (
	"strings"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/rest"
)

// number is an amount as a JSON number, without closing zeros.
func number(a money.Amount) rest.Number {
	text := a.String()
	if strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return rest.Number(text)
}

// view is the quote as the API shows it.
func (q Quote) view(t target, l limits) (rest.Quote, error) {
	e, err := price.Explain(q.Terms)
	if err != nil {
		return rest.Quote{}, err
	}
	fee, err := q.Terms.Fee()
	there := arrivalOf(t.account.Rail, q.CreatedAt)
	return rest.Quote{
		QuoteID: q.ID, Amount: number(q.Asked), Currency: q.Asked.Currency.Upper(),
		Rate: rest.Number(q.Terms.Rate.String()),
		Fees: number(fee), NetAmount: number(q.Terms.Net), ExpiresAt: clock.ISO(q.ExpiresAt),
		SourceAmount: number(q.Terms.Gross), SourceCurrency: q.Terms.Gross.Currency.Upper(),
		DestinationCurrency: q.Terms.Net.Currency.Upper(),
		FeeBreakdown: rest.FeeBreakdown{
			Network: number(e.Network), Platform: number(e.Platform), Converted: number(e.Converted),
			Residue: number(e.Residue),
		},
		MidmarketRate: rest.Number(q.Midmarket.String()), SpreadBps: q.Spread, RateFetchedAt: clock.ISO(q.FetchedAt),
		BeneficiaryID: q.RecipientID, BeneficiaryAccountID: q.BankAccountID, Rail: string(t.account.Rail),
		EstimatedArrival: there.text, CutOffAt: there.cutOffAt, ArrivesBy: there.arrivesBy,
		WithdrawAddressID: q.WithdrawAddressID, WithdrawAddress: t.address.Address, Chain: t.address.Chain,
		Token:  string(t.address.Currency),
		Limits: rest.AmountLimits{Minimum: number(l.from), Maximum: number(l.to)},
	}, err
}
