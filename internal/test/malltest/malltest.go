// Package malltest gives tests agents with money, and the sandbox's two shops to spend it at: a platform, a chain of
// its own, and a facilitator.
package malltest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
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

	t      testing.TB
	mu     sync.Mutex
	heard  []*http.Request
	before func(w http.ResponseWriter, r *http.Request) bool
}

// New starts one. Reads of its agents are not limited.
func New(t testing.TB) *Mall {
	t.Helper()
	m := &Mall{t: t, PayTo: x402test.NewKey(t).Address}
	var honest, lying http.Handler
	m.Shop, m.Liar = m.serve(&honest), m.serve(&lying)
	m.Chain = x402test.OwnChain(t, time.Hour) // payments end by the clock
	m.App = apptest.Rig(t, func(c *apptest.Config) {
		c.FetchLocal = Place(m.Shop) + " " + Place(m.Liar)
		c.DevnetURL, c.RPCURLs = m.Chain.URL, map[string]string{"base": m.Chain.Devnet.RPCURL("base")}
	})
	m.Edit("UPDATE workspaces SET agent_limit_standard = 100000, agent_limit_financial = 100000")
	config := shops.Config{
		Facilitator: m.Chain.Facilitator().Client(t), Network: m.Chain.Network, PayTo: m.PayTo,
		Clock: clock.System{}, Seconds: 120,
	}
	liar, err := shops.NewLiar(config, 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(liar.Close)
	if honest, err = shops.Honest(config); err != nil {
		t.Fatal(err)
	}
	lying = liar
	m.Client = m.App.Client()
	m.Owner = m.Fund(m.Client, "alice@example.com")
	return m
}

// Place is a shop as an agent's allowedHosts name it.
func Place(s *httptest.Server) string { return strings.TrimPrefix(s.URL, "http://") }

func (m *Mall) serve(shop *http.Handler) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		m.heard = append(m.heard, r)
		before := m.before
		m.mu.Unlock()
		if before == nil || !before(w, r) {
			(*shop).ServeHTTP(w, r)
		}
	}))
	m.t.Cleanup(s.Close)
	return s
}

// Before has a test answer requests in a shop's place, where it says that it did.
func (m *Mall) Before(f func(w http.ResponseWriter, r *http.Request) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.before = f
}

// Heard are the values of a header in all requests to the shops, without those that lack it.
func (m *Mall) Heard(header string) (values []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.heard {
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
			InfraMonthlyUSD: "1", TokensMonthlyUSD: "1", PaymentsMonthlyUSDC: json.Number(month),
			ApprovalThresholdUSDC: json.Number(threshold),
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
