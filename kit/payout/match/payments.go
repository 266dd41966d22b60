package match

import (
	"slices"
	"strings"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
)

// payments compares the payouts and refunds of our orders with the partner's transfers.
func (l *look) payments() {
	for _, o := range l.Orders {
		if o.Payout.TransferID != "" {
			l.payout(o)
		}
		if o.Refund != nil && o.Refund.TransferID != "" {
			l.refund(o)
		}
	}
}

// payout compares an order's payout with its transfer: reference, amounts, rate and state.
func (l *look) payout(o order.Order) {
	about := o.Reference + ", transfer " + o.Payout.TransferID
	t, known := l.Transfers[o.Payout.TransferID]
	if !known {
		l.differs(o.UpdatedAt, "payout", about, o.Terms.Gross.Display(), "no such transfer")
		return
	}
	if !strings.HasPrefix(t.Reference, o.Reference+":") && t.Reference != o.MadeAs {
		l.wrong("payout", about, "reference "+o.Reference, "another reference")
	}
	if want := l.taken(o); t.Source != want {
		l.wrong("payout", about+", taken", want.Display(), t.Source.Display())
	}
	if o.Status == order.Completed && t.State == fiat.TransferProcessed && t.Destination != o.Terms.Net {
		l.wrong("payout", about+", paid", o.Terms.Net.Display(), t.Destination.Display())
	}
	if slices.Contains(o.Labels, order.OffRate) && !o.CompletedAt.Before(l.Since) {
		l.wrong("rate", about, "about the rate that the partner had told", o.Terms.Rate.String())
	}
	if want := payoutState(o, t.State); want != "" {
		if t.State == fiat.TransferRefunded {
			l.extra[t.Source.Currency] += t.Refunded.Minor
		}
		l.differs(later(o.UpdatedAt, t.UpdatedAt), "payout", about+", "+string(o.Status), want, string(t.State))
	}
}

// taken is the amount that left the wallet for an order's payout: the gross amount, unless the
// order is from a quote and the partner converted at a rate that had moved. Then it is the
// partner's cost plus our fee. For example, for a gross of 100 the partner took 99. The ledger
// books the difference only when the order completes, so until then it still reserves 100, and
// the bounds of the wallet's balance move by 1.
func (l *look) taken(o order.Order) money.Amount {
	ours, err := o.Terms.DeveloperFee()
	if err != nil || !o.Terms.Quoted || o.Payout.Taken.IsZero() {
		return o.Terms.Gross
	}
	cost := o.Payout.Taken
	if !o.Payout.Converted.IsZero() {
		cost = o.Payout.Converted // the booked amount counts, also if the partner had named another
	}
	took := money.Of(cost.Minor+ours.Minor, o.Source)
	if o.Status == order.PaymentSubmitted {
		l.extra[o.Source] += o.Terms.Gross.Minor - took.Minor
		l.coming[o.Source] -= o.Terms.Gross.Minor - took.Minor
	}
	return took
}

// payoutState is the state that the transfer should have by the order's status, "" if it fits.
func payoutState(o order.Order, is fiat.TransferState) string {
	switch o.Status {
	case order.Completed:
		if is != fiat.TransferProcessed {
			return string(fiat.TransferProcessed)
		}
	case order.PaymentSubmitted:
		switch is {
		case fiat.TransferProcessed, fiat.TransferRefunded, fiat.TransferCanceled, fiat.TransferError:
			return "under way"
		}
	case order.Returned, order.Error:
		if is != fiat.TransferRefunded && is != fiat.TransferCanceled {
			return string(fiat.TransferRefunded)
		}
	}
	return ""
}

// refund compares an order's refund with its transfer: reference, amounts, address and state.
func (l *look) refund(o order.Order) {
	r := o.Refund
	about := r.Reference + ", transfer " + r.TransferID
	t, known := l.Transfers[r.TransferID]
	switch {
	case !known:
		l.differs(o.UpdatedAt, "refund", about, r.Amount.Display(), "no such transfer")
	case !strings.HasPrefix(t.Reference, r.Reference+":") && t.Reference != r.MadeAs:
		l.wrong("refund", about, "reference "+r.Reference, "another reference")
	case t.Source != r.Amount:
		l.wrong("refund", about+", taken", r.Amount.Display(), t.Source.Display())
	case r.Status == order.RefundCompleted && t.State == fiat.TransferProcessed && t.Destination != r.Amount:
		l.wrong("refund", about+", given back", r.Amount.Display(), t.Destination.Display())
	case !fiat.SameOnChain(t.ToAddress, r.Address):
		l.wrong("refund", about, "to "+r.Address, "to "+t.ToAddress)
	case (r.Status == order.RefundCompleted) != (t.State == fiat.TransferProcessed):
		l.differs(later(o.UpdatedAt, t.UpdatedAt), "refund", about, string(r.Status), string(t.State))
	}
}

// strangers reports the partner's transfers that belong to no order. While an order still waits
// for the partner's answer about the transfer's reference, the transfer counts as under way:
// we ask again, and the answer adds its id to the order.
func (l *look) strangers() {
	known := map[string]bool{}
	for _, o := range l.Orders {
		known[o.Payout.TransferID] = true
		if o.Refund != nil {
			known[o.Refund.TransferID] = true
		}
	}
	for _, t := range l.Transfers {
		if known[t.ID] || l.cameBack(t) {
			continue
		}
		since := t.UpdatedAt
		if l.asking(t.Reference) {
			since = l.now
		}
		l.differs(
			since, "payout", "transfer "+t.ID+" of "+t.Reference, "nothing", t.Source.Display()+", "+string(t.State),
		)
	}
}

// cameBack tells whether a transfer is an earlier attempt of an order's payout or refund whose
// money is back in the wallet: the partner refunded or canceled it, or it failed and an operator
// gave it up.
func (l *look) cameBack(t fiat.Transfer) bool {
	name, _, _ := strings.Cut(t.Reference, ":")
	for _, o := range l.Orders {
		if o.Reference == name || o.Refund != nil && o.Refund.Reference == name {
			gaveUp := slices.ContainsFunc(o.Earlier, func(e order.Earlier) bool { return e.TransferID == t.ID })
			return t.State == fiat.TransferRefunded ||
				t.State == fiat.TransferCanceled || t.State == fiat.TransferError && gaveUp
		}
	}
	return false
}

// asking tells whether an order or refund still waits for the partner's answer about a reference.
func (l *look) asking(reference string) bool {
	name, _, _ := strings.Cut(reference, ":")
	for _, o := range l.Orders {
		if o.Reference == name && o.Paying || o.Refund != nil && o.Refund.Reference == name && o.Refund.Paying {
			return true
		}
	}
	return false
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
