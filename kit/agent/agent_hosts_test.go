package agent_test

import (
	"slices"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// A passkey says at which hosts an agent pays. An API key takes hosts away, and adds none.
func TestAgents_HostAllowlistByTheAPI(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "hosts@example.com")
	asked := agentOf(alice, "Shopper")
	asked.AllowedHosts = []string{"SHOP.example"}
	if _, err := c.Agents.Prepare(ctx, asked); !names(err, "allowedHosts[0]") {
		t.Errorf("capitals: %v", err)
	}
	asked.AllowedHosts = []string{"shop.example", "api.shop.example:8443", "localhost:4021"}
	stamped := slices.Clone(asked.AllowedHosts)
	asked.AllowedHosts[0] = "shop.example:443" // the same place, which the stamped body spells in one way
	made, err := c.Agents.Create(ctx, alice.Passkey, asked)
	if err != nil || !slices.Equal(made.Limits.AllowedHosts, stamped) {
		t.Fatalf("%+v, %v", made, err)
	}
	set := func(all ...string) ([]string, error) {
		reach := railkit.AgentReach{AllowedHosts: append([]string{}, all...)}
		got, err := c.Agents.SetBudget(ctx, made.AgentID, railkit.AgentBudgetChange{AgentReach: reach})
		if err != nil {
			return nil, err
		}
		return got.Limits.AllowedHosts, nil
	}
	if _, err := set("shop.example", "evil.example"); !isQueued(err) {
		t.Errorf("another host on the key's word: %v", err)
	}
	if _, err := set("shop.example", "shop.example:443"); !names(err, "allowedHosts[1]") {
		t.Errorf("one host twice: %v", err)
	}
	if got, err := set("shop.example"); err != nil || len(got) != 1 {
		t.Errorf("less: %v, %v", got, err)
	}
	if got, err := set(); err != nil || len(got) != 0 {
		t.Errorf("none: %v, %v", got, err)
	}
}
