package order_test

import (
	"slices"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
)

// anyEvent are all events that may come to an order, of each kind those that differ
// in what they do.
func anyEvent(t *testing.T, o order.Order) (all []order.Event) {
	paid := terms(t, "18.4075")
	if o.Terms.Quoted {
		paid = o.Terms
	}
	for _, kind := range kinds {
		e := order.Event{
			Kind: kind, At: noon, Deposit: came("t1", 100_000_000), Terms: &paid,
			Payout: &order.Payout{TransferID: "p1"}, Net: paid.Net, Rate: paid.Rate,
			Reason: "x", Failure: &order.Failure{Code: "x"}, Refunded: usdc(99_250_000),
			Refund: &order.Refund{ID: "r1", Reference: "RFD-1", TransferID: "p2"},
		}
		add := func(change func(*order.Event)) {
			other := e
			change(&other)
			all = append(all, other)
		}
		switch kind {
		case order.DepositSeen:
			add(func(e *order.Event) { e.Deposit.Confirmations = 1 })
			e.Deposit = came("t1", 100_000_000)
		case order.ReviewOpened:
			add(func(e *order.Event) { e.Reason = order.HoldForgotten })
			add(func(e *order.Event) {
				e.Reason, e.Hits = order.HoldScreening, []order.Hit{{Role: "sender", Kind: "address", Entry: "1"}}
			})
			if o.SentTwice() {
				add(func(e *order.Event) { e.Reason = order.HoldSentTwice })
			}
		case order.DepositDetected:
			add(func(e *order.Event) { e.Repeats = "PAY-1" })
		case order.PayoutRefused:
			add(func(e *order.Event) { e.Final = true })
		case order.Delayed, order.RefundStalled:
			for _, reason := range []string{"", "canceled", "error", "partner_lost"} {
				add(func(e *order.Event) { e.Reason = reason })
			}
		case order.PayoutGivenUp:
			for _, wish := range []order.Wish{order.PayAgain, order.GiveBack} {
				add(func(e *order.Event) { e.By, e.Wish = order.Operator, wish })
			}
		case order.DepositDropped:
			add(func(e *order.Event) { e.At = noon.Add(time.Hour) })
			e.By = order.Operator
			add(func(*order.Event) {})
			e.By = order.OnChain
		case order.PayoutFound:
			e.Payout.TransferID = "p3"
		case order.RefundFound:
			e.Refund.TransferID = "p4"
		case order.RefundFailedKind:
			add(func(e *order.Event) { e.Failure = &order.Failure{Code: order.HoldForgotten} })
		case order.DepositCovered, order.ReviewRefused, order.ReviewReleased, order.RefundRetried,
			order.TransferAccepted, order.TransferWrittenOff, order.TransferDisowned:
			e.By = order.Operator
		}
		all = append(all, e)
	}
	return all
}

// place is what tells two orders apart by what may happen to them.
func place(o order.Order) string {
	o.Version, o.Attempt, o.Refunds, o.Failure, o.Labels, o.Earlier, o.Disowned = 0, 0, 0, nil, nil, nil, nil
	o.UpdatedAt, o.CreatedAt, o.CompletedAt, o.ReservedAt = time.Time{}, time.Time{}, time.Time{}, time.Time{}
	o.Payout = order.Payout{}
	if o.Deposit != nil {
		d := *o.Deposit
		d.Ref = ""
		o.Deposit = &d
	}
	if o.Refund != nil {
		r := *o.Refund
		r.Attempt, r.ReservedAt, r.TransferID = 0, time.Time{}, ""
		o.Refund = &r
	}
	return text(o)
}

// travels are every place that an order can come to, and who leads on from there.
type travels struct {
	orders   map[string]order.Order
	from     map[string][]string // whence one comes to a place
	operator map[string]bool     // places that an operator's word leads out of
	ended    map[string]bool     // places where an operator's word is the end
	edges    map[order.Edge]bool
	refunds  map[order.RefundEdge]bool
}

func (w *travels) visit(t *testing.T, o order.Order) {
	at := place(o)
	if _, known := w.orders[at]; known {
		return
	}
	w.orders[at] = o
	for _, e := range anyEvent(t, o) {
		c, err := order.Apply(o, e)
		if err != nil {
			continue
		}
		to := place(c.Order)
		w.from[to] = append(w.from[to], at)
		w.operator[at] = w.operator[at] || e.By == order.Operator && to != at
		w.ended[at] = w.ended[at] || e.By == order.Operator && isEnd(c.Order)
		w.edges[order.Edge{From: o.Status, To: c.Order.Status, On: e.Kind}] = true
		w.refunds[order.RefundEdge{From: refundStatus(o), To: refundStatus(c.Order), On: e.Kind}] = true
		w.visit(t, c.Order)
	}
}

// isEnd tells whether an order has nothing any more, and waits for nobody.
func isEnd(o order.Order) bool {
	posted, _ := o.Owns()
	return posted == 0 && o.Pending() == 0 && slices.Contains(order.Ended, o.Status)
}

// inPartnersHands tells whether nothing but the partner's word leads on from where an order stands: it was asked for
// money, and says neither that it sent it nor that it did not, or says what cannot be.
func inPartnersHands(o order.Order) bool {
	switch o.Next(noon) {
	case order.AskPayout, order.PollPayout, order.AskRefund, order.PollRefund:
		return o.Status != order.Completed
	}
	return slices.Contains([]string{order.HoldEarlier, order.HoldForgotten}, o.Hold) && !o.RefundHeld()
}

// Wherever an order stands, it can come to an end. Where it has money and nobody goes
// on by himself - the server, by the clock or by asking the partner, or the chain -
// an operator can. Where the partner alone leads on, which may never say a word that fits, an operator can end the
// order. And each edge of the diagram is one that orders take.
func TestPayout_EveryPlaceHasAWayOut(t *testing.T) {
	w := travels{
		map[string]order.Order{}, map[string][]string{}, map[string]bool{}, map[string]bool{},
		map[order.Edge]bool{}, map[order.RefundEdge]bool{},
	}
	for _, back := range []string{"", "0xback"} {
		w.visit(t, offRamp(back))
		o := quoted(t)
		o.ReturnAddress = back
		w.visit(t, o)
	}
	var ends []string
	for at, o := range w.orders {
		if isEnd(o) {
			ends = append(ends, at)
			continue
		}
		arriving := o.Deposit != nil && !o.Deposit.Final
		if o.Next(noon.Add(24*time.Hour)) == order.Nothing && !arriving && !w.operator[at] && o.Status != "" {
			t.Errorf("nobody can move it: %s", at)
		}
		if inPartnersHands(o) && !w.ended[at] {
			t.Errorf("no operator can end it: %s", at)
		}
	}
	reach := map[string]bool{}
	for len(ends) > 0 {
		at := ends[0]
		ends = ends[1:]
		if !reach[at] {
			reach[at] = true
			ends = append(ends, w.from[at]...)
		}
	}
	for at := range w.orders {
		if !reach[at] {
			t.Errorf("it never ends: %s", at)
		}
	}
	for _, e := range order.Edges {
		e.Why = ""
		if !w.edges[e] {
			t.Errorf("no order goes from %q to %q by %s", e.From, e.To, e.On)
		}
	}
	for _, e := range order.RefundEdges {
		e.Why = ""
		if !w.refunds[e] {
			t.Errorf("no refund goes from %q to %q by %s", e.From, e.To, e.On)
		}
	}
	t.Log(len(w.orders), "places")
}

// A payout that stands at the partner is paid again or given back by an operator's
// word, once the partner says so again; and not where it went on meanwhile.
func TestPayout_StandsAtThePartner(t *testing.T) {
	for _, state := range []order.Event{
		{Reason: "canceled"}, {Reason: "error"}, {Reason: "partner_lost"}, {Reason: "in_review"},
	} {
		b, o := newBooks(), offRamp("0xback")
		submitted(t, b, &o)
		again := order.Event{Kind: order.PayoutGivenUp, By: order.Operator, Wish: order.PayAgain}
		refuses(t, o, order.ErrIllegal, again)
		apply(t, b, &o, order.Event{Kind: order.Delayed, Reason: state.Reason})
		refuses(t, o, order.ErrIllegal, order.Event{Kind: order.PayoutCanceled})
		if state.Reason == "in_review" {
			refuses(t, o, order.ErrIllegal, again)
			continue
		}
		apply(t, b, &o, again)
		refuses(t, o, order.ErrKnown, again)
		key := o.PayoutKey()
		apply(t, b, &o, order.Event{Kind: order.PayoutCanceled, Failure: &order.Failure{Code: state.Reason}})
		if o.Status != order.FundsReceived || o.Next(noon) != order.Pay || o.Payout.TransferID != "" || o.Wish != "" {
			t.Errorf("%+v", o)
		}
		if sum(b.posted, money.USDC, "order:o1") != 100_000_000 ||
			sum(b.posted, money.USDC, "partner")+sum(b.posted, money.USDC, "fees:platform") != 0 {
			t.Errorf("%v", b.posted)
		}
		paid := terms(t, "18.4075")
		apply(t, b, &o, order.Event{Kind: order.PayoutReserved, Terms: &paid})
		if o.PayoutKey() == key {
			t.Error("it is paid again under the same key")
		}
	}
}

func sum(s sums, c money.Currency, account string) (n int64) {
	for a, of := range s {
		if string(a) == account {
			n += of[c]
		}
	}
	return n
}

// An operator's word is for the state that it was said of: where the partner says
// another meanwhile, it takes another word.
func TestPayout_WishesAreOfOneState(t *testing.T) {
	b, o := newBooks(), offRamp("0xback")
	submitted(t, b, &o)
	says := func(states ...fiat.TransferState) {
		for _, state := range states {
			apply(t, b, &o, o.News(fiat.Transfer{ID: "p1", State: state}, noon)...)
		}
	}
	again := order.Event{Kind: order.PayoutGivenUp, By: order.Operator, Wish: order.PayAgain}
	for _, other := range []fiat.TransferState{
		fiat.TransferInReview, fiat.TransferCanceled, order.TransferLost, fiat.TransferSubmitted,
	} {
		says(fiat.TransferError)
		apply(t, b, &o, again)
		if says(other); o.Status != order.PaymentSubmitted || o.Wish != "" {
			t.Errorf("%s: %s, wish %q", other, o.Status, o.Wish)
		}
		if says(fiat.TransferError, fiat.TransferError); o.Status != order.PaymentSubmitted {
			t.Errorf("%s, and error again: %s", other, o.Status)
		}
	}
	apply(t, b, &o, again)
	if says(fiat.TransferError); o.Status != order.FundsReceived ||
		len(o.Earlier) != 1 || o.Earlier[0] != (order.Earlier{TransferID: "p1", Reference: "OFR-1:1"}) {
		t.Errorf("%s, %+v", o.Status, o.Earlier)
	}
}

// So it is with refunds. One that came back short is not owed again by itself.
func TestPayout_RetriesAreOfOneState(t *testing.T) {
	b, o := newBooks(), offRamp("0xback")
	d := came("t1", 100_000_000)
	apply(t, b, &o, seen(
		order.DepositDetected, d,
	), seen(order.DepositConfirmed, d), order.Event{Kind: order.ReviewOpened, Reason: "archived"},
		order.Event{
			Kind: order.ReviewRefused, By: order.Operator, Refund: &order.Refund{ID: "r1", Reference: "RFD-1"},
		}, order.Event{Kind: order.RefundReserved})
	says := func(state fiat.TransferState, back int64) {
		apply(t, b, &o, o.RefundNews(fiat.Transfer{ID: "p2", State: state, Refunded: usdc(back)}, noon)...)
	}
	for _, c := range []struct {
		state  fiat.TransferState
		back   int64
		status order.Status
		reason string
	}{
		{fiat.TransferInReview, 0, order.Error, "in_review"}, {
			fiat.TransferUndeliverable, 0, order.Error, "undeliverable",
		}, {fiat.TransferReturned, 0, order.Error, "returned"},
		{fiat.TransferCanceled, 0, order.Error, "canceled"}, {order.TransferLost, 0, order.Error, "partner_lost"},
		{fiat.TransferSubmitted, 0, order.Returned, ""},
		{fiat.TransferRefunded, 99_999_999, order.Error, order.Mismatched},
	} {
		if says(c.state, c.back); o.Status != c.status ||
			o.Refund.Status != order.RefundSubmitted || o.Refund.Reason != c.reason {
			t.Errorf("%s: %s, %+v", c.state, o.Status, o.Refund)
		}
		says(fiat.TransferError, 0)
		apply(t, b, &o, byOperator(order.RefundRetried))
		if says(c.state, c.back); o.Status != c.status || o.Refund.Status != order.RefundSubmitted || o.Refund.Again {
			t.Errorf("retried, and %s: %s, %+v", c.state, o.Status, o.Refund)
		}
	}
	says(fiat.TransferRefunded, 100_000_000)
	if o.Status != order.Error || o.Refund.Status != order.RefundFailed {
		t.Errorf("%s, %+v", o.Status, o.Refund)
	}
	apply(t, b, &o, byOperator(order.RefundRetried))
	if len(o.Earlier) != 1 || o.Earlier[0].Reference != "RFD-1:1" || b.open() != 0 {
		t.Errorf("%+v", o.Earlier)
	}
}
