package agent_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/agent"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// newAgent makes an agent with money, that may pay the shop 0.05 USDC a month.
func newAgent(ctx context.Context, server *apptest.App, shop string) (*railkit.AgentChange, *railkit.Client) {
	must := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	owner := server.Client()
	pk := railkit.FromAuthenticator(passkey.New(server.Origin))
	user, err := owner.SubOrganizations.Create(ctx, pk, railkit.RegisterParams{Email: "eve@example.com", Name: "Eve"})
	must(err)
	made, err := owner.Agents.Create(ctx, pk, railkit.AgentRequest{
		Name: "Reader", SubOrganizationID: user.SubOrganizationID, ChainID: 84532,
		Budget:     railkit.AgentBudget{InfraMonthlyUSD: "1", TokensMonthlyUSD: "1", PaymentsMonthlyUSDC: "0.05"},
		AgentReach: railkit.AgentReach{AllowedRecipients: []string{shop}},
	})
	must(err)
	wallet, err := owner.Agents.Wallet(ctx, made.AgentID)
	must(err)
	for _, asset := range []string{"native", "USDC"} {
		_, err := owner.Sandbox.Faucet(ctx, railkit.FaucetRequest{
			Chain: "base", Address: wallet.Address, Asset: asset, Amount: "1",
		})
		must(err)
	}
	return made, owner
}

// An agent pays, tells what it spent, is stopped by its limit, and ends when its owner kills it.
func Example() {
	const shop = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	ctx := context.Background()
	server := apptest.Shared(apptest.Example{}) // in its place: your server
	made, owner := newAgent(ctx, server, shop)  // in its place: what the owner gave the agent

	r, err := agent.New(agent.Config{ // or agent.FromEnv
		BaseURL: server.BaseURL, AgentID: made.AgentID, Secret: made.AgentSecret, KillPoll: time.Second,
	})
	if err != nil {
		log.Fatal(err)
	}
	pay := func(micro railkit.SmallestUnits) {
		_, err := r.Pay(ctx, railkit.AgentPayment{
			ActionType: "payment", Amount: micro, Destination: shop, TokenMint: "USDC", Cluster: "base",
		})
		var lacks *agent.BudgetError
		switch {
		case err == nil:
			fmt.Println("paid", micro)
		case errors.As(err, &lacks):
			fmt.Println("the budget has", lacks.Layers[0].Spent, "of", lacks.Layers[0].Limit, "USDC spent")
		case errors.Is(err, agent.ErrKilled):
			fmt.Println("killed")
		default:
			log.Fatal(err)
		}
	}
	pay("10000")
	r.Track(railkit.AgentEvent{Type: "llm_call", Amount: "0.018"})
	pay("45000")

	if _, err := owner.Agents.Kill(ctx, made.AgentID); err != nil { // the owner does this
		log.Fatal(err)
	}
	<-r.Context().Done() // the agent's work ends within KillPoll
	pay("10000")
	if err := r.Close(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// paid 10000
	// the budget has 0.01 of 0.05 USDC spent
	// killed
}

// A program that asks the web as ever: what costs up to 0.02 USDC is paid for.
func ExampleRuntime_Transport() {
	cfg, err := agent.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	r, err := agent.New(cfg)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = r.Close(context.Background()) }() // reports what is left

	client := &http.Client{Transport: r.Transport(nil, agent.Limit{MaxAmount: "20000"})}
	res, err := client.Get("https://shop.example.com/weather")
	var dear *agent.PriceError
	switch {
	case errors.As(err, &dear):
		fmt.Println("it costs", dear.Price)
		return
	case err != nil:
		log.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if payment, ok := agent.PaymentOf(res); ok {
		fmt.Println("paid", payment.Amount, "to", payment.PayTo)
	}
	_, _ = io.Copy(os.Stdout, res.Body)
}
