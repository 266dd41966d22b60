package shop_test

import (
	"context"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/signed"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/shop"
)

var (
	// buyerKey is the third key of the usual test mnemonic.
	buyerKey, _ = chain.ParseHex("0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a")
	buyer       = parse("0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC")
	seller      = parse("0x70997970C51812dc3A010C7d01b50e0d17dc79C8")
	now         = time.Unix(1_800_000_000, 0).UTC()
)

func parse(text string) evm.Address {
	a, err := evm.ParseAddress(text)
	if err != nil {
		panic(text)
	}
	return a
}

// street is a server with a shop, and what a buyer does there.
type street struct {
	t      testing.TB
	bank   *bank
	asks   atomic.Pointer[shop.Client]
	shop   *shop.Shop
	mux    *http.ServeMux
	url    string
	served atomic.Int64 // how often the handler at /a ran
	nonce  byte
	time   time.Time
}

func newStreet(t testing.TB) *street {
	s := &street{t: t, bank: newBank(t), mux: http.NewServeMux(), time: now}
	s.patience(shop.Timeouts{})
	s.shop = shop.New(asker{s}, "", clock.Func(func() time.Time { return s.time }))
	s.sell("/a", "10000", func(w http.ResponseWriter, _ *http.Request) {
		s.served.Add(1)
		w.Header().Set("X-Made", "yes")
		_, _ = w.Write([]byte("the goods"))
	})
	server := httptest.NewServer(s.mux)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// soon is the patience with a facilitator that hangs; one that answers may be slow for want of a processor.
const soon = 100 * time.Millisecond

// patience is how long the shop waits for the facilitator from now on.
func (s *street) patience(t shop.Timeouts) {
	s.t.Helper()
	client, err := shop.NewClient(s.bank.URL, t)
	if err != nil {
		s.t.Fatal(err)
	}
	s.asks.Store(client)
}

// asker asks the facilitator with the patience of the moment.
type asker struct{ *street }

func (a asker) Verify(ctx context.Context, r x402.Request) (x402.Verdict, error) {
	return a.asks.Load().Verify(ctx, r)
}
func (a asker) Settle(ctx context.Context, r x402.Request) (x402.Receipt, error) {
	return a.asks.Load().Settle(ctx, r)
}

func usdcOffer(amount string) x402.Offer {
	n, _ := chain.BySlug(chain.Sandbox, "base")
	token, _ := n.TokenBySymbol("USDC")
	return shop.Exactly(n, token, amount, seller.String())
}

func (s *street) sell(path, amount string, h http.HandlerFunc) {
	s.t.Helper()
	sold, err := s.shop.Sell(shop.Sale{Offers: []x402.Offer{usdcOffer(amount)}}, h)
	if err != nil {
		s.t.Fatal(err)
	}
	s.mux.Handle(path, sold)
}

// answer is what a buyer gets.
type answer struct {
	status  int
	header  http.Header
	body    string
	receipt x402.Receipt
}

func (s *street) get(path string, header ...string) answer {
	s.t.Helper()
	req, err := http.NewRequest(http.MethodGet, s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Error(err)
		return answer{}
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Error(err)
	}
	a := answer{status: res.StatusCode, header: res.Header, body: string(body)}
	if a.receipt, _, err = x402.ReadReceipt(res.Header); err != nil {
		s.t.Error(err)
	}
	return a
}

// offers asks for something unpaid and reads what it costs, in a version.
func (s *street) offers(path string, d x402.Dialect) x402.Offers {
	s.t.Helper()
	a := s.get(path)
	if d == x402.V1 {
		a.header.Del(x402.HeaderRequired)
	}
	all, err := x402.ReadOffers(a.status, a.header, []byte(a.body))
	if err != nil || all.Dialect != d {
		s.t.Fatalf("%d %s: %+v %v", a.status, a.body, all, err)
	}
	return all
}

// sign pays the offers of a path, under a new nonce, and gives the header.
func (s *street) sign(all x402.Offers) (name, value string) {
	s.t.Helper()
	c, skipped, ok := x402.Choose(all, x402.Wants{
		Networks: chain.Networks(chain.Sandbox), Tokens: []string{"USDC"}, Methods: []x402.Method{x402.EIP3009,
			x402.Permit2},
		Own: []string{buyer.String()}, Max: big.NewInt(1_000_000),
	})
	if !ok {
		s.t.Fatalf("%+v", skipped)
	}
	s.nonce++
	payment := c.Pay(buyer.String(), [32]byte{s.nonce}, s.time)
	digest, err := payment.ToSign()
	if err != nil {
		s.t.Fatal(err)
	}
	sig, err := evm.Sign(buyerKey, [32]byte(digest))
	if err != nil {
		s.t.Fatal(err)
	}
	if name, value, err = payment.Header(signed.WriteSignature(sig)); err != nil {
		s.t.Fatal(err)
	}
	return name, value
}

// pay is the header that pays for a path in version 2.
func (s *street) pay(path string) (name, value string) {
	s.t.Helper()
	return s.sign(s.offers(path, x402.V2))
}
