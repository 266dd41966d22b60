package orders

import (
	"context"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
)

// PaymentView is an order in the words of the payout accounts.
type PaymentView struct {
	Reference   string `json:"reference"`
	OrderID     string `json:"orderId" format:"uuid"`
	QuoteID     string `json:"quoteId,omitempty"`
	TransferID  string `json:"transferId,omitempty" doc:"The partner's"`
	Status      string `json:"status" enum:"pending,processing,completed,failed"`
	OrderStatus string `json:"orderStatus" doc:"The same as the order tells it"`

	Amount              string `json:"amount,omitempty" doc:"What leaves"`
	Currency            string `json:"currency"`
	NetAmount           string `json:"netAmount,omitempty" doc:"What the bank gets"`
	DestinationCurrency string `json:"destinationCurrency"`
	Fees                string `json:"fees,omitempty" doc:"In the source's currency"`
	Rate                string `json:"rate,omitempty"`

	BeneficiaryID        string `json:"beneficiaryId"`
	BeneficiaryName      string `json:"beneficiaryName"`
	BeneficiaryAccountID string `json:"beneficiaryAccountId"`
	LastFour             string `json:"accountLast4,omitempty"`
	Rail                 string `json:"rail"`

	DepositInstructions *DepositInstructions `json:"depositInstructions,omitempty" doc:"While it waits for a deposit"`
	FailureReason       string               `json:"failureReason,omitempty"`
	Refund              *RefundView          `json:"refund,omitempty"`
	CreatedAt           string               `json:"createdAt" format:"date-time"`
	UpdatedAt           string               `json:"updatedAt" format:"date-time"`
	CompletedAt         string               `json:"completedAt,omitempty" format:"date-time"`
}

// DepositInstructions say what is awaited: exactly this amount, before the end.
type DepositInstructions struct {
	Address   string `json:"address"`
	Chain     string `json:"chain"`
	Token     string `json:"token"`
	Amount    string `json:"amount"`
	ExpiresAt string `json:"expiresAt" format:"date-time"`
}

// paymentStatus is an order's status in the four words of payments.
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

// reasons say why a payment came to nothing where no failure says it.
var reasons = map[order.Status]string{
	order.Canceled: "Canceled before a deposit", order.Expired: "No deposit came before the quote ended",
}

func failureReason(o order.Order) string {
	if paymentStatus(o.Status) == "failed" && o.Failure != nil {
		return o.Failure.Message
	}
	return reasons[o.Status]
}

func PaymentOf(o order.Order) PaymentView {
	v := PaymentView{
		Reference: o.Reference, OrderID: o.ID, QuoteID: o.QuoteID, TransferID: o.Payout.TransferID,
		Status: paymentStatus(o.Status), OrderStatus: string(o.Status),
		Amount: some(o.Terms.Gross), Currency: o.Source.Upper(), NetAmount: some(o.Terms.Net),
		DestinationCurrency: o.Destination.Upper(),
		Rate:                o.Terms.Rate.String(), BeneficiaryID: o.RecipientID, BeneficiaryName: o.RecipientName,
		BeneficiaryAccountID: o.BankAccountID,
		LastFour:             o.LastFour, Rail: string(o.Rail), FailureReason: failureReason(o), Refund: viewRefund(o),
		CreatedAt: clock.ISO(o.CreatedAt), UpdatedAt: clock.ISO(o.UpdatedAt), CompletedAt: isoOrNone(o.CompletedAt),
	}
	if v.Refund != nil {
		v.Refund.Currency = v.Currency // as the rest of it is written
	}
	if fee, err := o.Terms.Fee(); err == nil && !o.Terms.Rate.IsZero() {
		v.Fees = fee.String()
	}
	if o.Status == order.Awaiting {
		v.DepositInstructions = &DepositInstructions{
			Address: o.Address, Chain: o.Chain, Token: string(o.Source), Amount: o.Expected.String(),
			ExpiresAt: clock.ISO(o.ExpiresAt),
		}
	}
	return v
}

// ListPayments lists all payments to bank accounts, newest first.
func (s *Service) ListPayments(
	ctx context.Context, p auth.Principal, at page.Page,
) ([]PaymentView, *page.Cursor, int, error) {
	rows, counts, err := s.store.Orders(
		ctx, Filter{WorkspaceID: p.WorkspaceID, Types: []order.Type{order.OffRamp}, Page: at},
	)
	if err != nil {
		return nil, nil, 0, err
	}
	views := make([]PaymentView, len(rows))
	for i, o := range rows {
		views[i] = PaymentOf(o)
	}
	total := counts.Total(nil)
	return views, NextPage(at, rows, total), total, nil
}

// GetPayment finds one by its reference, or whatever else it is known by.
func (s *Service) GetPayment(ctx context.Context, p auth.Principal, reference string) (PaymentView, error) {
	o, err := s.find(ctx, p.WorkspaceID, reference)
	return PaymentOf(o), err
}
