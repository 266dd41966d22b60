package bridge

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

// apiKey is searched for wherever it must not be.
const apiKey = "sk-test-9f8e7d6c5b4a39281706"

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// fake is a partner that keeps the last request and answers as it was told.
type fake struct {
	*Client
	method, target, key, kind string
	body                      map[string]any
	calls                     int
	answer                    http.HandlerFunc
}

func newFake(t *testing.T, answer http.HandlerFunc) *fake {
	t.Helper()
	f := &fake{answer: answer}
	server := httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(server.Close)
	var err error
	f.Client, err = New(Config{
		URL: server.URL, Key: apiKey, Timeout: time.Minute, Clock: clock.Func(func() time.Time { return noon }),
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// serve holds every request to what Bridge asks of one.
func (f *fake) serve(w http.ResponseWriter, r *http.Request) {
	f.calls++
	f.method, f.target, f.key, f.kind = r.Method,
		r.URL.RequestURI(), r.Header.Get("Idempotency-Key"), r.Header.Get("Content-Type")
	text, _ := io.ReadAll(r.Body)
	f.body = nil
	_ = json.Unmarshal(text, &f.body)
	if r.Header.Get("Api-Key") != apiKey || (r.Method == http.MethodPost) != (f.key != "") ||
		(len(text) > 0) != (f.kind == "application/json") {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	f.answer(w, r)
}

// says answers with JSON.
func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func amount(t *testing.T, text string, c money.Currency) money.Amount {
	t.Helper()
	a, err := money.Parse(text, c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// payout asks for a hundred dollars' worth of pesos.
func payout(t *testing.T) fiat.TransferRequest {
	return fiat.TransferRequest{
		CustomerID: "cust_1", WalletID: "bw_1", Reference: "order-1", Chain: "base", Source: money.USDC,
		Destination: money.MXN, Gross: amount(t, "100", money.USDC), Fee: amount(t, "0.75", money.USDC),
		Rail: fiat.SPEI, AccountID: "ea_1",
	}
}

// taken is how a partner answers to that.
const taken = `{"id":"tr_1","client_reference_id":"order-1","state":"payment_submitted","on_behalf_of":"cust_1","amount":"100.0","currency":"usd",
"developer_fee":"0.75","source":{"payment_rail":"bridge_wallet","currency":"usdc","bridge_wallet_id":"bw_1"},
"destination":{"payment_rail":"spei","currency":"mxn","external_account_id":"ea_1","tracking_number":"123"},
"receipt":{"initial_amount":"100.0","developer_fee":"0.75","exchange_fee":"0.0","subtotal_amount":"99.25","final_amount":"1836.12","exchange_rate":"18.5"},
"return_details":null,"created_at":"2026-11-21T11:00:00.000Z","updated_at":"2026-11-21T11:00:01.000Z"}`
