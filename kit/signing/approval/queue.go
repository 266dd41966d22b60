package approval

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// ID is the id of the approval of a body. It is computed from the body, so that a repeated call finds the same
// approval.
func ID(workspaceID, fingerprint string) string {
	return record.DerivedID("approval", workspaceID, fingerprint)
}

// Of completes an approval, whose owner and subject are set, from the enclave's statement that it holds the body.
func Of(a Approval, out client.Outcome, now time.Time) (Approval, error) {
	r := out.Statement.Result
	if r == nil || r.Approval == nil {
		return Approval{}, errors.New("the enclave's answer to what it holds names no approval")
	}
	w := r.Approval
	a.ID, a.Activity, a.SubOrganizationID = ID(a.WorkspaceID,
		w.Fingerprint), string(w.Activity), out.Statement.OrganizationID
	a.Fingerprint, a.Reason, a.RequesterUserID, a.CostUSD = w.Fingerprint, w.Reason, w.RequesterUserID, w.CostUSD
	a.State, a.UpdatedAt = Pending, now
	var err error
	if a.Required, err = strconv.Atoi(w.RequiredApprovers); err != nil {
		return Approval{}, fmt.Errorf("reading an approval: %w", err)
	}
	if a.ExpiresAt, err = time.Parse(time.RFC3339, w.ExpiresAt); err != nil {
		return Approval{}, fmt.Errorf("reading an approval: %w", err)
	}
	if a.CreatedAt, err = time.Parse(time.RFC3339, w.CreatedAt); err != nil {
		return Approval{}, fmt.Errorf("reading an approval: %w", err)
	}
	a.Proof, err = signer.Text(out.Proof)
	return a, err
}

// Insert writes the approval of a row that waits from now on.
func Insert(ctx context.Context, tx Tx, cmd *command.Command, a Approval) error {
	if a.RequestedBy == "" && cmd != nil && cmd.Ceremony == nil {
		a.RequestedBy = cmd.Principal.ID
	}
	return tx.InsertApproval(ctx, a)
}

// QueuedView is the answer 202: the request waits for votes.
type QueuedView struct {
	ApprovalID string `json:"approvalId"`
	Status     string `json:"status" enum:"pending_approval"`
	ExpiresAt  string `json:"expiresAt" format:"date-time"`
	PaymentID  string `json:"paymentId,omitempty" doc:"Of a payment by x402, which goes on by it"`
}

// Queued is the 202 of an approval.
func (a Approval) Queued(action string) command.Reply {
	view := QueuedView{ApprovalID: a.ID, Status: "pending_approval", ExpiresAt: clock.ISO(a.ExpiresAt)}
	top := map[string]any{"approvalId": a.ID}
	if kind := wire.ActivityType(a.Activity); kind == wire.AgentPayment || kind == wire.AgentX402 {
		top["error"] = "approval_required" // which agents look for, as in a refusal
	}
	return command.Reply{
		Status: 202, Message: "Waiting for approval", Data: view, Top: top,
		Audit: command.Audit{Action: action + ".queue", Resource: a.Subject,
			Detail: map[string]string{"approvalId": a.ID, "reason": a.Reason}},
	}
}
