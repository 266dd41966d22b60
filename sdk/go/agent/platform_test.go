package agent_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/tamper"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/agent"
)

func TestMain(m *testing.M) { os.Exit(apptest.Keep(m)) }

// platform is a running server and signer with an agent that may pay 0.1 USDC a month, and more than 0.03 at once only
// with its owner's passkey. It has 1 USDC.
type platform struct {
	*apptest.App
	t     *testing.T
	c     *railkit.Client
	owner apptest.Owner
	made  *railkit.AgentChange
	from  string // the agent's address
}

func newPlatform(t *testing.T, a *apptest.App, change ...func(*railkit.AgentRequest)) *platform {
	t.Helper()
	p := &platform{App: a, t: t, c: a.Client()}
	p.owner = a.Fund(p.c, "ada@example.com")
	req := railkit.AgentRequest{
		Name: "Buyer", SubOrganizationID: p.owner.Sub.SubOrganizationID, ChainID: 84532,
		Budget: railkit.AgentBudget{
			InfraMonthlyUSD: "1", TokensMonthlyUSD: "1", PaymentsMonthlyUSDC: "0.1", ApprovalThresholdUSDC: "0.03",
		},
		AgentReach: railkit.AgentReach{AllowedRecipients: []string{cent.Destination}},
	}
	for _, f := range change {
		f(&req)
	}
	var err error
	if p.made, err = p.c.Agents.Create(ctx, p.owner.Passkey, req); err != nil {
		t.Fatal(err)
	}
	got, err := p.c.Agents.Get(ctx, p.made.AgentID)
	if err != nil {
		t.Fatal(err)
	}
	p.from = got.WalletAddress
	for _, asset := range []string{"native", "USDC"} {
		if _, err := p.c.Sandbox.Faucet(ctx, railkit.FaucetRequest{
			Chain: "base", Address: p.from, Asset: asset, Amount: "1",
		}); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// runtime is the agent's program, at the server or at a host before it.
func (p *platform) runtime(at string, change ...func(*agent.Config)) *agent.Runtime {
	p.t.Helper()
	cfg := agent.Config{
		BaseURL: at, AgentID: p.made.AgentID, Secret: p.made.AgentSecret, KillPoll: time.Second,
		FlushEvery: 100 * time.Millisecond,
	}
	for _, f := range change {
		f(&cfg)
	}
	r, err := agent.New(cfg)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = r.Close(context.Background()) })
	return r
}

// paidIs compares what the chain says that the agent paid, in micro-USDC.
func (p *platform) paidIs(what string, want int64) {
	p.t.Helper()
	if got := 1_000_000 - p.HoldsUSDC("base", p.from); got != want {
		p.t.Errorf("%s: the agent has paid %d micro-USDC, want %d", what, got, want)
	}
}

// whenOneWaits has the owner decide as soon as a payment waits for approval.
func (p *platform) whenOneWaits(decide func(id string) error) {
	var waiting []railkit.Approval
	apptest.Eventually(p.t, "a payment waits", func() bool {
		page, err := p.c.Agents.Approvals(ctx, railkit.ListOptions{}, railkit.ApprovalPending)
		if err == nil {
			waiting = page.Items
		}
		return len(waiting) == 1
	})
	if err := decide(waiting[0].ID); err != nil {
		p.t.Error(err)
	}
}

// confirmed waits until a payment is mined.
func (p *platform) confirmed(id string) {
	p.t.Helper()
	if _, err := p.c.Transactions.WaitConfirmed(ctx, id, 50*time.Millisecond); err != nil {
		p.t.Fatal(err)
	}
}

// paying is p with another amount.
func paying(micro railkit.SmallestUnits) railkit.AgentPayment {
	p := cent
	p.Amount = micro
	return p
}

const signTransaction = "POST /v1/agents/{id}/sign-transaction"

// The answer is lost, the program dies, and the server starts anew: under its key the payment is made once.
func TestAgents_RuntimePaysOnceOnTheChain(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, apptest.Rig(t))
	host := tamper.New(t, p.Handler)
	r, key := p.runtime(host.URL), uuid.NewString()

	host.On(signTransaction, tamper.Cut(1)) // it is signed, and the answer does not arrive
	first, err := r.PayOnce(ctx, key, cent)
	if err != nil || first.TxHash == "" || first.Amount != "0.01" {
		t.Fatalf("%+v, %v", first, err)
	}
	twice, err := r.PayOnce(ctx, key, cent)
	if err != nil || twice.TransactionID != first.TransactionID {
		t.Errorf("called twice: %+v, %v", twice, err)
	}
	p.confirmed(first.TransactionID)
	p.paidIs("called twice", 10_000)

	second := uuid.NewString()
	dying, die := context.WithCancel(ctx)
	host.On(signTransaction, func(*tamper.Answer) { die() }, tamper.Cut(9))
	var unknown *agent.UnknownError
	if _, err := r.PayOnce(dying, second, paying("20000")); !errors.As(err, &unknown) || unknown.Key != second {
		t.Errorf("a program that dies: %v", err)
	}
	if err := r.Close(ctx); err != nil {
		t.Error(err)
	}
	p.StopServer()
	p.StartServer()
	p.c = p.Client()
	again := p.runtime(p.BaseURL)
	if got, err := again.PayOnce(ctx, key, cent); err != nil || got.TransactionID != first.TransactionID {
		t.Errorf("the first one, after a restart: %+v, %v", got, err)
	}
	paid, err := again.PayOnce(ctx, second, paying("20000"))
	if err != nil {
		t.Fatal(err)
	}
	p.confirmed(paid.TransactionID)
	p.paidIs("after a restart", 30_000)
}

// The owner's passkey agrees or does not, the month ends the payments, and each event counts once although its first
// report's answer was lost.
func TestAgents_RuntimeWithinItsBudget(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, apptest.Shared(t))
	host := tamper.New(t, p.Handler)
	r := p.runtime(host.URL)
	go p.whenOneWaits(func(id string) error {
		_, err := p.c.Approvals.Approve(ctx, p.owner.Passkey, id, func(*railkit.Preview) error { return nil })
		return err
	})
	asked, err := r.Pay(ctx, paying("50000"))
	if err != nil || asked.TxHash == "" || asked.ApprovalID == "" {
		t.Fatalf("above the threshold: %+v, %v", asked, err)
	}
	go p.whenOneWaits(func(id string) error {
		_, err := p.c.Approvals.Reject(ctx, id, "too much")
		return err
	})
	var rejected *agent.RejectedError
	if _, err := r.Pay(ctx, paying("40000")); !errors.As(err, &rejected) || rejected.Reason != "too much" {
		t.Errorf("rejected: %v", err)
	}
	var lacks *agent.BudgetError
	if _, err := r.Pay(ctx, paying("50001")); !errors.As(err, &lacks) || len(lacks.Layers) != 1 ||
		lacks.Layers[0].Spent != "0.05" || lacks.Layers[0].Limit != "0.1" || lacks.Layers[0].NeverFits {
		t.Errorf("more than the month has left: %v", err)
	}
	p.confirmed(asked.TransactionID)
	p.paidIs("one was approved", 50_000)

	const report = "/v1/agents/events/batch"
	reports := func() (n int) {
		for _, c := range host.Calls() {
			if c.Path == report {
				n++
			}
		}
		return n
	}
	apptest.Eventually(t, "the payment is reported", func() bool { return reports() == 1 })
	host.On("POST "+report, tamper.Cut(1))
	r.Track(
		railkit.AgentEvent{ID: "call-1", Type: "llm_call", Amount: "0.018"},
		railkit.AgentEvent{ID: "call-1", Type: "llm_call", Amount: "0.018"},
		railkit.AgentEvent{Type: "api_call", Amount: "0.000000001"},
		railkit.AgentEvent{Type: "token_usage", Amount: "0.002"},
	)
	apptest.Eventually(t, "the answer to a report is lost", func() bool { return reports() == 2 })
	r.Track(railkit.AgentEvent{Type: strings.Repeat("x", 65)}) // the API refuses it, and the batch with it
	if err := r.Close(ctx); err != nil {
		t.Error(err)
	}
	b, err := p.c.Agents.Budget(ctx, p.made.AgentID)
	if err != nil || b.Layers.Tokens.Spent != "0.02" || b.Layers.Payments.Spent != "0.05" ||
		b.Layers.Payments.Held != "0" {
		t.Errorf("the budget: %+v, %v", b, err)
	}
}

// The owner kills the agent while a payment waits: the program is told within a poll, and nothing is paid any more,
// now or under the key of the one that waited.
func TestAgents_RuntimeIsKilled(t *testing.T) {
	t.Parallel()
	on := true
	p := newPlatform(t, apptest.Shared(t), func(r *railkit.AgentRequest) { r.RequireHTTPSignature = &on })
	r := p.runtime(p.BaseURL)
	if _, err := r.Pay(ctx, cent); err != nil {
		t.Fatal(err)
	}
	go p.whenOneWaits(func(string) error {
		_, err := p.c.Agents.Kill(ctx, p.made.AgentID)
		return err
	})
	key, more := uuid.NewString(), paying("40000")
	if _, err := r.PayOnce(ctx, key, more); !errors.Is(err, agent.ErrKilled) {
		t.Fatalf("it waited, and was killed: %v", err)
	}
	<-r.Context().Done()
	if err := context.Cause(r.Context()); !errors.Is(err, agent.ErrKilled) || !errors.Is(r.Blocked(), agent.ErrKilled) {
		t.Errorf("the work ended with %v, blocked %v", err, r.Blocked())
	}
	for what, err := range map[string]error{
		"another payment": second(r.Pay(ctx, cent)), "the same one": second(r.PayOnce(ctx, key, more)),
		"a new program": second(p.runtime(p.BaseURL).PayOnce(ctx, key, more)),
	} {
		if !errors.Is(err, agent.ErrKilled) {
			t.Errorf("%s: %v", what, err)
		}
	}
	apptest.Eventually(t, "the first payment is mined", func() bool { return p.HoldsUSDC("base", p.from) <= 990_000 })
	p.paidIs("killed", 10_000)
}

func second(_ *railkit.Transaction, err error) error { return err }
