package payouttest

import (
	"context"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/money"
)

// Deposited is a hundred dollars that come to an address without a quote.
func Deposited(ws, id, addressID string, at time.Time) (order.Order, order.Event) {
	o := order.Order{
		WorkspaceID: ws, ID: id, Reference: "OFR-20261121-" + id, Type: order.OffRamp, Origin: order.FromDeposit,
		RecipientID: "r-1", RecipientName: "Ana López", BankAccountID: "b-1", LastFour: "9719",
		WithdrawAddressID: addressID,
		Address:           "0xa", ReturnAddress: "0xback", Chain: "base", Source: money.USDC, Destination: money.MXN,
		Rail: fiat.SPEI,
	}
	d := &order.Deposit{
		TransferID: "t-" + id, Hash: "0xAB" + id, From: "0xf", Amount: money.Of(100_000_000, money.USDC), Block: 7,
		Required: 1,
	}
	return o, order.Event{Kind: order.DepositDetected, By: order.OnChain, At: at, Deposit: d}
}

// Paid are the events after the deposit until the bank has the money.
func Paid(o order.Order, at time.Time) []order.Event {
	sell, err := money.ParseRate("18.4075")
	if err != nil {
		panic(err) // a constant
	}
	terms := order.Terms{
		Gross: o.Terms.Gross, Platform: money.Of(250_000, money.USDC), Network: money.Of(500_000, money.USDC),
		Rate: sell, Net: money.Of(182_694, money.MXN),
	}
	paid := &order.Payout{TransferID: "p-" + o.ID}
	return []order.Event{
		{Kind: order.DepositConfirmed, By: order.OnChain, At: at, Deposit: o.Deposit},
		{Kind: order.PayoutReserved, By: order.System, At: at, Terms: &terms},
		{Kind: order.FiatSubmitted, By: order.Partner, At: at, Payout: paid},
		{
			Kind: order.FiatReceived, By: order.Partner, At: at,
			Payout: &order.Payout{TransferID: paid.TransferID, TrackingKey: "K-" + o.ID},
			Net:    terms.Net, Rate: sell,
		},
	}
}

// Walk applies events to an order, each to what the one before made of it.
func Walk(ctx context.Context, tx orderview.Tx, o order.Order, events ...order.Event) (order.Order, error) {
	for _, e := range events {
		c, err := order.Apply(o, e)
		if err != nil {
			return o, err
		}
		if err := tx.Apply(ctx, c); err != nil {
			return o, err
		}
		o = c.Order
	}
	return o, nil
}
