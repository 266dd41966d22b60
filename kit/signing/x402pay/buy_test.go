package x402pay_test

import (
	"errors"
	"net/http"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/shops"
	railkit "github.com/railkit/railkit/sdk/go"
)

// An agent buys for 0.01 USDC what costs so much, gets what is free, and is told what is wrong.
func TestAgents_X402Buys(t *testing.T) {
	m := newMall(t)
	b := m.newBuyer("Buyer")
	free, err := b.PayX402(ctx, railkit.X402Request{URL: m.shop.URL + "/", MaxAmount: "10000"})
	if err != nil || free.Status != http.StatusOK || free.Payment != nil {
		t.Fatalf("%+v, %v", free, err)
	}
	bought, err := b.PayX402(ctx, railkit.X402Request{URL: m.shop.URL + "/weather", MaxAmount: "10000"})
	if err != nil {
		t.Fatal(err)
	}
	p := bought.Payment
	if bought.Status != http.StatusOK || bought.Body != shops.Weather || p == nil || p.State != "settled" || p.Tx == "" ||
		p.Amount != "10000" || !p.Delivered || m.chain.Balance(m.payTo) != 10000 {
		t.Fatalf("%+v, %+v, and the seller has %d", bought, p, m.chain.Balance(m.payTo))
	}
	if got := b.spent(); got != "0.01 less 0" {
		t.Errorf("spent %s", got)
	}
	if got, err := b.X402Payment(ctx, p.ID); err != nil || *got != *p && got.Tx != p.Tx {
		t.Errorf("%+v, %v", got, err)
	}
	page, err := m.c.Agents.X402Payments(ctx, b.id, railkit.ListOptions{})
	if err != nil || page.Meta.Total != 1 || page.Items[0].ID != p.ID {
		t.Errorf("%+v, %v", page, err)
	}
	_, err = b.PayX402(ctx, railkit.X402Request{URL: m.shop.URL + "/weather", MaxAmount: "9999"})
	if e := new(railkit.Error); !errors.As(err, &e) || e.Code != "x402_no_offer" {
		t.Errorf("too little: %v", err)
	}
	_, err = b.PayX402(ctx, railkit.X402Request{URL: "https://elsewhere.example/", MaxAmount: "10000"})
	if e := new(railkit.Error); !errors.As(err, &e) || e.Code != "agent_host_not_allowed" {
		t.Errorf("another host: %v", err)
	}
	for _, h := range m.heard { // no shop hears anything by which the platform knows its callers
		for name := range h {
			if name == "X-Agent-Id" || name == "X-Agent-Auth" || name == "Authorization" || name == "Cookie" {
				t.Errorf("a shop heard %s", name)
			}
		}
	}
}

// Under one Idempotency-Key, however often and at once, there is one payment.
func TestAgents_X402OncePerKey(t *testing.T) {
	m := newMall(t)
	b := m.newBuyer("Buyer")
	key := uuid.NewString()
	var all sync.WaitGroup
	answers := make(chan string, 50)
	for range 50 {
		all.Go(func() {
			got, err := b.PayX402(railkit.WithIdempotencyKey(ctx, key),
				railkit.X402Request{URL: m.shop.URL + "/weather", MaxAmount: "10000"})
			if err == nil {
				answers <- got.Payment.ID
			}
		})
	}
	all.Wait()
	close(answers)
	ids := map[string]bool{}
	for id := range answers {
		ids[id] = true
	}
	if len(ids) != 1 || m.chain.Balance(m.payTo) != 10000 {
		t.Errorf("%d payments, and the seller has %d", len(ids), m.chain.Balance(m.payTo))
	}
	if got := b.spent(); got != "0.01 less 0" {
		t.Errorf("spent %s", got)
	}
}
