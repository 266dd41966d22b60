package order_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
)

// offRamp is an order that is not there yet.
func offRamp(returnAddress string) order.Order {
	return order.Order{
		ID: "o1", Reference: "OFR-1", Type: order.OffRamp, Origin: order.FromDeposit, WithdrawAddressID: "w1",
		ReturnAddress: returnAddress,
		Chain:         "base", Source: money.USDC, Destination: money.MXN, Rail: fiat.SPEI,
	}
}

// quoted is one of a quote for a hundred dollars.
func quoted(t *testing.T) order.Order {
	o := offRamp("0xback")
	o.Origin, o.QuoteID, o.ExpiresAt, o.Expected = order.FromQuote, "q1", noon.Add(10*time.Minute), usdc(100_000_000)
	o.Terms = terms(t, "18.4075")
	o.Terms.Quoted = true
	return o
}

func terms(t *testing.T, at string) order.Terms {
	t.Helper()
	r := rate(t, at)
	net, err := r.Convert(usdc(99_250_000), money.MXN)
	if err != nil {
		t.Fatal(err)
	}
	return order.Terms{Gross: usdc(100_000_000), Platform: usdc(250_000), Network: usdc(500_000), Rate: r, Net: net}
}

func came(id string, minor int64) *order.Deposit {
	return &order.Deposit{TransferID: id, Hash: "0x" + id, Amount: usdc(minor), Required: 1}
}

func seen(kind order.Kind, d *order.Deposit) order.Event { return order.Event{Kind: kind, Deposit: d} }

// submitted goes on until the partner has taken the payout.
func submitted(t *testing.T, b *books, o *order.Order) {
	t.Helper()
	d := came("t1", 100_000_000)
	apply(t, b, o, seen(order.DepositDetected, d), seen(order.DepositConfirmed, d))
	paid := o.Terms
	if !paid.Quoted {
		paid = terms(t, "18.4075")
	}
	apply(
		t, b, o, order.Event{Kind: order.PayoutReserved, Terms: &paid},
		order.Event{Kind: order.FiatSubmitted, Payout: &order.Payout{TransferID: "p1"}},
	)
}

func refuses(t *testing.T, o order.Order, want error, e order.Event) {
	t.Helper()
	if e.At.IsZero() {
		e.At = noon
	}
	if _, err := order.Apply(o, e); !errors.Is(err, want) {
		t.Errorf("%s at %s: %v, want %v", e.Kind, o.Status, err, want)
	}
}

// A deposit for an order that is over opens another, which says so.
func TestPayout_S3_AfterCancelOrExpiry(t *testing.T) {
	for _, end := range []order.Kind{order.OrderCanceled, order.OrderExpired} {
		b, o := newBooks(), quoted(t)
		apply(t, b, &o, order.Event{Kind: order.Created}, order.Event{Kind: end})
		refuses(t, o, order.ErrIllegal, seen(order.DepositDetected, came("t1", 100_000_000)))
		refuses(t, o, order.ErrKnown, order.Event{Kind: end})
		late := offRamp("0xback")
		late.ID = "o2"
		e := seen(order.DepositDetected, came("t1", 100_000_000))
		e.Labels = []order.Label{order.Late}
		apply(t, b, &late, e)
		if !slices.Equal(late.Labels, []order.Label{order.Late}) || late.Status != order.FundsReceived {
			t.Errorf("%s, %v", late.Status, late.Labels)
		}
	}
}

// One that comes before the sweeper has closed its order is its, at the rate of the day.
func TestPayout_S3_LateForItsQuote(t *testing.T) {
	b, o := newBooks(), quoted(t)
	late := seen(order.DepositDetected, came("t1", 100_000_000))
	late.At = o.ExpiresAt
	apply(t, b, &o, order.Event{Kind: order.Created}, late)
	if !slices.Equal(o.Labels, []order.Label{order.Late, order.Repriced}) || o.Terms.Quoted {
		t.Errorf("%v, quoted %v", o.Labels, o.Terms.Quoted)
	}
}

// A refund that cannot be sent leaves the money where a person finds it.
func TestPayout_S5_RefundFails(t *testing.T) {
	b, o := newBooks(), offRamp("")
	submitted(t, b, &o)
	failure := &order.Failure{Code: "returned", ReturnCode: "03"}
	apply(t, b, &o, order.Event{Kind: order.PaymentReturned, Failure: failure, Refunded: usdc(99_250_000)})
	if o.Status != order.Error ||
		o.Refund != nil || b.of(ledger.Held("w1"), money.USDC) != 99_250_000 || o.Next(noon) != order.Nothing {
		t.Errorf("without a return address: %s, %+v, held %d", o.Status, o.Refund, b.of(ledger.Held("w1"), money.USDC))
	}

	b, o = newBooks(), offRamp("0xback")
	submitted(t, b, &o)
	refund := &order.Refund{ID: "r1", Reference: "RFD-1"}
	apply(t, b, &o, order.Event{
		Kind: order.PaymentReturned, Failure: failure, Refunded: usdc(99_250_000), Refund: refund,
	},
		order.Event{Kind: order.RefundReserved}, order.Event{Kind: order.RefundRefused})
	first := o.RefundKey()
	apply(t, b, &o, order.Event{Kind: order.RefundReserved})
	if o.RefundKey() == first || o.Next(noon) != order.AskRefund {
		t.Error("a refund that was refused is asked for with the same key")
	}
	apply(t, b, &o, order.Event{Kind: order.RefundSent, Refund: &order.Refund{TransferID: "p2"}},
		order.Event{Kind: order.RefundFailedKind, Failure: &order.Failure{Code: "frozen"}})
	if o.Status != order.Error ||
		o.Refund.Status != order.RefundFailed || b.of(ledger.Order("o1"), money.USDC) != 99_250_000 || b.open() != 0 {
		t.Errorf("a refund that failed: %s, %+v, %d pending", o.Status, o.Refund, b.open())
	}
}

// What a reorg takes away was never there, and may come again in another block.
func TestPayout_S6_Reorg(t *testing.T) {
	b, o := newBooks(), quoted(t)
	d := came("t1", 100_000_001)
	apply(t, b, &o, order.Event{Kind: order.Created}, seen(order.DepositDetected, d), seen(order.DepositDropped, d))
	if o.Status != order.Awaiting ||
		o.Deposit != nil || len(o.Labels) != 0 || !o.Terms.Quoted || o.Terms.Gross != o.Expected {
		t.Errorf("dropped: %s, %+v, %v, %+v", o.Status, o.Deposit, o.Labels, o.Terms)
	}
	refuses(t, o, order.ErrKnown, seen(order.DepositDropped, d))
	again := *d
	again.Block, again.TransferID, again.Amount = 9, "t2", usdc(100_000_000) // same transaction, another log index
	apply(t, b, &o, seen(order.DepositDetected, &again), seen(order.DepositConfirmed, &again))
	if !o.Terms.Quoted || b.of(ledger.Order("o1"), money.USDC) != 100_000_000 || b.open() != 0 {
		t.Errorf("mined again: %+v", o)
	}
	refuses(t, o, order.ErrIllegal, seen(order.DepositDropped, &again)) // it was final

	b, o = newBooks(), offRamp("0xback")
	apply(t, b, &o, seen(order.DepositDetected, d), seen(order.DepositDropped, d))
	if o.Status != order.Expired {
		t.Errorf("dropped without a quote: %s", o.Status)
	}
	refuses(t, o, order.ErrIllegal, seen(order.DepositDetected, came("t9", 1_000_000)))
	apply(t, b, &o, seen(order.DepositDetected, d), seen(order.DepositConfirmed, d))
	if o.Status != order.FundsReceived || b.open() != 0 {
		t.Errorf("mined again without a quote: %s", o.Status)
	}
}

func TestPayout_S8_UnderAndOver(t *testing.T) {
	for _, c := range []struct {
		minor  int64
		labels []order.Label
	}{
		{99_999_999, []order.Label{order.Under, order.Repriced}},
		{100_000_000, nil},
		{100_000_001, []order.Label{order.Over, order.Repriced}},
	} {
		b, o := newBooks(), quoted(t)
		d := came("t1", c.minor)
		apply(
			t, b, &o, order.Event{Kind: order.Created}, seen(order.DepositDetected, d), seen(order.DepositConfirmed, d),
		)
		if !slices.Equal(o.Labels, c.labels) || o.Terms.Quoted != (c.labels == nil) || o.Terms.Gross.Minor != c.minor {
			t.Errorf("%d: %v, %+v", c.minor, o.Labels, o.Terms)
		}
		quote := quoted(t).Terms
		if _, err := order.Apply(
			o, order.Event{Kind: order.PayoutReserved, At: noon, Terms: &quote},
		); (err == nil) != o.Terms.Quoted {
			t.Errorf("%d is paid as quoted: %v", c.minor, err)
		}
	}
}

// The partner is ahead of what is written here, or behind it.
func TestPayout_S10_CompletedBeforeSubmitted(t *testing.T) {
	b, o := newBooks(), offRamp("0xback")
	d := came("t1", 100_000_000)
	paid := terms(t, "18.4075")
	apply(
		t, b, &o, seen(order.DepositDetected, d), seen(order.DepositConfirmed, d),
		order.Event{Kind: order.PayoutReserved, Terms: &paid},
	)
	done := fiat.Transfer{
		ID: "p1", State: fiat.TransferProcessed, Destination: paid.Net, Rate: paid.Rate, Source: paid.Gross,
		Fee: usdc(750_000),
	}
	news := o.News(done, noon)
	if len(news) != 2 || news[0].Kind != order.FiatSubmitted || news[1].Kind != order.FiatReceived {
		t.Fatalf("news: %+v", news)
	}
	apply(t, b, &o, news...)
	for _, old := range []fiat.TransferState{
		fiat.TransferProcessed, fiat.TransferSubmitted, fiat.TransferFunded, fiat.TransferReturned,
	} {
		done.State = old
		if news := o.News(done, noon); len(news) != 0 {
			t.Errorf("%s after all: %v", old, news)
		}
	}
	other := fiat.Transfer{ID: "p9", State: fiat.TransferRefunded, Refunded: usdc(99_250_000)}
	if news := o.News(other, noon); len(news) != 0 {
		t.Errorf("another transfer's news: %v", news)
	}
	apply(t, b, &o, order.Event{
		Kind: order.PaymentReturned, Refunded: usdc(99_250_000), Refund: &order.Refund{ID: "r1", Reference: "R"},
	})
	done.State = fiat.TransferProcessed
	if news := o.News(done, noon); len(news) != 0 {
		t.Errorf("completed, after it was returned: %v", news)
	}
}

// What the partner gives back is compared to what it took.
func TestPayout_TheRefundIsOdd(t *testing.T) {
	for what, c := range map[string]struct {
		completed, quoted             bool
		taken, refunded               int64
		owed, partner, suspense, gain int64
	}{
		"exact":      {refunded: 99_250_000, owed: 99_250_000},
		"kept a fee": {refunded: 98_000_000, owed: 98_000_000, partner: 1_250_000},
		"gave our fee back": {
			refunded: 100_000_000, owed: 99_250_000, partner: -750_000, suspense: 750_000,
		},
		"completed":                  {completed: true, refunded: 99_250_000, owed: 99_250_000},
		"completed, kept a fee":      {completed: true, refunded: 99_000_000, owed: 99_000_000, partner: 250_000},
		"of a quote, that cost less": {quoted: true, taken: 99_000_000, refunded: 99_000_000, owed: 99_250_000},
		"of a quote, that cost more": {
			quoted: true, completed: true, taken: 99_500_000, refunded: 99_500_000, owed: 99_250_000,
		},
		"of a quote, without what it took": {quoted: true, refunded: 99_100_000, owed: 99_250_000},
	} {
		b, o := newBooks(), offRamp("0xback")
		if c.quoted {
			o = quoted(t)
			apply(t, b, &o, order.Event{Kind: order.Created})
		}
		submitted(t, b, &o)
		o.Payout.Taken = usdc(c.taken)
		if c.completed {
			at := rate(t, "18.4075")
			if c.quoted {
				at = rate(t, "18.361206030151") // of which 99.5 buy the same
			}
			apply(t, b, &o, order.Event{Kind: order.FiatReceived, Net: o.Terms.Net, Rate: at, Payout: &order.Payout{}})
		}
		apply(t, b, &o, order.Event{
			Kind: order.PaymentReturned, Refunded: usdc(c.refunded), Refund: &order.Refund{ID: "r1", Reference: "R"},
		})
		got := [4]int64{
			b.of(ledger.Order("o1"), money.USDC), b.of(ledger.Partner, money.USDC), b.of(ledger.Suspense, money.USDC),
			b.of(ledger.FXGain, money.USDC),
		}
		if got != [4]int64{c.owed, c.partner, c.suspense, c.gain} || o.Refund.Amount.Minor != c.owed {
			t.Errorf("%s: order, partner, suspense, gain %v, want %+v", what, got, c)
		}
		if err := b.posted.zero(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Gross is net, fees and residue, for every currency and any amount.
func TestPayout_L6_NothingIsLostInConversion(t *testing.T) { conversions(t, 5_000) }

// Long form of L6.
func TestPayout_Soak_L6(t *testing.T) {
	n := 1000
	if os.Getenv("RAILKIT_SOAK") != "" {
		n = 1_000_000
	}
	conversions(t, n)
}

func conversions(t *testing.T, n int) {
	r := rand.New(rand.NewPCG(6, uint64(n)))
	all := append(slices.Clone(money.Fiat), money.Stablecoins...)
	for range n {
		o := offRamp("")
		o.Source, o.Destination = all[r.IntN(len(all))], all[r.IntN(len(all))]
		gross := money.Of(1+r.Int64N(1<<uint(4+r.IntN(40))), o.Source)
		at, err := money.ParseRate(money.Of(1+r.Int64N(1<<uint(1+r.IntN(30))), money.USDC).String())
		if err != nil {
			t.Fatal(err)
		}
		convert(t, o, gross, at, 1+r.Int64N(100))
	}
}

func convert(t *testing.T, o order.Order, gross money.Amount, at money.Rate, basisPoints int64) {
	t.Helper()
	fee, err := gross.Share(basisPoints)
	if err != nil || fee.Minor*2 >= gross.Minor {
		return // nothing would be left
	}
	rest := money.Of(gross.Minor-2*fee.Minor, o.Source)
	net, err := at.Convert(rest, o.Destination)
	if err != nil || net.Minor <= 0 {
		return
	}
	b := newBooks()
	d := &order.Deposit{TransferID: "t", Hash: "0x1", Amount: gross, Required: 1}
	paid := order.Terms{Gross: gross, Platform: fee, Network: fee, Rate: at, Net: net}
	apply(t, b, &o, seen(order.DepositDetected, d), seen(order.DepositConfirmed, d), order.Event{
		Kind: order.PayoutReserved, Terms: &paid,
	},
		order.Event{Kind: order.FiatSubmitted, Payout: &order.Payout{TransferID: "p"}},
		order.Event{Kind: order.FiatReceived, Net: net, Rate: at})
	p := o.Payout
	if p.Converted.Minor+p.Residue.Minor+2*fee.Minor != gross.Minor || p.Residue.Minor < 0 {
		t.Fatalf("%s is %s converted, %s fees twice, and %s left", gross, p.Converted, fee, p.Residue)
	}
	if again, err := at.Convert(p.Converted, o.Destination); err != nil || again != net {
		t.Fatalf("%s gives %s at %s, not %s (%v)", p.Converted, again, at, net, err)
	}
	if err := b.posted.zero(); err != nil || b.open() != 0 {
		t.Fatal(err, b.open())
	}
}

func TestClaimsAndReferences(t *testing.T) {
	o := quoted(t)
	claims, names := []string{}, []string{}
	step := func(e order.Event) {
		e.At = noon
		c, err := order.Apply(o, e)
		if err != nil {
			t.Fatal(err)
		}
		for _, claim := range c.Claims() {
			text := string(claim.Kind) + " " + claim.ID
			if claim.Free {
				text = "free " + text
			}
			claims = append(claims, text)
		}
		names = append(names, c.References()...)
		o = c.Order
	}
	d := came("T1", 100_000_000)
	paid := o.Terms
	step(order.Event{Kind: order.Created})
	step(seen(order.DepositDetected, d))
	step(seen(order.DepositDropped, d))
	step(seen(order.DepositDetected, d))
	step(seen(order.DepositConfirmed, d))
	step(order.Event{Kind: order.PayoutReserved, Terms: &paid})
	step(order.Event{Kind: order.FiatSubmitted, Payout: &order.Payout{TransferID: "p1"}})
	step(order.Event{
		Kind: order.FiatReceived, Net: paid.Net, Rate: paid.Rate, Payout: &order.Payout{TrackingKey: "K1"},
	})
	step(order.Event{
		Kind: order.PaymentReturned, Refunded: o.Payout.Converted, Refund: &order.Refund{ID: "r1", Reference: "RFD-1"},
	})
	step(order.Event{Kind: order.RefundReserved})
	step(order.Event{Kind: order.RefundSent, Refund: &order.Refund{TransferID: "p2"}})
	step(order.Event{Kind: order.RefundDone, Refund: &order.Refund{TransferID: "p2", Hash: "0xEE"}})
	want := []string{
		"reference OFR-1", "deposit T1", "free deposit T1", "deposit T1", "payout p1", "reference RFD-1", "payout p2",
	}
	if !slices.Equal(claims, want) {
		t.Errorf("claims: %q", claims)
	}
	for _, name := range []string{"ofr-1", "q1", "0xt1", "p1", "k1", "rfd-1", "p2", "0xee"} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is not among the references %q", name, names)
		}
	}
}
