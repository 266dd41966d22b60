package event

import (
	"encoding/json"
	"fmt"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/agent/budget"
)

const (
	mostMetadata = 4 << 10
	// mostAmount is the most that one event may cost, a million USD: what is more is a mistake in the unit.
	mostAmount = budget.Nano(1_000_000_000_000_000)
)

// read reads a batch. The first event that is wrong refuses all of it.
func read(in ReportEventsInput) ([]Event, error) {
	all := make([]Event, len(in.Events))
	for i, e := range in.Events {
		at := fmt.Sprintf("events[%d].", i)
		amount, err := e.amount(at)
		if err != nil {
			return nil, err
		}
		metadata, err := e.metadata(at)
		if err != nil {
			return nil, err
		}
		all[i] = Event{
			ID: e.ID, Type: e.Type, Layer: layers[e.Type], Amount: amount, Recipient: e.Recipient, Metadata: metadata,
		}
	}
	return all, nil
}

// amount reads what an event cost. No amount is 0.
func (e AgentEvent) amount(at string) (budget.Nano, error) {
	name, raw := "amount", e.Amount
	switch {
	case raw != nil && e.CostUSD != nil:
		return 0, fault.Field(at+"cost_usd", "must not be given beside amount")
	case e.CostUSD != nil:
		name, raw = "cost_usd", e.CostUSD
	case raw == nil:
		return 0, nil
	}
	text := string(raw)
	if raw[0] == '"' {
		if err := json.Unmarshal(raw, &text); err != nil {
			return 0, fault.Field(at+name, "is not valid")
		}
	}
	n, err := budget.ParseUSD(text)
	if err != nil {
		return 0, fault.Field(at+name, err.Error())
	}
	if n > mostAmount {
		return 0, fault.Field(at+name, "must be at most 1000000")
	}
	return n, nil
}

// metadata is what an event has beside what is counted.
func (e AgentEvent) metadata(at string) (string, error) {
	all := map[string]any{}
	for name, value := range e.Metadata {
		all[name] = value
	}
	for name, value := range map[string]any{
		"tokens": e.Tokens, "tokens_input": e.TokensInput, "tokens_output": e.TokensOutput, "provider": e.Provider,
		"model": e.Model, "endpoint": e.Endpoint, "currency": e.Currency, "to": e.To,
	} {
		switch value := value.(type) {
		case *int64:
			if value != nil {
				all[name] = *value
			}
		case *string:
			if value != nil {
				all[name] = *value
			}
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return "", fmt.Errorf("encoding an event's metadata: %w", err)
	}
	if len(text) > mostMetadata {
		return "", fault.Field(at+"metadata", "must have at most 4096 bytes of JSON")
	}
	return string(text), nil
}
