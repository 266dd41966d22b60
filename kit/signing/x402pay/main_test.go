package x402pay_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/shops"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/errtest"
	"github.com/railkit/railkit/internal/test/x402test"
	railkit "github.com/railkit/railkit/sdk/go"
)

func TestMain(m *testing.M) { os.Exit(errtest.Run(m, "kit/signing/x402pay")) }

var ctx = context.Background()

// mall is a platform, a chain, a facilitator and the two shops.
type mall struct {
	*apptest.App
	t     testing.TB
	c     *railkit.Client
	chain *x402test.Chain
	owner apptest.Owner
	shop  *httptest.Server // the honest one
	liar  *httptest.Server
	payTo evm.Address

	honest, lying http.Handler
	facilitator   *x402test.Facilitator

	mu    sync.Mutex
	heard []http.Header // by either shop

	special http.Handler          // that a test has in the place of both shops
	busy    time.Duration         // of either shop
	asked   func(r *http.Request) // what happens before a shop answers
	sold    func(r *http.Request) // and before the buyer hears of it
}

// newMall is one on a chain of its own: a test has minutes go by.
func newMall(t testing.TB, options ...apptest.Option) *mall {
	t.Helper()
	m := built(t)
	m.chain = x402test.OwnChain(t, time.Hour)
	m.App = apptest.Rig(t, append([]apptest.Option{func(c *apptest.Config) {
		c.FetchLocal = m.places()
		c.DevnetURL, c.RPCURLs = m.chain.URL, map[string]string{"base": m.chain.Devnet.RPCURL("base")}
	}}, options...)...)
	m.open()
	return m
}

// built is a mall whose shops are still closed.
func built(t testing.TB) *mall {
	t.Helper()
	m := &mall{t: t, payTo: x402test.NewKey(t).Address}
	m.shop = m.serve(&m.honest)
	m.liar = m.serve(&m.lying)
	return m
}

// open lets a platform's customers in.
func (m *mall) open() {
	m.t.Helper()
	// A test looks for the end of a payment more often than the stock limit lets an agent ask in a minute.
	m.Edit("UPDATE workspaces SET agent_limit_standard = 100000, agent_limit_financial = 100000")
	m.facilitator = m.chain.Facilitator()
	config := shops.Config{
		Facilitator: m.facilitator.Client(m.t), Network: m.chain.Network, PayTo: m.payTo, Clock: clock.System{},
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
	m.c = m.Client()
	m.owner = m.Fund(m.c, "alice@example.com")
}

// serve serves a shop that is made later, and keeps what it is asked.
func (m *mall) serve(shop *http.Handler) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		m.heard = append(m.heard, r.Header.Clone())
		asked, sold := m.asked, m.sold
		m.mu.Unlock()
		if asked != nil {
			asked(r)
		}
		began := time.Now()
		if m.special != nil {
			m.special.ServeHTTP(w, r)
			return
		}
		(*shop).ServeHTTP(w, r)
		if sold != nil {
			sold(r)
		}
		m.mu.Lock()
		m.busy += time.Since(began)
		m.mu.Unlock()
	}))
	m.t.Cleanup(s.Close)
	return s
}

func (m *mall) places() string { return place(m.shop) + " " + place(m.liar) }

func place(s *httptest.Server) string { return strings.TrimPrefix(s.URL, "http://") }

// buyer is an agent with money, and its own client.
type buyer struct {
	*railkit.AgentClient
	m       *mall
	id      string
	secret  string
	address evm.Address
}

// newBuyer makes an agent that may pay anybody at the two shops: 0.05 USDC a month, and above 0.03 with approval.
func (m *mall) newBuyer(name string) buyer {
	m.t.Helper()
	return m.newBuyerOf(name, "0.05", "0.03")
}

func (m *mall) newBuyerOf(name, month, threshold string) buyer {
	m.t.Helper()
	made, err := m.c.Agents.Create(ctx, m.owner.Passkey, railkit.AgentRequest{
		Name: name, SubOrganizationID: m.owner.Sub.SubOrganizationID, ChainID: 84532,
		AgentReach: railkit.AgentReach{AnyRecipient: true, AllowedHosts: []string{place(m.shop), place(m.liar)}},
		Budget: railkit.AgentBudget{
			InfraMonthlyUSD: "1", TokensMonthlyUSD: "1", PaymentsMonthlyUSDC: json.Number(month),
			ApprovalThresholdUSDC: json.Number(threshold),
		},
	})
	if err != nil {
		m.t.Fatal(err)
	}
	got, err := m.c.Agents.Get(ctx, made.AgentID)
	if err != nil {
		m.t.Fatal(err)
	}
	b := buyer{m: m, id: made.AgentID, secret: made.AgentSecret}
	if b.address, err = evm.ParseAddress(got.WalletAddress); err != nil {
		m.t.Fatal(err)
	}
	m.chain.Give(b.address, "USDC", "1")
	return b.at(m.BaseURL)
}

// at is the agent's program at a server.
func (b buyer) at(baseURL string) buyer {
	b.m.t.Helper()
	var err error
	if b.AgentClient, err = railkit.NewAgentClient(railkit.AgentConfig{
		BaseURL: baseURL, AgentID: b.id, Secret: b.secret,
		HTTPClient: &http.Client{Timeout: time.Minute}, HTTPSignatures: true,
	}); err != nil {
		b.m.t.Fatal(err)
	}
	return b
}

// spent are micro-USDC of the agent's budget: what the signer counts, less what it takes nothing more for.
func (b buyer) spent() string {
	b.m.t.Helper()
	s, err := b.Budget(ctx)
	if err != nil {
		b.m.t.Fatal(err)
	}
	return s.Layers.Payments.Spent.String() + " less " + s.Layers.Payments.Unused.String()
}
