// Package action holds the metadata of mini apps: what a widget shows, and what its buttons do. It makes metadata of a
// builder's few fields, and refuses metadata by which a widget could be made to mislead or to run something.
//
// The form is written down in docs/action-kit.schema.json. A widget shows texts as texts, never as HTML.
package action

import (
	"encoding/json"

	"github.com/railkit/railkit/rest"
)

// Metadata is a mini app as a widget shows it.
type Metadata struct {
	URL         string   `json:"url" doc:"Where the mini app is"`
	Icon        string   `json:"icon" doc:"An image"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	BaseURL     string   `json:"baseUrl,omitempty" doc:"What the paths of actions begin at"`
	Actions     []Action `json:"actions" minItems:"1" maxItems:"4" doc:"One button each"`
}

// Kinds of actions.
const (
	Transfer   = "transfer"   // pays To
	Blockchain = "blockchain" // calls FunctionName of the contract at Address
	HTTP       = "http"       // asks Path, and no wallet
	Dynamic    = "dynamic"    // asks Path for a transaction, which the user's wallet signs
	Flow       = "flow"       // several steps, from InitialActionID on
	Completion = "completion" // ends a flow with Message
	Decision   = "decision"   // asks which step of a flow is next
)

// Action is one button. Which members it has is said by its type.
type Action struct {
	Type        string  `json:"type" enum:"transfer,blockchain,http,dynamic,flow,completion,decision"`
	ID          string  `json:"id,omitempty" doc:"Of a step of a flow"`
	Label       string  `json:"label" doc:"What the button says"`
	Title       string  `json:"title,omitempty" doc:"Of a decision: its question"`
	Description string  `json:"description,omitempty"`
	Chains      *Chains `json:"chains,omitempty"`

	To     string      `json:"to,omitempty" doc:"Who is paid"`
	Token  string      `json:"token,omitempty" doc:"Contract of the token that is paid; absent: the network's own coin"`
	Amount rest.Number `json:"amount,omitzero" doc:"How much, in whole units. Absent: the user says it"`

	Address      string          `json:"address,omitempty" doc:"The contract"`
	ABI          json.RawMessage `json:"abi,omitempty" doc:"The contract's ABI, an array"`
	FunctionName string          `json:"functionName,omitempty"`

	Path   string `json:"path,omitempty" doc:"A URL, or what follows baseUrl"`
	Method string `json:"method,omitempty" enum:"GET,POST,PUT,DELETE"`

	Params []Param `json:"params,omitempty" maxItems:"16"`

	InitialActionID string   `json:"initialActionId,omitempty"`
	Actions         []Action `json:"actions,omitempty" maxItems:"32" doc:"The steps of a flow"`
	NextActions     []Next   `json:"nextActions,omitempty" maxItems:"16" doc:"Which step follows"`
	Options         []Option `json:"options,omitempty" maxItems:"32" doc:"Where type is decision: the choices, in their order"`
	Message         string   `json:"message,omitempty"`
	Status          string   `json:"status,omitempty" enum:"success,error,info"`
}

// Chains are the networks of an action, by the names that wallets have for them: fuji, base-sepolia.
type Chains struct {
	Source      string `json:"source"`
	Destination string `json:"destination,omitempty" doc:"Where a transfer across networks arrives"`
}

// Param is a value that an action takes, of the user where it is not fixed.
type Param struct {
	Name        string   `json:"name"`
	Type        string   `json:"type" doc:"A type of Solidity, or text, number, boolean, address, email, url, datetime, textarea, select, radio"`
	Label       string   `json:"label"`
	Description string   `json:"description,omitempty"`
	Required    bool     `json:"required,omitempty"`
	Fixed       bool     `json:"fixed,omitempty" doc:"The user cannot change value"`
	Value       any      `json:"value,omitempty" doc:"A text, a number or a boolean"`
	Options     []Option `json:"options,omitempty" maxItems:"32" doc:"Of select and radio"`
}

// Option is one choice of several. That of a decision names the step that follows.
type Option struct {
	Label        string `json:"label"`
	Value        any    `json:"value" doc:"A text, a number or a boolean"`
	Description  string `json:"description,omitempty"`
	NextActionID string `json:"nextActionId,omitempty"`
}

// Next names a step that follows, where its conditions hold.
type Next struct {
	ActionID   string      `json:"actionId"`
	Conditions []Condition `json:"conditions,omitempty" maxItems:"16"`
}

// Condition compares a field of the answers so far with a value.
type Condition struct {
	Field    string `json:"field"`
	Operator string `json:"operator" enum:"eq,ne,gt,lt,gte,lte,contains"`
	Value    any    `json:"value" doc:"A text, a number or a boolean"`
}
