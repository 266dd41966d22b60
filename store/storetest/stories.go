package storetest

import (
	"context"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout"
	orders "github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
)

// Deposited is a hundred dollars that come to an address without a quote.
func Deposited(ws, id, addressID string, at time.Time) (orders.Order, orders.Event) {
	o := orders.Order{
		WorkspaceID: ws, ID: id, Reference: "OFR-20261121-" + id, Type: orders.OffRamp, Origin: orders.FromDeposit,
		RecipientID: "r-1", RecipientName: "Ana López", BankAccountID: "b-1", LastFour: "9719", WithdrawAddressID: addressID,
		Address: "0xa", ReturnAddress: "0xback", Chain: "base", Source: money.USDC, Destination: money.MXN, Rail: fiat.SPEI,
	}
	d := &orders.Deposit{TransferID: "t-" + id, Hash: "0xAB" + id, From: "0xf", Amount: money.Of(100_000_000, money.USDC), Block: 7, Required: 1}
	return o, orders.Event{Kind: orders.DepositDetected, By: orders.OnChain, At: at, Deposit: d}
}

// Paid are the events after the deposit until the bank has the money.
func Paid(o orders.Order, at time.Time) []orders.Event {
	sell, err := money.ParseRate("18.4075")
	if err != nil {
		panic(err) // a constant
	}
	terms := orders.Terms{
		Gross: o.Terms.Gross, Platform: money.Of(250_000, money.USDC), Network: money.Of(500_000, money.USDC), Rate: sell, Net: money.Of(182_694, money.MXN),
	}
	paid := &orders.Payout{TransferID: "p-" + o.ID}
	return []orders.Event{
		{Kind: orders.DepositConfirmed, By: orders.OnChain, At: at, Deposit: o.Deposit},
		{Kind: orders.PayoutReserved, By: orders.System, At: at, Terms: &terms},
		{Kind: orders.FiatSubmitted, By: orders.Partner, At: at, Payout: paid},
		{
			Kind: orders.FiatReceived, By: orders.Partner, At: at, Payout: &orders.Payout{TransferID: paid.TransferID, TrackingKey: "K-" + o.ID},
			Net: terms.Net, Rate: sell,
		},
	}
}

// Walk applies events to an order, each to what the one before made of it.
func Walk(ctx context.Context, tx payout.OrderTx, o orders.Order, events ...orders.Event) (orders.Order, error) {
	for _, e := range events {
		c, err := orders.Apply(o, e)
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
