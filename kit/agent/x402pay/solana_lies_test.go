package x402pay_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/shops"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/malltest"
	"github.com/railkit/railkit/internal/test/testwait"
	railkit "github.com/railkit/railkit/sdk/go"
)

// solBuyer is an agent with money on Solana, and its own client.
type solBuyer struct {
	*railkit.AgentClient
	s           *malltest.Street
	id, address string
}

func newSolBuyer(t testing.TB, s *malltest.Street, month, threshold string) solBuyer {
	t.Helper()
	made, address := s.Agent(month, threshold)
	client, err := railkit.NewAgentClient(railkit.AgentConfig{
		BaseURL: s.BaseURL, AgentID: made.AgentID, Secret: made.AgentSecret, HTTPSignatures: true,
		HTTPClient: &http.Client{Timeout: time.Minute},
	})
	if err != nil {
		t.Fatal(err)
	}
	return solBuyer{client, s, made.AgentID, address}
}

// Whatever a shop on Solana says or does, no agent has paid twice, more than was offered, or somebody who was not named
// in what it signed; and in the end each payment is what the chain says.
func TestAgents_X402LiarsOnSolana(t *testing.T) {
	t.Parallel()
	m := malltest.Build(t)
	chain := apptest.NewSolana(t)
	s := m.OnSolana(apptest.Rig(t, chain.Nodes, func(c *apptest.Config) { c.FetchLocal = m.Places() }),
		chain.URL+"/a "+chain.URL+"/b")
	buyers, answers := map[shops.Lie]solBuyer{}, map[shops.Lie]*railkit.X402Answer{}
	for lie := range shops.Lies {
		buyers[lie] = newSolBuyer(t, s, "0.05", "0.03")
	}
	var all sync.WaitGroup
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
			return !moves[lie] || s.Held(b.address) == 990_000
		})
	}
	s.Ask(nil, "dev_mine", 200) // nothing that was signed can land now
	paid := int64(0)
	for lie, b := range buyers {
		if lie == shops.RedirectsUnpaid { // an answer as any other: nobody is paid where it leads
			if got := answers[lie]; got == nil || got.Status != http.StatusFound || got.Payment != nil {
				t.Errorf("%s: %+v", lie, got)
			}
			continue
		}
		b.ended(t, lie, answers[lie])
		if moves[lie] {
			paid += 10_000
		}
	}
	if seller, thief := s.Held(s.Seller), s.Held(s.Thief); seller != 1_000_000+paid-10_000 || thief != 1_010_000 {
		t.Errorf("the seller has %d and the thief %d, of %d", seller, thief, paid)
	}
	b := buyers[shops.FalseSuccess]
	got, err := b.PayX402(ctx, railkit.X402Request{URL: m.Shop.URL + "/weather", MaxAmount: "10000"})
	if err != nil || got.Payment.State != "settled" || got.Body != shops.Weather || s.Held(b.address) != 990_000 {
		t.Errorf("after a lie: %+v, %v", got, err)
	}
}

// ended waits until the chain has told how a payment ended, and compares it with the money.
func (b solBuyer) ended(t *testing.T, lie shops.Lie, answer *railkit.X402Answer) {
	t.Helper()
	if answer == nil || answer.Payment == nil {
		t.Errorf("%s: nothing was signed: %+v", lie, answer)
		return
	}
	var p *railkit.X402Payment
	testwait.Until(t, string(lie), func() bool {
		var err error
		p, err = b.X402Payment(ctx, answer.Payment.ID)
		return err == nil && p.State != "signed"
	})
	want, state := int64(0), "unused"
	if moves[lie] {
		want, state = 10_000, "settled"
	}
	payee := b.s.Seller
	if lie == shops.OtherPayTo {
		payee = b.s.Thief
	}
	if left := 1_000_000 - b.s.Held(b.address); left != want || p.State != state || p.PayTo != payee ||
		p.Amount != "10000" {
		t.Errorf("%s: %d left the wallet, %+v", lie, left, p)
	}
}
