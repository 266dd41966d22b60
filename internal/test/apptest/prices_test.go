package apptest

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/internal/prices"
)

// Prices are there from the beginning, can be moved, and are a test's to spoil.
func TestPrices(t *testing.T) {
	a := New(t)
	if p := a.Prices(t, map[string]string{"ETH": "3100"}); p["ETH"].USD != "3100" || p["ETH"].Refused != "" ||
		p["USDC"].USD != "1" || p["USDC"].Refused != "" {
		t.Errorf("after the first change: %+v", p)
	}
	if p := a.Prices(t, map[string]string{
		"ETH": "9000", "USDC": "1.01",
	}); p["ETH"].Refused == "" || p["USDC"].Refused != "" {
		t.Errorf("after a jump: %+v", p)
	}
	for range 15 {
		a.Prices(t, Market)
	}
}

// The server carries what the price signer signs to the enclave, says once when it
// cannot, and starts all the same.
func TestPlatform_PricesAreCarried(t *testing.T) {
	a := New(t)
	key, err := prices.ReadKey(a.priceKeyFile())
	if err != nil {
		t.Fatal(err)
	}
	signer := prices.New(prices.Config{
		Environment: chain.Sandbox, Key: key, Log: slog.New(slog.DiscardHandler),
		Feed: func(context.Context) (prices.Reading, error) {
			return prices.Reading{
				Prices:   map[string]string{"ETH": "3333", "USDC": "1.001"},
				DataFees: map[string]string{"optimism": "77000000"},
			}, nil
		},
	})
	if err := signer.Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(signer.Handler())
	t.Cleanup(web.Close)
	restart := func(url string) string {
		a.StopServer()
		a.Reconfigure(func(c *Config) { c.PricesURL = url })
		a.StartServer()
		enclave := client.New(a.EnclaveSock, a.EnclaveKey)
		defer enclave.Close()
		info, err := enclave.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range info.DataFees {
			if f.Chain == "optimism" && f.WeiPerByte != "77000000" {
				t.Errorf("the enclave has a data fee of %+v", f)
			}
		}
		for _, p := range info.Prices {
			if p.Asset == "ETH" {
				return p.USD
			}
		}
		return ""
	}
	if usd := restart(web.URL); usd != "3333" {
		t.Errorf("the enclave has a price of %q", usd)
	}
	web.Close()
	if usd := restart(web.URL); usd != "3333" {
		t.Errorf("without the price signer the enclave has a price of %q", usd)
	}
	if log := a.Log.String(); !strings.Contains(log, "the signer gets no prices") || strings.Contains(log, web.URL) {
		t.Errorf("the log says otherwise: %s", log)
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"payload":"{}","signature":"AA"}`))
	}))
	t.Cleanup(other.Close)
	if usd := restart(other.URL); usd != "3333" || !strings.Contains(a.Log.String(), "price_sheet_invalid") &&
		!strings.Contains(a.Log.String(), "Price sheet is not valid") {
		t.Errorf("with a forged sheet the enclave has a price of %q", usd)
	}
}
