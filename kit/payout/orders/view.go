package orders

import (
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
)

// View is an order as lists show it.
type View struct {
	ID        string   `json:"id" format:"uuid"`
	Reference string   `json:"reference"`
	Type      string   `json:"type" enum:"off_ramp,on_ramp,global_payment"`
	Origin    string   `json:"origin" doc:"What opened it: withdraw_address (a deposit) or quote"`
	Status    string   `json:"status" enum:"awaiting,funds_received,in_review,payment_submitted,completed,canceled,expired,returned,error"`
	Labels    []string `json:"labels" doc:"under, over, late, repriced, off_rate"`
	Version   int64    `json:"version" doc:"One more with each event"`
	Size      string   `json:"size" doc:"The family of the rail: ach_wire, spei, sepa, pix or faster_payments"`
	Pair      string   `json:"pair" doc:"USDC/MXN"`

	RecipientID       string `json:"recipientId"`
	RecipientName     string `json:"recipientName"`
	BankAccountID     string `json:"beneficiaryAccountId"`
	WithdrawAddressID string `json:"withdrawAddressId"`
	QuoteID           string `json:"quoteId,omitempty"`

	Source         SourceView      `json:"source"`
	Destination    DestinationView `json:"destination"`
	ExpectedAmount string          `json:"expectedAmount,omitempty" doc:"What the quote is for, in the source's currency"`
	Rate           string          `json:"rate,omitempty"`
	Fees           []FeeView       `json:"fees"`
	NetAmount      string          `json:"netAmount,omitempty" doc:"What the bank gets"`

	References   References   `json:"references"`
	ReviewReason string       `json:"reviewReason,omitempty" doc:"Why it waits in review"`
	DelayReason  string       `json:"delayReason,omitempty" doc:"What the payment waits for, where the partner says so"`
	Failure      *FailureView `json:"failure,omitempty"`
	Refund       *RefundView  `json:"refund,omitempty"`
	ExpiresAt    string       `json:"expiresAt,omitempty" format:"date-time"`
	CreatedAt    string       `json:"createdAt" format:"date-time"`
	UpdatedAt    string       `json:"updatedAt" format:"date-time"`
	CompletedAt  string       `json:"completedAt,omitempty" format:"date-time"`
}

// SourceView is where the money comes from.
type SourceView struct {
	Amount   string `json:"amount,omitempty" doc:"What arrived, or is awaited"`
	Currency string `json:"currency"`
	Chain    string `json:"chain"`
	Address  string `json:"address" doc:"The withdrawal address"`
	From     string `json:"from,omitempty" doc:"Who sent it"`
}

// DestinationView is where it goes.
type DestinationView struct {
	Amount   string `json:"amount,omitempty"`
	Currency string `json:"currency"`
	Rail     string `json:"rail"`
	LastFour string `json:"accountLast4,omitempty"`
}

// FeeView is one fee.
type FeeView struct {
	Kind     string `json:"kind" enum:"network,platform"`
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
}

// References are what others call it.
type References struct {
	DepositTxHash     string `json:"depositTxHash,omitempty"`
	PartnerTransferID string `json:"partnerTransferId,omitempty"`
	TrackingKey       string `json:"trackingKey,omitempty" doc:"SPEI"`
	TraceNumber       string `json:"traceNumber,omitempty" doc:"ACH, SEPA, Faster Payments, PIX"`
	IMAD              string `json:"imad,omitempty" doc:"Wire"`
	Refund            string `json:"refund,omitempty"`
	RefundTxHash      string `json:"refundTxHash,omitempty"`
}

// FailureView is why money did not arrive.
type FailureView struct {
	Code       string `json:"code"`
	Message    string `json:"message"`
	ReturnCode string `json:"returnCode,omitempty" doc:"The rail's"`
}

// RefundView is what is given back.
type RefundView struct {
	ID        string `json:"id"`
	Reference string `json:"reference"`
	Status    string `json:"status" enum:"pending,submitted,completed,failed"`
	Amount    string `json:"amount"`
	Currency  string `json:"currency"`
	Chain     string `json:"chain"`
	Address   string `json:"address,omitempty"`
	TxHash    string `json:"txHash,omitempty"`
	Reason    string `json:"reason,omitempty" doc:"Why it failed"`
}

// ViewOf is the order as the API shows it.
func ViewOf(o order.Order) View {
	v := View{
		ID: o.ID, Reference: o.Reference, Type: string(o.Type), Origin: string(o.Origin), Status: string(o.Status),
		Labels: texts(o.Labels), Version: o.Version, Size: SizeOf(o.Rail), Pair: pairOf(o.Source, o.Destination),
		RecipientID: o.RecipientID, RecipientName: o.RecipientName, BankAccountID: o.BankAccountID,
		WithdrawAddressID: o.WithdrawAddressID, QuoteID: o.QuoteID,
		Source: SourceView{
			Amount: some(o.Terms.Gross), Currency: string(o.Source), Chain: o.Chain, Address: o.Address,
		},
		Destination: DestinationView{
			Amount: some(o.Terms.Net), Currency: string(o.Destination), Rail: string(o.Rail), LastFour: o.LastFour,
		},
		ExpectedAmount: some(o.Expected), Rate: o.Terms.Rate.String(), Fees: feesOf(o.Terms),
		NetAmount:  some(o.Terms.Net),
		References: referencesOf(o), ReviewReason: o.Hold, DelayReason: o.Delay, Failure: viewFailure(o.Failure),
		Refund:    viewRefund(o),
		ExpiresAt: isoOrNone(o.ExpiresAt), CreatedAt: clock.ISO(o.CreatedAt), UpdatedAt: clock.ISO(o.UpdatedAt),
		CompletedAt: isoOrNone(o.CompletedAt),
	}
	if o.Deposit != nil {
		v.Source.From = o.Deposit.From
	}
	return v
}

func feesOf(t order.Terms) []FeeView {
	all := []FeeView{}
	if t.Rate.IsZero() { // not known yet
		return all
	}
	for _, f := range []struct {
		kind string
		of   money.Amount
	}{{"network", t.Network}, {"platform", t.Platform}} {
		all = append(all, FeeView{Kind: f.kind, Amount: f.of.String(), Currency: string(f.of.Currency)})
	}
	return all
}

func referencesOf(o order.Order) References {
	r := References{
		PartnerTransferID: o.Payout.TransferID, TrackingKey: o.Payout.TrackingKey, TraceNumber: o.Payout.TraceNumber,
		IMAD: o.Payout.IMAD,
	}
	if o.Deposit != nil {
		r.DepositTxHash = o.Deposit.Hash
	}
	if o.Refund != nil {
		r.Refund, r.RefundTxHash = o.Refund.Reference, o.Refund.Hash
	}
	return r
}

func viewFailure(f *order.Failure) *FailureView {
	if f == nil {
		return nil
	}
	return &FailureView{Code: f.Code, Message: f.Message, ReturnCode: f.ReturnCode}
}

func viewRefund(o order.Order) *RefundView {
	r := o.Refund
	if r == nil {
		return nil
	}
	return &RefundView{
		ID: r.ID, Reference: r.Reference, Status: string(r.Status), Amount: r.Amount.String(),
		Currency: string(r.Amount.Currency),
		Chain:    o.Chain, Address: r.Address, TxHash: r.Hash, Reason: r.Reason,
	}
}

// sizes are the families of rails that lists are filtered by.
var sizes = map[fiat.Rail]string{fiat.ACH: "ach_wire", fiat.Wire: "ach_wire"}

// SizeOf is the family of a rail.
func SizeOf(r fiat.Rail) string {
	if size, ok := sizes[r]; ok {
		return size
	}
	return string(r)
}

func pairOf(from, to money.Currency) string { return from.Upper() + "/" + to.Upper() }

// some is the amount's text, empty where there is none.
func some(a money.Amount) string {
	if a.IsZero() {
		return ""
	}
	return a.String()
}

func isoOrNone(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return clock.ISO(t)
}

func texts[T ~string](all []T) []string {
	list := make([]string, len(all))
	for i, v := range all {
		list[i] = string(v)
	}
	return list
}
