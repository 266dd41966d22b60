package orderview

import (
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/rest"
)

// detailOf is the order with its deposit, its timeline and the calculation of its net amount.
func detailOf(o order.Order, all []order.Entry) (rest.OrderDetail, error) {
	explained, err := explain(o)
	return rest.OrderDetail{
		Order: ViewOf(o), Deposit: viewDeposit(o), Explanation: explained, Timeline: timeline(all),
	}, err
}

func viewDeposit(o order.Order) *rest.Deposit {
	d := o.Deposit
	if d == nil {
		return nil
	}
	return &rest.Deposit{
		TxHash: d.Hash, From: d.From, Amount: d.Amount.String(), Currency: string(d.Amount.Currency), Chain: o.Chain,
		BlockNumber: d.Block, Confirmations: d.Confirmations, RequiredConfirmations: d.Required,
		Final: d.Final && !d.Gone,
	}
}

// explain splits the gross amount into fees, conversion and remainder. For a settled order these
// are the actual amounts, for any other order the planned ones. It is nil while the rate or the
// net amount is not known.
func explain(o order.Order) (*rest.OrderAmounts, error) {
	if o.Terms.Rate.IsZero() || o.Terms.Net.IsZero() {
		return nil, nil
	}
	e, err := price.Explain(o.Terms)
	if err != nil {
		return nil, err
	}
	drift := money.Of(0, o.Source)
	if o.Terms.Quoted && !o.Payout.Converted.IsZero() {
		// The remainder is no rounding: the partner converted at another rate.
		drift, e.Residue = e.Residue, drift
	}
	sent, came := depositPart(o)
	return &rest.OrderAmounts{
		Deposit: sent,
		Gross:   e.Gross.String(), Network: e.Network.String(), Platform: e.Platform.String(),
		Converted: e.Converted.String(),
		Residue:   e.Residue.String(), Drift: drift.String(), Currency: string(o.Source),
		Rate: e.Rate.String(), Net: e.Net.String(), NetCurrency: string(o.Destination), Text: came + sentence(e, drift),
	}, nil
}

// depositPart is what became of the bank transfer that pays for an order, and the same as the beginning of the
// sentence; nothing where stablecoin pays.
func depositPart(o order.Order) (*rest.OrderDeposit, string) {
	sent, fee, is := transferOf(o)
	if !is {
		return nil, ""
	}
	converted, err := sent.Sub(fee)
	if err != nil {
		return nil, ""
	}
	text := sent.Display() + " - " + fee.Display() + " deposit fee = " + converted.Display() + ", which is " +
		o.Terms.Gross.Display() + "; "
	return &rest.OrderDeposit{
		Amount: sent.String(), Fee: fee.String(), Converted: converted.String(), Currency: string(sent.Currency),
	}, text
}

// sentence is the calculation as a line of text, gross minus fees = converted, "at" rate = net. A remainder other than
// zero is one more term of it.
func sentence(e price.Explained, drift money.Amount) string {
	text := e.Gross.Display() + " - " + e.Network.Display() + " network fee - " + e.Platform.Display() + " platform fee"
	for _, part := range []struct {
		of   money.Amount
		name string
	}{{e.Residue, " rounding"}, {drift, " rate movement"}} {
		if part.of.Minor > 0 {
			text += " - " + part.of.Display() + part.name
		}
		if part.of.Minor < 0 {
			text += " + " + part.of.Neg().Display() + part.name
		}
	}
	return text + " = " + e.Converted.Display() + ", at " + e.Rate.String() + " = " + e.Net.Display()
}

// timeline shows only the last of several deposit.progress entries in a row, which differ in their confirmations.
func timeline(all []order.Entry) []rest.OrderTimelineEntry {
	shown := []rest.OrderTimelineEntry{}
	for i, e := range all {
		if e.Kind == order.DepositSeen && i+1 < len(all) && all[i+1].Kind == order.DepositSeen {
			continue
		}
		shown = append(shown, rest.OrderTimelineEntry{
			Seq: e.Seq, Type: string(e.Kind), Status: string(e.Status), At: clock.ISO(e.At),
			OccurredAt: clock.ISO(e.OccurredAt),
			Source:     string(e.By), Detail: e.Detail,
		})
	}
	return shown
}
