package railkit_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/railkit/railkit/enclave/wire"
	railkit "github.com/railkit/railkit/sdk/go"
)

// newOneDeposit is a client of a server that answers every call with one deposit account, in the envelope where the
// request names an address.
func newOneDeposit(t *testing.T, answer object) *railkit.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked railkit.DepositAccountRequest
		_ = json.NewDecoder(r.Body).Decode(&asked)
		var body any = answer
		if asked.DestinationAddress != "" {
			body = object{"success": true, "statusCode": 201, "data": answer}
		}
		_ = json.NewEncoder(w).Encode(body)
	}))
	t.Cleanup(server.Close)
	c, err := railkit.New(railkit.Config{BaseURL: server.URL, APIKey: "key", InsecureSkipProofs: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func depositAnswer() object {
	return object{
		"id": "d-1", "source_currency": "mxn", "destination_currency": "usdc", "destination_payment_rail": "base",
		"destination_address":         "0x00000000000000000000000000000000000000aA",
		"source_deposit_instructions": object{"currency": "mxn", "clabe": "646180157000000004"},
	}
}

// A server that answers with an account for something else than was asked for is refused, in both forms.
func TestPayout_SDKHoldsDepositAccountAgainstTheRequest(t *testing.T) {
	t.Parallel()
	first := railkit.DepositAccountRequest{WalletID: "mine", SourceCurrency: "mxn", Chain: "base"}
	byAddress := railkit.DepositAccountRequest{
		Currency: "MXN", Stablecoin: "USDC", DestinationAddress: "0x00000000000000000000000000000000000000AA",
	}
	for _, req := range []railkit.DepositAccountRequest{first, byAddress} {
		a, err := newOneDeposit(t, depositAnswer()).DepositAccounts.Create(t.Context(), req)
		if err != nil || a.SourceDepositInstructions.CLABE != "646180157000000004" {
			t.Errorf("%+v, %v", a, err)
		}
		for field, lie := range map[string]any{
			"source_currency": "usd", "destination_currency": "usdt",
			"source_deposit_instructions": object{"currency": "usd"},
		} {
			answer := depositAnswer()
			answer[field] = lie
			_, err := newOneDeposit(t, answer).DepositAccounts.Create(t.Context(), req)
			wantReason(t, field, err, railkit.ReasonAddress)
		}
	}
	answer := depositAnswer()
	answer["destination_payment_rail"] = "polygon"
	_, err := newOneDeposit(t, answer).DepositAccounts.Create(t.Context(), first)
	wantReason(t, "another chain", err, railkit.ReasonAddress)
	answer["destination_address"] = "0x00000000000000000000000000000000000000Bb"
	_, err = newOneDeposit(t, answer).DepositAccounts.Create(t.Context(), byAddress)
	wantReason(t, "another address", err, railkit.ReasonAddress)
	_, err = newOneDeposit(t, answer).DepositAccounts.Get(t.Context(), "d-2")
	wantReason(t, "another id", err, railkit.ReasonAddress)
}

// An address that the enclave did not make for the wallet is refused, whatever the server says of it.
func TestPayout_SDKHoldsDepositAccountAgainstTheWallet(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body any = depositAnswer()
		if r.Method == http.MethodGet { // the wallet's addresses
			body = object{"success": true, "statusCode": 200, "data": []any{}}
		}
		_ = json.NewEncoder(w).Encode(body)
	}))
	t.Cleanup(server.Close)
	c, err := railkit.New(railkit.Config{
		BaseURL: server.URL, APIKey: "key", EnclaveKey: wire.CompressP256(&key.PublicKey),
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.DepositAccounts.Create(t.Context(), railkit.DepositAccountRequest{
		WalletID: "mine", SourceCurrency: "mxn",
	})
	wantReason(t, "an address of nobody", err, railkit.ReasonAddress)
}

// Lists without an envelope are walked by the header Link.
func TestPayout_SDKWalksDepositAccounts(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("cursor") != "" {
			_, _ = w.Write([]byte(`[{"id":"3"}]`))
			return
		}
		w.Header().Set("Link", "<"+r.URL.Path+`?cursor=a%2Bb&limit=2>; rel="next"`)
		_, _ = w.Write([]byte(`[{"id":"1"},{"id":"2"}]`))
	}))
	t.Cleanup(server.Close)
	c, err := railkit.New(railkit.Config{BaseURL: server.URL, APIKey: "key", InsecureSkipProofs: true})
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for a, err := range c.DepositAccounts.All(t.Context(), railkit.ListOptions{Limit: 2}) {
		if err != nil {
			t.Fatal(err)
		}
		got += a.ID
	}
	for e, err := range c.DepositAccounts.AllEvents(t.Context(), "1", railkit.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		got += e.ID
	}
	if got != "123123" {
		t.Errorf("walked %s", got)
	}
}
