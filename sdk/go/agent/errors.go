package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/railkit/railkit/enclave/wire"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Why nothing is paid, for errors.Is.
var (
	ErrKilled      = errors.New("agent: the agent was killed, for good")
	ErrStopped     = errors.New("agent: the agent may not pay now")
	ErrUnreachable = errors.New("agent: the API does not tell whether the agent may pay")
	ErrClosed      = errors.New("agent: the runtime was closed")
)

// Shortfall is what a layer of the budget lacks: see package wire for its fields.
type Shortfall = wire.Shortfall

// BudgetError says which layers of the budget do not allow a payment.
type BudgetError struct {
	FailedLayers []string    `json:"failedLayers"` // infra, tokens or payments
	Layers       []Shortfall `json:"layers"`
	Err          error       `json:"-"` // the API's answer
}

func (e *BudgetError) Error() string {
	return "agent: the budget does not allow the payment: " + strings.Join(e.FailedLayers, ", ")
}

// Unwrap gives the API's answer.
func (e *BudgetError) Unwrap() error { return e.Err }

// RejectedError says that a payment was rejected by its owner, or refused by the signer although it was approved.
type RejectedError struct {
	ApprovalID string
	Reason     string
}

func (e *RejectedError) Error() string {
	return "agent: approval " + e.ApprovalID + " was rejected: " + e.Reason
}

// ApprovalTimeoutError says that nobody decided about a payment in time. Unless it has Expired it may still be
// approved and paid: PayOnce with the Key waits again, and so does the same request of Transport with it.
type ApprovalTimeoutError struct {
	ApprovalID string
	Key        string
	Expired    bool // for good
}

func (e *ApprovalTimeoutError) Error() string {
	return "agent: nobody decided about approval " + e.ApprovalID + " in time"
}

// UnknownError says that a payment may have been made, and that nobody told so. PayOnce with the Key finds out, and
// pays if it was not made. For a request of Transport the same request does, with the Key from
// railkit.WithIdempotencyKey.
type UnknownError struct {
	Key        string
	ApprovalID string // of a payment that waited for its owner's decision
	PaymentID  string // of a request that was signed for: AgentClient.X402Payment tells what became of the money
	Err        error
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("agent: the payment under %s may have been made: %v", e.Key, e.Err)
}

// Unwrap gives the cause.
func (e *UnknownError) Unwrap() error { return e.Err }

// PriceError says that a seller asks for more than a request may cost. Nothing was paid. The amounts are whole numbers
// of USDC's smallest unit.
type PriceError struct{ Price, Limit string }

func (e *PriceError) Error() string {
	return "agent: the seller asks for " + e.Price + " millionths of a USDC; the request may cost " + e.Limit
}

// OfferError says that a seller asks for a payment that an agent cannot make. Nothing was paid.
type OfferError struct {
	Reasons []string // of each offer why it was not taken, in words
	Err     error    // what is wrong with the offers as a whole; nil: nothing is
}

func (e *OfferError) Error() string {
	if e.Err != nil {
		return "agent: the seller's offers are not understood: " + e.Err.Error()
	}
	return "agent: none of the seller's offers can be paid: " + strings.Join(e.Reasons, "; ")
}

// Unwrap gives what is wrong with the offers.
func (e *OfferError) Unwrap() error { return e.Err }

// refusal is the form in which a program asks for an error of the API.
func refusal(err error) error {
	var answer *railkit.Error
	if !errors.As(err, &answer) {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	switch answer.Code {
	case "agent_killed":
		return fmt.Errorf("%w: %w", ErrKilled, err)
	case "agent_not_active", "kill_switch_active", "agent_policies_pending":
		return fmt.Errorf("%w: %w", ErrStopped, err)
	case "budget_exhausted":
		return budgetError(answer)
	}
	if answer.Status >= http.StatusInternalServerError && !slices.Contains(unpaid, answer.Code) {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	return err
}

func budgetError(answer *railkit.Error) error {
	e := &BudgetError{Err: answer}
	raw, err := json.Marshal(answer.Details)
	if err == nil {
		err = json.Unmarshal(raw, e)
	}
	if err != nil {
		return answer
	}
	return e
}
