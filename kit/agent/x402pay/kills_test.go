package x402pay_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/malltest"
	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/internal/test/x402test"
	railkit "github.com/railkit/railkit/sdk/go"
)

// death is a moment of a purchase at which a process ends itself: crash point and how often it passes that one first.
type death struct {
	part, point string
	n           int
}

// commits are the points before and after a transaction is on disk.
func commits(what string) []string { return []string{what + ".before-commit", what + ".after-commit"} }

// around are the points before and after a call of the signer.
func around(method string) []string { return []string{method + ".before-call", method + ".after-call"} }

// dying are the deaths at points of the server, and at those of the signer that each signature passes.
func dying(server ...[]string) (all []death) {
	for _, point := range slices.Concat(server...) {
		all = append(all, death{apptest.Server, point, 1})
	}
	for _, point := range []string{
		"enclave.decided", "enclave.appended", "journal.written", "journal.synced", "journal.headed",
		"enclave.durable", "enclave.signed",
	} {
		all = append(all, death{apptest.Enclave, point, 1})
	}
	return all
}

// deaths are those of one purchase: around each of its four transactions, and around the signature.
func deaths() []death {
	return dying(commits("x402_payment.prepared"), around("Submit"),
		commits("x402_payment.signed"), commits("agent.x402.settled"), commits("payX402"),
		[]string{"payX402.before-response"})
}

// A purchase whose server or signer dies at any moment, and which is asked for again under its key until there is an
// answer, moves its price once and is counted once. The moments at which the seller is at work are the seller's to
// choose: it kills the server when it is asked for its offers, when it gets the payment, and when it was paid.
func TestAgents_X402Kills(t *testing.T) {
	t.Parallel()
	shops := malltest.Build(t)
	p := apptest.NewProcesses(t, testenv.TestEngine(t), "RAILKIT_FETCH_LOCAL="+shops.Places())
	shops.Open(p.App, x402test.ChainAt(t, p.DevnetURL))
	m := &mall{shops, t}
	b := m.newBuyerOf("1", "1")
	bought := killed(t, p, shops, b.AgentClient)
	settled := ofThem(t, shops, b.id, "settled")
	noHoldIsLeft(t, p)
	took, left := m.Chain.Balance(m.PayTo), m.Chain.Balance(b.address)
	want := fmt.Sprintf("%.2f less 0", float64(bought)/100)
	if settled != bought || took != int64(bought)*10_000 || left != 1_000_000-took || b.spent() != want {
		t.Errorf("%d purchases: %d settled, the seller has %d, the wallet %d, spent %s", bought, settled, took, left,
			b.spent())
	}
}

// Their form on Solana: a purchase is one message, whatever dies and whatever blockhash comes after it.
func TestAgents_X402KillsOnSolana(t *testing.T) {
	t.Parallel()
	m := malltest.Build(t)
	p := apptest.NewProcesses(t, testenv.TestEngine(t), "RAILKIT_FETCH_LOCAL="+m.Places())
	s := m.OnSolana(p.App, p.Devnet.RPCURL("solana"))
	b := newSolBuyer(t, s, "1", "1")
	bought := killed(t, p, m, b.AgentClient)
	noHoldIsLeft(t, p)
	settled, took, left := ofThem(t, m, b.id, "settled"), s.Held(s.Seller)-1_000_000, s.Held(b.address)
	budget, err := b.Budget(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if spent := budget.Layers.Payments.Spent.String(); settled != bought || took != int64(bought)*10_000 ||
		left != 1_000_000-took || spent != fmt.Sprintf("%.2f", float64(bought)/100) {
		t.Errorf("%d purchases: %d settled, the seller has %d, the wallet %d, spent %s", bought, settled, took, left,
			spent)
	}
}

// killed buys at the honest shop, and each time a process dies at another moment. The last moments are the seller's.
func killed(t *testing.T, p *apptest.Processes, m *malltest.Mall, agent *railkit.AgentClient) (bought int) {
	t.Helper()
	for _, d := range testenv.Sample(t, deaths(), 4) {
		p.ArmAt(d.part, d.point, d.n)
		insists(t, agent, m, fmt.Sprintf("%+v", d))
		testwait.Until(t, fmt.Sprintf("%+v", d), func() bool { return p.Died(d.part, d.point) })
		bought++
	}
	pays := func(r *http.Request) bool { return r.Header.Get("Payment-Signature") != "" }
	for _, moment := range []string{"asked", "paid", "settled"} {
		kill := sync.OnceFunc(func() { p.Kill(apptest.Server) })
		m.Around(func(shop http.Handler, w http.ResponseWriter, r *http.Request) {
			if moment == "asked" || moment == "paid" && pays(r) {
				kill()
			}
			shop.ServeHTTP(w, r) // the buyer hears of it once this function is over
			if moment == "settled" && pays(r) {
				kill()
			}
		})
		insists(t, agent, m, moment)
		m.Around(nil)
		bought++
	}
	return bought
}

// noHoldIsLeft fails where a payment has no hold of the budget, where one that was signed is not captured, and where a
// hold stays after the time that a call may take.
func noHoldIsLeft(t *testing.T, p *apptest.Processes) {
	t.Helper()
	record := p.Record()
	defer record.Close()
	count := func(query string) (n int) {
		t.Helper()
		if err := record.Reader().QueryRowContext(ctx, query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count("SELECT COUNT(*) FROM x402_payments p LEFT JOIN agent_holds h ON h.workspace_id = p.workspace_id " +
		"AND h.id = p.id WHERE h.id IS NULL OR p.state <> 'prepared' AND h.state <> 'captured'"); n != 0 {
		t.Errorf("the price of %d calls is not captured with what they did", n)
	}
	p.Edit("UPDATE agent_holds SET created_at = created_at - 600000000")
	testwait.Until(t, "the holds of tries that were cut off to end", func() bool {
		return count("SELECT COUNT(*) FROM agent_holds WHERE state = 'held'") == 0
	})
}

// ofThem counts an agent's payments of a state. A body whose try was cut off before the signer heard of it is cancelled
// there, and its row waits for the sweeper.
func ofThem(t *testing.T, m *malltest.Mall, agentID, state string) (n int) {
	t.Helper()
	page, err := m.Client.X402.List(ctx, agentID, railkit.ListOptions{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range page.Items {
		switch p.State {
		case state:
			n++
		case "prepared":
		default:
			t.Errorf("%+v", p)
		}
	}
	return n
}

// insists buys once: under one key until there is an answer, and then until the chain has told of the payment.
func insists(t *testing.T, b *railkit.AgentClient, m *malltest.Mall, what string) {
	t.Helper()
	key := railkit.WithIdempotencyKey(ctx, uuid.NewString())
	for deadline := time.Now().Add(testwait.Bound); ; time.Sleep(50 * time.Millisecond) { // between two tries
		got, err := b.PayX402(key, railkit.X402Request{URL: m.Shop.URL + "/weather", MaxAmount: "10000"})
		var e *railkit.Error
		switch {
		case err == nil && got.Payment != nil:
			testwait.Until(t, what, func() bool {
				p, err := b.X402Payment(ctx, got.Payment.ID)
				return err == nil && p.State == "settled"
			})
			return
		case err == nil, time.Now().After(deadline),
			errors.As(err, &e) && e.Status < http.StatusInternalServerError && e.Status != http.StatusConflict:
			t.Fatalf("%s: %+v, %v", what, got, err)
		}
	}
}
