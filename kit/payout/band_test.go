package payout_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

// keyed is a call with an Idempotency-Key of its own.
func keyed() *command.Command {
	c := call()
	same := func(answer []byte) ([]byte, error) { return answer, nil }
	c.Key = &command.Key{Hash: uuid.NewString(), Request: "request", Seal: same, Open: same}
	return c
}

// A rate that is far from its own middle makes no price: neither a quote's, nor that
// of a payment which is made at once, nor one for nobody.
func TestPayout_NoPriceOutOfTheBand(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.address("wallet")
	offer := rest.QuoteRequest{
		BeneficiaryID: r.recipient.ID, SourceAmount: "100", SourceCurrency: "usdc", DestinationCurrency: "mxn",
	}
	execute := rest.ExecuteRequest{
		BeneficiaryAccountID: r.account.ID, SourceAmount: "100", SourceCurrency: "usdc", DestinationCurrency: "mxn",
	}
	calls := map[string]func() error{
		"quote":   func() error { _, err := r.Quotes.Create(t.Context(), call(), offer); return err },
		"execute": func() error { _, err := r.Quotes.Execute(t.Context(), keyed(), execute); return err },
		"for nobody": func() error {
			_, err := r.Quotes.Estimate(
				t.Context(), rest.OffRampQuoteRequest{
					SourceAmount: "100", SourceCurrency: "usdc", DestinationCurrency: "mxn",
				},
			)
			return err
		},
	}
	for middle, sells := range map[string][]string{"18.4": {"1000", "19.33", "17.47", "0.1"}} {
		for _, sell := range sells {
			r.desk.middle, r.desk.sell = middle, sell
			r.clock.move(2 * time.Second)
			for name, ask := range calls {
				if f, ok := fault.As(ask()); !ok || f.Code != "rate_stale" || f.RetryAfter <= 0 {
					t.Errorf("%s at %s: %v", name, sell, f)
				}
			}
		}
		r.desk.sell = "18.3"
		r.clock.move(2 * time.Second)
		for name, ask := range calls {
			if err := ask(); err != nil {
				t.Errorf("%s in the band: %v", name, err)
			}
		}
	}
}

// A quote is not paid at a rate that is far from its own middle, whichever way.
func TestPayout_QuoteOutOfTheBand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ sell, middle string }{{"1000", "18.4"}, {"18.4075", "19.5"}} {
		r := newRig(t)
		a := r.address("wallet")
		quoted := r.quote(a, 100_000_000, time.Hour)
		r.come(a, "t1", "100000000")
		r.desk.receives(100_000_000)
		r.desk.sell, r.desk.middle = c.sell, c.middle
		o, again := r.advance(quoted.ID)
		if o.Hold != "rate_off" || again <= 0 || r.desk.paid() != 0 {
			t.Errorf("%s beside %s: %s, hold %q, %d payouts", c.sell, c.middle, o.Status, o.Hold, r.desk.paid())
		}
		r.desk.sell, r.desk.middle = "18.4075", ""
		r.clock.move(2 * time.Second)
		o, _ = r.advance(quoted.ID)
		r.want("back in the band", o, order.PaymentSubmitted)
	}
}

// What a quote's payout was converted at is held against the rate that the partner had
// told just before, and not against the quote's, which may be of long ago.
func TestPayout_QuoteAtAnotherRate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ told, converted, label string }{
		{"19.50", "19.50", ""}, {"19.50", "20.50", "off_rate "}, {"19.50", "18.50", "off_rate "},
	} {
		r := newRig(t)
		a := r.address("wallet")
		quoted := r.quote(a, 100_000_000, time.Hour)
		r.come(a, "t1", "100000000")
		r.desk.receives(110_000_000)
		r.desk.sell = c.told
		r.desk.breaks("CreateTransfer", breakage{fiat.ErrUnavailable, false})
		if _, err := r.Payments.Advance(t.Context(), ws, quoted.ID); !errors.Is(err, fiat.ErrUnavailable) {
			t.Error(err)
		}
		r.desk.sell = c.converted
		o, _ := r.advance(quoted.ID)
		r.desk.moves(fiat.TransferProcessed, 0)
		o, _ = r.advance(o.ID)
		r.want("paid", o, order.Completed)
		if labels(o) != c.label {
			t.Errorf("told %s, converted at %s: %q", c.told, c.converted, labels(o))
		}
		r.sums()
	}
}
