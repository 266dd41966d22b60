package railkit_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	railkit "github.com/railkit/railkit/sdk/go"
)

// Waiting ends with the order, with an error of the server's, or with the context.
func TestWaitOrder(t *testing.T) {
	w := newWorld(t)
	recipient, _ := mexican(t.Context(), w.client, "")
	quote, err := w.client.Payments.Quote(t.Context(), railkit.QuoteRequest{
		BeneficiaryID: recipient, Amount: "1787.44", Currency: "MXN",
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := w.client.Payments.Execute(t.Context(), railkit.ExecuteRequest{
		QuoteID: quote.QuoteID, BeneficiaryID: recipient,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.client.Orders.Wait(t.Context(), "nothing", time.Second); !railkit.IsNotFound(err) {
		t.Errorf("an order of nobody: %v", err)
	}
	tired := w.newClient(t, func(c *railkit.Config) {
		// The time is over as it sleeps.
		c.Retry.Sleep = func(context.Context, time.Duration) error { return context.DeadlineExceeded }
	})
	if _, err := tired.Orders.Wait(t.Context(), p.Reference, time.Hour); !errors.Is(err, context.DeadlineExceeded) ||
		!strings.Contains(err.Error(), "awaiting") {
		t.Errorf("nothing happens: %v", err)
	}
	if _, err := tired.Orders.WaitDeposit(
		t.Context(), "0xnothing", time.Hour,
	); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "not known yet") {
		t.Errorf("nothing comes: %v", err)
	}
	if _, err := w.client.Orders.Cancel(t.Context(), p.Reference); err != nil {
		t.Fatal(err)
	}
	if o, err := w.client.Orders.Wait(t.Context(), p.Reference, time.Second); err != nil ||
		o.Status != railkit.OrderCanceled {
		t.Errorf("canceled: %+v, %v", o, err)
	}
	if _, err := w.client.Orders.WaitRefund(t.Context(), p.Reference, time.Second); err == nil ||
		!strings.Contains(err.Error(), "canceled, and nothing is refunded") {
		t.Errorf("no refund: %v", err)
	}
}

func TestOrderEnded(t *testing.T) {
	for status, want := range map[string]bool{
		"awaiting": false, "funds_received": false, "in_review": false, "payment_submitted": false,
		"completed": true, "canceled": true, "expired": true, "error": true, "returned": false,
	} {
		if got := (railkit.Order{Status: status}).Ended(); got != want {
			t.Errorf("%s: %v", status, got)
		}
	}
	for refund, want := range map[string]bool{"pending": false, "submitted": false, "completed": true, "failed": true} {
		o := railkit.Order{Status: railkit.OrderReturned, Refund: &railkit.Refund{Status: refund}}
		if o.Ended() != want {
			t.Errorf("returned, and the refund %s: %v", refund, o.Ended())
		}
	}
}
