package shop_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/shop"
)

// A handler that costs 0.01 USDC on Base.
func Example() {
	const payTo = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	base, _ := chain.BySlug(chain.Production, "base")
	usdc, _ := base.TokenBySymbol("USDC")

	facilitator, err := shop.NewClient("https://facilitator.example", shop.Timeouts{})
	if err != nil {
		panic(err)
	}
	s := shop.New(facilitator, "https://shop.example", clock.System{})
	weather, err := s.Sell(shop.Sale{
		Offers:   []x402.Offer{shop.Exactly(base, usdc, "10000", payTo)},
		Resource: x402.Resource{Description: "the weather"},
	}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("sunny")) }))
	if err != nil {
		panic(err)
	}

	w := httptest.NewRecorder()
	weather.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/weather?city=Rome", nil))
	all, err := x402.ReadOffers(w.Code, w.Header(), w.Body.Bytes())
	if err != nil {
		panic(err)
	}
	fmt.Println(w.Code, all.Dialect, all.Resource.URL)
	fmt.Println(all.List[0].Network, all.List[0].Amount)
	// Output:
	// 402 x402 v2 https://shop.example/weather?city=Rome
	// eip155:8453 10000
}
