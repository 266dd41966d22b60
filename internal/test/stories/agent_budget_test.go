package stories_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/agent/killswitch"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	railkit "github.com/railkit/railkit/sdk/go"
)

// budgeted is an agent with 0.0002 USD for calls and 0.5 for tokens, and its owner's client.
func (w *agentWorld) budgeted(name string) (*railkit.Client, bot) {
	w.t.Helper()
	owner := w.tenant(auth.Agents)
	c := w.ClientWith(owner.key)
	made, err := c.Agents.Create(w.t.Context(), owner.owner.Passkey, railkit.AgentRequest{
		Name: name, SubOrganizationID: owner.owner.Sub.SubOrganizationID, ChainID: 84532,
		Budget: railkit.AgentBudget{
			InfraMonthlyUSD: "0.0002", TokensMonthlyUSD: "0.5", PaymentsMonthlyUSDC: "10", PerTxUSDC: "1",
		},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return c, bot{made.AgentID, made.AgentSecret}
}

// An agent reads its budget, reports what it spends, each event once, and is told by the next call that it is too much.
func TestAgents_BudgetStory(t *testing.T) {
	t.Parallel()
	w := newAgentWorld(t)
	owner, b := w.budgeted("Spender")
	agent := w.client(b)
	first, err := agent.Budget(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := railkit.AgentBudgetLayers{
		Infra:  railkit.AgentBudgetLayer{Limit: "0.0002", Spent: "0", Held: "0", Remaining: "0.0002", Currency: "USD"},
		Tokens: railkit.AgentBudgetLayer{Limit: "0.5", Spent: "0", Held: "0", Remaining: "0.5", Currency: "USD"},
		Payments: railkit.AgentPaymentsBudget{
			AgentBudgetLayer: railkit.AgentBudgetLayer{
				Limit: "10", Spent: "0", Held: "0", Remaining: "10", Currency: "USDC",
			}, Unused: "0", PerTx: "1", ApprovalThreshold: "1",
		},
	}
	if first.Layers != want || first.AgentID != b.id || first.Period != "monthly" || first.KillSwitch ||
		!strings.HasSuffix(first.PeriodStart, "-01T00:00:00.000Z") || first.PeriodEnd <= first.PeriodStart {
		t.Errorf("%+v", first)
	}
	done, err := agent.ReportEvents(t.Context(),
		railkit.AgentEvent{ID: "1", Type: "llm_call", Amount: "0.018", Metadata: map[string]any{"model": "large"}},
		railkit.AgentEvent{ID: "1", Type: "llm_call", Amount: "0.018"},
		railkit.AgentEvent{Type: "api_call", Amount: "0.000000001"},
		railkit.AgentEvent{Type: "payment", Amount: "5"},
	)
	if err != nil || done.Accepted != 3 || done.Duplicates != 1 || done.Events[1] != (railkit.ReportedEvent{
		ID: "1", Status: "duplicate",
	}) || done.BudgetStatus.Layers.Tokens.Remaining != "0.482" ||
		done.BudgetStatus.Layers.Infra.Spent != "0.000000001" || done.BudgetStatus.Layers.Payments.Spent != "0" {
		t.Errorf("%+v, %v", done, err)
	}
	if err := w.hold(b, "call-1"); err != nil {
		t.Errorf("a call that fits: %v", err)
	}
	if f, _ := fault.As(w.hold(b, "call-2")); f == nil || f.Code != "budget_exhausted" {
		t.Errorf("a call beyond infra: %v", f)
	}
	if _, err := agent.ReportEvents(t.Context(), railkit.AgentEvent{Type: "token_usage", Amount: "0.6"}); err != nil {
		t.Errorf("late: %v", err)
	}
	now, err := owner.Agents.Budget(t.Context(), b.id)
	if err != nil || now.Layers.Tokens.Spent != "0.618" || now.Layers.Tokens.Remaining != "0" ||
		now.Layers.Infra.Held != "0.0001" {
		t.Errorf("%+v, %v", now, err)
	}
	w.analytics(owner, agent, b)
}

// hold admits a call as the calls that do work do.
func (w *agentWorld) hold(b bot, id string) error {
	w.t.Helper()
	a, err := w.signer.Agent(w.t.Context(), b.id)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.Budgets.Hold(w.t.Context(), a, id, "sha256:"+strings.Repeat("0", 64))
}

func (w *agentWorld) analytics(owner *railkit.Client, agent *railkit.AgentClient, b bot) {
	t := w.t
	t.Helper()
	if err := w.Budgets.Capture(t.Context(), w.workspaceOf(b), "call-1"); err != nil {
		t.Fatal(err)
	}
	for _, period := range []railkit.AgentPeriod{railkit.PeriodDay, railkit.PeriodWeek, railkit.PeriodMonth} {
		v, err := agent.Analytics(t.Context(), period)
		if err != nil {
			t.Fatal(err)
		}
		last := v.Timeseries[len(v.Timeseries)-1]
		if v.Layers.Infra.Spent != "0.000100001" || v.Layers.Tokens.Spent != "0.618" || v.Layers.Tokens.Count != 2 ||
			v.Calls != 1 || v.Events != 4 || v.Refusals != 1 || last.Refusals != 1 || last.Infra != "0.000100001" ||
			period == railkit.PeriodWeek && len(v.Timeseries) != 7 {
			t.Errorf("%s: %+v", period, v)
		}
	}
	all, err := owner.Agents.Summary(t.Context(), railkit.PeriodDay, railkit.ListOptions{Limit: 1})
	if err != nil || len(all.Items) != 1 || all.Meta.Total != 1 || all.Items[0].AgentID != b.id ||
		all.Items[0].Status != "active" || all.Items[0].Layers.Tokens.Spent != "0.618" {
		t.Errorf("%+v, %v", all, err)
	}
	key := w.tenant(auth.Agents).key
	none, err := w.ClientWith(key).Agents.Summary(t.Context(), railkit.PeriodDay, railkit.ListOptions{})
	if err != nil || none.Items == nil || len(none.Items) != 0 {
		t.Errorf("a workspace without agents: %+v, %v", none, err)
	}
	wantCode(t, "another workspace's budget", w.Do(key, "GET", "/v1/agents/"+b.id+"/budget", ""), 404, "not_found")
	wantCode(t, "another period", w.Do(key, "GET", "/v1/agents/"+b.id+"/analytics?period=year", ""), 400,
		"validation_failed")
}

func (w *agentWorld) workspaceOf(b bot) string {
	w.t.Helper()
	a, err := w.signer.Agent(w.t.Context(), b.id)
	if err != nil {
		w.t.Fatal(err)
	}
	return a.WorkspaceID
}

// Wrong batches count nothing of themselves, and name the first thing that is wrong.
func TestAgents_EventsRefusedOverHTTP(t *testing.T) {
	t.Parallel()
	w := newAgentWorld(t)
	_, b := w.budgeted("Wrong")
	const path = "/v1/agents/events/batch"
	at := int64(0)
	send := func(body string, headers ...string) apptest.Answer {
		at++ // each write has a second of its own
		return w.Do("", "POST", path, body, append(headers, b.signed("POST", path, body, at)...)...)
	}
	good := `{"type":"llm_call","amount":0.1}`
	for amount, message := range map[string]string{
		"-1": "amount", "1e-2": "amount", "0.0000000001": "amount", `"NaN"`: "amount",
	} {
		a := send(fmt.Sprintf(`{"events":[%s,%s,%s,{"type":"llm_call","amount":%s}]}`, good, good, good, amount))
		wantCode(t, amount, a, 400, "validation_failed")
		if !strings.HasPrefix(a.Field("message").(string), "Validation failed: events[3]."+message+" ") {
			t.Errorf("%s: %s", amount, a.Body)
		}
	}
	for body, field := range map[string]string{
		`{"events":[]}`: "events", `{"events":[{"amount":1}]}`: "events[0].type", `{}`: "events",
		`{"events":[{"type":"x","extra":1}]}`:                         "events[0].extra",
		`{"events":[{"type":"x","amount":1,"cost_usd":1}]}`:           "events[0].cost_usd",
		`{"events":[` + strings.Repeat(good+",", 100) + good + `]}`:   "events",
		`{"events":[{"type":"` + strings.Repeat("x", 65) + `"}]}`:     "events[0].type",
		`{"events":[{"type":"x","metadata":"text"}]}`:                 "events[0].metadata",
		`{"events":[{"type":"x","amount":NaN}]}`:                      "body",
		`{"events":[{"type":"x","amount":1,"amount":2}]}`:             "events[0].amount",
		`{"events":[{"type":"x","id":"","amount":1}]}`:                "events[0].id",
		`{"events":[{"type":"x","tokens":-1}]}`:                       "events[0].tokens",
		`{"events":[{"type":"x","metadata":{"k":"\u0000"},"to":""}]}`: "events[0].metadata",
	} {
		a := send(body)
		if a.Status != 400 || !strings.HasPrefix(a.Field("message").(string), "Validation failed: "+field) {
			t.Errorf("%s: %s", body, a.Body)
		}
	}
	key := []string{"Idempotency-Key", uuid.NewString()}
	body := `{"events":[{"type":"llm_call","cost_usd":"0.25","tokens":10,"to":"0x","currency":"usd","endpoint":"e"}]}`
	first, again := send(body, key...), send(body, key...)
	if first.Status != 200 || again.Body != first.Body || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%s\n%s", first.Body, again.Body)
	}
	var done struct{ Data railkit.ReportedEvents }
	if err := json.Unmarshal([]byte(first.Body), &done); err != nil ||
		done.Data.BudgetStatus.Layers.Tokens.Spent != "0.25" {
		t.Errorf("%s, %v", first.Body, err)
	}
	headers := b.signed("POST", path, good, 0)
	wantCode(t, "by its owner's key", w.Do(w.tenant(auth.Agents).key, "POST", path, body), 401, "authorization_scheme")
	wantCode(t, "another body", w.Do("", "POST", path, body, headers...), 401, "invalid_auth")
}

// While the operator's switch is on, agents read and report, and each read says that it is on.
func TestAgents_OperatorsSwitchIsRead(t *testing.T) {
	t.Parallel()
	w := newAgentWorld(t)
	_, b := w.budgeted("Stopped")
	agent := w.client(b)
	turn := func(on bool) {
		cmd := &command.Command{
			Operation: "admin kill-switch", Render: func(command.Reply) ([]byte, error) { return []byte("{}"), nil },
			Principal: auth.Principal{
				Kind: "operator", ID: "root", Tenant: auth.Tenant{WorkspaceID: killswitch.Platform},
			},
		}
		if _, err := w.KillSwitch.Set(t.Context(), cmd, on, "a test"); err != nil {
			t.Fatal(err)
		}
	}
	for _, on := range []bool{true, false} {
		turn(on)
		status, err := agent.Status(t.Context())
		if err != nil || status.KillSwitch != on || status.Status != "active" {
			t.Errorf("status: %+v, %v", status, err)
		}
		budget, err := agent.Budget(t.Context())
		if err != nil || budget.KillSwitch != on {
			t.Errorf("budget: %+v, %v", budget, err)
		}
		done, err := agent.ReportEvents(t.Context(), railkit.AgentEvent{Type: fmt.Sprint("seen at ", time.Now())})
		if err != nil || done.Accepted != 1 || done.BudgetStatus.KillSwitch != on {
			t.Errorf("events: %+v, %v", done, err)
		}
	}
}
