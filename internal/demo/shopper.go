package demo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	railkit "github.com/railkit/railkit/sdk/go"
)

const (
	shopperMonth = "0.05"
	shopPrice    = "10000" // micro-USDC
)

// shopper is an agent that buys of the sandbox's two shops.
type shopper struct {
	*story
	name    string
	on      string // the network of its wallet
	id      string
	address string
	client  *railkit.AgentClient
	bought  *railkit.X402Payment
	lost    *railkit.X402Payment
}

func (s *story) shopperSteps() []step {
	if s.shopper == nil {
		s.shopper = &shopper{story: s, name: "Ada's shopper", on: network}
	}
	a := s.shopper
	return []step{
		{"Another may buy of two shops only", a.hire},
		{"It buys the weather, by x402", a.buy},
		{"A shop takes the money and says 500", a.beLiedTo},
	}
}

func (a *shopper) hire(ctx context.Context) (string, error) {
	honest := strings.TrimPrefix(a.facts.ShopURL, "http://")
	lying := strings.TrimPrefix(a.facts.LyingShopURL, "http://")
	made, err := a.story.client.Agents.Create(ctx, a.passkey, railkit.AgentRequest{
		Name: a.name, SubOrganizationID: a.owner.SubOrganizationID, ChainID: a.chainID(),
		Budget: railkit.AgentBudget{
			InfraMonthlyUSD: "1", TokensMonthlyUSD: "1", PaymentsMonthlyUSDC: shopperMonth,
		},
		AgentReach: railkit.AgentReach{AnyRecipient: true, AllowedHosts: []string{honest, lying}},
	})
	if err != nil {
		return "", err
	}
	is, err := a.story.client.Agents.Get(ctx, made.AgentID)
	if err != nil {
		return "", err
	}
	a.id, a.address = made.AgentID, is.WalletAddress
	if _, err := a.story.client.Sandbox.Faucet(ctx, railkit.FaucetRequest{
		Chain: a.on, Address: a.address, Asset: token, Amount: agentFunds,
	}); err != nil {
		return "", err
	}
	a.client, err = railkit.NewAgentClient(railkit.AgentConfig{
		BaseURL: a.facts.BaseURL, AgentID: a.id, Secret: made.AgentSecret, UserAgent: "railkit-demo",
		HTTPClient: &http.Client{Transport: a.recorder, Timeout: time.Minute},
	})
	return "2 hosts, " + shopperMonth + " " + token + " a month", err
}

// chainID is the one that the agent is made with. One that is made without is on Solana.
func (a *shopper) chainID() uint64 {
	if a.on == network {
		return a.facts.ChainID
	}
	return 0
}

// buy buys of the honest shop. The wallet needs no gas: the shop's facilitator hands the transfer in.
func (a *shopper) buy(ctx context.Context) (string, error) {
	if err := a.getWeather(ctx); err != nil {
		return "", err
	}
	return "delivered, tx " + short(a.bought.Tx), a.spent(ctx, "0.01")
}

func (a *shopper) getWeather(ctx context.Context) error {
	got, err := a.client.PayX402(ctx, railkit.X402Request{URL: a.facts.ShopURL + "/weather", MaxAmount: shopPrice})
	if err != nil {
		return err
	}
	if got.Status != http.StatusOK || got.Payment == nil || !got.Payment.Delivered {
		return fmt.Errorf("the shop answered %d %s", got.Status, got.Body)
	}
	a.bought, err = a.ended(ctx, got.Payment.ID)
	return err
}

// beLiedTo buys of a shop that takes the money and answers with an error.
func (a *shopper) beLiedTo(ctx context.Context) (string, error) {
	got, err := a.client.PayX402(ctx, railkit.X402Request{
		URL: a.facts.LyingShopURL + "/error-settled", MaxAmount: shopPrice,
	})
	if err != nil {
		return "", err
	}
	if got.Payment == nil || got.Payment.Delivered {
		return "", fmt.Errorf("the lying shop answered %d", got.Status)
	}
	if a.lost, err = a.ended(ctx, got.Payment.ID); err != nil {
		return "", err
	}
	return "paid and not delivered", a.spent(ctx, "0.02")
}

// ended waits until the chain has told what became of a payment.
func (a *shopper) ended(ctx context.Context, id string) (*railkit.X402Payment, error) {
	for {
		p, err := a.client.X402Payment(ctx, id)
		if err != nil || p.State != "signed" {
			if err == nil && p.State != "settled" {
				err = errors.New("the money did not move: " + p.Reason)
			}
			return p, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(a.Poll):
		}
	}
}

// spent holds the agent's budget against what the node says of its wallet.
func (a *shopper) spent(ctx context.Context, want string) error {
	b, err := a.client.Budget(ctx)
	if err != nil {
		return err
	}
	left, err := a.node().tokenBalance(ctx, a.facts.Tokens[token], a.address)
	if err != nil {
		return err
	}
	had, err := chain.ParseUnits(agentFunds, decimals)
	if err != nil {
		return err
	}
	gone := formatUnits(had.Sub(had, left), decimals)
	if says := b.Layers.Payments.Spent.String(); says != want || gone != want {
		return fmt.Errorf("the budget says %s, the node %s, and not %s", says, gone, want)
	}
	return nil
}

// shopper shows what was bought, and what was paid in vain.
func (s screen) shopper(a *shopper) {
	if a == nil || a.lost == nil {
		return
	}
	s.heading("Two purchases by x402, without a passkey and without gas", short(a.id))
	s.amount("-0.01", token, "the weather, tx "+short(a.bought.Tx))
	s.amount("-0.01", "", "nothing: paid and not delivered, tx "+short(a.lost.Tx))
	s.print("\n  0.02 of %s %s of the month are spent, say the budget and the node\n", shopperMonth, token)
}
