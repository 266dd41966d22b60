package payout

import (
	"context"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/watch"
)

// DrainReason is why what arrived is not paid out.
type DrainReason string

// The reasons.
const (
	Dust       DrainReason = "dust"         // less than is paid out
	WrongToken DrainReason = "wrong_token"  // the address is for another one
	WrongChain DrainReason = "wrong_chain"  // the address is for another one
	TooMuch    DrainReason = "out_of_range" // more than can be counted
)

// Drain is what arrived at a withdrawal address. Its id is the transfer's. What
// became of an accepted one, its order says.
type Drain struct {
	WorkspaceID, ID, AddressID string
	OrderID                    string
	Chain, Currency, Amount    string // where, what, and how much in whole units
	From, Hash                 string
	LogIndex, Block            int64
	Confirmations, Required    int64
	State                      watch.State
	Reason                     DrainReason
	Booked                     bool // of one that is not paid out: it is in the ledger
	Version                    int64
	TransferAt                 time.Time // how far the transfer's changes were taken in
	CreatedAt, UpdatedAt       time.Time
}

// DrainStore reads drains.
type DrainStore interface {
	Drain(ctx context.Context, workspaceID, id string) (Drain, error)
	// Drains lists those of an address, oldest first, and counts them.
	Drains(ctx context.Context, workspaceID, addressID string, p page.Page) ([]Drain, int, error)
}

// DrainTx writes them.
type DrainTx interface {
	// PutDrain inserts the first version, and replaces the one before; else work.ErrStale.
	PutDrain(context.Context, Drain) error
}

// The states of a drain in few words.
const (
	drainPending   = "pending"
	drainCompleted = "completed"
	drainFailed    = "failed"
)

// DrainView is a drain as the API shows it.
type DrainView struct {
	ID                    string            `json:"id" format:"uuid"`
	WithdrawAddressID     string            `json:"withdrawAddressId"`
	OrderID               string            `json:"orderId,omitempty"`
	OrderReference        string            `json:"orderReference,omitempty"`
	PartnerTransferID     string            `json:"partnerTransferId,omitempty"`
	State                 string            `json:"state" enum:"pending,completed,failed"`
	Status                string            `json:"status" enum:"detected,funds_received,in_review,payment_submitted,payment_processed,returned,refunded,canceled,error"`
	Reason                string            `json:"reason,omitempty" enum:"dust,wrong_token,wrong_chain,out_of_range,dropped" doc:"Of a canceled one: why it is not paid out"`
	Amount                string            `json:"amount"`
	Currency              string            `json:"currency"`
	Chain                 string            `json:"chain"`
	DepositTxHash         string            `json:"depositTxHash"`
	LogIndex              int64             `json:"logIndex"`
	BlockNumber           int64             `json:"blockNumber"`
	Confirmations         int64             `json:"confirmations"`
	RequiredConfirmations int64             `json:"requiredConfirmations"`
	FromAddress           string            `json:"fromAddress"`
	ExchangeRate          string            `json:"exchangeRate,omitempty"`
	Fees                  []DrainFee        `json:"fees,omitempty"`
	Destination           *DrainDestination `json:"destination,omitempty"`
	Failure               *order.Failure    `json:"failure,omitempty"`
	OccurredAt            string            `json:"occurredAt" format:"date-time"`
	CreatedAt             string            `json:"createdAt" format:"date-time"`
	UpdatedAt             string            `json:"updatedAt" format:"date-time"`
}

// DrainFee is a part of the amount that is not paid out.
type DrainFee struct {
	Kind     string `json:"kind" enum:"network,platform"`
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
}

// DrainDestination is where the money goes.
type DrainDestination struct {
	Rail            fiat.Rail `json:"rail"`
	Currency        string    `json:"currency"`
	Amount          string    `json:"amount,omitempty"`
	BankAccountID   string    `json:"bankAccountId"`
	AccountLastFour string    `json:"accountLast4"`
	TrackingKey     string    `json:"trackingKey,omitempty"`
	TraceNumber     string    `json:"traceNumber,omitempty"`
	IMAD            string    `json:"imad,omitempty"`
}

// Drains lists what arrived at a withdrawal address, oldest first.
func (s *Service) Drains(ctx context.Context, p auth.Principal, addressID string, at page.Page) ([]DrainView, *page.Cursor, int, error) {
	if _, err := s.store.WithdrawAddress(ctx, p.WorkspaceID, addressID); err != nil {
		return nil, nil, 0, err
	}
	rows, total, err := s.store.Drains(ctx, p.WorkspaceID, addressID, at)
	if err != nil {
		return nil, nil, 0, err
	}
	views := make([]DrainView, len(rows))
	for i, d := range rows {
		var o order.Order
		if d.OrderID != "" {
			if o, err = s.store.Order(ctx, p.WorkspaceID, d.OrderID); err != nil {
				return nil, nil, 0, err
			}
		}
		views[i] = d.view(o)
	}
	return views, page.Next(at, rows, total, func(d Drain) page.Cursor { return page.Cursor{CreatedAt: d.CreatedAt, ID: d.ID} }), total, nil
}

// view is the drain with what its order says of it.
func (d Drain) view(o order.Order) DrainView {
	v := DrainView{
		ID: d.ID, WithdrawAddressID: d.AddressID, Amount: d.Amount, Currency: d.Currency, Chain: d.Chain, DepositTxHash: d.Hash,
		LogIndex: d.LogIndex, BlockNumber: d.Block, Confirmations: d.Confirmations, RequiredConfirmations: d.Required, FromAddress: d.From,
		OccurredAt: clock.ISO(d.CreatedAt), CreatedAt: clock.ISO(d.CreatedAt), UpdatedAt: clock.ISO(later(d.UpdatedAt, o.UpdatedAt)),
	}
	v.Status, v.State, v.Reason = d.status(o)
	if d.pays(o) {
		v.tell(o)
	}
	return v
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// pays tells whether an order is about this drain.
func (d Drain) pays(o order.Order) bool { return o.Deposit != nil && o.Deposit.TransferID == d.ID }

// status follows the partner's names, so that nothing has to be translated.
func (d Drain) status(o order.Order) (status, state, reason string) {
	switch {
	case d.Reason != "":
		return "canceled", drainFailed, string(d.Reason)
	case !d.pays(o):
		return "canceled", drainFailed, "dropped"
	case !o.Deposit.Final:
		return "detected", drainPending, ""
	}
	switch o.Status {
	case order.Completed:
		return "payment_processed", drainCompleted, ""
	case order.Returned:
		if o.Refund != nil && o.Refund.Status == order.RefundCompleted {
			return "refunded", drainFailed, ""
		}
		return "returned", drainFailed, ""
	case order.Error:
		return "error", drainFailed, ""
	}
	return string(o.Status), drainPending, ""
}

// tell adds what the order knows.
func (v *DrainView) tell(o order.Order) {
	t := o.Terms
	v.OrderID, v.OrderReference, v.PartnerTransferID, v.Failure = o.ID, o.Reference, o.Payout.TransferID, o.Failure
	v.Destination = &DrainDestination{
		Rail: o.Rail, Currency: string(o.Destination), BankAccountID: o.BankAccountID, AccountLastFour: o.LastFour,
		TrackingKey: o.Payout.TrackingKey, TraceNumber: o.Payout.TraceNumber, IMAD: o.Payout.IMAD,
	}
	if t.Net.Minor <= 0 || t.Rate.IsZero() {
		return
	}
	v.ExchangeRate, v.Destination.Amount = t.Rate.String(), t.Net.String()
	for _, f := range []DrainFee{
		{"network", t.Network.String(), string(t.Network.Currency)}, {"platform", t.Platform.String(), string(t.Platform.Currency)},
	} {
		if f.Currency != "" {
			v.Fees = append(v.Fees, f)
		}
	}
}
