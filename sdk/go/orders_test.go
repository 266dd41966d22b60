package railkit_test

import (
	"context"
	"errors"
	"io"
	"net/http"
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

// An export is tried again while nothing of it was written, and never after that.
func TestExportRetries(t *testing.T) {
	var out strings.Builder
	export := func(ctx context.Context, c *railkit.Client) error {
		out.Reset()
		return c.Orders.Export(ctx, &out, railkit.OrderExportOptions{Format: "jsonl"})
	}
	tried, _, err := tries(t, func(w http.ResponseWriter, n int) {
		switch n {
		case 1:
			refuse(503, "")(w, n)
		case 2:
			hangUp(w, n)
		default:
			_, _ = w.Write([]byte("{}\n"))
		}
	}, railkit.Retry{}, export)
	if err != nil || len(tried) != 3 || out.String() != "{}\n" {
		t.Errorf("%d tries, %q, %v", len(tried), out.String(), err)
	}
	tried, _, err = tries(t, cut, railkit.Retry{}, export)
	if !errors.Is(err, io.ErrUnexpectedEOF) || len(tried) != 1 {
		t.Errorf("cut off: %d tries, %v", len(tried), err)
	}
	tried, _, err = tries(t, refuse(403, ""), railkit.Retry{}, export)
	if !railkit.IsForbidden(err) || len(tried) != 1 || out.Len() != 0 {
		t.Errorf("refused: %d tries, %q, %v", len(tried), out.String(), err)
	}
}

// Where a quote and its payment want the coins is where the client knows the bank account's withdrawal address to be.
func TestTamperedQuote_Address(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	recipient, address := mexican(ctx, w.client, "")
	asked := railkit.QuoteRequest{BeneficiaryID: recipient, Amount: "10", Currency: "USDC", Chain: "base"}
	quote := func() (*railkit.Quote, error) { return w.client.Payments.Quote(ctx, asked) }
	q, err := quote()
	if err != nil {
		t.Fatal(err)
	}
	if q.WithdrawAddress != address.Address {
		t.Fatalf("%+v", q)
	}
	for name, change := range map[string]func(object){
		"another address": func(d object) { d["withdrawAddress"] = thief },
		"another chain":   func(d object) { d["chain"], d["withdrawAddress"] = "polygon", thief },
		"another account": func(d object) { d["beneficiaryAccountId"], d["withdrawAddress"] = q.QuoteID, thief },
		"no account":      func(d object) { d["beneficiaryAccountId"], d["withdrawAddress"] = "", thief },
	} {
		w.host.On("POST /v1/payout/accounts/quote", onData(change))
		_, err := quote()
		wantReason(t, name, err, railkit.ReasonAddress)
	}
	p, err := w.client.Payments.Execute(ctx, railkit.ExecuteRequest{QuoteID: q.QuoteID, BeneficiaryID: recipient})
	if err != nil {
		t.Fatal(err)
	}
	for pattern, read := range map[string]func() error{
		"POST /v1/payout/accounts/execute": func() error {
			_, err := w.client.Payments.Execute(ctx, railkit.ExecuteRequest{
				QuoteID: q.QuoteID, BeneficiaryID: recipient,
			})
			return err
		},
		"GET /v1/payout/accounts/{id}/status": func() error {
			_, err := w.client.Payments.Get(ctx, p.Reference)
			return err
		},
		"GET /v1/payout/accounts": func() error {
			_, err := w.client.Payments.List(ctx, railkit.ListOptions{})
			return err
		},
	} {
		if err := read(); err != nil {
			t.Errorf("%s: %v", pattern, err)
		}
		w.host.On(pattern, onData(func(d object) { d["depositInstructions"].(object)["address"] = thief }))
		wantReason(t, pattern, read(), railkit.ReasonAddress)
	}
	w.host.On("POST /v1/payout/accounts/execute", onData(func(d object) {
		d["beneficiaryAccountId"], d["depositInstructions"].(object)["address"] = q.QuoteID, thief
	}))
	_, err = w.client.Payments.Execute(ctx, railkit.ExecuteRequest{QuoteID: q.QuoteID, BeneficiaryID: recipient})
	wantReason(t, "executed for another account", err, railkit.ReasonAddress)
}
