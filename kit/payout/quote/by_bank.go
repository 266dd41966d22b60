package quote

import (
	"context"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/rest"
)

// A payment can be paid for by a bank transfer: the client sends pesos to an account number of the recipient, the
// partner converts them into stablecoin at the withdrawal address, and from there the recipient's bank is paid. Its
// price is an estimate. No rate is held while a bank transfer is on its way: both conversions are made at the rates of
// their moments.
//
// Say that 5,000.00 MXN are to reach a bank account in dollars. The deposit's fees are 55.00 MXN; 4,945.00 MXN give
// 268.52 USDC. The payout's fees are 2.02 USDC, and the bank gets 266.50 USD.

var errNumberElsewhere = fault.Define(fault.Unprocessable, "account_number_elsewhere",
	"The account number of this bank account leads to another of its withdrawal addresses: name that chain and token",
	"Bank transfers to a recipient's account number become stablecoin at one withdrawal address, and the quote is for another one")

// transferLife is for how long an order waits for its bank transfer.
const transferLife = 24 * time.Hour

// byBank tells whether a bank transfer is to pay. Dollars as a source mean stablecoin.
func (a asked) byBank() bool { return a.from != "" && !a.from.Stable() && a.from != money.USD }

// fitsBank refuses currencies between which no bank transfer pays.
func (a asked) fitsBank(own money.Currency) error {
	switch {
	case a.from != money.MXN:
		return fault.Field(a.currency, "must be MXN, USDC, USDT, USD or the bank account's own: there is no account number in "+
			a.from.Upper()+" for recipients")
	case a.to != own:
		return fault.Field("destinationCurrency", "must be the bank account's")
	}
	return nil
}

func (q Quote) byBank() bool { return !q.Funding.IsZero() }

// priceByBank estimates both conversions.
func (s *Service) priceByBank(ctx context.Context, ask asked, t target) (Quote, error) {
	if t.recipient.Self {
		return Quote{}, fault.Field("beneficiaryId", "must not be the workspace's own recipient: nobody else pays it")
	}
	if err := ask.fits(t.token(), t.own()); err != nil {
		return Quote{}, err
	}
	in, err := s.rate(ctx, ask.from, t.token())
	if err != nil {
		return Quote{}, err
	}
	out, err := s.rate(ctx, t.token(), t.own())
	if err != nil {
		return Quote{}, err
	}
	d, terms, err := s.bothWays(ask, t, in.Sell, out.Sell)
	if err != nil {
		return Quote{}, err
	}
	if l := s.limits(t.token()); terms.Gross.Minor < l.from.Minor || terms.Gross.Minor > l.to.Minor {
		return Quote{}, s.outside(t.token())
	}
	q := s.quoteOf(ask, t, out, terms)
	q.Funding = d.Gross
	return q, nil
}

// bothWays prices the deposit and the payout of what it becomes. Of a fixed arrival the deposit is the smallest that is
// enough for it.
func (s *Service) bothWays(ask asked, t target, in, out money.Rate) (price.Deposit, order.Terms, error) {
	limits, deposit := s.c.Deposits[ask.from], ask
	deposit.to = t.token()
	if ask.arrives() {
		wanted, err := s.c.Fees.ForNet(ask.amount, out, t.token())
		if err != nil {
			return price.Deposit{}, order.Terms{}, s.unpriced(err, t.token())
		}
		deposit.amount = wanted.Gross
	} else if err := within(limits, ask.field, ask.amount); err != nil {
		return price.Deposit{}, order.Terms{}, err
	}
	d, err := deposit.deposit(limits, in)
	if err != nil {
		return d, order.Terms{}, err
	}
	terms, err := s.c.Fees.OfGross(d.Net, out, t.own())
	return d, terms, s.unpriced(err, t.token())
}

// arrives tells whether what arrives is fixed.
func (a asked) arrives() bool {
	return a.field == "destinationAmount" || a.field == "destination_amount"
}

// numberFor is the account number to which the bank transfer of a quote goes. If the recipient has none, the partner
// makes one.
func (s *Service) numberFor(ctx context.Context, q Quoted) (string, error) {
	if !q.Quote.byBank() || q.Executed != nil {
		return "", nil
	}
	v, err := s.c.Virtuals.Ensure(ctx, q.Quote.WorkspaceID, q.Quote.RecipientID, q.Quote.BankAccountID)
	if err == nil && v.WithdrawAddressID != q.Quote.WithdrawAddressID {
		err = errNumberElsewhere
	}
	return v.CLABE, err
}

// globalPayment is the order that waits for the bank transfer.
func (s *Service) globalPayment(q Quoted, o order.Order) (order.Order, error) {
	fee, err := s.depositFee(q.Quote.Funding)
	o.Type, o.Number, o.Fiat, o.FiatFee = order.GlobalPayment, q.Number, q.Quote.Funding, fee
	o.ExpiresAt = q.Quote.CreatedAt.Add(transferLife)
	return o, err
}

// depositFee is what is taken of a bank transfer before it is converted.
func (s *Service) depositFee(sent money.Amount) (money.Amount, error) {
	network, platform, _, err := s.c.Deposits[sent.Currency].Fees.Of(sent)
	if err != nil {
		return network, err
	}
	return network.Add(platform)
}

// view is the quote as the API shows it. Of one that a bank transfer pays for, amount, fees and rate are those of the
// bank transfer, from one bank account to the other.
func (s *Service) view(q Quote, t target) (rest.Quote, error) {
	v, err := q.view(t, s.limits(t.token()))
	if err != nil || !q.byBank() {
		return v, err
	}
	fee, err := s.depositFee(q.Funding)
	if err != nil {
		return v, err
	}
	x, err := price.OfTransfer(q.Funding, fee, q.Terms)
	if err != nil {
		return v, s.unpriced(err, t.token())
	}
	v.Amount, v.Currency, v.Fees = number(x.Amount), x.Amount.Currency.Upper(), number(x.Fees)
	v.Rate = rest.Number(x.Rate.String())
	v.Funding = &rest.Funding{
		Amount: number(q.Funding), Currency: q.Funding.Currency.Upper(), Fees: number(fee),
		StablecoinAmount: number(q.Terms.Gross),
	}
	return v, err
}
