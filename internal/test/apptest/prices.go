package apptest

import (
	"context"
	"crypto/ecdsa"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/prices"
)

// Market is what every application's enclave believes from the beginning.
var Market = map[string]string{"ETH": "3000", "POL": "0.5", "AVAX": "30", "SOL": "150", "USDC": "1", "USDT": "1"}

// DataFee is what a byte costs on base and optimism in every sheet, in wei.
const DataFee = "1000000"

// Bandwidth is what a byte costs on tron in every sheet, in sun.
const Bandwidth = "1000"

// The sheets of a test begin in the past and go ahead in steps, so that its
// prices can move often: the enclave takes one sheet in ten seconds of their time.
const (
	sheetsBegin = -4 * time.Minute
	sheetStep   = 10 * time.Second
)

// priceSigner is the test's in the place of railkit-prices.
type priceSigner struct {
	key  *ecdsa.PrivateKey
	next time.Time
}

func (a *App) priceKeyFile() string { return filepath.Join(a.dir, "price.key") }

// Prices hands the enclave a sheet with these prices by asset, and tells what
// the enclave says of each then. Those that are not named stay as they are, as
// long as their sheet lives: eleven minutes of the first one.
func (a *App) Prices(t testing.TB, usd map[string]string) map[string]wire.AssetPrice {
	t.Helper()
	a.refuseShared()
	sheet := a.SignPrices(t, usd)
	c := client.New(a.EnclaveSock, a.EnclaveKey)
	defer c.Close()
	reply, err := c.Prices(context.Background(), sheet)
	if err != nil {
		t.Fatalf("handing in prices: %v", err)
	}
	all := map[string]wire.AssetPrice{}
	for _, p := range reply.Assets {
		all[p.Asset] = p
	}
	return all
}

// SignPrices signs the next sheet and keeps it from the enclave.
func (a *App) SignPrices(t testing.TB, usd map[string]string) wire.SignedSheet {
	t.Helper()
	if a.prices.key == nil {
		key, err := prices.ReadKey(a.priceKeyFile())
		if err != nil {
			t.Fatal(err)
		}
		a.prices = priceSigner{key, time.Now().Add(sheetsBegin)}
	}
	asOf := a.prices.next
	a.prices.next = asOf.Add(sheetStep)
	s := wire.Sheet{
		Environment: "sandbox", AsOfMs: strconv.FormatInt(asOf.UnixMilli(), 10),
		ExpiresAtMs: strconv.FormatInt(asOf.Add(wire.MaxSheetLife).UnixMilli(), 10),
	}
	for _, asset := range slices.Sorted(maps.Keys(usd)) {
		s.Prices = append(s.Prices, wire.Price{Asset: asset, USD: usd[asset]})
	}
	for _, slug := range []string{"base", "optimism"} {
		s.DataFees = append(s.DataFees, wire.DataFee{Chain: slug, WeiPerByte: DataFee})
	}
	s.DataFees = append(s.DataFees, wire.DataFee{Chain: "tron", WeiPerByte: Bandwidth})
	signed, err := wire.SignSheet(a.prices.key, s)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}
