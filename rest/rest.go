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

func (n Number) String() string { return string(n) }

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

// AuditEntry is an entry as the API shows it.
type AuditEntry struct {
	ID           string         `json:"id"`
	Seq          int64          `json:"seq" doc:"Place in the workspace's chain, from 1; 0: written before there were chains"`
	Hash         string         `json:"hash,omitempty" doc:"SHA-256 of the entry and of previousHash"`
	PreviousHash string         `json:"previousHash,omitempty" doc:"Of the entry with the seq before"`
	Timestamp    string         `json:"timestamp" format:"date-time"`
	Actor        AuditActor     `json:"actor"`
	Action       string         `json:"action"`
	Operation    string         `json:"operation" doc:"Of this interface; empty for the server's own work"`
	Resource     string         `json:"resource" doc:"Id of what changed"`
	RequestID    string         `json:"requestId"`
	IP           string         `json:"ip"`
	Detail       map[string]any `json:"detail"`
	Before       map[string]any `json:"before,omitempty" doc:"Settings that changed, as they were"`
	After        map[string]any `json:"after,omitempty" doc:"And as they are since"`
}

// AuditActor is the caller that made the change.
type AuditActor struct {
	Type string `json:"type" enum:"api_key,agent,session,operator,system,ceremony,invite"`
	ID   string `json:"id" doc:"Of the API key, the agent or the member"`
}
