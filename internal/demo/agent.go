package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"time"

	railkit "github.com/railkit/railkit/sdk/go"
)

// What the agent may do, and what it does, in USDC.
const (
	agentMonth     = "0.05"
	agentAtOnce    = "0.03"
	agentThreshold = "0.015" // a payment of more waits for the owner's passkey
	agentFunds     = "0.1"
	agentPays      = "0.01"
	agentAsks      = "0.02"
	agentTooMuch   = "0.03" // the month has 0.02 left by then
	agentKeeps     = "0.07"
)

// agent is a program that pays within limits, and what the steps about it hand on.
type agent struct {
	*story
	made    *railkit.AgentChange
	client  *railkit.AgentClient
	address string // of its wallet
	payee   string
	funded  transferred
	paid    transferred
	agreed  transferred
	refusal shortfall
	killed  *railkit.Error // what it was told after its end
}

// transferred is a transfer that the node has, and what the agent's wallet held before and after it.
type transferred struct {
	hash                 string
	block, before, after *big.Int
}

// shortfall is why a limit stopped a payment.
type shortfall struct {
	Layer, Rule, Requested, Limit, Spent string
	ResetsAt                             string
}

func (s *story) agentSteps() []step {
	if s.agent == nil { // the steps are listed more than once
		s.agent = &agent{story: s}
	}
	a := s.agent
	return []step{
		{"The passkey makes an agent, limited", a.hire},
		{"The passkey gives it " + agentFunds + " " + token, a.getFunds},
		{"It pays " + agentPays + " " + token + " on its own", a.pay},
		{"It asks for " + agentAsks + "; the passkey agrees", a.askOwner},
		{"Its month stops it at " + agentTooMuch + " more", a.exhaust},
		{"Killed, it tries in vain", a.die},
	}
}

// hire makes the agent in two rounds, each with a stamp: the agent and its wallet, then its limits.
func (a *agent) hire(ctx context.Context) (string, error) {
	_, payee, err := newKey()
	if err != nil {
		return "", err
	}
	a.payee = payee.String()
	if a.made, err = a.story.client.Agents.Create(ctx, a.passkey, railkit.AgentRequest{
		Name: "Ada's buyer", SubOrganizationID: a.owner.SubOrganizationID, ChainID: a.facts.ChainID,
		Budget: railkit.AgentBudget{
			InfraMonthlyUSD: "1", TokensMonthlyUSD: "1", PaymentsMonthlyUSDC: agentMonth, PerTxUSDC: agentAtOnce,
			ApprovalThresholdUSDC: agentThreshold,
		},
		AgentReach: railkit.AgentReach{AllowedRecipients: []string{a.payee}},
	}); err != nil {
		return "", err
	}
	is, err := a.story.client.Agents.Get(ctx, a.made.AgentID)
	if err != nil {
		return "", err
	}
	a.address = is.WalletAddress
	a.client, err = railkit.NewAgentClient(railkit.AgentConfig{
		BaseURL: a.facts.BaseURL, AgentID: a.made.AgentID, Secret: a.made.AgentSecret, UserAgent: "railkit-demo",
		HTTPClient: &http.Client{Transport: a.recorder, Timeout: 30 * time.Second},
	})
	return agentMonth + " " + token + " a month, " + is.Status, err
}

// getFunds gives the agent USDC of its owner's. Its network fees are the faucet's.
func (a *agent) getFunds(ctx context.Context) (string, error) {
	if _, err := a.story.client.Sandbox.Faucet(ctx, railkit.FaucetRequest{
		Chain: network, Address: a.address, Asset: "native", Amount: fundNative,
	}); err != nil {
		return "", err
	}
	before, err := a.has(ctx)
	if err != nil {
		return "", err
	}
	f, err := a.story.client.Agents.Fund(ctx, a.passkey, a.made.AgentID, railkit.FundAgentRequest{
		Amount: agentFunds, From: a.account.Address, Network: network, FeeLimit: feeLimit,
	})
	if err != nil {
		return "", err
	}
	a.funded, err = a.landed(ctx, f.TransactionID, f.TxHash, before)
	return a.funded.String(), err
}

func (a *agent) pay(ctx context.Context) (string, error) {
	before, err := a.has(ctx)
	if err != nil {
		return "", err
	}
	tx, err := a.send(ctx, agentPays)
	if err != nil {
		return "", err
	}
	a.paid, err = a.landed(ctx, tx.TransactionID, tx.TxHash, before)
	if err == nil && a.paid.moved() != "-"+agentPays {
		err = fmt.Errorf("the node says that %s %s moved, not -%s", a.paid.moved(), token, agentPays)
	}
	return a.paid.String(), err
}

// askOwner pays above the threshold. The agent waits for the answer while the owner votes.
func (a *agent) askOwner(ctx context.Context) (string, error) {
	before, err := a.has(ctx)
	if err != nil {
		return "", err
	}
	_, err = a.send(ctx, agentAsks)
	var waits *railkit.QueuedError
	if !errors.As(err, &waits) {
		return "", fmt.Errorf("a payment over the agent's threshold got %w, not 202", orNothing(err))
	}
	type told struct {
		answer *railkit.Approval
		err    error
	}
	hears := make(chan told, 1)
	go func() {
		answer, err := a.client.Approval(ctx, waits.ApprovalID, 55*time.Second)
		hears <- told{answer, err}
	}()
	if _, err := a.story.client.Approvals.Approve(ctx, a.passkey, waits.ApprovalID, a.isAsked); err != nil {
		return "", err
	}
	got := <-hears
	if got.err != nil {
		return "", fmt.Errorf("the agent waits for the answer: %w", got.err)
	}
	if got.answer.Status != "approved" && got.answer.Status != "executed" {
		return "", fmt.Errorf("the agent was told %q of what its owner approved", got.answer.Status)
	}
	done, err := a.story.client.Approvals.Wait(ctx, waits.ApprovalID, a.Poll)
	if err != nil {
		return "", err
	}
	if done.Transaction == nil || done.Transaction.TxHash == "" {
		return "", fmt.Errorf("what the owner has approved was not sent: %s", done.Comment)
	}
	a.agreed, err = a.landed(ctx, done.Transaction.TransactionID, done.Transaction.TxHash, before)
	return a.agreed.String(), err
}

// isAsked is the owner's look at what the enclave shows.
func (a *agent) isAsked(shown *railkit.Preview) error {
	if shown == nil || len(shown.Effects) != 1 || shown.Effects[0].Display != agentAsks+" "+token {
		return errors.New("the enclave shows another payment than the agent asked for")
	}
	return nil
}

// exhaust asks for more than the month has left.
func (a *agent) exhaust(ctx context.Context) (string, error) {
	_, err := a.send(ctx, agentTooMuch)
	answer, err := a.refused(err, http.StatusForbidden, "budget_exhausted")
	if err != nil {
		return "", err
	}
	raw, err := json.Marshal(answer.Details["layers"])
	if err != nil {
		return "", err
	}
	var lacks []shortfall
	if err := json.Unmarshal(raw, &lacks); err != nil || len(lacks) != 1 {
		return "", fmt.Errorf("the refusal says %s (%w)", raw, orNothing(err))
	}
	a.refusal = lacks[0]
	if r := a.refusal; r.Layer != "payments" || r.Limit != agentMonth || r.Spent != "0.03" || r.ResetsAt == "" {
		return "", fmt.Errorf("the refusal says %+v", r)
	}
	return a.refusal.Layer + ": " + a.refusal.Spent + " of " + a.refusal.Limit + " spent", nil
}

// die kills the agent. What it had stays in its owner's wallet.
func (a *agent) die(ctx context.Context) (string, error) {
	is, err := a.story.client.Agents.Kill(ctx, a.made.AgentID)
	if err != nil {
		return "", err
	}
	if is.Status != "killed" {
		return "", fmt.Errorf("a killed agent is %s", is.Status)
	}
	_, err = a.send(ctx, agentPays)
	if a.killed, err = a.refused(err, http.StatusUnauthorized, "agent_killed"); err != nil {
		return "", err
	}
	open, err := a.story.client.Agents.Exposure(ctx, a.made.AgentID)
	if err != nil {
		return "", err
	}
	left, err := a.has(ctx)
	if err != nil {
		return "", err
	}
	if open.OpenExposureUSDC != "0" || formatUnits(left, decimals) != agentKeeps {
		return "", fmt.Errorf("%s %s may still leave the wallet, which has %s, not %s",
			open.OpenExposureUSDC, token, formatUnits(left, decimals), agentKeeps)
	}
	return a.killed.Code + ", 0 can leave", nil
}

// send asks for a payment to the one address on the agent's list.
func (a *agent) send(ctx context.Context, amount string) (*railkit.Transaction, error) {
	units, err := railkit.USDC(amount)
	if err != nil {
		return nil, err
	}
	return a.client.Pay(ctx, railkit.AgentPayment{
		ActionType: "payment", Amount: units, Destination: a.payee, TokenMint: token, Cluster: network,
	})
}

func (a *agent) refused(err error, status int, code string) (*railkit.Error, error) {
	var answer *railkit.Error
	if !errors.As(err, &answer) || answer.Status != status || answer.Code != code {
		return nil, fmt.Errorf("the agent's payment got %w, not %d %s", orNothing(err), status, code)
	}
	return answer, nil
}

// has asks the node what the agent's wallet holds.
func (a *agent) has(ctx context.Context) (*big.Int, error) {
	return a.node().tokenBalance(ctx, a.facts.Tokens[token], a.address)
}

// landed waits until a transfer is confirmed, and asks the node for its block and for what the wallet then has.
func (a *agent) landed(ctx context.Context, id, hash string, before *big.Int) (transferred, error) {
	t := transferred{hash: hash, before: before}
	_, err := a.story.client.Transactions.WaitConfirmed(ctx, id, a.Poll)
	if err != nil {
		return t, err
	}
	if t.block, err = a.node().block(ctx, hash); err != nil {
		return t, err
	}
	t.after, err = a.has(ctx)
	return t, err
}

func (t transferred) String() string { return fmt.Sprintf("tx %s, block %v", short(t.hash), t.block) }

// moved is what came in, or went out.
func (t transferred) moved() string {
	d := new(big.Int).Sub(t.after, t.before)
	sign := "+"
	if d.Sign() < 0 {
		sign = "-"
	}
	return sign + formatUnits(d.Abs(d), decimals)
}

// agent shows what one agent did with its owner's money, and what it could not.
func (s screen) agent(a *agent) {
	if a == nil || a.killed == nil { // a test's own world may have none
		return
	}
	s.heading("One agent, from its owner's money to its end", short(a.made.AgentID))
	for _, t := range []struct {
		transferred
		what string
	}{
		{a.funded, "from its owner, by passkey"}, {a.paid, "paid on its own"}, {a.agreed, "paid, the passkey agreed"},
	} {
		s.amount(t.moved(), token, t.what+", "+t.String())
		s.amount(formatUnits(t.after, decimals), "", "in its wallet then, says the node")
	}
	r := a.refusal
	s.print("\n  %s %s more: refused, %s spent of the %s of a month (%s)\n", r.Requested, token, r.Spent, r.Limit,
		r.Layer)
	s.print("  The next month begins %s\n", r.ResetsAt)
	s.print("  After the kill: %d %s, and %s %s are in the wallet still\n",
		a.killed.Status, a.killed.Code, agentKeeps, token)
}
