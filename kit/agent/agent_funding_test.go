package agent_test

import (
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// The owner's passkey moves USDC to the agent's wallet, and the agent sees it there.
func TestSigning_AgentFunding(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	made, err := c.Agents.Create(ctx, alice.Passkey, agentOf(alice, "Funded"))
	if err != nil {
		t.Fatal(err)
	}
	id := made.AgentID
	own, err := railkit.NewAgentClient(
		railkit.AgentConfig{BaseURL: a.BaseURL, AgentID: id, Secret: made.AgentSecret})
	if err != nil {
		t.Fatal(err)
	}
	if b, err := own.Balance(ctx); err != nil || b.BalanceUSDC != "0" || len(b.Networks) != 1 {
		t.Errorf("before: %+v, %v", b, err)
	}
	w, err := c.Agents.Wallet(ctx, id)
	if err != nil || len(w.Networks) != 1 || w.Networks[0].Network != "base" || w.Address == "" || w.ExplorerURL != "" {
		t.Errorf("its wallet: %+v, %v", w, err)
	}

	req := railkit.FundAgentRequest{Amount: "10.000001", From: alice.Address.Address, Network: "base"}
	got, err := c.Agents.Fund(ctx, alice.Passkey, id, req)
	if err != nil {
		t.Fatal(err)
	}
	if got.FundRequestID != got.TransactionID || got.Signature == "" || got.Signature != got.SignedTransaction ||
		got.TxHash == "" || got.To != w.Address || got.From != alice.Address.Address || got.Amount != "10.000001" {
		t.Errorf("funded: %+v", got)
	}
	confirmed(t, a, c, got.TransactionID)
	if b, err := own.Balance(ctx); err != nil || b.BalanceUSDC != "10.000001" || b.Networks[0].Native != "0" {
		t.Errorf("after: %+v, %v", b, err)
	}

	another, err := c.Agents.Create(ctx, alice.Passkey, agentOf(alice, "Another"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Agents.PrepareFunding(ctx, id, railkit.FundAgentRequest{
		Amount: "1", From: alice.Address.Address, Network: "base"})
	if err != nil {
		t.Fatal(err)
	}
	signed := *stampedBy(t, alice)(&p.Prepared, nil)
	if _, err := c.Agents.ConfirmFunding(ctx, another.AgentID, p.FundRequestID, signed); !railkit.IsNotFound(err) {
		t.Errorf("confirmed for another agent: %v", err)
	}
	if _, err := c.Agents.Kill(ctx, id); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Agents.ConfirmFunding(ctx, id, p.FundRequestID, signed); code(err) != "agent_killed_unfundable" {
		t.Errorf("confirmed after the kill: %v", err)
	}
	if _, err := c.Agents.PrepareFunding(ctx, id, req); code(err) != "agent_killed_unfundable" {
		t.Errorf("prepared after the kill: %v", err)
	}
	if b, err := c.Agents.Balance(ctx, id); err != nil || b.BalanceUSDC != "10.000001" {
		t.Errorf("a killed agent keeps its funds: %+v, %v", b, err)
	}
}

// What is no funding of the agent is no fund request, and a request names what is missing or wrong.
func TestSigning_AgentFundingRefused(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	bob := a.Fund(c, "bob@example.com")
	reach := agentOf(alice, "Two networks")
	reach.AllowedChains, reach.ChainID = []string{"base", "polygon"}, 0
	made, err := c.Agents.Create(ctx, alice.Passkey, reach)
	if err != nil {
		t.Fatal(err)
	}
	path := "/v1/agents/" + made.AgentID + "/fund/"
	ask := func(body string) (int, string) {
		r := a.Do(a.Keys.BenchKey, "POST", path+"prepare", body)
		return r.Status, r.Body
	}
	for want, body := range map[string]string{
		"network must be one":   `{"amount":1}`,
		"network must be":       `{"amount":1,"network":"ethereum"}`,
		"amount must be":        `{"amount":1.0000001,"network":"base"}`,
		"amount must be more":   `{"amount":0,"network":"base"}`,
		"amount must be a":      `{"network":"base"}`,
		"amountUSDC must":       `{"amount":1,"amountUSDC":"1","network":"base"}`,
		"from must be":          `{"amount":1,"network":"base","from":"` + bob.Address.Address + `"}`,
		"from must be an":       `{"amount":1,"network":"base","from":"` + receiver + `"}`,
		"amount must be a p":    `{"amountUSDC":"1e3","network":"base"}`,
		"from must be an addre": `{"amount":1,"network":"base","from":"nobody"}`,
	} {
		if status, raw := ask(body); status != 400 || !strings.Contains(raw, want) {
			t.Errorf("%s: %d %s", want, status, raw)
		}
	}
	for _, body := range []string{
		`{"amount":2.5,"network":"base"}`, `{"amountUSDC":"2.50","network":"base"}`,
	} { // alice has one address beside the agent's
		if status, raw := ask(body); status != 200 || !strings.Contains(raw, `"amount":"2.5"`) {
			t.Errorf("%s: %d %s", body, status, raw)
		}
	}
	if _, err := c.Addresses.Create(ctx, alice.Passkey, railkit.PrepareAccountRequest{
		WalletID: alice.Wallet.WalletID, Chain: "base"}); err != nil {
		t.Fatal(err)
	}
	status, raw := ask(`{"amount":1,"network":"base"}`)
	if status != 400 || !strings.Contains(raw, "from is required") {
		t.Errorf("two addresses: %d %s", status, raw)
	}
	plain, err := c.Transactions.Prepare(ctx, railkit.PrepareTransactionRequest{
		Type: railkit.TransferToken, SignWith: alice.Address.Address, ChainID: 84532, To: receiver,
		TokenAddress: apptest.USDC().Address, Amount: "1",
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Agents.ConfirmFunding(ctx, made.AgentID, plain.TransactionID,
		*stampedBy(t, alice)(&plain.Prepared, nil))
	if !railkit.IsNotFound(err) {
		t.Errorf("a payment to somebody else: %v", err)
	}
	pending, err := c.Agents.Prepare(ctx, agentOf(alice, "Pending"))
	if err != nil {
		t.Fatal(err)
	}
	next, err := c.Agents.ConfirmUser(ctx, pending.AgentRequestID, agentOf(alice, "Pending"),
		*stampedBy(t, alice)(&pending.Prepared, nil))
	if err != nil {
		t.Fatal(err)
	}
	r := a.Do(a.Keys.BenchKey, "POST", "/v1/agents/"+next.AgentID+"/fund/prepare", `{"amount":1}`)
	if r.Status != 422 || !strings.Contains(r.Body, "agent_policies_pending") {
		t.Errorf("pending: %d %s", r.Status, r.Body)
	}
}

// Where approvals are on, a funding waits for votes as any payment of its owner does.
func TestSigning_AgentFundingWaitsForVotes(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	made, err := c.Agents.Create(ctx, alice.Passkey, agentOf(alice, "Held"))
	if err != nil {
		t.Fatal(err)
	}
	on := true
	config := railkit.ApprovalConfigRequest{
		SubOrganizationID: alice.Sub.SubOrganizationID, Enabled: &on, ThresholdUSD: "1", RequiredApprovers: 1,
	}
	if _, err := c.Approvals.UpdateConfig(ctx, config); err != nil {
		t.Fatal(err)
	}
	_, err = c.Agents.Fund(ctx, alice.Passkey, made.AgentID, railkit.FundAgentRequest{
		Amount: "5", From: alice.Address.Address, Network: "base"})
	vote, err := c.Approvals.Approve(ctx, alice.Passkey, wantQueued(t, err).ApprovalID,
		func(*railkit.Preview) error { return nil })
	if err != nil || vote.Status != railkit.ApprovalApproved {
		t.Fatalf("%+v, %v", vote, err)
	}
	confirmed(t, a, c, vote.TransactionID)
	if b, err := c.Agents.Balance(ctx, made.AgentID); err != nil || b.BalanceUSDC != "5" {
		t.Errorf("%+v, %v", b, err)
	}
}
