package payouttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/kit/payout/payment"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/store/storetest"
)

var orderTests = map[string]func(*testing.T, *bench){
	"OrderLife":       testOrderLife,
	"OrderStale":      testOrderStale,
	"OrderRace":       testOrderRace,
	"OrderReferences": testOrderReferences,
	"OrderFilters":    testOrderFilters,
	"OrderCounts":     testOrderCounts,
	"OrderPages":      testOrderPages,
	"OrderClaims":     testOrderClaims,
	"OrderQuoteOnce":  testOrderQuoteOnce,
	"OrdersDue":       testOrdersDue,
	"OrderJobs":       testOrderJobs,
}

// walk applies events to an order, each in a commit of its own.
func (b *bench) walk(t *testing.T, o order.Order, events ...order.Event) order.Order {
	t.Helper()
	for _, e := range events {
		storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) (err error) {
			_, err = Walk(ctx, tx, o, e)
			return err
		}))
		c, err := order.Apply(o, e)
		storetest.OK(t, err)
		o = c.Order
	}
	return o
}

// detected makes an order of a deposit that is not final yet.
func (b *bench) detected(t *testing.T, id, addressID string) order.Order {
	t.Helper()
	o, e := Deposited(storetest.Ours, id, addressID, storetest.Start)
	return b.walk(t, o, e)
}

// paid makes one that went all the way.
func (b *bench) paid(t *testing.T, id, addressID string) order.Order {
	t.Helper()
	o := b.detected(t, id, addressID)
	return b.walk(t, o, Paid(o, storetest.Start)...)
}

// holds wants what an account has: posted, pending in and out.
func (b *bench) holds(t *testing.T, a ledger.Account, c money.Currency, posted, in, out int64) {
	t.Helper()
	got, err := b.payout().Balance(t.Context(), storetest.Ours, a, c)
	storetest.OK(t, err)
	storetest.Equal(t, string(a), got, ledger.Balance{
		Account: a, Posted: money.Of(posted, c), PendingIn: money.Of(in, c), PendingOut: money.Of(out, c),
	})
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	storetest.OK(t, err)
	return string(text)
}

// Each step leaves row, timeline and ledger as the arithmetic says.
func testOrderLife(t *testing.T, b *bench) {
	o := b.detected(t, "o1", "w1")
	b.holds(t, ledger.Held("w1"), money.USDC, 0, 100_000_000, 0)
	b.holds(t, ledger.Chain("base"), money.USDC, 0, 0, 100_000_000)
	events := Paid(o, storetest.Start.Add(time.Minute))
	o = b.walk(t, o, events[:2]...)
	b.holds(t, ledger.Held("w1"), money.USDC, 0, 0, 0)
	b.holds(t, ledger.Order("o1"), money.USDC, 100_000_000, 0, 100_000_000)
	b.holds(t, ledger.Partner, money.USDC, 0, 99_250_000, 0)
	o = b.walk(t, o, events[2:]...)
	b.holds(t, ledger.Order("o1"), money.USDC, 0, 0, 0)
	b.holds(t, ledger.Partner, money.USDC, 0, 0, 0)
	b.holds(t, ledger.FeesNetwork, money.USDC, 500_000, 0, 0)
	b.holds(t, ledger.Bank("spei"), money.MXN, 182_694, 0, 0)
	b.holds(t, ledger.FX, money.MXN, -182_694, 0, 0)

	got, err := b.payout().Order(t.Context(), storetest.Ours, "o1")
	storetest.OK(t, err)
	storetest.Equal(t, "order", asJSON(t, got), asJSON(t, o))
	timeline, err := b.payout().Timeline(t.Context(), storetest.Ours, "o1")
	storetest.OK(t, err)
	kinds := storetest.IDs(timeline, func(e order.Entry) string {
		return fmt.Sprint(e.Seq, " ", e.Kind, " ", e.Status)
	})
	storetest.Equal(t, "timeline", kinds, []string{
		"1 deposit.detected funds_received", "2 deposit.confirmed funds_received", "3 payout.reserved funds_received",
		"4 fiat.submitted payment_submitted", "5 fiat.received completed",
	})
	storetest.Equal(t, "last entry", timeline[4], order.Entry{
		Seq: 5, Kind: order.FiatReceived, Status: order.Completed, By: order.Partner,
		At: storetest.Start.Add(time.Minute), OccurredAt: storetest.Start.Add(time.Minute),
		Detail: map[string]string{"amount": "1826.94", "rate": "18.4075", "trackingKey": "K-o1"},
	})
	if _, err := b.payout().Order(t.Context(), storetest.Theirs, "o1"); true {
		storetest.Missing(t, "Order", err)
	}
}

// A change that starts from an older version leaves nothing.
func testOrderStale(t *testing.T, b *bench) {
	before := b.detected(t, "o1", "w1")
	events := Paid(before, storetest.Start)
	b.walk(t, before, events[0])
	for what, again := range map[string]func(context.Context, payout.Tx) error{
		"the same step": func(ctx context.Context, tx payout.Tx) error {
			_, err := Walk(ctx, tx, before, events[0])
			return err
		},
		"the same order": func(ctx context.Context, tx payout.Tx) error {
			o, e := Deposited(storetest.Ours, "o1", "w1", storetest.Start)
			_, err := Walk(ctx, tx, o, e)
			return err
		},
	} {
		if err := b.pay(t.Context(), again); !errors.Is(err, record.ErrStale) {
			t.Errorf("%s again: %v", what, err)
		}
	}
	storetest.Equal(t, "entries of the timeline", b.Count(t, "order_events"), 2)
	storetest.Equal(t, "ledger transactions", b.Count(t, "ledger_transactions"), 2)
}

// Of many who confirm one deposit one does, and the money is there once.
func testOrderRace(t *testing.T, b *bench) {
	o := b.detected(t, "o1", "w1")
	var wins atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			err := b.payout().Work(t.Context(), storetest.Ours, quiet(func(ctx context.Context, tx payout.Tx) error {
				_, err := Walk(ctx, tx, o, Paid(o, storetest.Start)[0])
				return err
			}))
			switch {
			case err == nil:
				wins.Add(1)
			case !errors.Is(err, record.ErrStale):
				t.Errorf("losing: %v", err)
			}
		})
	}
	wg.Wait()
	storetest.Equal(t, "winners", wins.Load(), 1)
	b.holds(t, ledger.Order("o1"), money.USDC, 100_000_000, 0, 0)
}

// However orders move, and whoever loses, what is counted without a filter is what
// is counted one by one.
func testOrderCounts(t *testing.T, b *bench) {
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			// each twice: one loses
			o, e := Deposited(storetest.Ours, fmt.Sprint("o", i/2), fmt.Sprint("w", i), storetest.Start)
			_ = b.payout().Work(t.Context(), storetest.Ours, quiet(func(ctx context.Context, tx payout.Tx) error {
				_, err := Walk(ctx, tx, o, append([]order.Event{e}, Paid(o, storetest.Start)[:i%2]...)...)
				return err
			}))
		})
	}
	wg.Wait()
	b.paid(t, "o7", "w7")
	o, e := Deposited(storetest.Theirs, "o8", "w8", storetest.Start)
	storetest.OK(t, b.payout().Work(t.Context(), storetest.Theirs, quiet(func(ctx context.Context, tx payout.Tx) error {
		_, err := Walk(ctx, tx, o, e)
		return err
	})))
	for ws, want := range map[string]orderview.Counts{
		storetest.Ours: {order.FundsReceived: 6, order.Completed: 1}, storetest.Theirs: {order.FundsReceived: 1},
	} {
		for what, f := range map[string]orderview.Filter{"kept": {}, "one by one": {From: time.UnixMicro(1)}} {
			f.WorkspaceID, f.Page.Limit = ws, 1
			counts, err := b.payout().OrderCounts(t.Context(), f)
			storetest.OK(t, err)
			storetest.Equal(t, what, counts, want)
		}
	}
}

func testOrderReferences(t *testing.T, b *bench) {
	first := b.paid(t, "o1", "w1")
	second, e := Deposited(storetest.Ours, "o2", "w1", storetest.Start.Add(time.Hour))
	e.Deposit.Hash = first.Deposit.Hash // two transfers in one transaction
	b.walk(t, second, e)
	for reference, want := range map[string]string{
		"o1": "o1", first.Reference: "o1", "ofr-20261121-o1": "o1", "K-o1": "o1", "p-o1": "o1", " k-O1 ": "o1",
		first.Deposit.Hash: "o2", second.Reference: "o2",
	} {
		got, err := b.payout().Order(t.Context(), storetest.Ours, reference)
		if err != nil || got.ID != want {
			t.Errorf("%s: %s, %v, want %s", reference, got.ID, err, want)
		}
		_, err = b.payout().Order(t.Context(), storetest.Theirs, reference)
		storetest.Missing(t, "Order", err)
	}
	for _, reference := range []string{"", "o", "OFR-20261121-____", "%"} {
		_, err := b.payout().Order(t.Context(), storetest.Ours, reference)
		storetest.Missing(t, "Order", err)
	}
}

// filtered are three orders, and one of another tenant.
func (b *bench) filtered(t *testing.T) {
	t.Helper()
	b.paid(t, "o1", "w1")
	o, e := Deposited(storetest.Ours, "o2", "w2", storetest.Start.Add(time.Hour))
	o.RecipientID, o.RecipientName, o.BankAccountID, o.Rail = "r-2", "50% Off AG", "b-2", fiat.SEPA
	o.Destination = money.EUR
	e.Deposit.Amount = money.Of(7_250_000, money.USDC)
	b.walk(t, o, e)
	o, e = Deposited(storetest.Ours, "o3", "w1", storetest.Start.Add(2*time.Hour))
	o.Rail, o.Destination = fiat.Wire, money.USD
	b.walk(t, o, e)
	o, e = Deposited(storetest.Theirs, "o4", "w1", storetest.Start)
	storetest.OK(t, b.payout().Work(t.Context(), storetest.Theirs, quiet(func(ctx context.Context, tx payout.Tx) error {
		_, err := Walk(ctx, tx, o, e)
		return err
	})))
}

func testOrderFilters(t *testing.T, b *bench) {
	b.filtered(t)
	for what, c := range map[string]struct {
		f    orderview.Filter
		want []string
	}{
		"all":    {orderview.Filter{}, []string{"o3", "o2", "o1"}},
		"status": {orderview.Filter{Statuses: []order.Status{order.Completed}}, []string{"o1"}},
		"statuses": {
			orderview.Filter{Statuses: []order.Status{order.Completed, order.FundsReceived}},
			[]string{"o3", "o2", "o1"},
		},
		"type": {orderview.Filter{Types: []order.Type{order.OnRamp}}, []string{}},
		"rails": {
			orderview.Filter{Rails: []fiat.Rail{fiat.ACH, fiat.Wire, fiat.SEPA}}, []string{"o3", "o2"},
		},
		"pair":             {orderview.Filter{Pair: "USDC/MXN"}, []string{"o1"}},
		"recipient":        {orderview.Filter{RecipientID: "r-2"}, []string{"o2"}},
		"bank account":     {orderview.Filter{BankAccountID: "b-1"}, []string{"o3", "o1"}},
		"address":          {orderview.Filter{WithdrawAddressID: "w1"}, []string{"o3", "o1"}},
		"name":             {orderview.Filter{RecipientName: "LÓPEZ"}, []string{"o3", "o1"}},
		"name with a sign": {orderview.Filter{RecipientName: "0%"}, []string{"o2"}},
		"from":             {orderview.Filter{From: storetest.Start.Add(time.Hour)}, []string{"o3", "o2"}},
		"to":               {orderview.Filter{To: storetest.Start.Add(time.Hour)}, []string{"o2", "o1"}},
		"search reference": {orderview.Filter{Search: "ofr-20261121-o2"}, []string{"o2"}},
		"search name":      {orderview.Filter{Search: "ana"}, []string{"o3", "o1"}},
		"search amount":    {orderview.Filter{Search: "1826.9"}, []string{"o1"}},
		"search gross":     {orderview.Filter{Search: "7.25"}, []string{"o2"}},
	} {
		c.f.WorkspaceID, c.f.Page = storetest.Ours, page.Page{Limit: 10}
		rows, err := b.payout().Orders(t.Context(), c.f)
		storetest.OK(t, err)
		storetest.Equal(t, what, storetest.IDs(rows, orderID), c.want)
	}
	counts, err := b.payout().OrderCounts(t.Context(), orderview.Filter{
		WorkspaceID: storetest.Ours, Statuses: []order.Status{order.Completed}, Page: page.Page{Limit: 1},
	})
	storetest.OK(t, err)
	storetest.Equal(t, "counts", counts, orderview.Counts{order.Completed: 1, order.FundsReceived: 2})
}

func orderID(o order.Order) string { return o.ID }

func testOrderPages(t *testing.T, b *bench) {
	for i := range 5 {
		// some of one instant
		o, e := Deposited(storetest.Ours, fmt.Sprint("o", i), "w1", storetest.Start.Add(time.Duration(i/2)*time.Second))
		b.walk(t, o, e)
	}
	f := orderview.Filter{WorkspaceID: storetest.Ours, Page: page.Page{Limit: 2, Offset: 2}}
	rows, err := b.payout().Orders(t.Context(), f)
	storetest.OK(t, err)
	storetest.Equal(t, "second page", storetest.IDs(rows, orderID), []string{"o2", "o1"})
	f.Page = page.Page{Limit: 10, After: &page.Cursor{CreatedAt: rows[0].CreatedAt, ID: rows[0].ID}}
	rows, err = b.payout().Orders(t.Context(), f)
	storetest.OK(t, err)
	storetest.Equal(t, "after o2", storetest.IDs(rows, orderID), []string{"o1", "o0"})
}

// What pays for one order, or is paid by one, is no other's.
func testOrderClaims(t *testing.T, b *bench) {
	o := b.detected(t, "o1", "w1")
	twin, e := Deposited(storetest.Ours, "o2", "w1", storetest.Start)
	e.Deposit.TransferID = o.Deposit.TransferID
	walk := func(o order.Order, events ...order.Event) error {
		return b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
			_, err := Walk(ctx, tx, o, events...)
			return err
		})
	}
	if err := walk(twin, e); !errors.Is(err, orderview.ErrTaken) {
		t.Errorf("one transfer for two orders: %v", err)
	}
	dropped := b.walk(t, o, order.Event{Kind: order.DepositDropped, At: storetest.Start, Deposit: o.Deposit})
	_, owner, err := b.payout().OrderOf(t.Context(), order.ClaimDeposit, o.Deposit.TransferID)
	storetest.OK(t, err)
	storetest.Equal(t, "whose it was", owner, "o1")
	storetest.OK(t, walk(twin, e)) // given up, it is free
	if err := walk(
		dropped, order.Event{Kind: order.DepositDetected, At: storetest.Start, Deposit: o.Deposit},
	); !errors.Is(err, orderview.ErrTaken) {
		t.Errorf("taken back: %v", err)
	}
	storetest.Equal(t, "rows of the refused", b.Count(t, "order_events"), 3)

	third := b.paid(t, "o3", "w1")
	fourth := b.detected(t, "o4", "w1")
	events := Paid(fourth, storetest.Start)
	events[2].Payout = &order.Payout{TransferID: third.Payout.TransferID}
	if err := walk(fourth, events[:3]...); !errors.Is(err, orderview.ErrTaken) {
		t.Errorf("one payout for two orders: %v", err)
	}
	ws, owner, err := b.payout().OrderOf(t.Context(), order.ClaimPayout, "p-o3")
	storetest.OK(t, err)
	storetest.Equal(t, "whose payout", ws+" "+owner, storetest.Ours+" o3")
	_, _, err = b.payout().OrderOf(t.Context(), order.ClaimPayout, "p-o4")
	storetest.Missing(t, "Order", err)
	asked := []string{"p-o3", "p-o4"}
	for i := range 1200 { // more than one query takes
		asked = append(asked, fmt.Sprintf("p-x%d", i))
	}
	for _, ask := range []struct {
		workspace string
		kind      order.ClaimKind
		want      int
	}{
		{storetest.Ours, order.ClaimPayout, 1}, {storetest.Theirs, order.ClaimPayout, 0},
		{storetest.Ours, order.ClaimDeposit, 0},
	} {
		found, err := b.payout().OrdersWithClaims(t.Context(), ask.workspace, ask.kind, asked)
		storetest.OK(t, err)
		storetest.Equal(t, "orders with claims", len(found), ask.want)
		if ask.want == 1 {
			storetest.Equal(t, "the order with the claim", found[0], third)
		}
	}
}

func testOrderQuoteOnce(t *testing.T, b *bench) {
	quoted := func(id string) order.Order {
		o, _ := Deposited(storetest.Ours, id, "w1", storetest.Start)
		o.QuoteID, o.ExpiresAt, o.Expected = "q-1", storetest.Start.Add(time.Minute), money.Of(1, money.USDC)
		return o
	}
	created := order.Event{Kind: order.Created, By: order.User, At: storetest.Start}
	b.walk(t, quoted("o1"), created)
	err := b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		_, err := Walk(ctx, tx, quoted("o2"), created)
		return err
	})
	if !errors.Is(err, record.ErrStale) {
		t.Errorf("a second order of one quote: %v", err)
	}
	got, err := b.payout().Order(t.Context(), storetest.Ours, "q-1")
	storetest.OK(t, err)
	storetest.Equal(t, "order of the quote", got.ID, "o1")
}

// The sweeper is told of what waits, once for each time it looks.
func testOrdersDue(t *testing.T, b *bench) {
	b.paid(t, "o1", "w1")                                    // looked at again after hours
	seen := b.detected(t, "o2", "w1")                        // waits for the chain
	final := b.walk(t, seen, Paid(seen, storetest.Start)[0]) // to be paid
	o, _ := Deposited(storetest.Ours, "o3", "w1", storetest.Start)
	o.QuoteID, o.ExpiresAt, o.Expected = "q-1", storetest.Start.Add(time.Minute), money.Of(1, money.USDC)
	b.walk(t, o, order.Event{Kind: order.Created, By: order.User, At: storetest.Start})
	due := func(after time.Duration, from page.Cursor, limit int) []string {
		t.Helper()
		rows, err := b.payout().OrdersDue(t.Context(), storetest.Start.Add(after), from, limit)
		storetest.OK(t, err)
		return storetest.IDs(rows, func(d payment.DueOrder) string {
			return d.ID + "@" + d.DueAt.Sub(storetest.Start).String()
		})
	}
	storetest.Equal(t, "at once", due(0, page.Cursor{}, 9), []string{})
	storetest.Equal(t, "when the quote ends", due(time.Minute, page.Cursor{}, 9), []string{"o3@1m0s"})
	storetest.Equal(t, "later", due(24*time.Hour, page.Cursor{}, 2), []string{"o3@1m0s", "o2@2m0s"})
	storetest.Equal(
		t, "the rest", due(24*time.Hour, page.Cursor{CreatedAt: storetest.Start.Add(2 * time.Minute), ID: "o2"}, 2),
		[]string{"o1@6h0m0s"},
	)
	deferred := func(o order.Order, until time.Time) error {
		return b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error { return tx.DeferOrder(ctx, o, until) })
	}
	storetest.OK(t, deferred(final, storetest.Start.Add(time.Hour)))
	if err := deferred(seen, storetest.Start); !errors.Is(err, record.ErrStale) {
		t.Errorf("deferring what has moved on: %v", err)
	}
	storetest.Equal(t, "afterwards", due(time.Hour, page.Cursor{}, 9), []string{"o3@1m0s", "o2@1h0m0s"})
}

// A deposit that is final wakes the order's job also where that is just ending.
func testOrderJobs(t *testing.T, b *bench) {
	o := b.detected(t, "o1", "w1")
	storetest.Equal(t, "jobs of a deposit that is not final", b.Count(t, "river_job"), 0)
	b.walk(t, o, Paid(o, storetest.Start)[:2]...)
	storetest.Equal(t, "jobs of a payment under way", b.Count(t, "river_job WHERE kind = 'payout_order'"), 1)
}
