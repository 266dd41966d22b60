package fiattest

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/money"
)

// Transfers holds a partner to what payouts and refunds rely on.
func Transfers(t *testing.T, open Open) {
	for name, test := range map[string]func(*customer){
		"OnceForEachKey": onceForEachKey, "Gross": payGross, "Net": payNet, "Short": payShort, "Found": payFound,
		"Returned": payReturned, "OnChain": payOnChain, "Deposits": deposits,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(newCustomer(t, open))
		})
	}
}

// One transfer for many who ask with one key, and another request is told so.
func onceForEachKey(c *customer) {
	c.credit(100_000_000)
	q, key := c.payout(), uuid.NewString()
	id := together(c, "a transfer", func() (string, error) {
		made, err := c.CreateTransfer(c.t.Context(), key, q)
		return made.ID, err
	})
	c.holds("after one transfer", 90_000_000)
	c.reaches(id, fiat.TransferProcessed)
	if again, err := c.CreateTransfer(c.t.Context(), key, q); err != nil || again.ID != id {
		c.t.Errorf("asked again when it is over: %+v %v", again, err)
	}
	q.Gross.Minor++
	_, err := c.CreateTransfer(c.t.Context(), key, q)
	c.fails("another request with the key", err, fiat.ErrKeyReused)
	c.holds("then", 90_000_000)
}

// What leaves is what was said, and what arrives is the rest at the rate, rounded down.
func payGross(c *customer) {
	c.credit(100_000_000)
	q := c.payout()
	done := c.reaches(c.pays(q).ID, fiat.TransferProcessed)
	if err := done.Check(q); err != nil {
		c.t.Errorf("%+v: %v", done, err)
	}
	want, err := done.Rate.Convert(usdc(q.Gross.Minor-q.Fee.Minor), money.MXN)
	if err != nil || done.Destination != want || done.Source != q.Gross || done.Fee != q.Fee || done.TrackingKey == "" {
		c.t.Errorf("%+v, want %s", done, want)
	}
	c.holds("after it", 90_000_000)
}

// What arrives is what was said, and what leaves is what that costs, rounded up, and the fee.
func payNet(c *customer) {
	c.credit(100_000_000)
	q := c.payout()
	q.Gross, q.Net = money.Amount{}, money.Of(10_001, money.MXN)
	done := c.reaches(c.pays(q).ID, fiat.TransferProcessed)
	cost, err := done.Rate.Cost(q.Net, money.USDC)
	if err != nil || done.Check(q) != nil || done.Destination != q.Net || done.Source.Minor != cost.Minor+q.Fee.Minor {
		c.t.Errorf("%+v, it costs %s (%v)", done, cost, err)
	}
	c.holds("after it", 100_000_000-done.Source.Minor)
}

// A wallet that has not enough refuses, and nothing happened: the key is still good.
func payShort(c *customer) {
	q, key := c.payout(), uuid.NewString()
	c.credit(9_999_999)
	_, err := c.CreateTransfer(c.t.Context(), key, q)
	c.fails("with too little", err, fiat.ErrInsufficient)
	c.holds("then", 9_999_999)
	_, err = c.TransferOf(c.t.Context(), c.id, q.Reference, time.Now().Add(-time.Hour))
	c.fails("what was refused, by its reference", err, fiat.ErrNotFound)
	c.credit(1)
	if _, err := c.CreateTransfer(c.t.Context(), key, q); err != nil {
		c.t.Errorf("with enough: %v", err)
	}
	c.holds("at last", 0)
}

// What was made is found by its id, by our reference, and in the list.
func payFound(c *customer) {
	c.credit(100_000_000)
	began := time.Now().Add(-time.Minute)
	one, two := c.payout(), c.payout()
	first, second := c.pays(one), c.pays(two)
	found, err := c.TransferOf(c.t.Context(), c.id, one.Reference, began)
	if err != nil || found.ID != first.ID || found.Check(one) != nil {
		c.t.Errorf("by its reference: %+v %v", found, err)
	}
	_, err = c.TransferOf(c.t.Context(), c.id, uuid.NewString(), began)
	c.fails("a reference of nothing", err, fiat.ErrNotFound)
	_, err = c.Transfer(c.t.Context(), uuid.NewString())
	c.fails("an id of nothing", err, fiat.ErrNotFound)
	all, err := c.Bench.Transfers(c.t.Context(), c.id, began)
	ids := map[string]bool{}
	for _, each := range all {
		ids[each.ID] = each.WalletID == c.wallet && each.CustomerID == c.id
	}
	if err != nil || len(all) != 2 || !ids[first.ID] || !ids[second.ID] {
		c.t.Errorf("the list: %+v %v", all, err)
	}
}

// A bank that sends back what has arrived: the wallet has it again, without the fee.
func payReturned(c *customer) {
	c.credit(100_000_000)
	made := c.pays(c.payout())
	c.reaches(made.ID, fiat.TransferProcessed)
	if c.Control != nil {
		if err := c.Control.Return(c.t.Context(), made.ID, control.Why{}); err != nil {
			c.t.Fatal(err)
		}
	}
	back := c.reaches(made.ID, fiat.TransferRefunded)
	if back.Refunded != usdc(9_925_000) || back.ReturnCode == "" {
		c.t.Errorf("%+v", back)
	}
	c.holds("after the return", 99_925_000)
}

// A refund goes to an address on the chain, in full.
func payOnChain(c *customer) {
	c.credit(100_000_000)
	q := fiat.TransferRequest{
		CustomerID: c.id, WalletID: c.wallet, Reference: uuid.NewString(), Chain: c.Place.Chain, Source: money.USDC,
		Gross: usdc(7_000_000), Destination: money.USDC, ToChain: c.Place.Chain, ToAddress: c.Place.Address,
	}
	done := c.reaches(c.pays(q).ID, fiat.TransferProcessed)
	if done.Check(q) != nil || done.Destination != q.Gross || done.Hash == "" {
		c.t.Errorf("%+v", done)
	}
	c.holds("after it", 93_000_000)
}

// A deposit is a drain of its address, and in its wallet, once.
func deposits(c *customer) {
	c.credit(5_000_000)
	c.credit(6_000_000)
	all, err := c.Drains(c.t.Context(), c.id, c.address.ID, time.Now().Add(-time.Minute))
	if err != nil || len(all) != 2 {
		c.t.Fatalf("%+v %v", all, err)
	}
	for i, want := range []int64{6_000_000, 5_000_000} { // newest first
		if d := all[i]; d.Amount != usdc(want) || d.State != "payment_processed" || d.AddressID != c.address.ID ||
			d.DepositHash == "" || d.ID == all[1-i].ID {
			c.t.Errorf("%+v, want %s", d, usdc(want))
		}
	}
	c.holds("both", 11_000_000)
	if later, err := c.Drains(c.t.Context(), c.id, c.address.ID,
		time.Now().Add(time.Hour)); err != nil || len(later) != 0 {
		c.t.Errorf("since later: %+v %v", later, err)
	}
}
