package x402pay

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/platform/fetch"
	"github.com/railkit/railkit/rest"
)

// The offer of a payment is found again among offers to others, of other amounts and by other transfers.
func TestAgents_X402OfferOfAPayment(t *testing.T) {
	n, _ := chain.BySlug(chain.Sandbox, "base")
	usdc, _ := n.TokenBySymbol("USDC")
	ana, bruno := "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
	offer := func(payTo, amount, method string) string {
		return fmt.Sprintf(`{"scheme":"exact","network":"base-sepolia","maxAmountRequired":%q,"payTo":%q,"asset":%q,`+
			`"maxTimeoutSeconds":60,"resource":"https://shop.example/","extra":{"name":"USDC","version":"2"%s}}`,
			amount, payTo, usdc.Address, method)
	}
	body := `{"x402Version":1,"accepts":[` + strings.Join([]string{
		offer(bruno, "5000", ""), offer(ana, "20000", ""), offer(ana, "10000", ""), offer(bruno, "10000", ""),
	}, ",") + `]}`
	raw, err := json.Marshal(answer402{Status: http.StatusPaymentRequired, Header: http.Header{}, Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	p := Payment{
		Answer: string(raw), Network: "base", Transfer: chain.EIP3009, PayTo: ana, Micro: 10000, CreatedAt: time.Now(),
	}
	if c, err := p.choice(n); err != nil || c.PayTo != ana || c.Amount.Int64() != 10000 {
		t.Errorf("%+v, %v", c, err)
	}
	p.Micro = 9999 // a row that somebody has changed
	if c, err := p.choice(n); err == nil {
		t.Errorf("%+v", c)
	}
}

// A seller behind a proxy names its resource by the scheme that it sees itself. Another host or port is another
// server.
func TestAgents_X402SameServer(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"https://shop.example/a", "https://SHOP.example/b", true},
		{"http://shop.example", "https://shop.example", true},
		{"http://shop.example:80", "https://shop.example", true}, {"https://[::1]:443", "http://[::1]/", true},
		{"https://127.0.0.1:28901", "http://127.0.0.1:28901/x", true},
		{"https://shop.example:8443", "https://shop.example", false},
		{"http://shop.example:443", "https://shop.example", false},
		{"https://other.example", "https://shop.example", false},
		{"", "https://shop.example", false}, {"://", "https://shop.example", false},
	} {
		if got := sameServer(c.a, c.b); got != c.same {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
	}
}

// A compressed answer that could not be decoded is shown in base64, with its coding, whatever its bytes look like.
func TestAgents_X402ShowsCoding(t *testing.T) {
	for coding, want := range map[string]string{"br": "base64", "identity": "", "": ""} {
		h := http.Header{"Content-Type": {"text/plain"}}
		if coding != "" {
			h.Set("Content-Encoding", coding)
		}
		var view rest.X402Answer
		show(&view, fetch.Response{Status: 200, Header: h, Body: []byte("text")})
		if view.Encoding != want || view.Headers["Content-Encoding"] != coding {
			t.Errorf("%s: %+v", coding, view)
		}
	}
}

// Of the unused nonces the one is taken for which least is counted in vain.
func TestAgents_X402BetterNonce(t *testing.T) {
	for _, c := range []struct {
		a, b, amount int64
		better       bool
	}{
		{10, 20, 30, false}, {20, 10, 30, true}, // the largest up to the amount
		{40, 50, 30, true}, {50, 40, 30, false}, // else the smallest
		{10, 40, 30, true}, {40, 10, 30, false}, {30, 40, 30, true},
	} {
		if got := better(c.a, c.b, c.amount); got != c.better {
			t.Errorf("%d before %d for %d: %v", c.a, c.b, c.amount, got)
		}
	}
}
