package approval

import (
	"fmt"
	"strconv"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/page"
)

// State is the state of an approval.
type State string

// The states.
const (
	Pending  State = "pending"
	Approved State = "approved" // enough votes; the outcome is in the subject
	Rejected State = "rejected"
	Expired  State = "expired"
)

// SubjectKind is the kind of the row that waits.
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
	State             State
	Comment           string
	Proof             string // JSON of wire.Proof
	CreatedAt         time.Time
	UpdatedAt         time.Time
	ExpiresAt         time.Time
	ResolvedAt        time.Time // zero: not yet
}

// Open says that the approval's subject still waits.
func (a Approval) Open() bool {
	return a.State == Pending || a.State == Approved && a.ResolvedAt.IsZero()
}

// Lasts tells whether the approval has not expired by the server's clock.
func (a Approval) Lasts(now time.Time) bool { return now.Before(a.ExpiresAt) }

// Resolved is the error of a vote or rejection for an approval that is decided or over; nil while it is pending.
func (a Approval) Resolved() error {
	return ErrResolved.Msg(string(a.State)).With("status", string(a.State))
}

// The error of a vote or a rejection that comes too late.
var (
	ErrResolved = fault.Define(fault.Conflict, "approval_resolved", "The approval is decided: %s",
		"It was approved and executed, rejected, or has expired; a vote or a rejection now changes nothing")
)

// Filter selects approvals, newest first. Zero fields do not filter.
type Filter struct {
	WorkspaceID       string
	States            []State
	SubOrganizationID string
	WalletID          string   // local id
	Activities        []string // of wire.ActivityType; none: any
	Page              page.Page
}

// WithVotes is the approval with the votes that the enclave states.
func (a Approval) WithVotes(w wire.Approval, now time.Time) (Approval, error) {
	required, err := strconv.Atoi(w.RequiredApprovers)
	if err != nil {
		return a, fmt.Errorf("reading an approval: %w", err)
	}
	a.Votes, a.Required, a.UpdatedAt = w.Votes, required, now
	switch {
	case !w.Approved && a.State == Approved:
		a.State, a.Comment = Pending, "the rules have changed: who approved before is asked again"
	case w.Approved && a.State == Pending:
		a.State, a.Comment = Approved, ""
	}
	return a, nil
}

// Cursor is the approval's place in a list.
func (a Approval) Cursor() page.Cursor { return page.Cursor{CreatedAt: a.CreatedAt, ID: a.ID} }
