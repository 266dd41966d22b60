package x402_test

import (
	"net/http"
	"testing"

	"github.com/railkit/railkit/x402"
)

// What a buyer does with a 402, without the network.
func BenchmarkReadAndChoose(b *testing.B) {
	h := header(x402.HeaderRequired, base(required(2, offerV2(nil))))
	w := ready()
	b.ReportAllocs()
	for b.Loop() {
		all, err := x402.ReadOffers(402, h, nil)
		if _, _, ok := x402.Choose(all, w); !ok || err != nil {
			b.Fatal(err)
		}
	}
}

// What is signed, by either method.
func BenchmarkDigest(b *testing.B) {
	for name, extra := range map[string]fields{
		"eip3009": {"name": "USDC", "version": "2"}, "permit2": {"assetTransferMethod": "permit2"},
	} {
		payment := chosen(b, asked(b, x402.V2, offerV2(fields{"extra": extra}))).Pay(buyer.String(), [32]byte{1}, now)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				toSign(b, payment)
			}
		})
	}
}

// What a shop reads of a payment, and whose it is.
func BenchmarkReadPayment(b *testing.B) {
	c := chosen(b, asked(b, x402.V2, offerV2(nil)))
	payment := c.Pay(buyer.String(), [32]byte{1}, now)
	name, value, err := payment.Header(sign(b, payment))
	if err != nil {
		b.Fatal(err)
	}
	h := http.Header{name: {value}}
	b.Run("parse", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := x402.ReadPayment(h); err != nil {
				b.Fatal(err)
			}
		}
	})
	p, _, err := x402.ReadPayment(h)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("recover", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if from, err := p.Recover(c.Domain()); err != nil || from != buyer {
				b.Fatal(from, err)
			}
		}
	})
}
