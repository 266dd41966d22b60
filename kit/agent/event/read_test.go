package event

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/railkit/railkit/fault"
)

// What is no exact amount is refused, and the event and field are named; the value is not.
func TestAgents_EventAmounts(t *testing.T) {
	at := func(e AgentEvent) error {
		_, err := read(ReportEventsInput{Events: []AgentEvent{{}, {}, {}, e}})
		return err
	}
	for _, raw := range []string{
		"-1", "-0", "1e-7", "1E2", "0.0000000001", "0.30000000000000004", `"NaN"`, `"-1"`, `" 1"`, `""`, "null", "true",
		"{}", "[1]", `"1e3"`, "1000000.000000001", `"99999999999999999999"`,
	} {
		f, _ := fault.As(at(AgentEvent{Amount: json.RawMessage(raw)}))
		if f == nil || f.Kind != fault.Invalid ||
			!strings.HasPrefix(f.Message, "Validation failed: events[3].amount ") {
			t.Errorf("%s: %v", raw, f)
		}
		f, _ = fault.As(at(AgentEvent{CostUSD: json.RawMessage(raw)}))
		if f == nil || !strings.HasPrefix(f.Message, "Validation failed: events[3].cost_usd ") {
			t.Errorf("%s as cost_usd: %v", raw, f)
		}
	}
	if f, _ := fault.As(at(AgentEvent{Amount: []byte("1"), CostUSD: []byte("1")})); f == nil ||
		f.Message != "Validation failed: events[3].cost_usd must not be given beside amount" {
		t.Errorf("under two names: %v", f)
	}
	for raw, want := range map[string]int64{
		"0.018": 18_000_000, `"0.000000001"`: 1, "0": 0, "1000000": 1_000_000_000_000_000,
	} {
		all, err := read(ReportEventsInput{Events: []AgentEvent{{Amount: json.RawMessage(raw)}}})
		if err != nil || int64(all[0].Amount) != want {
			t.Errorf("%s: %+v, %v", raw, all, err)
		}
	}
}

func TestAgents_EventMetadata(t *testing.T) {
	n, model := int64(9007199254740993), "m"
	all, err := read(ReportEventsInput{Events: []AgentEvent{{
		Type: "llm_call", Tokens: &n, Model: &model, Metadata: map[string]json.RawMessage{"run": []byte(`{"n":1.50}`)},
	}, {}}})
	if err != nil || all[0].Metadata != `{"model":"m","run":{"n":1.50},"tokens":9007199254740993}` ||
		all[1].Metadata != "{}" {
		t.Errorf("%+v, %v", all, err)
	}
	long := json.RawMessage(`"` + strings.Repeat("x", mostMetadata) + `"`)
	_, err = read(ReportEventsInput{Events: []AgentEvent{{Metadata: map[string]json.RawMessage{"long": long}}}})
	if f, _ := fault.As(err); f == nil || !strings.HasPrefix(f.Message, "Validation failed: events[0].metadata ") {
		t.Errorf("%v", err)
	}
}
