package payout_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// rpc asks a node itself.
func (b *bank) rpc(method string, params ...any) (result any) {
	b.t.Helper()
	raw := must(json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))(b.t)
	res := must(http.Post(b.app.Devnet.RPCURL(b.address.Chain), "application/json", bytes.NewReader(raw)))(b.t)
	defer res.Body.Close()
	var answer struct{ Result, Error any }
	b.did(json.NewDecoder(res.Body).Decode(&answer))
	if answer.Result == nil {
		b.t.Fatalf("%s: no result: %v", method, answer.Error)
	}
	return answer.Result
}

// On a chain where three blocks are final: what a reorg takes away was not paid
// yet, and when it is mined again, or two in one block, each is paid once. It has the chains for itself: others who ask
// the faucet between the reorg and the deposit's return would get gifts of the deposit's nonce.
func TestPayout_S6_S7_OverHTTP(t *testing.T) {
	const slug = "arbitrum"
	b := bankOn(t, slug, apptest.WithPartner(t, "--confirmations", "3"), watching(slug), func(c *apptest.Config) {
		c.WatchDepth = 3
	})
	b.reorg()
	b.oneBlock()
}

func (b *bank) reorg() {
	t, ctx, chain := b.t, b.ctx, b.address.Chain
	t.Helper()
	b.did(b.Sandbox.Mine(ctx, chain, 1))
	q, p := b.quoted("50")
	hash := b.deposit(p.DepositInstructions.Amount)
	seen := b.becomes("the deposit is seen", p.OrderID, func(o *railkit.OrderDetail) bool {
		return o.Status == "funds_received"
	})
	if seen.Deposit.Final || seen.Deposit.RequiredConfirmations != 3 || seen.References.DepositTxHash != hash {
		t.Errorf("%+v", seen.Deposit)
	}
	_, err := b.Orders.Cancel(ctx, p.Reference)
	wantError(t, "canceling with a deposit", err, 422, "order_settled")
	raw := b.rpc("eth_getRawTransactionByHash", hash)

	b.did(b.Sandbox.Reorg(ctx, chain, 1, true))
	b.becomes("the order waits again", p.OrderID, func(o *railkit.OrderDetail) bool {
		return o.Status == railkit.OrderAwaiting
	})
	if d := drained(t, b.Client, b.address.ID, 1, "canceled")[0]; d.Reason != "dropped" || d.OrderID != "" {
		t.Errorf("%+v", d)
	}
	b.rpc("eth_sendRawTransaction", raw)
	again := b.becomes("it is mined again", p.OrderID, func(o *railkit.OrderDetail) bool {
		return o.Status == "funds_received"
	})
	b.did(b.Sandbox.Mine(ctx, chain, 2))
	o := b.paid(p.OrderID)
	if len(o.Labels) != 0 || o.Destination.Amount != q.NetAmount.String() || again.References.DepositTxHash != hash {
		t.Errorf("%+v", o.Order)
	}
	var kinds []string
	for _, e := range o.Timeline {
		kinds = append(kinds, e.Type)
	}
	want := []string{
		"order.created", "deposit.detected", "deposit.dropped", "deposit.detected", "deposit.confirmed",
		"payout.reserved", "fiat.submitted", "fiat.received",
	}
	if kinds = slices.DeleteFunc(kinds, func(kind string) bool {
		return kind == "deposit.progress"
	}); !slices.Equal(kinds, want) {
		t.Errorf("%v", kinds)
	}
	drained(t, b.Client, b.address.ID, 1, "payment_processed")
}

func (b *bank) oneBlock() {
	t, ctx, chain := b.t, b.ctx, b.address.Chain
	t.Helper()
	hashes := []string{b.deposit("7"), b.deposit("7")}
	raws := []any{b.rpc("eth_getRawTransactionByHash", hashes[0]), b.rpc("eth_getRawTransactionByHash", hashes[1])}
	b.did(b.app.Devnet.SetAutomine(ctx, chain, false))
	b.did(b.Sandbox.Reorg(ctx, chain, 2, true))
	for _, raw := range raws {
		b.rpc("eth_sendRawTransaction", raw)
	}
	b.did(b.Sandbox.Mine(ctx, chain, 1)) // both
	b.did(b.app.Devnet.SetAutomine(ctx, chain, true))
	one, two := must(b.Orders.WaitDeposit(ctx, hashes[0], look))(t), must(b.Orders.WaitDeposit(ctx, hashes[1], look))(t)
	b.did(b.Sandbox.Mine(ctx, chain, 2))
	one, two = b.paid(one.ID), b.paid(two.ID)
	if one.ID == two.ID || one.Deposit.BlockNumber != two.Deposit.BlockNumber ||
		one.References.TrackingKey == two.References.TrackingKey || one.NetAmount != two.NetAmount {
		t.Errorf("%+v\n%+v", one.Order, two.Order)
	}
	drained(t, b.Client, b.address.ID, 3, "payment_processed")
}

// What was quoted is paid as quoted; less or more, at the rate of the day.
func TestPayout_S8_OverHTTP(t *testing.T) {
	t.Parallel()
	b := bankOn(t, "base", apptest.WithPartner(t))
	for _, c := range []struct {
		quoted, sent string
		labels       []string
	}{
		{"100", "100", nil}, {"100", "60", []string{"under", "repriced"}},
		{"100", "140.5", []string{"over", "repriced"}},
	} {
		q, p := b.quoted(c.quoted)
		if o := b.comes(c.sent); o.ID != p.OrderID {
			t.Errorf("%s opened %s, not %s", c.sent, o.Reference, p.Reference)
		}
		o, net := b.paid(p.OrderID), q.NetAmount.String()
		if c.labels != nil {
			net = must(b.Payments.QuoteOffRamp(
				b.ctx,
				railkit.OffRampQuoteRequest{SourceAmount: c.sent, SourceCurrency: "usdc", DestinationCurrency: "mxn"},
			))(t).DestinationAmount
		}
		if !slices.Equal(o.Labels, c.labels) && len(o.Labels)+len(c.labels) > 0 || o.Destination.Amount != net {
			t.Errorf("%s for %s: %v, %s of %s", c.sent, c.quoted, o.Labels, o.Destination.Amount, net)
		}
	}
}

// What is not paid out is shown with the reason, opens no order, and reaches no bank.
func TestPayout_S9_OverHTTP(t *testing.T) {
	t.Parallel()
	b := bankOn(t, "polygon", apptest.WithPartner(t), watching("optimism"))
	ctx := b.ctx
	for i, c := range []struct{ chain, currency, amount, reason string }{
		{"polygon", "usdc", "0.999999", "dust"}, {"polygon", "usdt", "5", "wrong_token"},
		{"optimism", "usdc", "6", "wrong_chain"},
	} {
		sent := must(b.Sandbox.Deposit(
			ctx,
			railkit.DepositRequest{Chain: c.chain, Address: b.address.Address, Currency: c.currency, Amount: c.amount},
		))(t)
		if d := drained(t, b.Client, b.address.ID, i+1, "canceled")[i]; d.Reason != c.reason ||
			d.OrderID != "" || d.DepositTxHash != sent.TxHash || d.State != "failed" {
			t.Errorf("%s: %+v", c.reason, d)
		}
	}
	if all := must(b.Orders.List(ctx, railkit.OrderListOptions{}))(t); all.Meta.Total != 0 {
		t.Errorf("%+v", all.Items)
	}
	o := b.paid(b.comes("1").ID) // the least
	books := must(b.app.Partner.Ledger(ctx, ""))(t)
	if !books.Balanced || len(books.Payouts) != 1 || books.Payouts[0].Reference != o.Reference+":1" {
		t.Errorf("%+v", books.Payouts)
	}
}
