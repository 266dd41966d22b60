package order_test

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
)

func mxn(minor int64) money.Amount { return money.Of(minor, money.MXN) }

var clabe = order.PayIn{AccountID: "a1", AccountReference: "ONR-20261121-AAAA", PartnerAccountID: "va1"}

func onRamp() order.Order {
	return order.Order{
		ID: "o1", Reference: "ONR-20261121-BBBB", Type: order.OnRamp, Origin: order.FromAccount, WalletID: "w1",
		Chain: "base", Address: "0xwallet", Source: money.MXN, Destination: money.USDC, Rail: fiat.SPEI,
	}
}

// told is what the partner tells of one bank transfer of 5,000.00 MXN, in the order of the types given.
func told(types ...fiat.ActivityType) []fiat.Activity {
	all := make([]fiat.Activity, len(types))
	for i, kind := range types {
		a := fiat.Activity{
			ID: string(kind), AccountID: "va1", DepositID: "d1", Type: kind, Amount: mxn(500_000), Rail: fiat.SPEI,
			SenderName: "Ana Ruiz", Trace: "K1", At: noon,
		}
		if kind == fiat.PaymentSubmitted || kind == fiat.PaymentProcessed {
			a.Amount, a.Fee, a.Hash = usdc(268_520_000), mxn(5_500), "0x1"
		}
		all[i] = a
	}
	return all
}

var delivered = &order.Deposit{TransferID: "t1", Hash: "0x1", Amount: usdc(268_520_000), Required: 2, Confirmations: 1}

// news applies what the partner tells.
func news(t *testing.T, b *books, o *order.Order, all []fiat.Activity) {
	t.Helper()
	events := o.PayInNews(clabe, all, noon)
	for i := range events {
		events[i].Network = mxn(3_000)
	}
	apply(t, b, o, events...)
	if again := o.PayInNews(clabe, all, noon); len(again) > 0 {
		t.Fatalf("told again, it is news: %v", again)
	}
}

// The numbers of the type's comment.
func TestPayout_PayIn_FromTheBankToTheWallet(t *testing.T) {
	b, o := newBooks(), onRamp()
	news(t, b, &o, told(fiat.FundsReceived))
	if o.Status != order.FundsReceived || o.Next(noon) != order.FollowPayIn ||
		b.of(ledger.Order("o1"), money.MXN) != 500_000 {
		t.Fatalf("%s, %v", o.Status, b.posted)
	}
	news(t, b, &o, told(fiat.FundsReceived, fiat.PaymentSubmitted))
	if o.Status != order.PaymentSubmitted || b.of(ledger.FeesPlatform, money.MXN) != 2_500 ||
		b.of(ledger.FeesNetwork, money.MXN) != 3_000 || b.of(ledger.Partner, money.USDC) != 268_520_000 {
		t.Fatalf("%s, %v", o.Status, b.posted)
	}
	apply(t, b, &o, order.Event{Kind: order.CoinsDetected, Deposit: delivered},
		order.Event{Kind: order.CoinsConfirmed, Deposit: delivered})
	if o.Status != order.Completed || b.of(ledger.Chain("base"), money.USDC) != 268_520_000 ||
		b.of(ledger.Partner, money.USDC) != 0 || b.of(ledger.Bank("spei"), money.MXN) != -500_000 {
		t.Fatalf("%s, %v", o.Status, b.posted)
	}
	if o.Terms.Rate.String() != "0.05430131446" || o.Terms.Net != usdc(268_520_000) || o.Pair() != "MXN/USDC" {
		t.Errorf("%+v %s", o.Terms, o.Pair())
	}
	// The bank takes the fiat back, and the coins are gone: somebody owes it.
	news(t, b, &o, told(fiat.FundsReceived, fiat.PaymentSubmitted, fiat.Refunded))
	if o.Status != order.Returned || b.of(ledger.Receivable, money.MXN) != -500_000 ||
		b.of(ledger.Bank("spei"), money.MXN) != 0 || !slices.Contains(o.Labels, order.Recalled) {
		t.Fatalf("%s, %v, %v", o.Status, o.Labels, b.posted)
	}
	apply(t, b, &o, order.Event{Kind: order.ReceivableSettled, By: order.Operator})
	if b.of(ledger.Receivable, money.MXN) != 0 || b.of(ledger.Suspense, money.MXN) != -500_000 {
		t.Errorf("%v", b.posted)
	}
}

// A recipient's account number: pesos come, their coins go through the withdrawal address, and a bank is paid. The
// coins may be there before the partner has told of the pesos.
func TestPayout_PayIn_OnToABank(t *testing.T) {
	for name, coinsFirst := range map[string]bool{"pesos first": false, "coins first": true} {
		t.Run(name, func(t *testing.T) {
			b := newBooks()
			o := order.Order{
				ID: "o1", Reference: "PAY-1", Type: order.GlobalPayment, Origin: order.FromVirtual, Chain: "base",
				WithdrawAddressID: "w1", Source: money.USDC, Destination: money.MXN, Rail: fiat.SPEI,
			}
			come := func() {
				apply(t, b, &o, order.Event{Kind: order.DepositDetected, Deposit: delivered},
					order.Event{Kind: order.DepositConfirmed, Deposit: delivered})
			}
			if coinsFirst {
				o.Type, o.Origin = order.OffRamp, order.FromDeposit
				come()
			}
			news(t, b, &o, told(fiat.FundsReceived))
			if next := o.Next(noon); !coinsFirst && (next != order.FollowPayIn || o.Status != order.FundsReceived) {
				t.Fatalf("%s, next %s", o.Status, next)
			}
			news(t, b, &o, told(fiat.FundsReceived, fiat.PaymentProcessed))
			if !coinsFirst {
				come()
			}
			if o.Type != order.GlobalPayment || o.Status != order.FundsReceived || o.Next(noon) != order.Pay ||
				o.PayIn.Status != order.PayInSettled || b.of(ledger.Order("o1"), money.USDC) != 268_520_000 {
				t.Fatalf("%s %s, %s, next %s: %v", o.Type, o.Status, o.PayIn.Status, o.Next(noon), b.posted)
			}
			if b.of(ledger.Chain("base"), money.USDC) != 0 || b.of(ledger.Partner, money.USDC) != 0 ||
				b.of(ledger.Bank("spei"), money.MXN) != o.Paid() || o.Pair() != "MXN/MXN" {
				t.Errorf("%s, %v", o.Pair(), b.posted)
			}
		})
	}
}

// payInWorld is an on-ramp order with a partner, a chain and an operator that may do anything.
type payInWorld struct {
	o order.Order
	b *books
}

func (w *payInWorld) happen(t *rapid.T, events ...order.Event) {
	for _, e := range events {
		e.At = noon
		c, err := order.Apply(w.o, e)
		if errors.Is(err, order.ErrIllegal) || errors.Is(err, order.ErrKnown) || errors.Is(err, order.ErrMismatch) {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", e.Kind, err)
		}
		if err := w.b.take(c); err != nil {
			t.Fatalf("%s: %v", e.Kind, err)
		}
		w.o = c.Order
	}
}

var payInKinds = []order.Kind{
	order.PayInHold, order.PayInRelease, order.CoinsDetected, order.CoinsSeen, order.CoinsConfirmed,
	order.CoinsAccepted, order.CoinsDropped, order.CoinsDelayed, order.CoinsWrittenOff, order.ReturnRequested,
	order.ReceivableSettled, order.PayInExpired, order.OrderCanceled, order.DepositDetected, order.PayoutReserved,
}

func (w *payInWorld) event(t *rapid.T) order.Event {
	d := *delivered
	d.TransferID = rapid.SampledFrom([]string{"t1", "t1", "t2"}).Draw(t, "transfer")
	d.Amount = usdc(rapid.SampledFrom([]int64{268_520_000, 268_520_000, 268_519_999}).Draw(t, "coins"))
	d.Confirmations = rapid.IntRange(1, 2).Draw(t, "confirmations")
	return order.Event{
		Kind:    rapid.SampledFrom(payInKinds).Draw(t, "kind"),
		By:      rapid.SampledFrom([]order.Party{order.Operator, order.OnChain, order.System}).Draw(t, "by"),
		Deposit: &d, Reason: rapid.SampledFrom([]string{"screening", "late"}).Draw(t, "reason"),
	}
}

// tell is what the partner says now: any types, each at any time, with amounts that may change.
func tell(t *rapid.T) []fiat.Activity {
	all := told(rapid.SliceOfNDistinct(rapid.SampledFrom([]fiat.ActivityType{
		fiat.FundsScheduled, fiat.FundsReceived, fiat.FundsInReview, fiat.PaymentSubmitted, fiat.PaymentProcessed,
		fiat.RefundInFlight, fiat.Refunded, fiat.RefundFailed,
	}), 1, 5, rapid.ID).Draw(t, "types")...)
	for i := range all {
		all[i].At = noon.AddDate(0, 0, rapid.IntRange(0, 5).Draw(t, "day"))
		if rapid.IntRange(0, 7).Draw(t, "lie") == 0 {
			all[i].Amount.Minor -= 7
			all[i].Hash = "0x2"
		}
	}
	return all
}

func (w *payInWorld) holds(t *rapid.T) {
	if err := errors.Join(w.b.posted.zero(), w.b.pending.zero()); err != nil {
		t.Fatal(err)
	}
	p := w.o.PayIn
	if p == nil {
		return
	}
	if got, want := w.b.of(ledger.Order("o1"), money.MXN), w.o.OwnsFiat(); got != want {
		t.Fatalf("%s: the order has %d, want %d", p.Status, got, want)
	}
	came := int64(0)
	if !p.ArrivedAt.IsZero() {
		came = p.Returned.Minor - p.Amount.Minor
	}
	if got := w.b.of(ledger.Bank("spei"), money.MXN); got != came {
		t.Fatalf("%s: the bank has %d, want %d", p.Status, got, came)
	}
	if got := w.b.of(ledger.Receivable, money.MXN); got != -p.Receivable.Minor {
		t.Fatalf("%s: receivable %d, want %d", p.Status, got, p.Receivable.Minor)
	}
	gone := int64(0)
	if p.Transfer != nil && p.Transfer.Final {
		gone = p.Transfer.Amount.Minor
	}
	if got := w.b.of(ledger.Chain("base"), money.USDC); got != gone {
		t.Fatalf("%s: the wallet has %d, want %d", p.Status, got, gone)
	}
	owes := p.Coins.Minor
	if gone > 0 || p.GivenUp {
		owes = 0
	}
	if got := w.b.of(ledger.Partner, money.USDC); got != owes && p.Status != order.PayInReturned {
		t.Fatalf("%s: the partner has %d, want %d", p.Status, got, owes)
	}
	if w.o.Status == order.Completed && gone == 0 {
		t.Fatal("completed, and no coins are final")
	}
	if posted, reserved := w.o.Owns(); posted != 0 || reserved != 0 || w.o.Next(noon) == order.Pay {
		t.Fatal("an on-ramp order pays nothing out")
	}
}

// Whatever partner, chain and operator do, in whatever order: only listed transitions, each of them at some time, and
// every unit accounted for.
func TestPayout_PayIn_AnyOrderOfEvents(t *testing.T) {
	missing := slices.Clone(order.PayInEdges)
	for round := 0; round < 4 || round < 100 && len(missing) > 0; round++ {
		rapid.Check(t, func(t *rapid.T) {
			w := &payInWorld{o: onRamp(), b: newBooks()}
			follow := func(events ...order.Event) {
				for _, e := range events {
					from := statusOf(w.o)
					if w.happen(t, e); w.o.Version > 0 {
						missing = slices.DeleteFunc(missing, func(x order.PayInEdge) bool {
							return x.From == from && x.To == statusOf(w.o) && x.On == e.Kind
						})
					}
				}
			}
			t.Repeat(map[string]func(*rapid.T){
				"":         func(t *rapid.T) { w.holds(t) },
				"tell":     func(t *rapid.T) { follow(w.o.PayInNews(clabe, tell(t), noon.AddDate(0, 0, 1))...) },
				"event":    func(t *rapid.T) { follow(w.event(t)) },
				"an event": func(t *rapid.T) { follow(w.event(t), w.event(t)) },
			})
		})
	}
	for _, e := range missing {
		t.Errorf("no run went from %q to %q with %s", e.From, e.To, e.On)
	}
}

func statusOf(o order.Order) order.PayInStatus {
	if o.PayIn == nil {
		return ""
	}
	return o.PayIn.Status
}
