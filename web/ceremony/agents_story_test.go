package ceremony_test

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"errors"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/webtest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// A person makes an agent on the page of a real server, gives it limits and money, agrees to a payment above its
// threshold, and changes its limits. The agent's secret is sealed to the key of whoever runs it.
func TestAgents_PageStory(t *testing.T) {
	t.Parallel()
	p := newPerson(t, apptest.Rig(t))
	ctx, own := context.Background(), must1(ecdh.P256().GenerateKey(rand.Reader))(t)
	req := railkit.AgentRequest{
		Name: "Buyer", WalletAddress: p.address, ChainID: 84532,
		Budget: railkit.AgentBudget{
			InfraMonthlyUSD: "5", TokensMonthlyUSD: "20", PaymentsMonthlyUSDC: "10", PerTxUSDC: "1",
			ApprovalThresholdUSDC: "0.5",
		},
		AgentReach:         railkit.AgentReach{AllowedRecipients: []string{payee}},
		RecipientPublicKey: railkit.AgentRecipient(own.PublicKey()),
	}
	made := must1(p.client.Agents.Prepare(ctx, req))(t)
	p.Go(made.CeremonyURL)
	p.Wait("ready")
	p.Picture("agent-1-create")
	webtest.Contains(t, flat(p.agree(made.CeremonyURL, "Create agent “Buyer”")), "The signer has made it",
		"Agent Buyer", "State Made, with a wallet of its own. It may do nothing until you give it limits and a secret")
	p.Picture("agent-2-created")
	id := must1(p.client.Agents.List(ctx, railkit.ListOptions{}))(t).Items[0].ID
	limits := must1(p.client.Agents.PreparePolicies(ctx, id, req))(t)
	p.Go(limits.CeremonyURL)
	p.Wait("ready")
	p.Picture("agent-3-limits")
	webtest.Contains(t, flat(p.agree(limits.CeremonyURL, "Let agent “Buyer” spend: up to 10 USDC a month")),
		"The signer has done it", "State Works, within its limits")
	p.Picture("agent-4-active")

	got := must1(p.client.Agents.Get(ctx, id))(t)
	if got.Status != "active" || got.Limits.PerTxUSDC != "1" {
		t.Fatalf("made: %+v", got)
	}
	fund := must1(p.client.Agents.PrepareFunding(ctx, id,
		railkit.FundAgentRequest{Amount: "10.5", From: p.address, Network: "base"}))(t)
	p.Go(fund.CeremonyURL)
	p.Wait("ready")
	p.Picture("agent-5-fund")
	webtest.Contains(t, flat(p.Text()), "To Your wallet Agent Buyer")
	webtest.Contains(t, p.Eval("document.querySelector('main').textContent"), got.WalletAddress)
	p.agree(fund.CeremonyURL, "Send 10.50 USDC")
	p.Picture("agent-6-funded")
	apptest.Eventually(t, "the agent has its money", func() bool {
		b, err := p.client.Agents.Balance(ctx, id)
		return err == nil && b.BalanceUSDC == "10.5"
	})
	p.pays(id, got, own)
}

// pays has the agent ask for a payment above its threshold, to which the person agrees.
func (p *person) pays(id string, agent *railkit.Agent, own *ecdh.PrivateKey) {
	t, ctx := p.T, context.Background()
	t.Helper()
	_ = must1(p.client.Sandbox.Faucet(ctx, railkit.FaucetRequest{
		Chain: "base", Address: agent.WalletAddress, Asset: "native", Amount: "0.1",
	}))(t)
	secret := must1(railkit.OpenAgentSecret(own, must1(p.client.VerifyProof(*agent.SecretProof))(t)))(t)
	bot := must1(railkit.NewAgentClient(railkit.AgentConfig{BaseURL: p.app.BaseURL, AgentID: id, Secret: secret}))(t)
	_, err := bot.Pay(ctx, railkit.AgentPayment{
		ActionType: "payment", Amount: "750000", Destination: payee, TokenMint: "USDC", Cluster: "base",
	})
	var waits *railkit.QueuedError
	if !errors.As(err, &waits) {
		t.Fatal(err)
	}
	vote := must1(p.client.Approvals.PrepareVote(ctx, waits.ApprovalID))(t)
	p.Go(vote.CeremonyURL)
	text := flat(p.Wait("ready"))
	p.Picture("agent-7-approve")
	webtest.Contains(t, text, "Asked by agent Buyer", "Its secret is sealed to the key",
		"Why it waits It is more than the agent may pay without asking you")
	if strings.Contains(text, "sealedSecret") || strings.Contains(text, `"sealed"`) {
		t.Errorf("the page shows what it has no words for:\n%s", text)
	}
	p.agree(vote.CeremonyURL, "Approve: send 0.75 USDC")
	p.Picture("agent-8-approved")
	if a := must1(bot.Approval(ctx, waits.ApprovalID, 0))(t); a.Status != "approved" || a.Transaction.TxHash == "" {
		t.Errorf("the agent reads %+v", a)
	}
	more := railkit.AgentBudgetChange{AgentBudget: railkit.AgentBudget{PaymentsMonthlyUSDC: "25", PerTxUSDC: "2"}}
	change := must1(p.client.Agents.PrepareBudget(ctx, id, more))(t)
	p.Go(change.CeremonyURL)
	p.Wait("ready")
	p.Picture("agent-9-change")
	p.agree(change.CeremonyURL, "Change the limits of agent “Buyer”")
}

// must1 is a value without its error.
func must1[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		must(t, err)
		return v
	}
}
