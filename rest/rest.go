// Package rest is the bodies that server and client share, under the names that they
// have in api/openapi.json: a field that is added here is in the document, in the
// answer and in sdk/go. What only one of the two knows of a body is in its own types.
//
// A type has plain fields only, and no method that decides anything: who builds an
// answer converts the words of its kit.
package rest

import (
	"errors"
	"regexp"
)

// SmallestUnits is an amount of a token as a whole number of its smallest unit, as text: "10000" are 0.01 USDC. All
// other amounts are in whole tokens or currencies, and are strings: the compiler tells the two apart.
type SmallestUnits string

// AgentState says what an agent may do.
type AgentState struct {
	AgentID    string `json:"agentId" format:"uuid"`
	KillSwitch bool   `json:"killSwitch" doc:"No payment: the agent was killed, or a kill switch is on, that of its sub-organization or the operator's"`
	Status     string `json:"status" enum:"pending_policies,active,draining,suspended,killed"`
}

// Health is what the service says of itself.
type Health struct {
	Status      string   `json:"status" enum:"ok,degraded" doc:"degraded: a part that the service needs does not answer"`
	Service     string   `json:"service"`
	Version     string   `json:"version"`
	Environment string   `json:"environment" enum:"sandbox,production"`
	Timestamp   string   `json:"timestamp" format:"date-time"`
	Missing     []string `json:"missing,omitempty" doc:"Of a degraded service: the parts that do not answer, such as database, schema, signer or redis"`
}

// ReceivedNotice is the answer to a notice.
type ReceivedNotice struct {
	EventID string `json:"eventId" doc:"The partner's"`
	First   bool   `json:"first" doc:"False where it came before: it is answered alike and does nothing"`
}

// Number is a JSON number, digit by digit. "" is none: use it with omitzero.
type Number string

var (
	form  = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
	plain = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?$`)
)

var errForm = errors.New("is not a number")

// MarshalJSON writes the digits.
func (n Number) MarshalJSON() ([]byte, error) {
	if !form.MatchString(string(n)) {
		return nil, errForm
	}
	return []byte(n), nil
}

// UnmarshalJSON keeps the digits. A text is no number.
func (n *Number) UnmarshalJSON(raw []byte) error {
	if !form.Match(raw) {
		return errForm
	}
	*n = Number(raw)
	return nil
}

// Plain reports whether the number is a decimal without sign and exponent, and
// with at most so many decimals.
func (n Number) Plain(places int) bool {
	m := plain.FindStringSubmatch(string(n))
	return m != nil && len(m[2]) <= places+1
}
