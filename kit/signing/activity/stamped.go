package activity

import (
	"encoding/json"
	"slices"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/rest"
)

// Prepared is common to every prepare answer.
type Prepared = rest.PreparedActivity

// Stamped is a body that came back with its stamp.
type Stamped struct {
	URL            string     `json:"url,omitempty"`
	OrganizationID string     `json:"organizationId,omitempty"`
	TimestampMs    string     `json:"timestampMs,omitempty"`
	Body           string     `json:"body" text:"any" doc:"The prepared body, unchanged"`
	Stamp          wire.Stamp `json:"stamp"`
}

// StampInput is all that a DELETE may carry.
type StampInput struct {
	SignedActivity *Stamped `json:"signedActivity,omitempty" doc:"What prepare=true answered, stamped"`
	rest.ReturnTo
}

// StampedParams reads the parameters of a stamped body.
func StampedParams(in *Stamped, params any) error {
	var body wire.Body
	if json.Unmarshal([]byte(in.Body), &body) != nil || json.Unmarshal(body.Parameters, params) != nil {
		return ErrStampedBody
	}
	return nil
}

// IDOf is the id of the activity that a body is of.
func IDOf(body string) (string, error) {
	var b wire.Body
	if json.Unmarshal([]byte(body), &b) != nil || b.ActivityID == "" {
		return "", ErrStampedBody
	}
	return b.ActivityID, nil
}

// aboutAgents are the kinds of bodies whose parameters name an agent. CreateAgent is none: there is no agent before it.
var aboutAgents = []wire.ActivityType{
	wire.ActivateAgent, wire.SetAgentLimits, wire.SetAgentStatus, wire.RotateAgentSecret, wire.DeleteAgent,
	wire.AgentPayment, wire.AgentX402,
}

// AgentOf is the id of the agent that a body is about; "" where it is about none.
func AgentOf(body string) string { return AboutAgent(body).AgentID }

// OfAgent is what a body about agents asks for, as far as others are told. Its fields have the names that parameters
// have.
type OfAgent struct {
	AgentID string
	Status  wire.AgentStatus
	On      bool // of the kill switch of a sub-organization
}

// AboutAgent reads it; it is empty where the body is about none.
func AboutAgent(body string) (about OfAgent) {
	var b wire.Body
	if json.Unmarshal([]byte(body), &b) != nil ||
		!slices.Contains(aboutAgents, b.Type) && b.Type != wire.SetKillSwitch ||
		json.Unmarshal(b.Parameters, &about) != nil {
		return OfAgent{}
	}
	return about
}
