package activity

import (
	"encoding/json"

	"github.com/railkit/railkit/enclave/wire"
)

// UnsignedActivity is what a client stamps: body, to the byte.
type UnsignedActivity struct {
	URL            string `json:"url" doc:"Where the stamped body is sent"`
	OrganizationID string `json:"organizationId"`
	TimestampMs    string `json:"timestampMs"`
	Body           string `json:"body" doc:"JSON text; its bytes are what the passkey stamps"`
}

// AllowCredential names a passkey that may stamp.
type AllowCredential struct {
	Type       string   `json:"type" enum:"public-key"`
	ID         string   `json:"id"`
	Transports []string `json:"transports"`
}

// Prepared is common to every prepare answer.
type Prepared struct {
	UnsignedActivity UnsignedActivity  `json:"unsignedActivity"`
	Fingerprint      string            `json:"fingerprint" doc:"sha256: and hex of the body's SHA-256"`
	Challenge        string            `json:"challenge" doc:"WebAuthn challenge text: lower-case hex SHA-256 of the body"`
	ExpiresAt        string            `json:"expiresAt" format:"date-time"`
	AllowCredentials []AllowCredential `json:"allowCredentials"`
	Preview          wire.Proof        `json:"preview" doc:"What the enclave says that the body does; verify it before stamping"`
	CeremonyURL      string            `json:"ceremonyUrl,omitempty" doc:"Page on which the owner sees what it does and stamps it; once, and a secret until then"`
}

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
}

// StampedParams reads the parameters of a stamped body.
func StampedParams(in *Stamped, params any) error {
	var body wire.Body
	if json.Unmarshal([]byte(in.Body), &body) != nil || json.Unmarshal(body.Parameters, params) != nil {
		return ErrStampedBody
	}
	return nil
}
