package order_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
)

// world is one order with its ledger, to which anything may happen.
type world struct {
	o        order.Order
	b        *books
	timeline []order.Entry
	past     []order.Event
	before   int64 // lay at the address
	now      time.Time
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

var kinds = []order.Kind{
	order.Created, order.DepositDetected, order.DepositSeen, order.DepositConfirmed, order.DepositDropped, order.Funded,
	order.ReviewOpened, order.ReviewCleared, order.ReviewReleased,
	order.PayoutReserved, order.PayoutRefused, order.FiatSubmitted,
	order.Delayed,
	order.FiatReceived, order.PaymentReturned, order.RefundReserved, order.RefundRefused, order.RefundSent,
	order.RefundDone,
	order.RefundFailedKind, order.RefundRetried, order.ReviewRefused, order.OrderCanceled, order.OrderExpired,
	order.DepositVanished, order.DepositRestored, order.DepositCovered,
	order.PayoutGivenUp, order.PayoutCanceled, order.RefundStalled, order.PayoutFound, order.RefundFound,
	order.TransferAccepted, order.TransferWrittenOff, order.TransferDisowned,
}

func usdc(minor int64) money.Amount { return money.Of(minor, money.USDC) }

// event draws any event, mostly one that makes sense by itself.
func (w *world) event(t *rapid.T) order.Event {
	kind := rapid.SampledFrom(kinds).Draw(t, "kind")
	e := order.Event{
		Kind: kind, At: w.now, By: rapid.SampledFrom([]order.Party{order.Operator, order.OnChain}).Draw(t, "by"),
		Reason: rapid.SampledFrom([]string{"", "archived", "canceled", "error", order.HoldScreening}).Draw(t, "reason"),
		Final:  rapid.Bool().Draw(t, "final"), Failure: &order.Failure{Code: "x", Message: "y"},
	}
	e.Hits = []order.Hit{
		{Role: "sender", Kind: "address", Entry: rapid.SampledFrom([]string{"1", "2"}).Draw(t, "hit")},
	}
	e.Wish = rapid.SampledFrom([]order.Wish{order.PayAgain, order.GiveBack, ""}).Draw(t, "wish")
	transfer := rapid.SampledFrom([]string{"t1", "t1", "t1", "t2"}).Draw(t, "transfer")
	e.Deposit = &order.Deposit{
		TransferID: transfer, Hash: "0x" + transfer,
		Amount:        usdc(rapid.SampledFrom([]int64{100_000_000, 99_999_999, 100_000_001, 0}).Draw(t, "amount")),
		Confirmations: rapid.IntRange(0, 3).Draw(t, "confirmations"), Required: 3,
	}
	e.Payout = &order.Payout{
		TransferID: rapid.SampledFrom([]string{"p1", "p1", ""}).Draw(t, "payout"), TrackingKey: "K",
	}
	e.Refund = &order.Refund{ID: "r1", Reference: "RFD-1", TransferID: "p2", Hash: "0x9"}
	w.drawMoney(t, &e)
	return e
}

func (w *world) drawMoney(t *rapid.T, e *order.Event) {
	e.Rate = rate(t, rapid.SampledFrom([]string{"18.4075", "17.1", "19.000001", "0.000001"}).Draw(t, "rate"))
	gross := w.o.Terms.Gross
	terms := order.Terms{
		Gross: gross, Platform: usdc(250_000), Network: usdc(500_000), Rate: e.Rate, Quoted: w.o.Terms.Quoted,
	}
	rest := usdc(gross.Minor - 750_000)
	terms.Net, _ = e.Rate.Convert(rest, money.MXN)
	e.Net = terms.Net
	if w.o.Terms.Quoted {
		terms, e.Net = w.o.Terms, w.o.Terms.Net
		terms.Ours = usdc(rapid.SampledFrom([]int64{750_000, 0, 1_100_000}).Draw(t, "ours"))
		rest = usdc(gross.Minor - terms.Ours.Minor)
	}
	if rapid.IntRange(0, 9).Draw(t, "lie") == 0 {
		e.Net.Minor++
		terms.Gross.Minor++
	}
	e.Terms = &terms
	e.Refunded = usdc(rest.Minor + rapid.SampledFrom([]int64{0, 0, -1, 1, -rest.Minor}).Draw(t, "odd"))
}

// happen applies an event and holds what must be true of any.
func (w *world) happen(t *rapid.T, e order.Event) {
	before := text(w.o)
	c, err := order.Apply(w.o, e)
	if text(w.o) != before {
		t.Fatalf("%s changed the order that it was given", e.Kind)
	}
	if err != nil {
		if !errors.Is(err, order.ErrIllegal) && !errors.Is(err, order.ErrKnown) &&
			!errors.Is(err, order.ErrMismatch) && !errors.Is(err, money.ErrCurrency) {
			t.Fatalf("%s: %v", e.Kind, err)
		}
		return
	}
	legal := slices.ContainsFunc(order.Edges, func(edge order.Edge) bool {
		return edge.From == w.o.Status && edge.To == c.Order.Status && edge.On == e.Kind
	})
	if !legal {
		t.Fatalf("%s from %q to %q", e.Kind, w.o.Status, c.Order.Status)
	}
	kind := e.Kind
	if from, to := refundStatus(w.o), refundStatus(c.Order); !slices.ContainsFunc(order.RefundEdges, func(
		e order.RefundEdge,
	) bool {
		return e.From == from && e.To == to && e.On == kind
	}) && from != to {
		t.Fatalf("%s: a refund from %q to %q", e.Kind, from, to)
	}
	if c.Order.Version != w.o.Version+1 ||
		c.Entry.Seq != c.Order.Version || c.Entry.Status != c.Order.Status || c.Entry.Kind != e.Kind {
		t.Fatalf("version %d after %d, entry %+v", c.Order.Version, w.o.Version, c.Entry)
	}
	if err := w.b.take(c); err != nil {
		if e.Kind == order.Funded && errors.Is(err, ledger.ErrShort) {
			return // as the database would refuse it
		}
		t.Fatalf("%s: %v", e.Kind, err)
	}
	w.o = c.Order
	w.timeline, w.past = append(w.timeline, c.Entry), append(w.past, e)
}

func refundStatus(o order.Order) order.RefundStatus {
	if o.Refund == nil {
		return ""
	}
	return o.Refund.Status
}

// owed is what the order has for itself, by its status.
func (w *world) owed() int64 {
	posted, _ := w.o.Owns()
	return posted
}

func (w *world) reserved() int64 {
	_, reserved := w.o.Owns()
	return reserved
}

// holds is what is true after each event.
func (w *world) holds(t *rapid.T) {
	if err := errors.Join(w.b.posted.zero(), w.b.pending.zero()); err != nil {
		t.Fatal(err)
	}
	if got := w.b.of(ledger.Order("o1"), money.USDC); got != w.owed() {
		t.Fatalf("%s has %d for itself, want %d", w.o.Status, got, w.owed())
	}
	paid := int64(0)
	if w.o.Status == order.Completed {
		paid = w.o.Terms.Net.Minor
	}
	if got := w.b.of(ledger.Bank("spei"), money.MXN); got != paid {
		t.Fatalf("%s: the bank has %d, want %d", w.o.Status, got, paid)
	}
	if got, reserved := w.b.guarded[ledger.Delta{
		Account: ledger.Order("o1"), Currency: money.USDC,
	}].PendingOut, w.reserved(); got != reserved {
		t.Fatalf("%s: %d is set aside, want %d", w.o.Status, got, reserved)
	}
	if int64(w.b.open()) != w.o.Pending() || paid != w.o.Paid() {
		t.Fatalf("%s: %d pending, want %d", w.o.Status, w.b.open(), w.o.Pending())
	}
	over := slices.Contains(order.Ended, w.o.Status) && (w.o.Status != order.Returned ||
		w.o.Refund.Status == order.RefundCompleted) &&
		(w.o.Status != order.Error || w.o.Refund == nil || w.o.Refund.Status == order.RefundFailed)
	if over && w.b.open() != 0 {
		t.Fatalf("%s, and %d transactions are pending", w.o.Status, w.b.open())
	}
	if n := len(w.timeline); n > 0 && (w.timeline[n-1].Status != w.o.Status || int64(n) != w.o.Version) {
		t.Fatalf("the timeline ends in %+v, the row is %s, version %d", w.timeline[n-1], w.o.Status, w.o.Version)
	}
	if leaves := w.o.Next(w.now); w.o.Lost() && (leaves == order.Pay || leaves == order.SendRefund) {
		t.Fatalf("%s: the deposit is gone, and next is %s", w.o.Status, leaves)
	}
	if len(w.o.Hits()) > 0 && (w.o.Paying || w.o.Refund != nil && w.o.Refund.Paying) {
		t.Fatalf("%s: money leaves, and nobody decided about %v", w.o.Status, w.o.Hits())
	}
	w.conserved(t)
}

// conserved wants the world outside to have given what came and got back what was refunded.
func (w *world) conserved(t *rapid.T) {
	want := -w.before
	if w.o.Deposit != nil && w.o.Deposit.Final && !w.o.Deposit.Covered {
		want -= w.o.Deposit.Amount.Minor
	}
	if refund := w.o.Refund; refund != nil && refund.Status == order.RefundCompleted {
		want += refund.Amount.Minor
	}
	if got := w.b.of(ledger.Chain("base"), money.USDC); got != want {
		t.Fatalf("%s: the chain's account says %d, want %d", w.o.Status, got, want)
	}
	taken := int64(0)
	if w.o.Status == order.PaymentSubmitted {
		ours, err := w.o.Terms.DeveloperFee()
		if err != nil {
			t.Fatal(err)
		}
		taken = w.o.Terms.Gross.Minor - ours.Minor
	}
	if got := w.b.of(ledger.Partner, money.USDC); got != taken && w.o.Failure == nil {
		t.Fatalf("%s: the partner has %d, want %d", w.o.Status, got, taken)
	}
}

// prefund lays money at the address, that is no order's.
func (w *world) prefund(minor int64) {
	w.before = minor
	w.b.run(ledger.Op{Do: ledger.Record, Ref: "before", Entries: []ledger.Entry{
		{Account: ledger.Chain("base"), Amount: usdc(-minor)}, {Account: ledger.Held("w1"), Amount: usdc(minor)},
	}})
	w.b.guarded[ledger.Delta{Account: ledger.Held("w1"), Currency: money.USDC}] = ledger.Delta{Posted: minor}
}

func newWorld(t *rapid.T) *world {
	w := &world{b: newBooks(), now: noon}
	w.o = order.Order{
		ID: "o1", Type: order.OffRamp, Origin: order.FromDeposit, WithdrawAddressID: "w1", Chain: "base",
		Source: money.USDC, Destination: money.MXN, Rail: fiat.SPEI,
	}
	if rapid.Bool().Draw(t, "return address") {
		w.o.ReturnAddress = "0xback"
	}
	if rapid.Bool().Draw(t, "quoted") {
		w.prefund(rapid.SampledFrom([]int64{100_000_000, 99_999_999}).Draw(t, "before"))
		sell := rate(t, "18.4075")
		w.o.Origin, w.o.QuoteID = order.FromQuote, "q1"
		w.o.ExpiresAt, w.o.Expected = noon.Add(10*time.Minute), usdc(100_000_000)
		w.o.Terms = order.Terms{
			Gross: usdc(100_000_000), Platform: usdc(250_000), Network: usdc(500_000), Rate: sell,
			Net: money.Of(182_694, money.MXN), Quoted: true,
		}
	}
	return w
}

// Whatever happens to an order, in whatever order and however often: no illegal
// edge, one version for each event, guarded accounts above zero, and every unit
// accounted for.
func TestPayout_S1_AnyOrderOfEvents(t *testing.T) {
	reached := map[order.Status]int{}
	missing := append(
		[]order.Status{order.Awaiting, order.FundsReceived, order.InReview, order.PaymentSubmitted}, order.Ended...,
	)
	for round := 0; round < 4 ||
		round < 1000 && len(missing) > 0; round++ { // until every status was reached: -short makes few and short runs
		rapid.Check(t, anything(reached))
		missing = slices.DeleteFunc(missing, func(s order.Status) bool { return reached[s] > 0 })
	}
	if len(missing) > 0 {
		t.Errorf("no run came to %s", missing)
	}
}

func anything(reached map[order.Status]int) func(*rapid.T) {
	return func(t *rapid.T) {
		w := newWorld(t)
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) { w.holds(t); reached[w.o.Status]++ },
			"event": func(t *rapid.T) {
				w.happen(t, w.event(t))
			},
			"likely":      func(t *rapid.T) { w.likely(t) },
			"most likely": func(t *rapid.T) { w.likely(t) },
			"on and on":   func(t *rapid.T) { w.likely(t); w.likely(t); w.likely(t) },
			"again": func(t *rapid.T) {
				if len(w.past) == 0 {
					t.Skip("nothing happened yet")
				}
				w.happen(t, rapid.SampledFrom(w.past).Draw(t, "again"))
			},
			"time": func(*rapid.T) { w.now = w.now.Add(3 * time.Minute) },
		})
	}
}

// likely draws an event that leads on from where the order stands.
func (w *world) likely(t *rapid.T) {
	e := w.event(t)
	next := []order.Kind{}
	for _, edge := range order.Edges {
		ends := edge.On == order.OrderCanceled || edge.On == order.OrderExpired ||
			edge.On == order.DepositDropped || edge.On == order.ReviewRefused || edge.On == order.DepositVanished
		if edge.From == w.o.Status && (!ends || rapid.IntRange(0, 5).Draw(t, "ends") == 0) {
			next = append(next, edge.On)
		}
	}
	if len(next) == 0 {
		t.Skip("it is over")
	}
	e.Kind = rapid.SampledFrom(next).Draw(t, "next")
	w.happen(t, e)
}
