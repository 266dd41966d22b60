package quote

import (
	"strings"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/rest"
)

// View is a quote as the API shows it. Amount and currency are those of the
// request; where a bank transfer pays, they are the bank transfer's.
type View struct {
	QuoteID   string      `json:"quoteId" format:"uuid"`
	Amount    rest.Number `json:"amount"`
	Currency  string      `json:"currency"`
	Rate      rest.Number `json:"rate" doc:"What one unit of the source gives. Of a bank transfer: amount less fees, at this rate, is netAmount"`
	Fees      rest.Number `json:"fees" doc:"In the source's currency; of a bank transfer all fees, in its currency"`
	NetAmount rest.Number `json:"netAmount" doc:"What the bank gets, in its currency"`
	ExpiresAt string      `json:"expiresAt" format:"date-time"`

	SourceAmount         rest.Number  `json:"sourceAmount" doc:"What leaves the withdrawal address: fees and what is converted"`
	SourceCurrency       string       `json:"sourceCurrency"`
	DestinationCurrency  string       `json:"destinationCurrency"`
	FeeBreakdown         FeeBreakdown `json:"feeBreakdown"`
	Midmarket            rest.Number  `json:"midmarketRate"`
	SpreadBps            int64        `json:"spreadBps" doc:"Basis points that the partner keeps of the middle rate; they are inside of rate"`
	RateFetchedAt        string       `json:"rateFetchedAt" format:"date-time"`
	BeneficiaryID        string       `json:"beneficiaryId"`
	BeneficiaryAccountID string       `json:"beneficiaryAccountId"`
	Rail                 string       `json:"rail"`
	EstimatedArrival     string       `json:"estimatedArrival" doc:"For people: minutes, or by Wed 25 Nov, a banking day of the recipient's country. It counts from when the deposit is final"`
	CutOffAt             string       `json:"cutOffAt,omitempty" format:"date-time" doc:"Not on rails that never close. What the partner is asked to pay before it arrives by arrivesBy; the server asks seconds after the deposit is final"`
	ArrivesBy            string       `json:"arrivesBy,omitempty" format:"date-time" doc:"The end of the banking day on which the bank has the money at the latest; an estimate"`
	WithdrawAddressID    string       `json:"withdrawAddressId"`
	WithdrawAddress      string       `json:"withdrawAddress" doc:"Where the stablecoin has to be, or to go"`
	Chain                string       `json:"chain"`
	Token                string       `json:"token"`
	Limits               LimitsView   `json:"limits"`
	Funding              *FundingView `json:"funding,omitempty" doc:"Of a payment that a bank transfer pays for. Its price is an estimate: nothing is held while the transfer is on its way"`
}

// FeeBreakdown divides the source amount: the sum of its parts is the whole.
type FeeBreakdown struct {
	Network   rest.Number `json:"network"`
	Platform  rest.Number `json:"platform"`
	Converted rest.Number `json:"converted"`
	Residue   rest.Number `json:"residue" doc:"Too little for the smallest unit of what is bought"`
}

// LimitsView is what one payout may be, in the source's currency.
type LimitsView struct {
	Minimum rest.Number `json:"minimum"`
	Maximum rest.Number `json:"maximum"`
}

// number is an amount as a JSON number, without closing zeros.
func number(a money.Amount) rest.Number {
	text := a.String()
	if strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return rest.Number(text)
}

// view is the quote as the API shows it.
func (q Quote) view(t target, l limits) (View, error) {
	e, err := price.Explain(q.Terms)
	if err != nil {
		return View{}, err
	}
	fee, err := q.Terms.Fee()
	there := arrivalOf(t.account.Rail, q.CreatedAt)
	return View{
		QuoteID: q.ID, Amount: number(q.Asked), Currency: q.Asked.Currency.Upper(),
		Rate: rest.Number(q.Terms.Rate.String()),
		Fees: number(fee), NetAmount: number(q.Terms.Net), ExpiresAt: clock.ISO(q.ExpiresAt),
		SourceAmount: number(q.Terms.Gross), SourceCurrency: q.Terms.Gross.Currency.Upper(),
		DestinationCurrency: q.Terms.Net.Currency.Upper(),
		FeeBreakdown: FeeBreakdown{
			Network: number(e.Network), Platform: number(e.Platform), Converted: number(e.Converted),
			Residue: number(e.Residue),
		},
		Midmarket: rest.Number(q.Midmarket.String()), SpreadBps: q.Spread, RateFetchedAt: clock.ISO(q.FetchedAt),
		BeneficiaryID: q.RecipientID, BeneficiaryAccountID: q.BankAccountID, Rail: string(t.account.Rail),
		EstimatedArrival: there.text, CutOffAt: there.cutOffAt, ArrivesBy: there.arrivesBy,
		WithdrawAddressID: q.WithdrawAddressID, WithdrawAddress: t.address.Address, Chain: t.address.Chain,
		Token:  string(t.address.Currency),
		Limits: LimitsView{Minimum: number(l.from), Maximum: number(l.to)},
	}, err
}
