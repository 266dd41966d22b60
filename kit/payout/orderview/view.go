package orderview

import (
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/rest"
)

// ViewOf is the order as the API shows it.
func ViewOf(o order.Order) rest.Order {
	v := rest.Order{
		ID: o.ID, Reference: o.Reference, Type: string(o.Type), Origin: string(o.Origin), Status: string(o.Status),
		Labels: texts(o.Labels), Version: o.Version, Size: SizeOf(o.Rail), Pair: o.Pair(),
		RecipientID: o.RecipientID, RecipientName: o.RecipientName, BeneficiaryAccountID: o.BankAccountID,
		WithdrawAddressID: o.WithdrawAddressID, QuoteID: o.QuoteID,
		WalletID: o.WalletID, DepositAccountID: o.DepositAccountID(), PayIn: viewPayIn(o.PayIn),
		Source: sourceOf(o), Destination: destinationOf(o),
		ExpectedAmount: some(o.Expected), Rate: o.Terms.Rate.String(), Fees: feesOf(o),
		NetAmount:  some(o.Terms.Net),
		References: referencesOf(o), ReviewReason: o.Hold, DelayReason: o.Delay, Failure: viewFailure(o.Failure),
		Refund:    viewRefund(o),
		ExpiresAt: isoOrNone(o.ExpiresAt), CreatedAt: clock.ISO(o.CreatedAt), UpdatedAt: clock.ISO(o.UpdatedAt),
		CompletedAt: isoOrNone(o.CompletedAt),
	}
	return v
}

// feesOf are that of the bank transfer that pays, and the network and the platform fee; of the latter none while the
// rate is not known.
func feesOf(o order.Order) []rest.OrderFee {
	all, t := []rest.OrderFee{}, o.Terms
	if _, fee, is := transferOf(o); is && !fee.IsZero() {
		all = append(all, rest.OrderFee{Kind: "deposit", Amount: fee.String(), Currency: string(fee.Currency)})
	}
	if t.Rate.IsZero() { // the order is not priced yet
		return all
	}
	for _, f := range []struct {
		kind string
		of   money.Amount
	}{{"network", t.Network}, {"platform", t.Platform}} {
		all = append(all, rest.OrderFee{Kind: f.kind, Amount: f.of.String(), Currency: string(f.of.Currency)})
	}
	return all
}

// referencesOf are the references that the partner, the rail and the chain gave the order's transfers.
func referencesOf(o order.Order) rest.OrderReferences {
	r := rest.OrderReferences{
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

func viewFailure(f *order.Failure) *rest.OrderFailure {
	if f == nil {
		return nil
	}
	return &rest.OrderFailure{Code: f.Code, Message: f.Message, ReturnCode: f.ReturnCode}
}

func viewRefund(o order.Order) *rest.Refund {
	r := o.Refund
	if r == nil {
		return nil
	}
	return &rest.Refund{
		ID: r.ID, Reference: r.Reference, Status: string(r.Status), Amount: r.Amount.String(),
		Currency: string(r.Amount.Currency),
		Chain:    o.Chain, Address: r.Address, TxHash: r.Hash, Reason: r.Reason,
	}
}

// sizes groups rails under one value of the API's list filter size. See RailsOf.
var sizes = map[fiat.Rail]string{fiat.ACH: "ach_wire", fiat.Wire: "ach_wire"}

// SizeOf is the rail's value of the API's list filter size: ach_wire for ACH and wire, else the rail's name.
func SizeOf(r fiat.Rail) string {
	if size, ok := sizes[r]; ok {
		return size
	}
	return string(r)
}

// some is the amount as text, "" for zero.
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
