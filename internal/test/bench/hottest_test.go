package bench

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"github.com/railkit/railkit/api/edge"
	railkit "github.com/railkit/railkit/sdk/go"
)

// hot is a call that is measured, and how often in a round.
type hot struct {
	name  string
	per   int
	calls func(g *grown, n int) ([]call, error)
}

// hottest are the calls that a busy workspace's programs make most.
var hottest = []hot{
	{"prepare", 30, (*grown).prepares}, // each payment of a wallet begins so
	{"read transaction", 100, reading(func(g *grown) string { // what came of it, asked until it is at an end
		return "/v1/transactions/sign/" + copyID(g.copy())
	})},
	{"list a wallet's transactions", 100, reading(func(g *grown) string { // each look at a wallet
		return "/v1/signing/wallets/" + g.group() + "/transactions"
	})},
	{"read wallet", 100, reading(func(g *grown) string { return "/v1/signing/wallets/" + g.group() })}, // the same
	{"events after a number", 100, reading(func(g *grown) string { // programs that wait ask again and again
		return fmt.Sprint("/v1/events?after=", afterModels+rand.N(g.size))
	})},
	{"quote and execute", 30, (*grown).newOrders}, // each payout begins so
	{"order by id", 100, reading(func(g *grown) string { // what came of it
		return "/v1/orders/" + copyID(g.copy())
	})},
	{"order by reference", 100, reading(func(g *grown) string { // as people and banks name it
		return "/v1/orders/" + copyReference(g.copy())
	})},
	{"an agent's call, held and counted", 50, (*grown).admissions}, // each call of an agent that does work
	// Each payment is signed and sent so. It comes last: the server then follows what it sent.
	{"confirm", 20, func(g *grown, n int) ([]call, error) { return g.sends(n) }},
}

// lists are pages that people read.
var lists = []hot{
	{"orders, first page", 50, reading(func(*grown) string { return ordersBy() })},
	{"orders, of a status", 50, reading(func(*grown) string { return ordersBy("status", "completed") })},
	{"orders, of a rare status", 50, reading(func(*grown) string { return ordersBy("status", "in_review") })},
	{"orders, of a recipient", 50, reading(func(g *grown) string { return ordersBy("recipientId", g.group()) })},
	{"orders, of an account and a status", 50, reading(func(g *grown) string {
		return ordersBy("beneficiary_account_id", g.group(), "status", "completed")
	})},
	{"orders, a cursor's page", 50, reading(func(g *grown) string {
		n := 1 + g.size/2
		return ordersBy("cursor", edge.EncodeCursor(g.madeAt(n), copyID(n)))
	})},
}

// reading is reads, each of something else.
func reading(path func(g *grown) string) func(*grown, int) ([]call, error) {
	return func(g *grown, n int) ([]call, error) {
		return many(n, func(int) (call, error) {
			at := g.url() + path(g)
			return func() error { return g.finds(at) }, nil
		})
	}
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

func (g *grown) admissions(n int) ([]call, error) {
	return many(n, func(int) (call, error) {
		return func() error { return g.admitted(g.group(), uuid.NewString()) }, nil
	})
}
