package railkit

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Error is an answer of the API that is not a success.
type Error struct {
	Status     int
	Code       string // stable, for programs; empty where the server gave none
	Message    string // for people
	Details    map[string]any
	RetryAfter time.Duration // 0: the server did not say
	RequestID  string        // finds the request in the server's log
	Path       string
}

func (e *Error) Error() string {
	text := fmt.Sprintf("railkit: %d %s", e.Status, e.Message)
	if e.Code != "" {
		text += " (" + e.Code + ")"
	}
	if e.RequestID != "" {
		text += ", request " + e.RequestID
	}
	return text
}

// QueuedError is an answer that says: not done yet, somebody has to approve it
// first (202).
type QueuedError struct {
	ApprovalID string `json:"approvalId"`
	Status     string `json:"status"`
	ExpiresAt  string `json:"expiresAt"`
}

func (e *QueuedError) Error() string {
	return "railkit: waits for approval " + e.ApprovalID
}

func queued(env *envelope) error {
	e := &QueuedError{ApprovalID: env.ApprovalID}
	if len(env.Data) > 0 {
		if err := json.Unmarshal(env.Data, e); err != nil {
			return fmt.Errorf("railkit: reading what waits for approval: %w", err)
		}
	}
	return e
}

// IsBadRequest says that a field was missing or wrong (400).
func IsBadRequest(err error) bool { return hasStatus(err, http.StatusBadRequest) }

// IsUnauthorized says that the credential was missing or invalid (401).
func IsUnauthorized(err error) bool { return hasStatus(err, http.StatusUnauthorized) }

// IsForbidden says that a scope or module was lacking (403).
func IsForbidden(err error) bool { return hasStatus(err, http.StatusForbidden) }

// IsNotFound says that there is no such resource in the workspace (404).
func IsNotFound(err error) bool { return hasStatus(err, http.StatusNotFound) }

// IsConflict says that the resource was in another state (409).
func IsConflict(err error) bool { return hasStatus(err, http.StatusConflict) }

// IsUnprocessable says that a business rule refused the request (422).
func IsUnprocessable(err error) bool { return hasStatus(err, http.StatusUnprocessableEntity) }

// IsRateLimited says that the key has used up its minute (429).
func IsRateLimited(err error) bool { return hasStatus(err, http.StatusTooManyRequests) }

// IsUnavailable says that a part of the server did not answer (502, 503).
func IsUnavailable(err error) bool {
	return hasStatus(err, http.StatusBadGateway) || hasStatus(err, http.StatusServiceUnavailable)
}

func hasStatus(err error, status int) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == status
}

// Reason says which rule an answer broke.
type Reason string

// The rules. Each of them alone makes a call fail.
const (
	ReasonProof       Reason = "proof"       // no proof, or not by the pinned key
	ReasonEnvironment Reason = "environment" // a proof of another environment
	ReasonKind        Reason = "kind"        // a proof of another kind or activity than was asked for
	ReasonFork        Reason = "fork"        // two journals: two heads for one number
	ReasonStale       Reason = "stale"       // from before what this client has already seen
	ReasonFingerprint Reason = "fingerprint" // a proof, hash or challenge of another body
	ReasonBody        Reason = "body"        // the body does not say what was asked for
	ReasonPreview     Reason = "preview"     // the enclave says that the body does something else
	ReasonResult      Reason = "result"      // the answer is not what the enclave made
	ReasonOwners      Reason = "owners"      // somebody else's passkey or recovery key
	ReasonFee         Reason = "fee"         // more than the caller's limit
	ReasonAddress     Reason = "address"     // a withdrawal address for something else than was asked for, or another one than this client knew
)

// TamperError is an answer that does not hold against the enclave's word or, for
// withdrawal addresses, against what this client asked for and saw before.
// Nothing that came with it may be used.
type TamperError struct {
	Reason Reason
	Detail string
}

func (e *TamperError) Error() string {
	return "railkit: refused an answer that was tampered with (" + string(e.Reason) + "): " + e.Detail
}

// IsTampered says that err is, or wraps, a TamperError.
func IsTampered(err error) bool {
	var t *TamperError
	return errors.As(err, &t)
}

func tampered(r Reason, format string, args ...any) error {
	return &TamperError{Reason: r, Detail: fmt.Sprintf(format, args...)}
}

// ErrOwnersUnknown is returned before a wallet or account is confirmed whose
// owners this client could not check. See [Client.TrustOwners].
var ErrOwnersUnknown = errors.New("railkit: no passkey of this sub-organization is known here; call TrustOwners first")
