package x402pay_test

import (
	"context"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/errtest"
	"github.com/railkit/railkit/internal/test/malltest"
	railkit "github.com/railkit/railkit/sdk/go"
)

func TestMain(m *testing.M) { os.Exit(errtest.Run(m.Run, "kit/agent/x402pay")) }

var ctx = context.Background()

// mall is a platform with the two shops.
type mall struct {
	*malltest.Mall
	t testing.TB
}

func newMall(t testing.TB, options ...apptest.Option) *mall {
	t.Helper()
	return &mall{malltest.New(t, options...), t}
}

// buyer is an agent with money, and its own client.
type buyer struct {
	*railkit.AgentClient
	m       *mall
	id      string
	secret  string
	address evm.Address
}

// newBuyer makes an agent that may pay anybody at the two shops: 0.05 USDC a month, and above 0.03 with approval.
func (m *mall) newBuyer() buyer {
	m.t.Helper()
	return m.newBuyerOf("0.05", "0.03")
}

func (m *mall) newBuyerOf(month, threshold string) buyer {
	m.t.Helper()
	made := m.Agent(month, threshold)
	got, err := m.Client.Agents.Get(ctx, made.AgentID)
	if err != nil {
		m.t.Fatal(err)
	}
	b := buyer{m: m, id: made.AgentID, secret: made.AgentSecret}
	if b.address, err = evm.ParseAddress(got.WalletAddress); err != nil {
		m.t.Fatal(err)
	}
	return b.at(m.BaseURL)
}

// at is the agent's program at a server.
func (b buyer) at(baseURL string) buyer { return b.trying(baseURL, railkit.Retry{}) }

// trying is at, by a program that tries a call again so often.
func (b buyer) trying(baseURL string, retry railkit.Retry) buyer {
	b.m.t.Helper()
	var err error
	if b.AgentClient, err = railkit.NewAgentClient(railkit.AgentConfig{
		BaseURL: baseURL, AgentID: b.id, Secret: b.secret,
		HTTPClient: &http.Client{Timeout: time.Minute}, HTTPSignatures: true, Retry: retry,
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
