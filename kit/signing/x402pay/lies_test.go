package x402pay_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/internal/shops"
	"github.com/railkit/railkit/internal/test/testwait"
	railkit "github.com/railkit/railkit/sdk/go"
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
