package agent_test

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// An agent that its owner lets make one wallet makes one, under either form of signature; the wallet is its owner's.
func TestAgents_WalletsByTheAPI(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "wallets@example.com")
	asked, one := agentOf(alice, "Maker"), 1
	asked.MaxWallets = &one
	made, err := c.Agents.Create(ctx, alice.Passkey, asked)
	if err != nil || made.Limits.MaxWallets == nil || *made.Limits.MaxWallets != 1 {
		t.Fatalf("%+v, %v", made, err)
	}
	plain, http := agentClient(t, a, made, false), agentClient(t, a, made, true)
	named := railkit.AgentWalletRequest{WalletName: "For the agent"}
	keyed := railkit.WithIdempotencyKey(ctx, uuid.NewString())
	first, err := http.CreateWallet(keyed, named)
	if err != nil || first.WalletID == "" || first.ID != first.WalletID || len(first.Addresses) != 1 {
		t.Fatalf("%+v, %v", first, err)
	}
	if again, err := plain.CreateWallet(keyed, named); err != nil || again.WalletID != first.WalletID {
		t.Errorf("under the same key, in the other form: %+v, %v", again, err)
	}
	for name, agent := range map[string]*railkit.AgentClient{"first form": plain, "second form": http} {
		if w, err := agent.CreateWallet(ctx, railkit.AgentWalletRequest{}); code(err) != "agent_wallets_not_allowed" {
			t.Errorf("one more, %s: %+v, %v", name, w, err)
		}
	}
	infra := func() string {
		t.Helper()
		b, err := http.Budget(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return b.Layers.Infra.Spent.String() + ", held " + b.Layers.Infra.Held.String()
	}
	if got := infra(); got != "0.0001, held 0" {
		t.Errorf("one wallet and refusals cost %s", got)
	}
	less, two := railkit.AgentBudgetChange{AgentBudget: railkit.AgentBudget{InfraMonthlyUSD: "0.0001"}}, 2
	less.MaxWallets = &two
	less.SignedActivity = stampedBy(t, alice)(c.Agents.PrepareBudget(ctx, made.AgentID, less))
	if _, err := c.Agents.SetBudget(ctx, made.AgentID, less); err != nil {
		t.Fatal(err)
	}
	again := railkit.WithIdempotencyKey(ctx, uuid.NewString())
	for range 2 {
		if w, err := http.CreateWallet(again, railkit.AgentWalletRequest{}); code(err) != "budget_exhausted" {
			t.Errorf("without budget: %+v, %v", w, err)
		}
	}
	w, err := c.Wallets.Get(ctx, first.WalletID)
	if err != nil || w.WalletName != named.WalletName || w.SubOrganizationID != alice.Sub.SubOrganizationID ||
		w.Addresses[0].Address != first.Addresses[0] || w.Type != "agent" {
		t.Errorf("as its owner sees it: %+v, %v", w, err)
	}
}

// An agent whose owner asks for HTTP signatures is known by no other. An API key can ask for them, and not go back.
func TestAgents_HTTPSignaturesByTheAPI(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "rfc9421@example.com")
	made, err := c.Agents.Create(ctx, alice.Passkey, agentOf(alice, "Signer"))
	if err != nil {
		t.Fatal(err)
	}
	plain, http := agentClient(t, a, made, false), agentClient(t, a, made, true)
	for name, agent := range map[string]*railkit.AgentClient{"first": plain, "second": http} {
		if got, err := agent.Status(ctx); err != nil || got.Status != "active" {
			t.Errorf("%s form: %+v, %v", name, got, err)
		}
	}
	set := func(only bool) error {
		reach := railkit.AgentReach{RequireHTTPSignature: &only}
		_, err := c.Agents.SetBudget(ctx, made.AgentID, railkit.AgentBudgetChange{AgentReach: reach})
		return err
	}
	if err := set(true); err != nil {
		t.Fatal(err)
	}
	if got, err := plain.Status(ctx); code(err) != "invalid_auth" {
		t.Errorf("the first form: %+v, %v", got, err)
	}
	if got, err := http.Status(ctx); err != nil || got.Status != "active" {
		t.Errorf("the second form: %+v, %v", got, err)
	}
	p := newPayer(t, a, c, alice, "Payer")
	pays := agentClient(t, a, p.made, true)
	if paid, err := pays.Pay(ctx, toAna("10000")); err != nil || paid.TxHash == "" {
		t.Errorf("a payment under the second form: %+v, %v", paid, err)
	}
	if err := set(false); !isQueued(err) {
		t.Errorf("back, on the key's word: %v", err)
	}
}

// A wallet that the signer made and a crash kept out of the database is the answer to the next try under the same key,
// and without a key it is found by the sweeper. Neither makes a second one.
func TestAgents_WalletsAfterACrash(t *testing.T) {
	t.Parallel()
	a := apptest.New(t)
	c := a.Client()
	alice := a.Fund(c, "crash@example.com")
	asked, two := agentOf(alice, "Maker"), 2
	asked.MaxWallets = &two
	made, err := c.Agents.Create(ctx, alice.Passkey, asked)
	if err != nil {
		t.Fatal(err)
	}
	agent := agentClient(t, a, made, true)
	keyed := railkit.WithIdempotencyKey(ctx, uuid.NewString())
	fails := func(ctx context.Context, name string) {
		t.Helper()
		allow := refuse(t, a, "INSERT", "wallets", "")
		defer allow()
		if w, err := agent.CreateWallet(ctx, railkit.AgentWalletRequest{WalletName: name}); code(err) != "internal" {
			t.Errorf("%s: %+v, %v", name, w, err)
		}
	}
	fails(keyed, "Keyed")
	w, err := agent.CreateWallet(keyed, railkit.AgentWalletRequest{WalletName: "Keyed"})
	if err != nil || w.WalletName != "Keyed" {
		t.Fatalf("again under the key: %+v, %v", w, err)
	}
	fails(ctx, "Swept")
	a.Edit("UPDATE activities SET created_at = 1, updated_at = 1 WHERE state = 'awaiting_signature'")
	if err := a.Signing.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	names := map[string]int{}
	for w, err := range c.Wallets.All(ctx, railkit.WalletListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		names[w.WalletName]++
	}
	if names["Keyed"] != 1 || names["Swept"] != 1 {
		t.Errorf("the wallets are %v", names)
	}
	if w, err := agent.CreateWallet(ctx, railkit.AgentWalletRequest{}); code(err) != "agent_wallets_not_allowed" {
		t.Errorf("a third one: %+v, %v", w, err)
	}
}

// agentClient calls as an agent, in one of the two forms of signature.
func agentClient(t *testing.T, a *apptest.App, of *railkit.AgentChange, http bool) *railkit.AgentClient {
	t.Helper()
	c, err := railkit.NewAgentClient(railkit.AgentConfig{
		BaseURL: a.BaseURL, AgentID: of.AgentID, Secret: of.AgentSecret, HTTPSignatures: http, StrictDecoding: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
