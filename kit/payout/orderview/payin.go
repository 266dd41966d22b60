package orderview

import (
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/rest"
)

// sourceOf is where the order's money comes from: a bank, also before its transfer is there, or an address on chain.
func sourceOf(o order.Order) rest.OrderSource {
	if p := o.PayIn; p != nil {
		return rest.OrderSource{
			Amount: some(p.Amount), Currency: string(p.Amount.Currency), Rail: string(p.Rail), From: p.Sender,
		}
	}
	if !o.Fiat.IsZero() { // what is awaited at a CLABE
		return rest.OrderSource{Amount: o.Fiat.String(), Currency: string(o.Fiat.Currency), Rail: string(fiat.SPEI)}
	}
	v := rest.OrderSource{
		Amount: some(o.Terms.Gross), Currency: string(o.Source), Chain: o.Chain, Address: o.Address,
	}
	if o.Deposit != nil {
		v.From = o.Deposit.From
	}
	return v
}

// destinationOf is where it goes: to a bank account, or to a wallet.
func destinationOf(o order.Order) rest.OrderDestination {
	v := rest.OrderDestination{Amount: some(o.Terms.Net), Currency: string(o.Destination)}
	if o.Type == order.OnRamp {
		v.Chain, v.Address = o.Chain, o.Address
	} else {
		v.Rail, v.AccountLast4 = string(o.Rail), o.LastFour
	}
	return v
}

func viewPayIn(p *order.PayIn) *rest.PayIn {
	if p == nil {
		return nil
	}
	v := &rest.PayIn{
		Status: string(p.Status), PartnerDepositID: p.DepositID, Amount: p.Amount.String(),
		Currency: string(p.Amount.Currency), Rail: string(p.Rail), Sender: p.Sender, Trace: p.Trace, Reason: p.Reason,
		SettlementAmount: some(p.Coins), SettlementTxHash: p.Hash, ReturnedAmount: some(p.Returned),
		Receivable: some(p.Receivable),
	}
	if t := p.Transfer; t != nil {
		v.SettlementTxHash, v.SettlementFinal = t.Hash, t.Final && !t.Gone
		v.Confirmations, v.RequiredConfirmations = t.Confirmations, t.Required
	}
	return v
}
