package agent_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/shops"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/malltest"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/agent"
	"github.com/railkit/railkit/x402"
)

// buyer is an agent's program at the mall, which pays up to 0.02 USDC for a request.
type buyer struct {
	*agent.Runtime
	t   *testing.T
	m   *malltest.Mall
	id  string
	net *http.Client
}

func newBuyer(t *testing.T, m *malltest.Mall, month, threshold string) buyer {
	t.Helper()
	made := m.Agent(month, threshold)
	r, err := agent.New(agent.Config{
		BaseURL: m.BaseURL, AgentID: made.AgentID, Secret: made.AgentSecret, KillPoll: time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	return buyer{r, t, m, made.AgentID, &http.Client{Transport: r.Transport(nil, agent.Limit{MaxAmount: "20000"})}}
}

// soldIs compares what the shops have been paid since.
func (b buyer) soldIs(what string, before, want int64) {
	b.t.Helper()
	apptest.Eventually(b.t, what, func() bool { return b.m.Sold()-before == want })
}

// At the honest shop a request costs its price, once, whatever is asked again; the signer's limits end it.
func TestAgents_TransportBuysAtAShop(t *testing.T) {
	t.Parallel()
	m := malltest.New(t)
	b, weather := newBuyer(t, m, "0.02", "0.02"), m.Shop.URL+"/weather"
	dying, die := context.WithCancel(railkit.WithIdempotencyKey(ctx, uuid.NewString()))
	ask := func(ctx context.Context) (*http.Response, string, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, weather, nil)
		if err != nil {
			t.Fatal(err)
		}
		return whole(b.net.Do(req))
	}
	m.Before(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get(x402.HeaderPayment) != "" { // the program dies before the shop has seen the payment
			die()
			panic(http.ErrAbortHandler)
		}
		return false
	})
	_, _, err := ask(dying)
	var unknown *agent.UnknownError
	if !errors.As(err, &unknown) || unknown.PaymentID == "" {
		t.Fatalf("it dies: %v", err)
	}
	m.Around(nil)
	res, body, err := ask(railkit.WithIdempotencyKey(ctx, unknown.Key))
	if err != nil || body != shops.Weather {
		t.Fatalf("%+v, %s, %v", res, body, err)
	}
	p, paid := agent.PaymentOf(res)
	receipt, _, err := x402.ReadReceipt(res.Header)
	if !paid || p.ID != unknown.PaymentID || p.Amount != "10000" || err != nil || !receipt.Success {
		t.Errorf("%+v, %+v, %v", p, receipt, err)
	}
	apptest.Eventually(t, "the chain tells", func() bool {
		got, err := b.Client().X402Payment(ctx, p.ID)
		return err == nil && got.State == "settled" && got.Tx == receipt.Transaction
	})
	// A shop of ours gives what it sold again to who asks alike.
	res, body, err = ask(railkit.WithIdempotencyKey(ctx, unknown.Key))
	if err != nil || body != shops.Weather {
		t.Errorf("asked again under its key: %+v, %v", res, err)
	}
	b.soldIs("asked again under its key", 0, 10_000)
	if _, body, err = whole(b.net.Get(weather)); err != nil || body != shops.Weather {
		t.Errorf("the second one: %s, %v", body, err)
	}
	_, _, err = whole(b.net.Get(weather))
	if lacks := new(agent.BudgetError); !errors.As(err, &lacks) || lacks.Layers[0].Spent != "0.02" {
		t.Errorf("beyond the month: %v", err)
	}
	b.soldIs("the month is over", 0, 20_000)

	poor := newBuyer(t, m, "1", "0.005")
	go whenOneWaits(t, m, func(id string) error {
		_, err := m.Client.Approvals.Approve(ctx, m.Owner.Passkey, id, func(*railkit.Preview) error { return nil })
		return err
	})
	if _, body, err = whole(poor.net.Get(weather)); err != nil || body != shops.Weather {
		t.Errorf("approved: %s, %v", body, err)
	}
	b.soldIs("one was approved", 0, 30_000)
	go whenOneWaits(t, m, func(string) error { _, err := m.Client.Agents.Kill(ctx, poor.id); return err })
	if _, _, err = whole(poor.net.Get(weather)); !errors.Is(err, agent.ErrKilled) {
		t.Errorf("killed: %v", err)
	}
	b.soldIs("the agent was killed", 0, 30_000)
}

// whenOneWaits has the owner decide as soon as a payment waits.
func whenOneWaits(t *testing.T, m *malltest.Mall, decide func(id string) error) {
	apptest.Eventually(t, "a payment waits", func() bool {
		page, err := m.Client.Agents.Approvals(ctx, railkit.ListOptions{}, railkit.ApprovalPending)
		return err == nil && len(page.Items) == 1 && decide(page.Items[0].ID) == nil
	})
}

// A shop that lies is paid its price once at most, and the program can tell what became of the money.
func TestAgents_TransportAtAShopThatLies(t *testing.T) {
	t.Parallel()
	m := malltest.New(t)
	b := newBuyer(t, m, "1", "1")
	for lie, want := range map[shops.Lie]struct {
		status int
		moves  int64
	}{
		// These lie again to who asks again.
		shops.CutsSettled:      {0, 10_000}, // no answer, and an error that names the payment
		shops.ErrorSettled:     {500, 10_000},
		shops.NoReceiptSettled: {200, 10_000},
		shops.Pending:          {402, 0},
		shops.FalseSuccess:     {200, 0},
		shops.PriceRises:       {402, 0},
		shops.PayToChanges:     {402, 0},
		shops.SettlesMore:      {200, 0},
	} {
		before := m.Sold()
		res, _, err := whole(b.net.Get(m.Liar.URL + "/" + string(lie)))
		var unknown *agent.UnknownError
		if cut := errors.As(err, &unknown); cut != (want.status == 0) {
			t.Errorf("%s: %+v, %v", lie, res, err)
		} else if _, paid := agent.PaymentOf(res); !cut && (err != nil || res.StatusCode != want.status || !paid) {
			t.Errorf("%s: %+v, %v", lie, res, err)
		}
		b.soldIs(string(lie), before, want.moves)
	}
	before, asked := m.Sold(), len(m.Heard(x402.HeaderPayment))
	if _, _, err := whole(b.net.Get(m.Liar.URL + "/" + string(shops.RedirectsSettled))); err == nil {
		t.Error("the redirect leads to a host that is not there")
	}
	b.soldIs("it redirects", before, 10_000)
	if n := len(m.Heard(x402.HeaderPayment)) - asked; n != 1 {
		t.Errorf("the payment was sent %d times", n)
	}
	page, err := m.Client.X402.List(ctx, b.id, railkit.ListOptions{Limit: 100})
	if err != nil || page.Meta.Total != 9 {
		t.Errorf("of nine requests there are %+v payments, %v", page, err)
	}
	m.Before(func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case r.Header.Get(x402.HeaderPayment) == "":
			ask(w, x402.V2, "10000")
		}
		return true
	})
	res, _, err := whole(b.net.Post(m.Shop.URL+"/ask", "text/plain", strings.NewReader("a question")))
	if _, paid := agent.PaymentOf(res); err != nil || res.StatusCode != http.StatusOK || !paid {
		t.Errorf("what is sold to POST alone: %+v, %v", res, err)
	}
}

// On Solana a request costs its price once too: the sponsor of the shop's facilitator pays the fee, what is asked again
// under its key is sent with the same message, and a shop that lies gets no more than it offered.
func TestAgents_TransportBuysOnSolana(t *testing.T) {
	t.Parallel()
	m, chain := malltest.Build(t), apptest.NewSolana(t)
	s := m.OnSolana(apptest.Rig(t, chain.Nodes, func(c *apptest.Config) { c.FetchLocal = m.Places() }),
		chain.URL+"/a "+chain.URL+"/b")
	made, address := s.Agent("0.05", "0.05")
	r, err := agent.New(agent.Config{
		BaseURL: m.BaseURL, AgentID: made.AgentID, Secret: made.AgentSecret, KillPoll: time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	net := &http.Client{Transport: r.Transport(nil, agent.Limit{MaxAmount: "10000", Cluster: "solana"})}
	key := railkit.WithIdempotencyKey(ctx, uuid.NewString())
	ask := func() (*http.Response, string, error) {
		req, err := http.NewRequestWithContext(key, http.MethodGet, m.Shop.URL+"/weather", nil)
		if err != nil {
			t.Fatal(err)
		}
		return whole(net.Do(req))
	}
	res, body, err := ask()
	if err != nil || body != shops.Weather {
		t.Fatalf("%+v, %s, %v", res, body, err)
	}
	p, paid := agent.PaymentOf(res)
	receipt, _, err := x402.ReadReceipt(res.Header)
	if !paid || p.Amount != "10000" || err != nil || !receipt.Success || receipt.Payer != address {
		t.Errorf("%+v, %+v, %v", p, receipt, err)
	}
	apptest.Eventually(t, "the chain tells", func() bool {
		got, err := r.Client().X402Payment(ctx, p.ID)
		return err == nil && got.State == "settled" && got.Tx == receipt.Transaction
	})
	if res, _, err = ask(); err != nil || res.StatusCode != http.StatusOK {
		t.Errorf("asked again under its key: %+v, %v", res, err)
	}
	for lie, left := range map[shops.Lie]int64{shops.PriceRises: 990_000, shops.PayToChanges: 990_000} {
		res, _, err := whole(net.Get(m.Liar.URL + "/" + string(lie)))
		if err != nil || res.StatusCode != http.StatusPaymentRequired || s.Held(address) != left {
			t.Errorf("%s: %+v, %v, %d are left", lie, res, err, s.Held(address))
		}
	}
	if headers := m.Heard(x402.HeaderPayment); len(headers) < 2 || headers[0] != headers[1] {
		t.Errorf("another message was signed for one request: %q", headers)
	}
}
