package agent_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/agent/killswitch"
	"github.com/railkit/railkit/platform/command"
	railkit "github.com/railkit/railkit/sdk/go"
)

// payer is an agent with money, and its own client.
type payer struct {
	*railkit.AgentClient
	made *railkit.AgentChange
	from string // its address
}

// newPayer makes an agent that pays ana on Base, with 5 USDC and gas.
func newPayer(t *testing.T, a *apptest.App, c *railkit.Client, o apptest.Owner, name string) payer {
	t.Helper()
	made, err := c.Agents.Create(ctx, o.Passkey, agentOf(o, name))
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Agents.Get(ctx, made.AgentID)
	if err != nil {
		t.Fatal(err)
	}
	for asset, amount := range map[string]string{"native": "0.1", "USDC": "5"} {
		if _, err := c.Sandbox.Faucet(ctx, railkit.FaucetRequest{
			Chain: "base", Address: got.WalletAddress, Asset: asset, Amount: amount,
		}); err != nil {
			t.Fatal(err)
		}
	}
	own, err := railkit.NewAgentClient(railkit.AgentConfig{
		BaseURL: a.BaseURL, AgentID: made.AgentID, Secret: made.AgentSecret,
	})
	if err != nil {
		t.Fatal(err)
	}
	return payer{own, made, got.WalletAddress}
}

// solanas is an address of another family of networks.
const solanas = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"

// toAna pays ana this many micro-USDC.
func toAna(micro railkit.SmallestUnits) railkit.AgentPayment {
	return railkit.AgentPayment{
		ActionType: "payment", Amount: micro, Destination: ana, TokenMint: "USDC", Cluster: "base",
	}
}

// An agent pays within its limits, is stopped at each of them, asks above its threshold, and is killed.
func TestAgents_Payments(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	p := newPayer(t, a, c, alice, "Buyer")

	paid, err := p.Pay(ctx, toAna("10000"))
	if err != nil {
		t.Fatal(err)
	}
	if paid.Type != "agent_payment" || paid.Status != "broadcast" || paid.Amount != "0.01" || paid.From != p.from ||
		paid.To != ana || paid.Signature == "" || paid.Signature != paid.SignedTransaction {
		t.Errorf("paid: %+v", paid)
	}
	apptest.Eventually(t, "the payment is confirmed", func() bool {
		tx, err := c.Transactions.Get(ctx, paid.TransactionID)
		return err == nil && tx.Status == "confirmed"
	})

	if _, err := p.Pay(ctx, toAna("1000001")); code(err) != "budget_exhausted" ||
		!names(err, "Agent has insufficient budget") || !strings.Contains(err.Error(), `"rule":"perTxUsdc"`) {
		t.Errorf("more than one payment may be: %v", err)
	}
	other := toAna("10000")
	other.Destination = alice.Address.Address
	if _, err := p.Pay(ctx, other); code(err) != "agent_not_allowed" {
		t.Errorf("to somebody else: %v", err)
	}

	var queued *railkit.QueuedError
	if _, err := p.Pay(ctx, toAna("600000")); !errors.As(err, &queued) || queued.Code != "approval_required" {
		t.Fatalf("above the threshold: %v", err)
	}
	waiting, err := p.Approval(ctx, queued.ApprovalID, 0)
	if err != nil || waiting.Status != "pending" || waiting.Amount != "0.6" {
		t.Fatalf("the agent reads: %+v, %v", waiting, err)
	}
	decided := make(chan *railkit.Approval, 1)
	go func() {
		got, err := p.Approval(ctx, queued.ApprovalID, 50*time.Second)
		if err != nil {
			t.Errorf("waiting for the decision: %v", err)
		}
		decided <- got
	}()
	if _, err := c.Approvals.Approve(ctx, alice.Passkey, queued.ApprovalID, func(p *railkit.Preview) error {
		if p.AgentName != "Buyer" || len(p.Effects) != 1 || p.Effects[0].To != ana || p.Effects[0].Amount != "600000" {
			return fmt.Errorf("the owner is shown %+v", p)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got := <-decided; got == nil || got.Status != "approved" || got.Transaction.TxHash == "" {
		t.Errorf("the agent is told: %+v", got)
	}

	told, err := c.Agents.Audit(ctx, p.made.AgentID, railkit.AgentAuditOptions{Type: "payment", Status: "failed"})
	if err != nil || told.Meta.Total != 2 || told.Items[0].Action != "agent.payment.refuse" ||
		told.Items[0].Detail["code"] != "agent_not_allowed" || told.Items[1].Detail["code"] != "budget_exhausted" {
		t.Errorf("the record of refusals: %+v, %v", told, err)
	}
	if b, err := p.Budget(ctx); err != nil || b.Layers.Payments.Spent != "0.61" || b.Layers.Infra.Spent != "0.0002" ||
		b.Layers.Infra.Held != "0" {
		t.Errorf("two payments of 0.01 and 0.6, and the price of two calls: %+v, %v", b, err)
	}
	if _, err := c.Agents.Kill(ctx, p.made.AgentID); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Pay(ctx, toAna("10000")); code(err) != "agent_killed" {
		t.Errorf("killed: %v", err)
	}
}

// What an agent may not read, and what it asked for wrongly, by the name of the field.
func TestAgents_PaymentsOfOthers(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	p, q := newPayer(t, a, c, alice, "First"), newPayer(t, a, c, alice, "Second")

	var queued *railkit.QueuedError
	if _, err := p.Pay(ctx, toAna("600000")); !errors.As(err, &queued) {
		t.Fatal(err)
	}
	if _, err := q.Approval(ctx, queued.ApprovalID, 0); code(err) != "not_found" {
		t.Errorf("another agent reads the approval: %v", err)
	}
	if _, err := c.Approvals.Reject(ctx, queued.ApprovalID, "no"); err != nil {
		t.Fatal(err)
	}
	if got, err := p.Approval(ctx, queued.ApprovalID, time.Minute); err != nil || got.Status != "rejected" {
		t.Errorf("rejected: %+v, %v", got, err)
	}
	if r := a.Do(a.Keys.BenchKey, "POST", "/v1/agents/"+p.made.AgentID+"/sign-transaction",
		apptest.JSON(t, toAna("1"))); r.Status != http.StatusUnauthorized {
		t.Errorf("an API key pays for an agent: %d %s", r.Status, r.Body)
	}
	for field, change := range map[string]func(*railkit.AgentPayment){
		"cluster":     func(p *railkit.AgentPayment) { p.Cluster = "mainnet-beta" },
		"token_mint":  func(p *railkit.AgentPayment) { p.TokenMint = "USDT" },
		"amount":      func(p *railkit.AgentPayment) { p.Amount = "0.01" },
		"destination": func(p *railkit.AgentPayment) { p.Destination = solanas },
	} {
		wrong := toAna("10000")
		change(&wrong)
		if _, err := p.Pay(ctx, wrong); code(err) != "validation_failed" || !names(err, field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := p.Pay(ctx, toAna("1")); err != nil {
		t.Errorf("after all refusals: %v", err)
	}
}

// One Idempotency-Key pays once: asked again, it gets the first answer.
func TestAgents_PaysOnceUnderAKey(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	p := newPayer(t, a, c, a.Fund(c, "alice@example.com"), "Again")
	key := railkit.WithIdempotencyKey(ctx, uuid.NewString())
	first, err := p.Pay(key, toAna("20000"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := p.Pay(key, toAna("20000"))
	if err != nil || again.TransactionID != first.TransactionID || again.TxHash != first.TxHash {
		t.Errorf("again: %+v, %v", again, err)
	}
	if _, err := p.Pay(key, toAna("20001")); code(err) != "idempotency_key_reused" {
		t.Errorf("another payment under the key: %v", err)
	}
}

// The signer signs, and the server's commit fails. The agent asks again under its key, with a new signature: it gets
// the payment that was signed, and nothing is paid twice.
func TestAgents_LostAnswerPaysOnce(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, apptest.WithoutSweeper())
	c := a.Client()
	p := newPayer(t, a, c, a.Fund(c, "alice@example.com"), "Lost")
	key := railkit.WithIdempotencyKey(ctx, uuid.NewString())
	allow := refuse(t, a, "UPDATE", "transactions", "")
	if _, err := p.Pay(key, toAna("20000")); err == nil {
		t.Fatal("the commit did not fail")
	}
	allow()
	if n := count(t, a, "transactions WHERE type = 'agent_payment' AND state = 'awaiting_signature'"); n != 1 {
		t.Fatalf("after the failed commit %d rows wait", n)
	}
	paid, err := p.Pay(key, toAna("20000"))
	if err != nil || paid.TxHash == "" {
		t.Fatalf("again: %+v, %v", paid, err)
	}
	apptest.Eventually(t, "the payment is mined", func() bool {
		tx, err := c.Transactions.Get(ctx, paid.TransactionID)
		return err == nil && tx.Status == "confirmed"
	})
	if left := a.HoldsUSDC("base", p.from); left != 4_980_000 {
		t.Errorf("the agent has %d left of 5000000, and paid 20000 once", left)
	}
}

// The signer was never asked: another try has another body, and pays. Also where the first try's row stayed, which a
// crash would have left.
func TestAgents_RefusedThenPaid(t *testing.T) {
	t.Parallel()
	var node *apptest.Node
	a := apptest.Rig(t, apptest.WithoutSweeper(), func(c *apptest.Config) {
		node = apptest.NewNode(t, c.RPCURLs["base"])
		c.RPCURLs["base"] = node.URL
	})
	c := a.Client()
	p := newPayer(t, a, c, a.Fund(c, "alice@example.com"), "Node")
	key := railkit.WithIdempotencyKey(ctx, uuid.NewString())
	node.Break("eth_getTransactionCount", apptest.Down)
	if _, err := p.Pay(key, toAna("20000")); code(err) != "node_unreachable" {
		t.Fatalf("without a node: %v", err)
	}
	if n := count(t, a, "transactions"); n != 0 {
		t.Errorf("a payment that was never asked for left %d rows", n)
	}
	allow := refuse(t, a, "DELETE", "transactions", "")
	if _, err := p.Pay(key, toAna("20000")); code(err) != "node_unreachable" {
		t.Fatalf("without a node: %v", err)
	}
	allow()
	node.Break("eth_getTransactionCount", nil)
	// While it may still be on its way, nothing takes its place.
	a.Edit("UPDATE transactions SET created_at = created_at - 30000000")
	if paid, err := p.Pay(key, toAna("20000")); err != nil || paid.TxHash == "" {
		t.Errorf("again: %+v, %v", paid, err)
	}
}

// While the operator's switch is on nobody pays, and the refused call costs nothing.
func TestAgents_OperatorsSwitchStopsPayments(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	c := a.Client()
	p := newPayer(t, a, c, a.Fund(c, "alice@example.com"), "Stopped")
	turn := func(on bool) {
		t.Helper()
		err := a.Store.Agents().Switch().Work(ctx, killswitch.Platform,
			func(ctx context.Context, tx killswitch.Tx) (command.Audit, error) {
				return command.Audit{}, tx.SetKillSwitch(ctx, killswitch.State{On: on, Since: time.Now()})
			})
		if err != nil {
			t.Fatal(err)
		}
	}
	turn(true)
	if _, err := p.Pay(ctx, toAna("10000")); code(err) != "kill_switch_active" {
		t.Errorf("under the operator's switch: %v", err)
	}
	if s, err := p.Status(ctx); err != nil || !s.KillSwitch {
		t.Errorf("it reads that it may not: %+v, %v", s, err)
	}
	turn(false)
	if _, err := p.Pay(ctx, toAna("10000")); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	if b, err := p.Budget(ctx); err != nil || b.Layers.Infra.Spent != "0.0001" || b.Layers.Infra.Held != "0" {
		t.Errorf("one call was served: %+v, %v", b, err)
	}
}

// An operator who switches a workspace's agents off, or rejects its business, stops what they pay and what waits for
// votes. Whoever has the agents sees them, pauses and kills them all the same.
func TestAgents_OperatorStopsAWorkspacesAgents(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	p := newPayer(t, a, c, alice, "Stopped")
	doomed := newPayer(t, a, c, alice, "Doomed")
	var queued *railkit.QueuedError
	if _, err := p.Pay(ctx, toAna("600000")); !errors.As(err, &queued) {
		t.Fatalf("above the threshold: %v", err)
	}
	stamped := stampedVote(t, c, alice, queued.ApprovalID)
	operate := func(path, body string) {
		t.Helper()
		got := a.Do(a.Keys.AdminKey, "PATCH", "/v1/integrators/"+a.Keys.WorkspaceID+path, body)
		if got.Status != 200 {
			t.Fatalf("%s: %d %s", path, got.Status, got.Body)
		}
	}
	modules := func(all string) { operate("/modules", `{"modules":[`+all+`]}`) }
	const all = `"signing","payout","agents","widget"`
	kyb := func(status string) { operate("/kyb", `{"status":"`+status+`"}`) }
	for _, stop := range []struct {
		code    string
		on, off func()
	}{
		{"module_inactive", func() { modules(`"signing"`) }, func() { modules(all) }},
		{"verification_incomplete", func() { kyb("rejected") }, func() { kyb("approved") }},
	} {
		stop.on()
		if _, err := p.Pay(ctx, toAna("10000")); code(err) != stop.code {
			t.Errorf("%s: it pays: %v", stop.code, err)
		}
		if _, err := c.Approvals.SubmitVote(ctx, queued.ApprovalID, stamped); code(err) != stop.code {
			t.Errorf("%s: its owner's vote: %v", stop.code, err)
		}
		if _, err := c.Approvals.PrepareVote(ctx, queued.ApprovalID); code(err) != stop.code {
			t.Errorf("%s: a vote is prepared: %v", stop.code, err)
		}
		if all, err := c.Agents.List(ctx, railkit.ListOptions{}); err != nil || len(all.Items) != 2 {
			t.Errorf("%s: listing: %+v, %v", stop.code, all, err)
		}
		if _, err := c.Agents.Exposure(ctx, p.made.AgentID); err != nil {
			t.Errorf("%s: reading: %v", stop.code, err)
		}
		if got, err := c.Agents.Pause(ctx, doomed.made.AgentID); err != nil || got.Status != "suspended" {
			t.Errorf("%s: pausing: %+v, %v", stop.code, got, err)
		}
		stop.off()
	}
	modules(`"signing"`)
	if got, err := c.Agents.Kill(ctx, doomed.made.AgentID); err != nil || got.Status != "killed" {
		t.Errorf("killing: %+v, %v", got, err)
	}
	modules(all)
	if got, err := c.Approvals.SubmitVote(ctx, queued.ApprovalID, stamped); err != nil || got.Status != "approved" {
		t.Errorf("the same vote afterwards: %+v, %v", got, err)
	}
}

func stampedVote(t *testing.T, c *railkit.Client, o apptest.Owner, id string) railkit.SignedActivity {
	t.Helper()
	p, err := c.Approvals.PrepareVote(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := p.Stamp(o.Passkey)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// The rejection is in the signer, and the server's commit fails: whoever finds it rejected, such as an agent that waits
// for the decision, reads why.
func TestAgents_RejectionKeepsItsReason(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, apptest.WithoutSweeper())
	c := a.Client()
	p := newPayer(t, a, c, a.Fund(c, "alice@example.com"), "Waiting")
	var waits *railkit.QueuedError
	if _, err := p.Pay(ctx, toAna("600000")); !errors.As(err, &waits) {
		t.Fatal(err)
	}
	allow := refuse(t, a, "UPDATE", "transactions", "")
	if _, err := c.Approvals.Reject(ctx, waits.ApprovalID, "not ours"); err == nil {
		t.Error("the commit did not fail")
	}
	allow()
	got, err := p.Approval(ctx, waits.ApprovalID, time.Second)
	if err != nil || got.Status != "rejected" || got.Comment != "not ours" {
		t.Errorf("the agent reads %+v, %v", got, err)
	}
}
