// Package shops holds the sandbox's two shops, which sell for 0.01 USDC by x402. One is honest. The other tells a lie
// at each of its paths (lies.go), so that a buyer can be tried on all of them. railkit dev starts both, and tests
// serve them.
package shops

import (
	"cmp"
	"net/http"

	"github.com/go-json-experiment/json"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/shop"
)

// Price is what everything costs, in millionths of a USDC.
const Price = "10000"

// Config is what a shop sells by.
type Config struct {
	Facilitator shop.Facilitator // such as a shop.Client
	Network     chain.Network
	PayTo       string
	// FeePayer pays the fee where the network's payments are sponsored; "" elsewhere.
	FeePayer string
	Thief    string // who gets the money where a liar asks for it to another address
	// Also are other ways to pay the honest shop for /weather, on other networks.
	Also    []x402.Offer
	Origin  string // where buyers find it; "": as they call it
	Clock   clock.Clock
	Seconds int64 // how long after its signature a transfer can be handed in; 0: 60
}

// Weather is what the shops sell.
const Weather = `{"city":"Rome","celsius":21}`

// Honest is a shop that keeps its word: GET / says what it sells, GET /weather sells it by EIP-3009, or by a sponsored
// payment where there is a FeePayer, and GET /weather/permit2 by Permit2 where there is none.
func Honest(c Config) (http.Handler, error) {
	sold := map[string][]x402.Offer{"/weather": append([]x402.Offer{c.offer()}, c.Also...)}
	prices := map[string]string{"/weather": "0.01 USDC"}
	if c.FeePayer == "" {
		permit := c.offer()
		permit.Extra.AssetTransferMethod = x402.Permit2
		sold["/weather/permit2"], prices["/weather/permit2"] = []x402.Offer{permit}, "0.01 USDC by Permit2"
	}
	mux := http.NewServeMux()
	for path, offers := range sold {
		sold, err := c.sell(c.Facilitator, weather, offers...)
		if err != nil {
			return nil, err
		}
		mux.Handle("GET "+path, sold)
	}
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { list(w, prices) })
	return mux, nil
}

func (c Config) offer() x402.Offer {
	token, _ := c.Network.TokenBySymbol("USDC") // without one the sale is refused
	o := shop.Exactly(c.Network, token, Price, c.PayTo)
	o.Extra.FeePayer = c.FeePayer
	o.MaxTimeoutSeconds = cmp.Or(c.Seconds, o.MaxTimeoutSeconds)
	return o
}

func (c Config) sell(f shop.Facilitator, goods http.HandlerFunc, offers ...x402.Offer) (http.Handler, error) {
	sale := shop.Sale{
		Offers: offers, Resource: x402.Resource{Description: "Today's weather", MimeType: "application/json"},
	}
	return shop.New(f, c.Origin, c.Clock).Sell(sale, goods)
}

func weather(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(Weather)) // into the shop's buffer
}

func list(w http.ResponseWriter, sold map[string]string) {
	w.Header().Set("Content-Type", "application/json")
	body, err := json.Marshal(sold, json.Deterministic(true))
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(body) // the caller has left
}
