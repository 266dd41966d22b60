package agent_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/agent"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/shop"
)

// market is servers that sell, with connections in memory: all hosts of a name are one handler.
type market struct {
	api *api
	net *http.Transport

	mu     sync.Mutex
	heard  []string // of each request host, method, path, header that pays and body
	answer func(w http.ResponseWriter, r *http.Request, paid bool, n int)
}

// newMarket sells everything for the answer of the test, or "goods" to who pays 10000.
func newMarket(t *testing.T) *market {
	t.Helper()
	m := &market{api: newAPI(t)}
	line := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	s := httptest.NewUnstartedServer(m)
	_ = s.Listener.Close()
	s.Listener = line
	s.Start()
	t.Cleanup(s.Close)
	m.net = &http.Transport{DialContext: line.dial, DisableKeepAlives: true}
	return m
}

func (m *market) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	body := make([]byte, 100)
	n, _ := r.Body.Read(body) // at its end, too
	payment := r.Header.Get(x402.HeaderPayment) + r.Header.Get(x402.HeaderPaymentV1)
	m.heard = append(m.heard, r.Host+" "+r.Method+" "+r.URL.Path+" "+payment+" "+string(body[:n]))
	switch {
	case m.answer != nil:
		m.answer(w, r, payment != "", len(m.heard))
	case payment != "":
		_, _ = w.Write([]byte("goods"))
	default:
		ask(w, x402.V2, "10000")
	}
}

// ask answers 402 with an offer in the sandbox's USDC on base.
func ask(w http.ResponseWriter, d x402.Dialect, amount string, change ...func(*x402.Offer)) {
	network, _ := chain.BySlug(chain.Sandbox, "base")
	token, _ := network.TokenBySymbol("USDC")
	o := shop.Exactly(network, token, amount, evm.Address{0x70, 19: 0x01}.String())
	o.Dialect = d
	if d == x402.V1 {
		o.Network, _ = x402.NameV1(network)
	}
	for _, f := range change {
		f(&o)
	}
	offers := x402.Offers{Dialect: d, List: []x402.Offer{o}}
	raw, err := offers.MarshalJSON()
	if err != nil {
		panic(err)
	}
	if d == x402.V1 {
		w.WriteHeader(http.StatusPaymentRequired)
		_, _ = w.Write(raw)
		return
	}
	text, err := x402.EncodeHeader(offers)
	if err != nil {
		panic(err)
	}
	w.Header().Set(x402.HeaderRequired, text)
	w.WriteHeader(http.StatusPaymentRequired)
}

// client pays up to an amount.
func (m *market) client(r *agent.Runtime, most railkit.SmallestUnits) *http.Client {
	return &http.Client{Transport: r.Transport(m.net, agent.Limit{MaxAmount: most})}
}

// signFor answers x402-pay: once for a key, and with a payment that has a name of its own.
func (a *api) signFor(w http.ResponseWriter, key string, q railkit.X402Request) {
	a.bought = append(a.bought, q)
	if q.PaymentID != "" { // it goes on: which needs no key
		key = q.PaymentID
	}
	if a.buy != nil && a.buy(w, key, q, len(a.bought)) {
		return
	}
	answer(w, http.StatusOK, a.signed(key, q))
}

// signed signs once under a key.
func (a *api) signed(key string, q railkit.X402Request) object {
	if a.paid[key] == nil {
		id := "payment-" + strconv.Itoa(len(a.paid)+1)
		a.paid[key] = object{
			"paymentHeaderName": "PAYMENT-SIGNATURE", "paymentHeader": "header-of-" + id, "transactionId": id,
			"payment": object{"id": id, "state": "signed", "amount": q.Amount, "payTo": q.Recipient, "network": "base"},
		}
	}
	return a.paid[key]
}
