package orderview

import (
	"context"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// paymentStatus is the payment status (pending, processing, completed or failed) for an order's status.
func paymentStatus(s order.Status) string {
	switch s {
	case order.Awaiting:
		return "pending"
	case order.FundsReceived, order.InReview, order.PaymentSubmitted:
		return "processing"
	case order.Completed:
		return "completed"
	}
	return "failed"
}

// reasons are the failure reasons of payments whose order ended without a Failure.
var reasons = map[order.Status]string{
	order.Canceled: "Canceled before a deposit", order.Expired: "No deposit came before the quote ended",
}

// failureReason is the reason why a payment failed, "" if it did not.
func failureReason(o order.Order) string {
	if paymentStatus(o.Status) == "failed" && o.Failure != nil {
		return o.Failure.Message
	}
	return reasons[o.Status]
}

// transferOf is the bank transfer that pays for a payment to a bank account, and the fee of it: what came and was
// taken, or until then what the quote has.
func transferOf(o order.Order) (sent, fee money.Amount, is bool) {
	if o.Type != order.GlobalPayment {
		return sent, fee, false
	}
	sent, fee = o.Fiat, o.FiatFee
	if p := o.PayIn; p != nil {
		sent = p.Amount
		if !p.Coins.IsZero() {
			fee = p.Fee
		}
	}
	if fee.Currency == "" {
		fee = money.Of(0, sent.Currency)
	}
	return sent, fee, !sent.IsZero()
}

// PaymentOf is the order as the API shows it as a payment.
func PaymentOf(o order.Order) rest.Payment {
	v := rest.Payment{
		Reference: o.Reference, OrderID: o.ID, QuoteID: o.QuoteID, TransferID: o.Payout.TransferID,
		Status: paymentStatus(o.Status), OrderStatus: string(o.Status),
		Amount: some(o.Terms.Gross), Currency: o.Source.Upper(), NetAmount: some(o.Terms.Net),
		DestinationCurrency: o.Destination.Upper(),
		Rate:                o.Terms.Rate.String(), BeneficiaryID: o.RecipientID, BeneficiaryName: o.RecipientName,
		BeneficiaryAccountID: o.BankAccountID,
		AccountLast4:         o.LastFour, Rail: string(o.Rail), FailureReason: failureReason(o), Refund: viewRefund(o),
		CreatedAt: clock.ISO(o.CreatedAt), UpdatedAt: clock.ISO(o.UpdatedAt), CompletedAt: isoOrNone(o.CompletedAt),
	}
	if v.Refund != nil {
		v.Refund.Currency = v.Currency // in upper case, as in the rest of the payment
	}
	if fee, err := o.Terms.Fee(); err == nil && !o.Terms.Rate.IsZero() {
		v.Fees = fee.String()
	}
	if sent, fee, is := transferOf(o); is {
		v.Amount, v.Currency, v.Fees, v.Rate = sent.String(), sent.Currency.Upper(), some(fee), ""
		if x, err := price.OfTransfer(sent, fee, o.Terms); err == nil && !o.Terms.Rate.IsZero() {
			v.Fees, v.Rate = x.Fees.String(), x.Rate.String()
		}
	}
	switch {
	case o.Status == order.Awaiting && !o.Fiat.IsZero():
		v.DepositInstructions = &rest.DepositInstructions{
			CLABE: o.Number, Currency: string(o.Fiat.Currency), Amount: o.Fiat.String(),
			ExpiresAt: clock.ISO(o.ExpiresAt),
		}
	case o.Status == order.Awaiting:
		v.DepositInstructions = &rest.DepositInstructions{
			Address: o.Address, Chain: o.Chain, Token: string(o.Source), Amount: o.Expected.String(),
			ExpiresAt: clock.ISO(o.ExpiresAt),
		}
	}
	return v
}

// ListPayments lists all payments to bank accounts, newest first.
func (s *Service) ListPayments(
	ctx context.Context, p auth.Principal, at page.Page,
) ([]rest.Payment, *page.Cursor, int, error) {
	f := Filter{WorkspaceID: p.WorkspaceID, Types: []order.Type{order.OffRamp, order.GlobalPayment}, Page: at}
	counts, err := s.store.OrderCounts(ctx, f)
	if err != nil {
		return nil, nil, 0, err
	}
	rows, err := s.store.Orders(ctx, f)
	if err != nil {
		return nil, nil, 0, err
	}
	views := make([]rest.Payment, len(rows))
	for i, o := range rows {
		views[i] = PaymentOf(o)
	}
	total := counts.Total(nil)
	return views, NextPage(at, rows, total), total, nil
}

// GetPayment finds a payment by its order's id or any of its references.
func (s *Service) GetPayment(ctx context.Context, p auth.Principal, reference string) (rest.Payment, error) {
	o, err := s.find(ctx, p.WorkspaceID, reference)
	return PaymentOf(o), err
}
