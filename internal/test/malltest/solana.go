package malltest

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana/rpc"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/shops"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/solanatest"
	"github.com/railkit/railkit/internal/test/x402test"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Street is a mall whose shops sell on Solana.
type Street struct {
	*Mall
	Seller, Thief string // have a token account, and 1 USDC in it
	Nodes         *rpc.Network
	chain         *solanatest.Chain
	mint          string
}

// OnSolana lets a platform's agents in. Its nodes' URLs have spaces between, and the first one is the faucet's too.
func (m *Mall) OnSolana(a *apptest.App, nodes string) *Street {
	m.t.Helper()
	first, _, _ := strings.Cut(nodes, " ")
	n, _ := chain.BySlug(chain.Sandbox, "solana")
	token, _ := n.TokenBySymbol("USDC")
	s := &Street{
		Mall: m, Seller: newPayer(m).Account().String(), Thief: newPayer(m).Account().String(),
		chain: solanatest.At(m.t, first), mint: token.Address,
	}
	var err error
	if s.Nodes, err = rpc.DialAll(nodes, n); err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(s.Nodes.Close)
	payer := newPayer(m)
	s.Ask(nil, "requestAirdrop", payer.Account().String(), 1_000_000_000)
	for _, owner := range []string{s.Seller, s.Thief} {
		s.Ask(nil, "dev_faucet", owner, "USDC", "1")
	}
	m.App = a
	m.Edit("UPDATE workspaces SET agent_limit_standard = 100000, agent_limit_financial = 100000")
	config := shops.Config{
		Facilitator: x402test.SponsorAt(m.t, nodes, payer).Client(m.t), Network: n, PayTo: s.Seller, Thief: s.Thief,
		FeePayer: payer.Account().String(), Clock: clock.System{},
	}
	liar, err := shops.NewLiar(config, 2*time.Second)
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(liar.Close)
	m.lying = liar
	if m.honest, err = shops.Honest(config); err != nil {
		m.t.Fatal(err)
	}
	m.Client = a.Client()
	m.Owner = m.Register(m.Client, "alice@example.com")
	return s
}

func newPayer(m *Mall) x402test.Payer {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		m.t.Fatal(err)
	}
	return x402test.Payer(key)
}

// Ask asks the chain, and may change it.
func (s *Street) Ask(result any, method string, params ...any) {
	s.t.Helper()
	s.chain.Ask(result, method, params...)
}

// Agent makes an agent with 1 USDC that may pay anybody at both shops, so much a month, and more than the threshold at
// once only with approval. Address is its own.
func (s *Street) Agent(month, threshold string) (made *railkit.AgentChange, address string) {
	s.t.Helper()
	ctx := context.Background()
	made, err := s.Client.Agents.Create(ctx, s.Owner.Passkey, railkit.AgentRequest{
		Name: "Buyer " + rand.Text(), SubOrganizationID: s.Owner.Sub.SubOrganizationID,
		AgentReach: railkit.AgentReach{
			AllowedChains: []string{"solana"}, AnyRecipient: true, AllowedHosts: []string{Place(s.Shop), Place(s.Liar)},
		},
		Budget: railkit.AgentBudget{
			InfraMonthlyUSD: "1", TokensMonthlyUSD: "1", PaymentsMonthlyUSDC: railkit.Number(month),
			ApprovalThresholdUSDC: railkit.Number(threshold),
		},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	wallet, err := s.Client.Agents.Wallet(ctx, made.AgentID)
	if err != nil {
		s.t.Fatal(err)
	}
	s.Ask(nil, "dev_faucet", wallet.Address, "USDC", "1")
	return made, wallet.Address
}

// Held is what an owner has, in millionths of a USDC.
func (s *Street) Held(owner string) int64 {
	s.t.Helper()
	all, err := s.Nodes.Balances(context.Background(), []string{owner}, []string{s.mint})
	if err != nil {
		s.t.Fatal(err)
	}
	return all[0].Tokens[0].Int64()
}
