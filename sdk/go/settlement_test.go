package railkit_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	railkit "github.com/railkit/railkit/sdk/go"
)

// settling is a client of a server that answers the calls about orders by the turn, the last answer for good, and the
// pauses that the client makes.
func settling(t *testing.T, answers ...any) (*railkit.Client, *[]time.Duration) {
	t.Helper()
	pauses := &[]time.Duration{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/payout/") {
			_ = json.NewEncoder(w).Encode(object{"id": "d-1", "reference": "ONR-1"})
			return
		}
		if from := r.URL.Query().Get("from"); from != "" && from != "2026-11-23T12:00:00.5Z" {
			t.Errorf("orders from %s", from)
		}
		now := answers[0]
		if len(answers) > 1 {
			answers = answers[1:]
		}
		if now == nil {
			refuse(404, "")(w, 1)
			return
		}
		_ = json.NewEncoder(w).Encode(object{"success": true, "statusCode": 200, "data": now})
	}))
	t.Cleanup(server.Close)
	c, err := railkit.New(railkit.Config{
		BaseURL: server.URL, APIKey: "key", InsecureSkipProofs: true,
		Retry: railkit.Retry{Sleep: func(_ context.Context, d time.Duration) error {
			if *pauses = append(*pauses, d); len(*pauses) > 9 {
				return context.DeadlineExceeded
			}
			return nil
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, pauses
}

func bankOrder(status, payIn string) object {
	return object{
		"id": "o-1", "reference": "ONR-2", "type": "on_ramp", "status": status, "payIn": object{"status": payIn},
	}
}

// Waiting for a settlement starts before there is an order, and ends with it in each of its ways.
func TestPayout_SDKWaitsForASettlement(t *testing.T) {
	t.Parallel()
	for end, payIn := range map[string]string{
		railkit.OrderCompleted: "settled", railkit.OrderReturned: "returned", railkit.OrderError: "writtenoff",
	} {
		c, pauses := settling(t, nil, bankOrder("funds_received", "received"), bankOrder("in_review", "held"),
			bankOrder("payment_submitted", "submitted"), bankOrder(end, payIn))
		o, err := c.Orders.WaitSettlement(t.Context(), "d-1", 100*time.Millisecond)
		if err != nil || o.Status != end || len(*pauses) != 4 || (*pauses)[0] != 100*time.Millisecond ||
			(*pauses)[3] != 337_500*time.Microsecond {
			t.Errorf("%s: %+v, %v, %v", end, o, err, *pauses)
		}
	}
	c, pauses := settling(t, nil)
	_, err := c.Orders.WaitSettlement(t.Context(), "d-1", time.Second)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "not known yet") ||
		(*pauses)[9] != 20*time.Second {
		t.Errorf("nothing comes: %v, %v", err, *pauses)
	}
	c, _ = settling(t, bankOrder("in_review", "held"))
	if o, err := c.Orders.WaitSettlement(t.Context(), "o-1", time.Second); err == nil || o.Status != "in_review" {
		t.Errorf("it is held: %+v, %v", o, err)
	}
	c, _ = settling(t, object{"id": "o-1", "reference": "OFR-1", "status": "completed"})
	if _, err := c.Orders.WaitSettlement(t.Context(), "o-1", time.Second); err == nil ||
		!strings.Contains(err.Error(), "OFR-1 was not paid by a bank transfer") {
		t.Errorf("an order of coins: %v", err)
	}
}

// Of the bank transfers to a deposit account, the first since an instant is waited for.
func TestPayout_SDKWaitsAtADepositAccount(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 11, 23, 12, 0, 0, 500_000_000, time.UTC)
	later := bankOrder("completed", "settled")
	later["id"] = "o-9"
	c, pauses := settling(t, []object{}, []object{}, []object{later, bankOrder("funds_received", "received")},
		bankOrder("completed", "settled"))
	o, err := c.DepositAccounts.WaitSettlement(t.Context(), "d-1", since, time.Second)
	if err != nil || o.ID != "o-1" || len(*pauses) != 2 {
		t.Errorf("%+v, %v, %v", o, err, *pauses)
	}
	c, _ = settling(t, []object{})
	_, err = c.DepositAccounts.WaitSettlement(t.Context(), "d-1", since, time.Second)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "ONR-1") {
		t.Errorf("nothing comes: %v", err)
	}
}
