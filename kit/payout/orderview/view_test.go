package orderview

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/money"
)

var midday = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func sellRate(t interface{ Fatal(...any) }, text string) money.Rate {
	r, err := money.ParseRate(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// told plays events and keeps the timeline.
func told(t interface{ Fatal(...any) }, o order.Order, events ...order.Event) (order.Order, []order.Entry) {
	var all []order.Entry
	for i, e := range events {
		e.At = midday.Add(time.Duration(i) * time.Second)
		c, err := order.Apply(o, e)
		if err != nil {
			t.Fatal(err)
		}
		o, all = c.Order, append(all, c.Entry)
	}
	return o, all
}

func quoted(t interface{ Fatal(...any) }, net int64, sell money.Rate) order.Order {
	terms, err := price.Stock.ForNet(money.Of(net, money.MXN), sell, money.USDC)
	if err != nil {
		t.Fatal(err)
	}
	terms.Quoted = true
	return order.Order{
		ID: "o1", Reference: "OFR-1", Type: order.OffRamp, Origin: order.FromQuote, QuoteID: "q1",
		WithdrawAddressID: "w1", Chain: "base",
		Source: money.USDC, Destination: money.MXN, Rail: fiat.SPEI, Expected: terms.Gross, Terms: terms,
		ExpiresAt: midday.Add(time.Hour),
	}
}

// paid are the events of an order whose money lies there already.
func paid(o order.Order, sell money.Rate, net money.Amount) []order.Event {
	terms := o.Terms
	return []order.Event{
		{Kind: order.Funded, By: order.User},
		{Kind: order.PayoutReserved, By: order.System, Terms: &terms},
		{Kind: order.FiatSubmitted, By: order.Partner, Payout: &order.Payout{TransferID: "p1", TrackingKey: "K1"}},
		{Kind: order.FiatReceived, By: order.Partner, Net: net, Rate: sell},
	}
}

// Wherever an order stands, and however the rate moved, its parts are its gross.
func TestPayout_OrdersExplain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) money.Rate {
			return sellRate(t, rapid.StringMatching(`1[0-9](\.[0-9]{1,4})?`).Draw(t, name))
		}
		sell, then := draw("quoted"), draw("then")
		o := quoted(t, rapid.Int64Range(100, 1e9).Draw(t, "net"), sell)
		events := paid(o, then, o.Terms.Net)
		for n := range len(events) + 1 {
			at, _ := told(t, o, events[:n]...)
			explains(t, at)
		}
	})
}

func explains(t *rapid.T, o order.Order) {
	e, err := explain(o)
	if err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, text := range []string{e.Network, e.Platform, e.Converted, e.Residue, e.Drift} {
		a, err := money.Parse(strings.TrimPrefix(text, "-"), money.USDC)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(text, "-") {
			a = a.Neg()
		}
		sum += a.Minor
	}
	if sum != o.Terms.Gross.Minor || e.Gross != o.Terms.Gross.String() {
		t.Fatalf("%s: %+v sums to %d of %d", o.Status, e, sum, o.Terms.Gross.Minor)
	}
}

func TestPayout_ExplanationsRead(t *testing.T) {
	t.Parallel()
	sell := sellRate(t, "18.4075")
	o := quoted(t, 182_717, sell)
	for _, c := range []struct{ rate, want string }{
		{"", "100.012351 USDC - 0.500062 USDC network fee - 0.250031 USDC platform fee = 99.262258 USDC, at 18.4075 = 1827.17 MXN"},
		{"18.4075", "100.012351 USDC - 0.500062 USDC network fee - 0.250031 USDC platform fee = 99.262258 USDC, at 18.4075 = 1827.17 MXN"},
		{"18.5", "100.012351 USDC - 0.500062 USDC network fee - 0.250031 USDC platform fee - 0.496312 USDC rate movement = 98.765946 USDC, at 18.5 = 1827.17 MXN"},
		{"18.4", "100.012351 USDC - 0.500062 USDC network fee - 0.250031 USDC platform fee + 0.04046 USDC rate movement = 99.302718 USDC, at 18.4 = 1827.17 MXN"},
	} {
		at := o
		if c.rate != "" {
			at, _ = told(t, o, paid(o, sellRate(t, c.rate), o.Terms.Net)...)
		}
		if e, err := explain(at); err != nil || e.Text != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.rate, err, e.Text, c.want)
		}
	}
	bare := order.Order{Source: money.USDC, Terms: order.Terms{Gross: money.Of(1, money.USDC)}}
	if e, err := explain(bare); e != nil || err != nil {
		t.Errorf("without a price: %+v, %v", e, err)
	}
}

// Confirmations are shown as far as they are, not one by one.
func TestPayout_TimelineIsShort(t *testing.T) {
	t.Parallel()
	o := quoted(t, 182_717, sellRate(t, "18.4075"))
	seen := func(kind order.Kind, n int) order.Event {
		return order.Event{Kind: kind, By: order.OnChain, OccurredAt: midday.Add(-time.Minute), Deposit: &order.Deposit{
			TransferID: "t1", Hash: "0x1", From: "0x2", Amount: o.Expected, Block: 7, Confirmations: n, Required: 12,
		}}
	}
	o, all := told(t, o, order.Event{
		Kind: order.Created, By: order.User,
	}, seen(order.DepositDetected, 1), seen(order.DepositSeen, 2),
		seen(order.DepositSeen, 3), seen(order.DepositSeen, 11), seen(order.DepositConfirmed, 12))
	d, err := detailOf(o, all)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range d.Timeline {
		got = append(got, e.Type+" "+e.Detail["confirmations"])
	}
	want := "order.created , deposit.detected 1/12, deposit.progress 11/12, deposit.confirmed 12/12"
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("%s, want %s", text, want)
	}
	last := d.Timeline[3]
	if last.Seq != 6 || last.Source != "chain" || last.OccurredAt != "2026-11-21T11:59:00.000Z" ||
		last.At != "2026-11-21T12:00:05.000Z" || last.Status != "funds_received" {
		t.Errorf("%+v", last)
	}
	if d.Deposit == nil || !d.Deposit.Final || d.Source.From != "0x2" || d.References.DepositTxHash != "0x1" {
		t.Errorf("%+v", d)
	}
}
