package x402pay_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/internal/shops"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/rest"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/x402"
)

// moves are the lies of which the money moves; of all others it stays.
var moves = map[shops.Lie]bool{
	shops.HangsSettled: true, shops.CutsSettled: true, shops.ErrorSettled: true, shops.NoReceiptSettled: true,
	shops.FailedThenSettles: true, shops.PendingSettles: true, shops.SettlesTwice: true, shops.RedirectsSettled: true,
	shops.CookieSettled: true, shops.HugeSettled: true, shops.SlowSettled: true, shops.OtherPayTo: true,
}

// Whatever a shop says or does, in the end the budget is what the chain says, and no agent has paid twice.
func TestAgents_X402Liars(t *testing.T) {
	t.Parallel()
	m := newMall(t)
	var all sync.WaitGroup
	buyers := map[shops.Lie]buyer{}
	for lie := range shops.Lies {
		buyers[lie] = m.newBuyer()
	}
	answers := map[shops.Lie]*railkit.X402Answer{}
	var mu sync.Mutex
	for lie, b := range buyers {
		all.Go(func() {
			got, err := b.PayX402(ctx, railkit.X402Request{URL: m.Liar.URL + "/" + string(lie), MaxAmount: "10000"})
			if err != nil {
				t.Errorf("%s: %v", lie, err)
			}
			mu.Lock()
			answers[lie] = got
			mu.Unlock()
		})
	}
	all.Wait()
	for lie, b := range buyers {
		testwait.Until(t, string(lie)+": what is settled later, is", func() bool {
			return !moves[lie] || m.Chain.Balance(b.address) == 990_000
		})
	}
	m.pass(lifetime)
	for lie, b := range buyers {
		if lie == shops.RedirectsUnpaid { // an answer as any other: nobody is paid where it leads
			if got := answers[lie]; got == nil || got.Status != http.StatusFound || got.Payment != nil {
				t.Errorf("%s: %+v", lie, got)
			}
			continue
		}
		m.ended(b, lie, answers[lie])
	}
	// What was never taken is no loss to the budget, also where two payments want it at once.
	b := buyers[shops.FalseSuccess]
	for range 2 {
		all.Go(func() {
			got, err := b.PayX402(ctx, railkit.X402Request{URL: m.Shop.URL + "/weather", MaxAmount: "10000"})
			if err != nil || got.Payment.State != "settled" {
				t.Errorf("after a lie: %+v, %v", got, err)
			}
		})
	}
	all.Wait()
	if got := b.spent(); got != "0.02 less 0" {
		t.Errorf("after a lie: spent %s", got)
	}
}

// A seller that takes the money and answers when the chain has told of it delivers all the same: until it answers the
// payment is neither delivered nor undelivered, and the record never says that it was not.
func TestAgents_X402SlowSeller(t *testing.T) {
	t.Parallel()
	m := newMall(t)
	b := m.newBuyer()
	only := func() rest.X402Payment {
		page, err := m.Client.X402.List(ctx, b.id, railkit.ListOptions{})
		if err != nil || len(page.Items) != 1 {
			return rest.X402Payment{}
		}
		return page.Items[0]
	}
	m.Around(func(shop http.Handler, w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		shop.ServeHTTP(answer, r)
		if r.Header.Get(x402.HeaderPayment) != "" {
			testwait.Until(t, "the chain to tell", func() bool { return only().State == "settled" })
			if p := only(); p.Delivery != "pending" || p.Delivered {
				t.Errorf("before the seller's answer: %+v", p)
			}
		}
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
	got, err := b.PayX402(ctx, railkit.X402Request{URL: m.Shop.URL + "/weather", MaxAmount: "10000"})
	if err != nil || got.Status != http.StatusOK || got.Payment.Delivery != "delivered" ||
		only().Delivery != "delivered" {
		t.Errorf("%+v, %+v, %v", got, only(), err)
	}
	told, err := m.Client.Agents.Audit(ctx, b.id, railkit.AgentAuditOptions{})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, e := range told.Items {
		seen[e.Action]++
	}
	if seen["agent.x402.undelivered"] != 0 || seen["agent.x402.settled"] != 1 {
		t.Errorf("the record tells %v", seen)
	}
}

// pass has blocks go by until the chain is so much later.
func (m *mall) pass(d time.Duration) {
	m.t.Helper()
	for end := m.Chain.Now().Add(d); m.Chain.Now().Before(end); {
		m.Chain.Give(evm.Address{19: 0x77}, "native", "0.0001")
	}
}

// ended waits until the chain has told how a payment ended, and compares it with the money.
func (m *mall) ended(b buyer, lie shops.Lie, answer *railkit.X402Answer) {
	m.t.Helper()
	if answer == nil || answer.Payment == nil {
		m.t.Errorf("%s: nothing was signed: %+v", lie, answer)
		return
	}
	var p *railkit.X402Payment
	testwait.Until(m.t, string(lie), func() bool {
		var err error
		p, err = b.X402Payment(ctx, answer.Payment.ID)
		return err == nil && p.State != "signed"
	})
	left := 1_000_000 - m.Chain.Balance(b.address)
	want, state, spent := int64(0), "unused", "0.01 less 0.01"
	if moves[lie] {
		want, state, spent = 10_000, "settled", "0.01 less 0"
	}
	if left != want || p.State != state || b.spent() != spent {
		m.t.Errorf("%s: %d left the wallet, %+v, spent %s", lie, left, p, b.spent())
	}
}
