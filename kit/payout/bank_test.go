package payout_test

import (
	"context"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testwait"
	railkit "github.com/railkit/railkit/sdk/go"
)

// bank is a withdrawal address on a chain that leads to Mexico, of a real server
// with a real partner and a real node.
type bank struct {
	*railkit.Client
	t         *testing.T
	ctx       context.Context // bounds all waiting
	app       *apptest.App
	recipient string
	address   *railkit.WithdrawAddress
}

// bankOn makes one. Refunds go to a wallet where the chain is base.
func bankOn(t *testing.T, slug string, options ...apptest.Option) *bank {
	t.Helper()
	b := &bank{t: t, app: apptest.New(t, options...)}
	ctx, cancel := context.WithTimeout(t.Context(), 4*testwait.Bound)
	t.Cleanup(cancel)
	b.ctx = ctx
	b.Client = b.app.Client()
	recipient, account := mexico(t, b.Client, "Ana Ruiz")
	asked := railkit.WithdrawAddressRequest{BeneficiaryAccountID: account, Chain: slug}
	if slug == "base" {
		asked.WalletID = b.app.Fund(b.Client, "ana@example.com").Wallet.WalletID
	}
	b.recipient, b.address = recipient, must(b.WithdrawAddresses.Create(t.Context(), asked))(t)
	return b
}

// watching gives the server a node of one chain more.
func watching(slug string) apptest.Option {
	return func(c *apptest.Config) { c.RPCURLs[slug] = c.DevnetURL + "/" + slug }
}

const look = 50 * time.Millisecond // between two

// deposit sends to the withdrawal address and gives the transaction.
func (b *bank) deposit(amount string) (hash string) {
	b.t.Helper()
	return must(b.Sandbox.Deposit(
		b.ctx, railkit.DepositRequest{WithdrawAddressID: b.address.ID, Amount: amount},
	))(b.t).TxHash
}

// comes is a deposit, and the order that it pays for.
func (b *bank) comes(amount string) *railkit.OrderDetail {
	b.t.Helper()
	return must(b.Orders.WaitDeposit(b.ctx, b.deposit(amount), look))(b.t)
}

// quoted is an order that waits for exactly what its quote says.
func (b *bank) quoted(amount string) (*railkit.Quote, *railkit.Payment) {
	b.t.Helper()
	q := must(b.Payments.Quote(
		b.ctx, railkit.QuoteRequest{BeneficiaryID: b.recipient, Amount: railkit.Number(amount), Currency: "USDC"},
	))(b.t)
	return q, must(b.Payments.Execute(
		b.ctx, railkit.ExecuteRequest{QuoteID: q.QuoteID, BeneficiaryID: b.recipient},
	))(b.t)
}

// becomes waits until an order is so.
func (b *bank) becomes(what, id string, is func(*railkit.OrderDetail) bool) (o *railkit.OrderDetail) {
	b.t.Helper()
	apptest.Eventually(b.t, what, func() bool {
		o = must(b.Orders.Get(b.ctx, id))(b.t)
		return is(o)
	})
	return o
}

// paid waits until the bank has it, and asks the partner's own ledger.
func (b *bank) paid(id string) *railkit.OrderDetail {
	b.t.Helper()
	o := must(b.Orders.Wait(b.ctx, id, look))(b.t)
	books := must(b.app.Partner.Ledger(b.ctx, o.Reference+":1"))(b.t)
	if o.Status != railkit.OrderCompleted || !books.Balanced || len(books.Payouts) != 1 || books.Payouts[0].Paid != 1 {
		b.t.Errorf("%+v\nthe partner's books: %+v", o.Order, books)
	}
	return o
}

func (b *bank) did(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// atPartner waits until the partner has the payment.
func (b *bank) atPartner(id string) {
	b.t.Helper()
	b.becomes("the partner has the payment", id, func(o *railkit.OrderDetail) bool {
		return o.References.PartnerTransferID != ""
	})
}
