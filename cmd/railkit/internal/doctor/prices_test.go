package doctor

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/internal/prices"
)

func TestPlatform_DoctorOnThePriceSigner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "price.key")
	_, err := prices.NewKey(path)
	must(t, err)
	key, err := prices.ReadKey(path)
	must(t, err)
	s := prices.New(prices.Config{
		Environment: chain.Sandbox, Key: key, Feed: prices.Table, Log: slog.New(slog.DiscardHandler),
	})
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	check := func(url string) []finding {
		return checkPriceSigner(context.Background(), told(config.Server{PricesURL: url}))
	}
	wantFindings(t, "none", check(""),
		"warn sheet no --prices-url names a price signer: what is bounded in USD is denied")
	wantFindings(t, "no sheet yet", check(web.URL), "fail sheet the price signer has no sheet: status 503")
	must(t, s.Renew(t.Context()))
	wantFindings(t, "good", check(web.URL), "ok sheet the price signer has one")
	web.Close()
	wantFindings(t, "stopped", check(web.URL), "fail sheet the price signer does not answer: ")
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	wantFindings(t, "another", check(other.URL), "fail sheet the price signer has no sheet: status 404")
}

func TestPlatform_DoctorOnPrices(t *testing.T) {
	price := func(asset, usd, refused string) wire.AssetPrice {
		return wire.AssetPrice{
			Price: wire.Price{Asset: asset, USD: usd}, AsOf: "2026-11-21T12:00:00.000Z", Refused: refused,
		}
	}
	good, none := price("USDC", "1", ""), price("POL", "", "no signed price yet")
	far, old := price("ETH", "5000", "more than 30 % from 3000 USD"), price("ETH", "3000", "expired")
	for _, tc := range []struct {
		about, url string
		prices     []wire.AssetPrice
		want       []string
	}{
		{"good", "http://x", []wire.AssetPrice{good},
			[]string{"ok prices the signer has a fresh price of all 1 assets"}},
		{"moved", "http://x", []wire.AssetPrice{good, far}, []string{
			"warn prices ETH at 5000 USD of 2026-11-21T12:00:00.000Z does not count: more than 30 % from 3000 USD",
			"note prices one that moved too far counts again when it is near, when an owner stamps it, " +
				"or when the signer is started with --accept-prices",
		}},
		{"missing", "http://x", []wire.AssetPrice{good, none},
			[]string{"warn prices POL does not count: no signed price yet"}},
		{"all old", "http://x", []wire.AssetPrice{old, none},
			[]string{"fail prices the signer has no price that counts"}},
		{"without a price signer", "", []wire.AssetPrice{old, none}, nil},
	} {
		wantFindings(t, tc.about, checkPrices(tc.url, tc.prices), tc.want...)
	}
	fees := []wire.NetworkDataFee{{DataFee: wire.DataFee{Chain: "base", WeiPerByte: "1000"}}, {
		DataFee: wire.DataFee{Chain: "optimism"}, Refused: "expired",
	}}
	wantFindings(t, "data fees", checkDataFees("http://x", fees),
		"warn prices data fee of optimism does not count: expired; what is bounded in USD is denied there")
	wantFindings(t, "data fees without a price signer", checkDataFees("", fees))
}
