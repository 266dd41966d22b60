package agenttest

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/kit/agent/event"
	"github.com/railkit/railkit/store/storetest"
)

// model is what an agent's budget must say.
type model struct {
	infra, tokens budget.Sum
	calls         map[string]budget.State
	reported      map[string]bool
}

// Whatever comes after whatever: sums are those of a model, no call is admitted beyond a limit, and when every call has
// ended nothing is held.
func testModel(t *testing.T, b *Bench) {
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		agent := fmt.Sprint("agent-", run)
		m := model{calls: map[string]budget.State{}, reported: map[string]bool{}}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			m.step(t, rt, b, agent)
			infra, tokens := b.sums(t, agent, b.month(t))
			if infra != m.infra || tokens != m.tokens {
				rt.Fatalf("infra %+v and tokens %+v, want %+v", infra, tokens, m)
			}
		}
		for id := range m.calls {
			storetest.OK(t, b.Budgets.Capture(t.Context(), storetest.Ours, agent+id))
		}
		if infra, _ := b.sums(t, agent, b.month(t)); infra.Held != 0 {
			rt.Fatalf("%d are held when every call has ended", infra.Held)
		}
	})
}

func (m *model) step(t *testing.T, rt *rapid.T, b *Bench, agent string) {
	id := rapid.SampledFrom([]string{"-1", "-2", "-3"}).Draw(rt, "call")
	switch rapid.SampledFrom([]string{"hold", "hold", "capture", "void", "event"}).Draw(rt, "step") {
	case "hold":
		m.hold(t, rt, b, agent, id)
	case "capture":
		storetest.OK(t, b.Budgets.Capture(t.Context(), storetest.Ours, agent+id))
		m.end(id, budget.Captured)
	case "void":
		storetest.OK(t, b.Budgets.Void(t.Context(), storetest.Ours, agent+id))
		m.end(id, budget.Void)
	case "event":
		name := rapid.SampledFrom([]string{"e1", "e2", "e3"}).Draw(rt, "event")
		b.report(t, agent, event.AgentEvent{ID: name, Type: "llm_call", Amount: []byte("0.0001")})
		if !m.reported[name] {
			m.reported[name] = true
			m.tokens.Spent += Price
		}
	}
}

// hold makes a call under limits of now: none is admitted that does not fit, and none refused that does.
func (m *model) hold(t *testing.T, rt *rapid.T, b *Bench, agent, id string) {
	infra := budget.Nano(rapid.IntRange(0, 3).Draw(rt, "infra")) * Price
	tokens := budget.Nano(rapid.IntRange(0, 3).Draw(rt, "tokens")) * Price
	err := b.Budgets.Hold(t.Context(), Agent(agent, Limits(infra.String(), tokens.String())), agent+id, "")
	state := m.calls[id]
	if state == budget.Held || state == budget.Captured {
		if err != nil {
			rt.Fatalf("a call that is %s: %v", state, err)
		}
		return
	}
	fits := m.infra.Spent+m.infra.Held+Price <= infra && m.tokens.Spent <= tokens
	if code := codeOf(err); fits != (err == nil) || err != nil && code != "budget_exhausted" {
		rt.Fatalf("limits %s and %s, of %+v: %v", infra, tokens, m, err)
	}
	if fits {
		m.calls[id] = budget.Held
		m.infra.Held += Price
	}
}

func (m *model) end(id string, to budget.State) {
	if m.calls[id] != budget.Held {
		return
	}
	m.calls[id] = to
	m.infra.Held -= Price
	if to == budget.Captured {
		m.infra.Spent += Price
	}
}
