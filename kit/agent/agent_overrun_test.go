package agent_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// overrun is an agent that may pay 0.01 USDC a number of times, and the servers at which it tries more often.
type overrun struct {
	*apptest.App
	t            *testing.T
	c            *railkit.Client
	id, secret   string
	address      string
	networks     []string // on each it has 10 USDC
	baseURLs     []string
	fits         int64 // payments
	paid, denied atomic.Int64
}

// TestAgents_OverrunIsZero has 64 callers pay at two servers at once, and tries again after each event that made other
// budgets pay more than their limit: a restart of server and signer, ten servers on one database, a database that was
// restored from before, and the same limit on a second network. Whatever is over the limit is printed in dollars.
func TestAgents_OverrunIsZero(t *testing.T) {
	t.Parallel()
	a := apptest.New(t, apptest.WithPostgres(t))
	o := newOverrun(t, a, 7, "base", "polygon")
	o.baseURLs = append(o.baseURLs, a.Another().BaseURL)

	var wg sync.WaitGroup
	for i := range 64 {
		pay := o.payer(i%len(o.baseURLs), railkit.Retry{})
		wg.Go(func() { o.try(pay, "base", i) })
	}
	wg.Wait()
	o.spentIs("64 callers at two servers")
	if o.denied.Load() != 64-o.fits {
		t.Errorf("%d were refused", o.denied.Load())
	}

	a.KillEnclave() // what starts it again is part of the test
	o.baseURLs = append(o.baseURLs, a.Another().BaseURL)
	o.again("restart of signer and server")
	for range 8 {
		o.baseURLs = append(o.baseURLs, a.Another().BaseURL)
	}
	o.again("ten servers on one database")
	for _, table := range []string{"agent_holds", "agent_spending", "agent_refusals", "transactions"} {
		a.Edit("DELETE FROM " + table)
	}
	o.again("a database from before")
	o.try(o.payer(0, railkit.Retry{}), "polygon", 0)
	o.spentIs("a second network")
}

func newOverrun(t *testing.T, a *apptest.App, fits int64, networks ...string) *overrun {
	t.Helper()
	o := &overrun{App: a, t: t, c: a.Client(), networks: networks, baseURLs: []string{a.BaseURL}, fits: fits}
	if r := a.Do(a.Keys.AdminKey, "PATCH", "/v1/integrators/"+a.Keys.WorkspaceID+"/agent-limits",
		`{"rateLimits":{"standard":10000,"financial":10000}}`); r.Status != http.StatusOK {
		t.Fatalf("raising the rate limits of agents: %d %s", r.Status, r.Body)
	}
	alice := a.Fund(o.c, "alice@example.com")
	req := agentOf(alice, "Overrun")
	req.Budget = railkit.AgentBudget{
		InfraMonthlyUSD: "50", TokensMonthlyUSD: "50",
		PaymentsMonthlyUSDC: railkit.Number(fmt.Sprintf("%d.%02d", fits/100, fits%100)),
	}
	req.ChainID, req.AllowedChains = 0, networks
	made, err := o.c.Agents.Create(ctx, alice.Passkey, req)
	if err != nil {
		t.Fatal(err)
	}
	got, err := o.c.Agents.Get(ctx, made.AgentID)
	if err != nil {
		t.Fatal(err)
	}
	o.id, o.secret, o.address = made.AgentID, made.AgentSecret, got.WalletAddress
	for _, slug := range networks {
		for asset, amount := range map[string]string{"native": "1", "USDC": "10"} {
			if _, err := o.c.Sandbox.Faucet(ctx, railkit.FaucetRequest{
				Chain: slug, Address: o.address, Asset: asset, Amount: amount,
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return o
}

// payer is the agent's program at one of the servers.
func (o *overrun) payer(server int, retry railkit.Retry) *railkit.AgentClient {
	o.t.Helper()
	own, err := railkit.NewAgentClient(railkit.AgentConfig{
		BaseURL: o.baseURLs[server], AgentID: o.id, Secret: o.secret, HTTPSignatures: true, Retry: retry,
	})
	if err != nil {
		o.t.Fatal(err)
	}
	return own
}

// try pays 0.01 USDC, or is refused by the budget.
func (o *overrun) try(pay *railkit.AgentClient, slug string, i int) {
	p := toAna("10000")
	p.Cluster = slug
	switch _, err := pay.Pay(ctx, p); {
	case err == nil:
		o.paid.Add(1)
	case code(err) == "budget_exhausted":
		o.denied.Add(1)
	default:
		o.t.Errorf("payment %d: %v", i, err)
	}
}

// again tries once at each server.
func (o *overrun) again(event string) {
	o.t.Helper()
	for i := range o.baseURLs {
		o.try(o.payer(i, railkit.Retry{}), "base", i)
	}
	o.spentIs(event)
}

// spentIs compares the limit with what the chains say that the agent paid, and prints what is over it.
func (o *overrun) spentIs(event string) {
	o.t.Helper()
	apptest.Eventually(o.t, "the payments are mined", func() bool { return o.spent() >= o.paid.Load()*10_000 })
	over := o.spent() - o.fits*10_000
	fmt.Printf("overrun after %s: %.2f USD\n", event, float64(over)/1e6)
	if over != 0 || o.paid.Load() != o.fits {
		o.t.Errorf("%s: %d payments were signed, and %d micro-USDC are over the limit", event, o.paid.Load(), over)
	}
}

// spent is what left the agent's wallet on all networks, in micro-USDC.
func (o *overrun) spent() (sum int64) {
	for _, slug := range o.networks {
		sum += 10_000_000 - o.HoldsUSDC(slug, o.address)
	}
	return sum
}
