package x402pay_test

import (
	"errors"
	"net/http"
	"sync"
	"testing"

	"github.com/railkit/railkit/internal/shops"
	"github.com/railkit/railkit/internal/test/testwait"
	railkit "github.com/railkit/railkit/sdk/go"
)

// meanwhile has something happen once, after an agent has asked a shop for its offer and before it has the answer.
func (m *mall) meanwhile(do func()) {
	do = sync.OnceFunc(do)
	m.Before(func(http.ResponseWriter, *http.Request) bool { do(); return false })
}

// What an owner does while the agent has an offer, and nothing is signed, holds: no shop hears of a payment, nothing
// is counted, and no row is left that somebody could go on with.
func TestAgents_X402HaltedBeforeSigning(t *testing.T) {
	t.Parallel()
	m := newMall(t)
	for name, c := range map[string]struct {
		code string
		do   func(b buyer) error
	}{
		"killed": {"agent_killed", func(b buyer) error {
			_, err := m.Client.Agents.Kill(ctx, b.id)
			return err
		}},
		"paused": {"agent_not_active", func(b buyer) error {
			_, err := m.Client.Agents.Pause(ctx, b.id)
			return err
		}},
		"less for a payment": {"budget_exhausted", func(b buyer) error {
			_, err := m.Client.Agents.SetBudget(ctx, b.id, railkit.AgentBudgetChange{
				AgentBudget: railkit.AgentBudget{PaymentsMonthlyUSDC: "0.009"},
			})
			return err
		}},
	} {
		b := m.newBuyer()
		before := len(m.Requests())
		m.meanwhile(func() {
			if err := c.do(b); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
		got, err := b.PayX402(ctx, railkit.X402Request{URL: m.Shop.URL + "/weather", MaxAmount: "10000"})
		if e := new(railkit.Error); !errors.As(err, &e) || e.Code != c.code {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		page, err := m.Client.X402.List(ctx, b.id, railkit.ListOptions{})
		asked := len(m.Requests()) - before
		if err != nil || page.Meta.Total != 0 || asked != 1 || m.Chain.Balance(b.address) != 1_000_000 {
			t.Errorf("%s: %+v, %v, the shop was asked %d times", name, page, err, asked)
		}
	}
}

// Of many purchases at once one takes up the nonce of a payment that nobody took. All others have new ones, and
// none fails because another was faster.
func TestAgents_X402OneNonceForMany(t *testing.T) {
	t.Parallel()
	m := newMall(t)
	b := m.newBuyer()
	lied, err := b.PayX402(ctx, railkit.X402Request{
		URL: m.Liar.URL + "/" + string(shops.FalseSuccess), MaxAmount: "10000",
	})
	if err != nil {
		t.Fatal(err)
	}
	m.pass(lifetime)
	testwait.Until(t, "the lie to end", func() bool {
		p, err := b.X402Payment(ctx, lied.Payment.ID)
		return err == nil && p.State == "unused"
	})
	const many = 5 // all that the month has
	var all sync.WaitGroup
	for range many {
		all.Go(func() {
			_, err := b.PayX402(ctx, railkit.X402Request{URL: m.Shop.URL + "/weather", MaxAmount: "10000"})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := b.spent(); got != "0.05 less 0" {
		t.Errorf("spent %s", got)
	}
}

// A vote that comes too late signs nothing: the agent was killed or paused meanwhile, or somebody has rejected it.
func TestAgents_X402ApprovedTooLate(t *testing.T) {
	t.Parallel()
	m := newMall(t)
	for name, late := range map[string]func(b buyer, q *railkit.QueuedError) error{
		"killed": func(b buyer, _ *railkit.QueuedError) error {
			_, err := m.Client.Agents.Kill(ctx, b.id)
			return err
		},
		"paused": func(b buyer, _ *railkit.QueuedError) error {
			_, err := m.Client.Agents.Pause(ctx, b.id)
			return err
		},
		"rejected": func(_ buyer, q *railkit.QueuedError) error {
			_, err := m.Client.Approvals.Reject(ctx, q.ApprovalID, "no")
			return err
		},
	} {
		b := m.newBuyerOf("0.05", "0.009")
		_, err := b.PayX402(ctx, railkit.X402Request{URL: m.Shop.URL + "/weather", MaxAmount: "10000"})
		q := new(railkit.QueuedError)
		if !errors.As(err, &q) {
			t.Fatalf("%s: %v", name, err)
		}
		if err := late(b, q); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		// Of an agent that is only paused the vote counts, and the signer still signs nothing.
		seen := func(*railkit.Preview) error { return nil }
		_, _ = m.Client.Approvals.Approve(ctx, m.Owner.Passkey, q.ApprovalID, seen)
		got, err := b.PayX402(ctx, railkit.X402Request{PaymentID: q.PaymentID})
		if err == nil || m.Chain.Balance(b.address) != 1_000_000 {
			t.Errorf("%s: %+v, %v, and the wallet has %d", name, got, err, m.Chain.Balance(b.address))
		}
		switch p, err := m.Client.X402.Get(ctx, b.id, q.PaymentID); {
		case errors.As(err, new(*railkit.Error)): // it is forgotten
		case err != nil || p.State != "prepared":
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
}
