package x402pay_test

import (
	"net/http"
	"testing"
	"time"

	railkit "github.com/railkit/railkit/sdk/go"
)

// BenchmarkPayX402 tells what a purchase takes beyond the seller's own time: asking for the offer, signing, and asking
// the chain. The seller's time is that of its handlers, the second of which waits for the facilitator and for a block.
func BenchmarkPayX402(b *testing.B) {
	m := newMall(b)
	buyer := m.newBuyerOf("1000", "1000")
	m.Chain.Give(buyer.address, "USDC", "100")
	var busy time.Duration
	m.Around(func(shop http.Handler, w http.ResponseWriter, r *http.Request) { // one request at a time
		began := time.Now()
		shop.ServeHTTP(w, r)
		busy += time.Since(began)
	})
	for b.Loop() {
		got, err := buyer.PayX402(ctx, railkit.X402Request{URL: m.Shop.URL + "/weather", MaxAmount: "10000"})
		if err != nil || !got.Payment.Delivered {
			b.Fatal(got, err)
		}
	}
	seller, whole := busy.Seconds()/float64(b.N), b.Elapsed().Seconds()/float64(b.N)
	b.ReportMetric(seller*1000, "ms-of-seller/op")
	b.ReportMetric((whole-seller)*1000, "ms-beyond/op")
	b.ReportMetric((whole-seller)/seller, "beyond/seller")
}
