package agent_test

import (
	"crypto/ecdh"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// agentOf asks for an agent that pays ana on Base: 10 USDC a month, 1 at once, and more than 0.5 with approval.
func agentOf(o apptest.Owner, name string) railkit.AgentRequest {
	return railkit.AgentRequest{
		Name: name, Description: "buys data", SubOrganizationID: o.Sub.SubOrganizationID, ChainID: 84532,
		Budget: railkit.AgentBudget{
			InfraMonthlyUSD: "50", TokensMonthlyUSD: "200", PaymentsMonthlyUSDC: "10", PerTxUSDC: "1",
			ApprovalThresholdUSDC: "0.5",
		},
		AgentReach: railkit.AgentReach{AllowedRecipients: []string{ana}},
	}
}

// The rounds that make an agent, every change of it, and what an API key alone can do.
func TestSigning_AgentStory(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")

	page, err := c.Agents.List(ctx, railkit.ListOptions{})
	if err != nil || len(page.Items) != 0 || page.Meta.Total != 0 {
		t.Fatalf("before there is one: %+v, %v", page, err)
	}
	made, err := c.Agents.Create(ctx, alice.Passkey, agentOf(alice, "Research"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(made.AgentSecret, "rk_agent_secret_v1_") || made.Status != "active" {
		t.Errorf("made: %+v", made)
	}
	id := made.AgentID
	got, err := c.Agents.Get(ctx, id)
	if err != nil || got.Description != "buys data" || got.WalletAddress == "" || got.Limits == nil ||
		got.Limits.MaxFeeUSD != "1" || len(got.Limits.AllowedChains) != 1 || got.Status != "active" {
		t.Errorf("read: %+v, %v", got, err)
	}
	if w, err := c.Wallets.Get(ctx, got.WalletID); err != nil || w.Addresses[0].Address != got.WalletAddress {
		t.Errorf("its wallet: %+v, %v", w, err)
	}

	less := railkit.AgentBudgetChange{AgentBudget: railkit.AgentBudget{PerTxUSDC: "0.9"}}
	lower, err := c.Agents.SetBudget(ctx, id, less)
	if err != nil || lower.Limits.PerTxUSDC != "0.9" || lower.Limits.PaymentsMonthlyUSDC != "10" {
		t.Errorf("lower: %+v, %v", lower, err)
	}
	more := railkit.AgentBudgetChange{AgentBudget: railkit.AgentBudget{PerTxUSDC: "2"}}
	if _, err := c.Agents.SetBudget(ctx, id, more); !isQueued(err) {
		t.Errorf("more on the key's word: %v", err)
	}
	more.SignedActivity = stampedBy(t, alice)(c.Agents.PrepareBudget(ctx, id, more))
	if raised, err := c.Agents.SetBudget(ctx, id, more); err != nil || raised.Limits.PerTxUSDC != "2" {
		t.Errorf("more under a stamp: %+v, %v", raised, err)
	}

	if p, err := c.Agents.Pause(ctx, id); err != nil || p.Status != "suspended" {
		t.Errorf("paused: %+v, %v", p, err)
	}
	on := railkit.AgentStatusChange{Status: "active"}
	if _, err := c.Agents.SetStatus(ctx, id, on); !isQueued(err) {
		t.Errorf("resumed on the key's word: %v", err)
	}
	on.SignedActivity = stampedBy(t, alice)(c.Agents.PrepareStatus(ctx, id, "active"))
	if p, err := c.Agents.SetStatus(ctx, id, on); err != nil || p.Status != "active" {
		t.Errorf("resumed: %+v, %v", p, err)
	}

	turn := railkit.AgentRotation{}
	turn.SignedActivity = stampedBy(t, alice)(c.Agents.PrepareRotation(ctx, id, turn))
	rotated, err := c.Agents.Rotate(ctx, id, turn)
	if err != nil || rotated.AgentSecret == "" || rotated.AgentSecret == made.AgentSecret {
		t.Errorf("rotated: %+v, %v", rotated, err)
	}
	for secret, good := range map[string]bool{made.AgentSecret: false, rotated.AgentSecret: true} {
		own, err := railkit.NewAgentClient(railkit.AgentConfig{BaseURL: a.BaseURL, AgentID: id, Secret: secret})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := own.Status(ctx); (err == nil) != good {
			t.Errorf("a secret that is good: %v; %v", good, err)
		}
	}

	stop := railkit.KillSwitchChange{SubOrganizationID: alice.Sub.SubOrganizationID, On: true}
	if k, err := c.Agents.SetKillSwitch(ctx, stop); err != nil || !k.On {
		t.Errorf("stopped: %+v, %v", k, err)
	}
	if got, err := c.Agents.Get(ctx, id); err != nil || !got.AllStopped {
		t.Errorf("stopped: %+v, %v", got, err)
	}
	if k, err := c.Agents.Kill(ctx, id); err != nil || k.Status != "killed" || !k.KillSwitch {
		t.Errorf("killed: %+v, %v", k, err)
	}
	if _, err := c.Agents.SetStatus(ctx, id, railkit.AgentStatusChange{Status: "active"}); err == nil || isQueued(err) {
		t.Errorf("revived: %v", err)
	}
}

// An agent whose second round never came can be finished later, or deleted; until then nothing can be done with it.
func TestSigning_AgentUnfinished(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	pending := func(name string) *railkit.PreparedAgentPolicies {
		t.Helper()
		req := agentOf(alice, name)
		p, err := c.Agents.Prepare(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		next, err := c.Agents.ConfirmUser(ctx, p.AgentRequestID, req, *stampedBy(t, alice)(&p.Prepared, nil))
		if err != nil {
			t.Fatal(err)
		}
		return next
	}

	first := pending("First")
	got, err := c.Agents.Get(ctx, first.AgentID)
	if err != nil || got.Status != "pending_policies" || got.Limits != nil {
		t.Errorf("%+v, %v", got, err)
	}
	for name, try := range map[string]func() error{
		"pause": func() error { _, err := c.Agents.Pause(ctx, first.AgentID); return err },
		"budget": func() error {
			_, err := c.Agents.SetBudget(ctx, first.AgentID, railkit.AgentBudgetChange{})
			return err
		},
		"rotate": func() error { _, err := c.Agents.Rotate(ctx, first.AgentID, railkit.AgentRotation{}); return err },
	} {
		if err := try(); code(err) != "agent_policies_pending" {
			t.Errorf("%s: %v", name, err)
		}
	}
	again, err := c.Agents.PreparePolicies(ctx, first.AgentID, agentOf(alice, "First"))
	if err != nil || again.PoliciesRequestID == first.PoliciesRequestID {
		t.Fatalf("%+v, %v", again, err)
	}
	done, err := c.Agents.ConfirmPolicies(ctx, again.PoliciesRequestID, *stampedBy(t, alice)(&again.Prepared, nil))
	if err != nil || done.Status != "active" || done.AgentSecret == "" {
		t.Fatalf("%+v, %v", done, err)
	}
	if _, err := c.Agents.ConfirmPolicies(ctx, first.PoliciesRequestID,
		*stampedBy(t, alice)(&first.Prepared, nil)); code(err) != "agent_activated" {
		t.Errorf("activated twice: %v", err)
	}
	if _, err := c.Agents.Delete(ctx, first.AgentID); code(err) != "agent_activated" {
		t.Errorf("deleted, though active: %v", err)
	}

	second := pending("Second")
	if page, err := c.Agents.List(ctx, railkit.ListOptions{Limit: 1}); err != nil || page.Meta.Total != 2 ||
		page.Items[0].ID != second.AgentID {
		t.Errorf("the first page: %+v, %v", page, err)
	}
	if page, err := c.Agents.List(ctx, railkit.ListOptions{Limit: 1, Page: 2}); err != nil ||
		len(page.Items) != 1 || page.Items[0].ID != first.AgentID {
		t.Errorf("the second page: %+v, %v", page, err)
	}
	if _, err := c.Agents.Delete(ctx, second.AgentID); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Agents.Get(ctx, second.AgentID); code(err) != "not_found" {
		t.Errorf("after its end: %v", err)
	}
	if page, err := c.Agents.List(ctx, railkit.ListOptions{}); err != nil || page.Meta.Total != 1 {
		t.Errorf("after its end: %+v, %v", page, err)
	}
}

// A sealed secret reaches the recipient alone: it is in no answer in clear, and can be read again later.
func TestSigning_AgentSecretIsSealed(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	req := agentOf(alice, "Sealed")
	req.RecipientPublicKey = railkit.AgentRecipient(key.PublicKey())
	made, err := c.Agents.Create(ctx, alice.Passkey, req)
	if err != nil || made.AgentSecret != "" || made.SealedSecret == nil {
		t.Fatalf("%+v, %v", made, err)
	}
	// The agent's recipient stays the same, so that an API key's word is enough.
	turned, err := c.Agents.Rotate(ctx, made.AgentID, railkit.AgentRotation{RecipientPublicKey: req.RecipientPublicKey})
	if err != nil || turned.AgentSecret != "" {
		t.Fatalf("%+v, %v", turned, err)
	}
	got, err := c.Agents.Get(ctx, made.AgentID)
	if err != nil || got.SecretProof == nil {
		t.Fatalf("%+v, %v", got, err)
	}
	st, err := c.VerifyProof(*got.SecretProof)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := railkit.OpenAgentSecret(key, st)
	if err != nil {
		t.Fatal(err)
	}
	own, err := railkit.NewAgentClient(railkit.AgentConfig{BaseURL: a.BaseURL, AgentID: made.AgentID, Secret: secret})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := own.Status(ctx); err != nil || s.Status != "active" {
		t.Errorf("%+v, %v", s, err)
	}
}

// Both forms in which the API's guides write a budget mean the same, and a wrong one names its field.
func TestSigning_AgentBudgetForms(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	address := alice.Address.Address
	prepare := func(body string) (int, string) {
		r := a.Do(a.Keys.BenchKey, "POST", "/v1/agents/prepare", strings.ReplaceAll(body, "ADDRESS", address))
		return r.Status, r.Body
	}
	for _, good := range []string{
		`{"name":"A","wallet_address":"ADDRESS","chain_id":84532,"budget":{"infra":1,"tokens":2,"payments":3.5}}`,
		`{"name":"A","wallet_address":"ADDRESS","chain_id":84532,"budget":{"infrastructure":{"monthlyUSD":1},
			"tokens":{"monthlyUSD":2},"payments":{"monthlyUSDC":3.5,"perTxUSDC":1,"approvalThresholdUSDC":1}}}`,
		`{"name":"A","wallet_address":"ADDRESS","budget":{"infra":1,"tokens":2,"payments":3}}`, // on Solana
	} {
		if status, raw := prepare(good); status != http.StatusOK || !strings.Contains(raw, "agentRequestId") {
			t.Errorf("%d %s", status, raw)
		}
	}
	for want, bad := range map[string]string{
		"chainId":           `{"name":"A","wallet_address":"ADDRESS","chain_id":5,"budget":{"infra":1,"tokens":2,"payments":3}}`,
		"budget.payments":   `{"name":"A","wallet_address":"ADDRESS","chain_id":84532,"budget":{"infra":1,"tokens":2}}`,
		"walletAddress":     `{"name":"A","wallet_address":"` + ana + `","chain_id":84532,"budget":{"infra":1,"tokens":2,"payments":3}}`,
		"name":              `{"name":"","wallet_address":"ADDRESS","chain_id":84532,"budget":{"infra":1,"tokens":2,"payments":3}}`,
		"perTxUsdc":         `{"name":"A","wallet_address":"ADDRESS","chain_id":84532,"budget":{"infra":1,"tokens":2,"payments":3,"perTxUsdc":0.0000001}}`,
		"allowedRecipients": `{"name":"A","wallet_address":"ADDRESS","chain_id":84532,"anyRecipient":true,"payeesOnly":true,"budget":{"infra":1,"tokens":2,"payments":3}}`,
	} {
		if status, raw := prepare(bad); status != http.StatusBadRequest || !strings.Contains(raw, want) {
			t.Errorf("%s: %d %s", want, status, raw)
		}
	}
}

func isQueued(err error) bool {
	var q *railkit.QueuedError
	return errors.As(err, &q)
}
