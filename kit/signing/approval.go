package signing

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/platform/command"
)

// ApprovalState is where an approval stands.
type ApprovalState string

// The states.
const (
	ApprovalPending  ApprovalState = "pending"
	ApprovalApproved ApprovalState = "approved" // enough votes; the subject says what became of it
	ApprovalRejected ApprovalState = "rejected"
	ApprovalExpired  ApprovalState = "expired"
)

// SubjectKind says which row waits.
type SubjectKind string

// The kinds.
const (
	SubjectActivity    SubjectKind = "activity"
	SubjectTransaction SubjectKind = "transaction"
)

// Approval is a request that the enclave holds until enough users agree.
type Approval struct {
	WorkspaceID, ID   string
	Kind              SubjectKind
	Subject           string // id of the activity or transaction
	Activity          string // wire.ActivityType
	SubOrganizationID string
	WalletID          string // local id; "" where it is no signing
	Fingerprint       string
	Reason            string // wire.ReasonThreshold and its like
	RequesterUserID   string // whose stamp the request has; "": none
	RequestedBy       string // id of the API key or session that brought it; "": a passkey page
	CostUSD           string
	Required          int
	Votes             []wire.Vote
	State             ApprovalState
	Comment           string
	Proof             string // JSON of wire.Proof
	CreatedAt         time.Time
	UpdatedAt         time.Time
	ExpiresAt         time.Time
	ResolvedAt        time.Time // zero: not yet
}

// QueuedView is the answer 202: what was asked for waits for votes.
type QueuedView struct {
	ApprovalID string `json:"approvalId"`
	Status     string `json:"status" enum:"pending_approval"`
	ExpiresAt  string `json:"expiresAt" format:"date-time"`
}

// approvalID is the id of the approval of a body. The same body has the same
// approval, however often it is asked for.
func approvalID(workspaceID, fingerprint string) string {
	return derivedID("approval", workspaceID, fingerprint)
}

// approvalOf adds to an approval, which knows whose it is, the enclave's word that
// it holds the body.
func approvalOf(a Approval, out client.Outcome, now time.Time) (Approval, error) {
	r := out.Statement.Result
	if r == nil || r.Approval == nil {
		return Approval{}, errors.New("the enclave's answer to what it holds names no approval")
	}
	w := r.Approval
	a.ID, a.Activity, a.SubOrganizationID = approvalID(a.WorkspaceID, w.Fingerprint), string(w.Activity), out.Statement.OrganizationID
	a.Fingerprint, a.Reason, a.RequesterUserID, a.CostUSD = w.Fingerprint, w.Reason, w.RequesterUserID, w.CostUSD
	a.State, a.UpdatedAt = ApprovalPending, now
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
	a.Proof, err = text(out.Proof)
	return a, err
}

// queued is the 202 of an approval.
func (a Approval) queued(action string) command.Reply {
	view := QueuedView{ApprovalID: a.ID, Status: "pending_approval", ExpiresAt: clock.ISO(a.ExpiresAt)}
	return command.Reply{
		Status: 202, Message: "Waiting for approval", Data: view, Top: map[string]any{"approvalId": a.ID},
		Audit: command.Audit{Action: action + ".queue", Resource: a.Subject, Detail: map[string]string{"approvalId": a.ID, "reason": a.Reason}},
	}
}

// insertApproval writes the approval of a row that waits from now on.
func insertApproval(ctx context.Context, tx Tx, cmd *command.Command, a Approval) error {
	if a.RequestedBy == "" && cmd != nil && cmd.Ceremony == nil {
		a.RequestedBy = cmd.Principal.ID
	}
	return tx.InsertApproval(ctx, a)
}
