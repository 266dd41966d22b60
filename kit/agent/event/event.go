// Package event takes in what agents say that they did: calls of LLMs and APIs, payments, errors. What an LLM cost
// counts in the layer tokens, and what an API cost in infra; everything else is only kept. An event counts once, by its
// id, and counts although the budget is used up: it tells of what is spent already, and the next call finds less.
//
// Read event.go for the words, read.go for what a request may hold, and report.go for how it is counted.
package event

import (
	"context"
	"encoding/json"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/platform/record"
)

// Event is something that an agent did.
type Event struct {
	WorkspaceID, AgentID string
	ID                   string
	Type                 string
	Layer                budget.Layer // that it counts in; "" where it counts nothing
	Amount               budget.Nano
	Recipient            string
	Metadata             string    // JSON object
	CreatedAt            time.Time // by the database's clock
}

// layers are the types that count. A payment does not: the signer has counted it.
var layers = map[string]budget.Layer{
	"llm_call": budget.Tokens, "token_usage": budget.Tokens, "api_call": budget.Infra,
}

// ReportEventsInput is a batch of events.
type ReportEventsInput struct {
	Events []AgentEvent `json:"events" minItems:"1" maxItems:"100"`
}

// AgentEvent is an event as an agent reports it.
type AgentEvent struct {
	ID        string                     `json:"id,omitempty" minLength:"1" maxLength:"64" text:"any" doc:"The agent's own name of the event: reported again, it counts nothing. Without it, one is made of the request"`
	Type      string                     `json:"type" minLength:"1" maxLength:"64" doc:"llm_call and token_usage count in the layer tokens, api_call in infra. All others, such as payment, budget_check, kill_switch and error, are kept and count nothing"`
	Amount    json.RawMessage            `json:"amount,omitempty" doc:"USD, as a number or as text: a plain decimal of at most 9 places"`
	Recipient string                     `json:"recipient,omitempty" maxLength:"128"`
	Metadata  map[string]json.RawMessage `json:"metadata,omitempty" doc:"Anything, 4 KiB of JSON at most"`

	// What clients write beside these. It is kept as metadata.
	CostUSD      json.RawMessage `json:"cost_usd,omitempty" doc:"Another name of amount"`
	Tokens       *int64          `json:"tokens,omitempty" minimum:"0"`
	TokensInput  *int64          `json:"tokens_input,omitempty" minimum:"0"`
	TokensOutput *int64          `json:"tokens_output,omitempty" minimum:"0"`
	Provider     *string         `json:"provider,omitempty" maxLength:"200"`
	Model        *string         `json:"model,omitempty" maxLength:"200"`
	Endpoint     *string         `json:"endpoint,omitempty" maxLength:"1000"`
	Currency     *string         `json:"currency,omitempty" maxLength:"20"`
	To           *string         `json:"to,omitempty" maxLength:"128"`
}

// Tx is what events need of a transaction of the database.
type Tx interface {
	budget.Counter
	InsertAgentEvent(context.Context, Event) (inserted bool, err error) // not where the agent has one with its id
}

// Store is what events need of a database.
type Store interface{ record.Writer[Tx] }

// Agents tells about an agent.
type Agents interface {
	Agent(ctx context.Context, agentID string) (wire.AgentReply, error)
}

// Service takes events in.
type Service struct {
	store   Store
	agents  Agents
	budgets *budget.Service
}

// New makes a Service.
func New(store Store, agents Agents, budgets *budget.Service) *Service {
	return &Service{store, agents, budgets}
}
