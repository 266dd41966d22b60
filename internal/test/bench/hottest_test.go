package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/internal/test/testwait"
	railkit "github.com/railkit/railkit/sdk/go"
)

// hot is a call that is measured, and how often in a round.
type hot struct {
	name  string
	per   int
	calls func(g *grown, n int) ([]call, error)
	reads bool // they change nothing, and can be made twice
}

// followed and hottest are the calls that a busy workspace's programs make most. The server follows what those of the
// first list sent: what is measured next waits until it is done with that.
var followed = []hot{
	{"confirm", 20, func(g *grown, n int) ([]call, error) { return g.sends(n) }, false}, // signed and sent
	{"an agent's payment", 20, (*grown).payments, false},                                // its call is held and counted
}

var hottest = []hot{
	{"prepare", 30, (*grown).prepares, false}, // each payment of a wallet begins so
	read("read transaction", 100, func(g *grown) string { // what came of it, asked until it is at an end
		return "/v1/transactions/sign/" + copyID(g.copy())
	}),
	read("list a wallet's transactions", 100, func(g *grown) string { // each look at a wallet
		return "/v1/signing/wallets/" + g.group() + "/transactions"
	}),
	read("read wallet", 100, func(g *grown) string { return "/v1/signing/wallets/" + g.group() }), // the same
	read("events after a number", 100, func(g *grown) string { // programs that wait ask again and again
		return fmt.Sprint("/v1/events?after=", afterModels+rand.N(g.size))
	}),
	{"quote and execute", 30, (*grown).newOrders, false}, // each payout begins so
	read("order by id", 100, func(g *grown) string { // what came of it
		return "/v1/orders/" + copyID(g.copy())
	}),
	read("order by reference", 100, func(g *grown) string { // as people and banks name it
		return "/v1/orders/" + copyReference(g.copy())
	}),
}

// lists are pages that people read.
var lists = []hot{
	read("orders, first page", 50, func(*grown) string { return ordersBy() }),
	read("orders, of a status", 50, func(*grown) string { return ordersBy("status", "completed") }),
	read("orders, of a rare status", 50, func(*grown) string { return ordersBy("status", "in_review") }),
	read("orders, of a recipient", 50, func(g *grown) string { return ordersBy("recipientId", g.group()) }),
	read("orders, of an account and a status", 50, func(g *grown) string {
		return ordersBy("beneficiary_account_id", g.group(), "status", "completed")
	}),
	read("orders, a cursor's page", 50, func(g *grown) string {
		n := 1 + g.size/2
		return ordersBy("cursor", edge.EncodeCursor(g.madeAt(n), copyID(n)))
	}),
}

// read is of calls that read, each something else.
func read(name string, per int, path func(g *grown) string) hot {
	return hot{name, per, func(g *grown, n int) ([]call, error) {
		return many(n, func(int) (call, error) {
			at := g.url() + path(g)
			return func() error { return g.finds(at) }, nil
		})
	}, true}
}

// finds wants something in the answer: a list that finds nothing is faster than one that does.
func (g *grown) finds(at string) error {
	raw, err := answer(http.MethodGet, at, g.keys.BenchKey, nil, nil, http.StatusOK)
	if err != nil {
		return err
	}
	var told struct{ Data json.RawMessage }
	if err := json.Unmarshal(raw, &told); err != nil || len(told.Data) < len(`[{"id":""}]`) {
		return fmt.Errorf("%s: %s, %w", at, raw, err)
	}
	return nil
}

func ordersBy(filter ...string) string {
	q := url.Values{"limit": {"50"}}
	for i := 0; i < len(filter); i += 2 {
		q.Set(filter[i], filter[i+1])
	}
	return "/v1/orders?" + q.Encode()
}

func (g *grown) prepares(n int) ([]call, error) {
	usdc, _ := base().TokenBySymbol("USDC")
	no := false
	return many(n, func(int) (call, error) {
		return g.confirm("/v1/transactions/prepare", railkit.PrepareTransactionRequest{
			Type: railkit.TransferToken, PayAgain: true, SignWith: g.turn().wallet.Addresses[0].Address,
			ChainID: base().ChainID, To: receiver, Amount: "0.01", TokenAddress: usdc.Address, Broadcast: &no,
		}, http.StatusOK)
	})
}

func (g *grown) newOrders(n int) ([]call, error) { return g.orders(g.spread)(n) }

// payments are by an agent, which signs each request as it is made: its clock is in the signature.
func (g *grown) payments(n int) ([]call, error) {
	if g.payer == nil {
		var err error
		g.payer, err = railkit.NewAgentClient(railkit.AgentConfig{
			BaseURL: g.url(), AgentID: g.agent.AgentID, Secret: g.agent.AgentSecret, HTTPClient: caller,
			Retry: railkit.Retry{Attempts: 1},
		})
		if err != nil {
			return nil, err
		}
	}
	return many(n, func(int) (call, error) {
		amount := railkit.SmallestUnits(fmt.Sprint(10_000 + g.next.Add(1))) // equal requests have equal signatures
		return func() error {
			_, err := g.payer.Pay(context.Background(), railkit.AgentPayment{
				ActionType: "payment", Amount: amount, Destination: receiver, TokenMint: "USDC", Cluster: "base",
			})
			return err
		}, nil
	})
}

// settled waits until the server is done with all that it sent.
func (g *grown) settled() {
	g.tb.Helper()
	db := g.open()
	defer db.Close()
	testwait.Until(g.tb, "the server is done with what it sent", func() bool {
		var n int
		must(g.tb, db.QueryRow("SELECT COUNT(*) FROM transactions WHERE state = 'broadcast'").Scan(&n))
		return n == 0
	})
}
