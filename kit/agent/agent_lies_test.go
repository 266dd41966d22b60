package agent_test

import (
	"errors"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/tamper"
	railkit "github.com/railkit/railkit/sdk/go"
)

// lied is a client whose server changes its answers, and the proxy that does it.
func lied(t *testing.T, a *apptest.App) (*railkit.Client, *tamper.Proxy) {
	t.Helper()
	p := tamper.New(t, a.Handler)
	c, err := railkit.New(railkit.Config{
		BaseURL: p.URL, APIKey: a.Keys.BenchKey, EnclaveKey: a.EnclaveKey, Environment: "sandbox", RPID: "localhost",
		Retry: railkit.Retry{Attempts: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, p
}

func wantTampered(t *testing.T, what string, err error) {
	t.Helper()
	var lie *railkit.TamperError
	if !errors.As(err, &lie) {
		t.Errorf("%s: %v, want a TamperError", what, err)
	}
}

// A host that hides what was signed for an agent, or makes less of it, is refused by the client.
func TestAgents_HostLiesAboutExposure(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	alice := a.Fund(a.Client(), "alice@example.com")
	made, err := a.Client().Agents.Create(ctx, alice.Passkey, agentOf(alice, "Exposed"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := a.Client().Agents.Create(ctx, alice.Passkey, agentOf(alice, "Idle"))
	if err != nil {
		t.Fatal(err)
	}
	agentPays(t, a, alice, made, "250000")
	c, host := lied(t, a)
	if _, err := c.Agents.Exposure(ctx, other.AgentID); err != nil {
		t.Fatal(err)
	}
	ofOther := host.Calls()[len(host.Calls())-1]
	const call = "GET /v1/agents/{id}/exposure"
	for name, changes := range map[string][]tamper.Change{
		"a smaller sum": {tamper.Set("data.openExposureUsdc", "0")},
		"a smaller amount": {
			tamper.Set("data.transactions.0.amountUsdc", "0.1"), tamper.Set("data.openExposureUsdc", "0.1"),
		},
		"nothing":           {tamper.Set("data.transactions", []any{}), tamper.Set("data.openExposureUsdc", "0")},
		"another hash":      {tamper.Set("data.transactions.0.txHash", "0x00")},
		"without a proof":   {tamper.Set("data.proofs", []any{})},
		"not whole":         {tamper.Set("data.complete", false)},
		"more that's mined": {tamper.Set("data.mined.0.nonce", 7)},
		"of another agent":  {tamper.Replay(ofOther)},
		"another's as this": {tamper.Replay(ofOther), tamper.Set("data.agentId", made.AgentID)},
	} {
		host.On(call, changes...)
		_, err := c.Agents.Exposure(ctx, made.AgentID)
		wantTampered(t, name, err)
	}
	host.On(call)
	if x, err := c.Agents.Exposure(ctx, made.AgentID); err != nil || x.OpenExposureUSDC != "0.25" {
		t.Errorf("without a lie: %+v, %v", x, err)
	}
}

// A host that puts another address in the place of an agent's gets no stamp from a client that verifies.
func TestAgents_HostLiesAboutFunding(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	alice := a.Fund(a.Client(), "alice@example.com")
	made, err := a.Client().Agents.Create(ctx, alice.Passkey, agentOf(alice, "Funded"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := a.Client().Agents.Create(ctx, alice.Passkey, agentOf(alice, "Other"))
	if err != nil {
		t.Fatal(err)
	}
	c, host := lied(t, a)
	req := railkit.FundAgentRequest{Amount: "1", From: alice.Address.Address, Network: "base"}
	if _, err := c.Agents.PrepareFunding(ctx, other.AgentID, req); err != nil {
		t.Fatal(err)
	}
	var toOther, walletOfOther tamper.Call
	for _, call := range host.Calls() {
		switch call.Path {
		case "/v1/agents/" + other.AgentID + "/fund/prepare":
			toOther = call
		case "/v1/agents/" + other.AgentID + "/wallet":
			walletOfOther = call
		}
	}
	const prepare, wallet = "POST /v1/agents/{id}/fund/prepare", "GET /v1/agents/{id}/wallet"
	for name, lie := range map[string]map[string]tamper.Change{
		"another agent's body":   {prepare: tamper.Replay(toOther)},
		"another agent's wallet": {wallet: tamper.Replay(walletOfOther)},
		"both":                   {prepare: tamper.Replay(toOther), wallet: tamper.Replay(walletOfOther)},
		"the owner's wallet":     {wallet: tamper.Set("data.walletId", alice.Wallet.WalletID)},
		"another request":        {prepare: tamper.Set("data.fundRequestId", made.AgentID)},
	} {
		for pattern, change := range lie {
			host.On(pattern, change)
		}
		_, err := c.Agents.PrepareFunding(ctx, made.AgentID, req)
		wantTampered(t, name, err)
		host.On(prepare)
		host.On(wallet)
	}
	if _, err := c.Agents.PrepareFunding(ctx, made.AgentID, req); err != nil {
		t.Errorf("without a lie: %v", err)
	}
}

// A node that does not answer is never a balance of zero, and hides nothing that may still land.
func TestAgents_NodeIsDown(t *testing.T) {
	t.Parallel()
	var node *apptest.Node
	a := apptest.Rig(t, func(c *apptest.Config) {
		node = apptest.NewNode(t, c.RPCURLs["base"])
		c.RPCURLs["base"] = node.URL
		delete(c.RPCURLs, "polygon")
	})
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	both := agentOf(alice, "Two networks")
	both.AllowedChains, both.ChainID = []string{"base", "polygon"}, 0
	made, err := c.Agents.Create(ctx, alice.Passkey, both)
	if err != nil {
		t.Fatal(err)
	}
	path := "/v1/agents/" + made.AgentID + "/wallet-balance"
	read := func(query string) apptest.Answer { return a.Do(a.Keys.BenchKey, "GET", path+query, "") }
	agentPays(t, a, alice, made, "250000")
	wantError(t, read(""), 503, "no_node") // of polygon: half of the sum is no balance
	if got := read("?network=base"); got.Status != 200 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	wantError(t, read("?network=ethereum"), 400, "validation_failed")
	node.Break("*", apptest.Down)
	wantError(t, read("?network=base"), 502, "node_unreachable")
	if x, err := c.Agents.Exposure(ctx, made.AgentID); err != nil || x.OpenExposureUSDC != "0.25" || len(x.Mined) != 0 {
		t.Errorf("%+v, %v", x, err)
	}
}
