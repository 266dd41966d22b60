// Package malltest gives tests agents with money, and the sandbox's two shops to spend it at: a platform, a chain of
// its own, and a facilitator.
package malltest

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/shops"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/x402test"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Mall is a running platform with shops.
type Mall struct {
	*apptest.App
	Client *railkit.Client
	Owner  apptest.Owner
	Shop   *httptest.Server // keeps its word: /weather costs 0.01 USDC
	Liar   *httptest.Server // a lie at each path
	PayTo  evm.Address      // of both
	Chain  *x402test.Chain

	t             testing.TB
	honest, lying http.Handler

	mu     sync.Mutex
	heard  []*http.Request
	around func(shop http.Handler, w http.ResponseWriter, r *http.Request)
}

// New starts one on a chain of its own: payments end by the clock, and a test has minutes go by.
func New(t testing.TB, options ...apptest.Option) *Mall {
	t.Helper()
	m := Build(t)
	chain := x402test.OwnChain(t, time.Hour)
	m.Open(apptest.Rig(t, append([]apptest.Option{func(c *apptest.Config) {
		c.FetchLocal = m.Places()
		c.DevnetURL, c.RPCURLs = chain.URL, map[string]string{"base": chain.Devnet.RPCURL("base")}
	}}, options...)...), chain)
	return m
}

// Build is a mall whose shops have an address and are not open yet.
func Build(t testing.TB) *Mall {
	t.Helper()
	m := &Mall{t: t, PayTo: x402test.NewKey(t).Address}
	m.Shop, m.Liar = m.serve(&m.honest), m.serve(&m.lying)
	return m
}

// Open lets a platform's agents in. What they read is not limited: a test looks for the end of a payment more often
// than the stock limit lets an agent ask in a minute.
func (m *Mall) Open(a *apptest.App, chain *x402test.Chain) {
	m.t.Helper()
	m.App, m.Chain = a, chain
	m.Edit("UPDATE workspaces SET agent_limit_standard = 100000, agent_limit_financial = 100000")
	config := shops.Config{
		Facilitator: chain.Facilitator().Client(m.t), Network: chain.Network, PayTo: m.PayTo.String(),
		Clock: clock.System{},
	}
	liar, err := shops.NewLiar(config, 2*time.Second)
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(liar.Close)
	m.lying = liar
	config.Seconds = 120 // after the chain has left the liar's 60 seconds behind, the honest shop still sells
	if m.honest, err = shops.Honest(config); err != nil {
		m.t.Fatal(err)
	}
	m.Client = a.Client()
	m.Owner = m.Fund(m.Client, "alice@example.com")
}

// Place is a shop as an agent's allowedHosts name it.
func Place(s *httptest.Server) string { return strings.TrimPrefix(s.URL, "http://") }

// Places are both shops, as a server's --fetch-local names them.
func (m *Mall) Places() string { return Place(m.Shop) + " " + Place(m.Liar) }

func (m *Mall) serve(shop *http.Handler) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		m.heard = append(m.heard, r)
		around := m.around
		m.mu.Unlock()
		if around != nil {
			around(*shop, w, r)
			return
		}
		(*shop).ServeHTTP(w, r)
	}))
	m.t.Cleanup(s.Close)
	return s
}

// Around has a test answer in a shop's place, which it may ask itself. Nil: the shops answer again.
func (m *Mall) Around(f func(shop http.Handler, w http.ResponseWriter, r *http.Request)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.around = f
}

// Before has a test answer requests in a shop's place, where it says that it did.
func (m *Mall) Before(f func(w http.ResponseWriter, r *http.Request) bool) {
	m.Around(func(shop http.Handler, w http.ResponseWriter, r *http.Request) {
		if !f(w, r) {
			shop.ServeHTTP(w, r)
		}
	})
}

// Requests are all that the shops have got.
func (m *Mall) Requests() []*http.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.heard)
}

// Heard are the values of a header in all requests to the shops, without those that lack it.
func (m *Mall) Heard(header string) (values []string) {
	for _, r := range m.Requests() {
		values = append(values, r.Header.Values(header)...)
	}
	return values
}

// Agent makes an agent with 1 USDC that may pay anybody at both shops, so much a month, and more than the threshold at
// once only with approval.
func (m *Mall) Agent(month, threshold string) *railkit.AgentChange {
	m.t.Helper()
	ctx := context.Background()
	made, err := m.Client.Agents.Create(ctx, m.Owner.Passkey, railkit.AgentRequest{
		Name: "Buyer " + rand.Text(), SubOrganizationID: m.Owner.Sub.SubOrganizationID,
		ChainID:    m.Chain.Network.ChainID,
		AgentReach: railkit.AgentReach{AnyRecipient: true, AllowedHosts: []string{Place(m.Shop), Place(m.Liar)}},
		Budget: railkit.AgentBudget{
			InfraMonthlyUSD: "1", TokensMonthlyUSD: "1", PaymentsMonthlyUSDC: railkit.Number(month),
			ApprovalThresholdUSDC: railkit.Number(threshold),
		},
	})
	if err != nil {
		m.t.Fatal(err)
	}
	wallet, err := m.Client.Agents.Wallet(ctx, made.AgentID)
	if err != nil {
		m.t.Fatal(err)
	}
	at, err := evm.ParseAddress(wallet.Address)
	if err != nil {
		m.t.Fatal(err)
	}
	m.Chain.Give(at, "USDC", "1")
	return made
}

// Sold is what the shops have been paid, in millionths of a USDC.
func (m *Mall) Sold() int64 {
	m.t.Helper()
	return m.Chain.Balance(m.PayTo)
}
