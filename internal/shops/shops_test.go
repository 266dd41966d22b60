package shops_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/shops"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/internal/test/x402test"
	"github.com/railkit/railkit/x402"
)

// mall is a chain with a facilitator and a buyer.
type mall struct {
	*x402test.Chain
	t      *testing.T
	config shops.Config
	buyer  x402test.Key
}

func newMall(t *testing.T) mall {
	c := x402test.NewChain(t)
	m := mall{Chain: c, t: t, buyer: c.Buyer("10")}
	m.config = shops.Config{
		Facilitator: c.Facilitator().Client(t), Network: c.Network, PayTo: x402test.NewKey(t).Address.String(),
		Clock: clock.System{},
	}
	return m
}

// has is what an address has, in millionths of a USDC.
func (m mall) has(address string) int64 {
	at, err := evm.ParseAddress(address)
	if err != nil {
		m.t.Error(err)
	}
	return m.Balance(at)
}

// bought is what came of a purchase.
type bought struct {
	offer   x402.Offer
	status  int
	receipt x402.Receipt
	cookies int
	bytes   int64
	body    string
	err     error
}

// buy asks for the price and pays it, once. It waits for the answer until the context ends, and reads so many bytes.
func (m mall) buy(ctx context.Context, url string, most int64) (b bought) {
	client := &http.Client{
		// Over a connection that was kept, net/http asks a second time by itself.
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := client.Get(url)
	if err != nil {
		m.t.Error(err)
		return b
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	if b.status = res.StatusCode; b.status != http.StatusPaymentRequired {
		return b
	}
	offers, err := x402.ReadOffers(res.StatusCode, res.Header, body)
	if err != nil {
		m.t.Errorf("%s: %v", url, err)
		return b
	}
	b.offer = offers.List[0]
	_, name, value := m.Pay(m.buyer, b.offer)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		m.t.Error(err)
		return b
	}
	req.Header.Set(name, value)
	if res, b.err = client.Do(req); b.err != nil {
		return b
	}
	defer res.Body.Close()
	text := &strings.Builder{}
	b.bytes, b.err = io.Copy(text, io.LimitReader(res.Body, most))
	b.status, b.cookies, b.body = res.StatusCode, len(res.Cookies()), text.String()
	if b.receipt, _, err = x402.ReadReceipt(res.Header); err != nil {
		m.t.Errorf("%s: %v", url, err)
	}
	return b
}

func TestHonest(t *testing.T) {
	m := newMall(t)
	h, err := shops.Honest(m.config)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	defer server.Close()
	m.Approve(m.buyer)
	for i, path := range []string{"/weather", "/weather/permit2"} {
		b := m.buy(t.Context(), server.URL+path, 1<<20)
		if b.status != 200 || b.body != shops.Weather || !b.receipt.Success ||
			m.has(m.config.PayTo) != int64(i+1)*10000 {
			t.Errorf("%s: %+v", path, b)
		}
	}
	if b := m.buy(t.Context(), server.URL+"/", 1<<20); b.status != 200 {
		t.Errorf("the list: %+v", b)
	}
}

// Each lie as its buyer sees it, and what moves on the chain.
func TestLiar(t *testing.T) {
	m := newMall(t)
	type seen struct {
		status  int // 0: no answer
		success bool
		reason  string
		moves   bool
	}
	want := map[shops.Lie]seen{
		shops.Hangs: {}, shops.HangsSettled: {moves: true}, shops.CutsSettled: {moves: true},
		shops.ErrorSettled:      {status: 500, moves: true},
		shops.NoReceiptSettled:  {status: 200, moves: true},
		shops.FailedThenSettles: {status: 402, reason: x402.ReasonUnexpectedSettleError, moves: true},
		shops.Pending:           {status: 402, reason: x402.ReasonSettlementPending},
		shops.PendingSettles:    {status: 402, reason: x402.ReasonSettlementPending, moves: true},
		shops.SettlesTwice:      {status: 200, success: true, moves: true},
		shops.SettlesMore:       {status: 200, success: true}, shops.SettlesLess: {status: 200, success: true},
		shops.FalseSuccess:    {status: 200, success: true},
		shops.OtherPayTo:      {status: 200, success: true},
		shops.PayToChanges:    {status: 402},
		shops.PriceRises:      {status: 402},
		shops.RedirectsUnpaid: {status: 302}, shops.RedirectsSettled: {status: 307, moves: true},
		shops.CookieSettled: {status: 200, success: true, moves: true},
		shops.HugeSettled:   {status: 200, success: true, moves: true},
		shops.SlowSettled:   {status: 200, success: true, moves: true},
	}
	if len(want) != len(shops.Lies) {
		t.Errorf("%d lies are told, %d known", len(shops.Lies), len(want))
	}
	had := m.has(shops.Thief)
	var all sync.WaitGroup
	for lie, expected := range want {
		all.Go(func() {
			c := m.config
			c.PayTo = x402test.NewKey(t).Address.String()
			l, err := shops.NewLiar(c, 50*time.Millisecond)
			if err != nil {
				t.Error(err)
				return
			}
			server := httptest.NewServer(l)
			ctx, leave := context.WithCancel(t.Context())
			most := int64(1 << 20)
			switch lie {
			case shops.Hangs:
				time.AfterFunc(1500*time.Millisecond, leave) // given up: what never comes
			case shops.HangsSettled:
				go m.onceMoved(ctx, c.PayTo, leave)
			case shops.SlowSettled:
				most = 1
			}
			b := m.buy(ctx, server.URL+"/"+string(lie), most)
			leave()
			moved := m.eventually(c.PayTo, expected.moves)
			l.Close()
			server.Close()
			got := seen{b.status, b.receipt.Success, b.receipt.ErrorReason, moved == 10000}
			if b.err != nil {
				got.status = 0
			}
			if got != expected || moved != 0 && moved != 10000 {
				t.Errorf("%s: %+v, want %+v; %d moved; %v", lie, got, expected, moved, b.err)
			}
			if lie == shops.CookieSettled && b.cookies != 2 || lie == shops.HugeSettled && b.bytes < 1<<20 ||
				(lie == shops.OtherPayTo) != (b.offer.PayTo == shops.Thief) {
				t.Errorf("%s: %+v", lie, b)
			}
		})
	}
	all.Wait()
	if got := m.has(shops.Thief) - had; got != 10000 {
		t.Errorf("the thief got %d", got)
	}
}

// onceMoved does something as soon as a seller has money.
func (m mall) onceMoved(ctx context.Context, seller string, do func()) {
	for m.has(seller) == 0 && ctx.Err() == nil {
		time.Sleep(10 * time.Millisecond) // between two looks
	}
	do()
}

// eventually is what a seller has, after a while where something is to come.
func (m mall) eventually(seller string, moves bool) (n int64) {
	testwait.Until(m.t, "the money moves", func() bool {
		n = m.has(seller)
		return n > 0 || !moves
	})
	return n
}
