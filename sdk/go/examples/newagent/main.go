// Command newagent makes an agent in the sandbox of railkit dev, as docs/agents-quickstart.md shows it. Its owner has a
// software passkey, which stays in owner.passkey; agent.env gets what the agent's programs need.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// facts are what railkit dev writes of itself.
type facts struct{ BaseURL, APIKey, EnclaveKey, CeremonyOrigin, ShopURL string }

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: newagent railkit-data/dev.json")
	}
	raw, err := os.ReadFile(os.Args[1])
	var f facts
	if err == nil {
		err = json.Unmarshal(raw, &f)
	}
	if err == nil {
		err = create(context.Background(), f)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// create registers an owner, and has its passkey make an agent that may buy at the sandbox's honest shop.
func create(ctx context.Context, f facts) error {
	c, err := railkit.New(railkit.Config{BaseURL: f.BaseURL, APIKey: f.APIKey, EnclaveKey: f.EnclaveKey})
	if err != nil {
		return err
	}
	key := passkey.New(f.CeremonyOrigin)
	owner := railkit.FromAuthenticator(key)
	email := "ada-" + strings.ToLower(rand.Text()[:6]) + "@example.com" // a new owner each time
	user, err := c.SubOrganizations.Create(ctx, owner, railkit.RegisterParams{Email: email, Name: "Ada"})
	if err != nil {
		return err
	}
	made, err := c.Agents.Create(ctx, owner, railkit.AgentRequest{
		Name: "Shopper", SubOrganizationID: user.SubOrganizationID, ChainID: 84532, // base, in the sandbox
		Budget: railkit.AgentBudget{InfraMonthlyUSD: "1", TokensMonthlyUSD: "1", PaymentsMonthlyUSDC: "0.1"},
		AgentReach: railkit.AgentReach{
			AnyRecipient: true, AllowedHosts: []string{strings.TrimPrefix(f.ShopURL, "http://")},
		},
	})
	if err != nil {
		return err
	}
	wallet, err := c.Agents.Wallet(ctx, made.AgentID)
	if err != nil {
		return err
	}
	if err := key.Save("owner.passkey"); err != nil {
		return err
	}
	fmt.Println("agent", made.AgentID, "has the wallet", wallet.Address)
	return os.WriteFile("agent.env", fmt.Appendf(nil,
		"export RAILKIT_API_URL=%s\nexport RAILKIT_AGENT_ID=%s\nexport RAILKIT_AGENT_SECRET=%s\nWALLET=%s\nSHOP=%s\nKEY=%s\n",
		f.BaseURL, made.AgentID, made.AgentSecret, wallet.Address, f.ShopURL, f.APIKey), 0o600)
}
