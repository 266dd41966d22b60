package policy

import (
	"testing"

	"github.com/railkit/railkit/enclave/wire"
)

// BenchmarkCheck is what a wallet's rules cost one payment.
func BenchmarkCheck(b *testing.B) {
	x := fee(transfer(b, bob, 25_500_000), 200_000_000_000_000)
	r := wire.Rules{
		MaxValueUSD:         "100",
		DailyUSD:            "1000",
		MonthlyUSD:          "1000",
		AllowedDestinations: []string{carol, bob},
		AllowedChains:       []string{"base"},
	}
	b.ReportAllocs()
	for b.Loop() {
		if d := Check(r, x, Value(x, usd2000), Totals{}); d != nil {
			b.Fatal(d)
		}
	}
}
