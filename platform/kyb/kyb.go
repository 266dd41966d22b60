// Package kyb is the check of a workspace's business (know your business): a form that its members fill in and submit,
// and the decision about it, which the workspace's KYB status follows.
//
// A form begins as a draft. Submitted, it can no longer be changed: a job hands it to the Checker (submitted, then
// in_review), which approves, rejects or asks for more information; that opens the form again. In production the
// operator decides. The operator's word stands at any time, also over an earlier decision.
//
// What is in a form is personal data: it is sealed in the database, and no log, event or audit entry has any of it.
//
// Read form.go (what is asked), complete.go (what is missing), service.go (who fills it in), document.go (uploads),
// decide.go (what becomes of it), mail.go (how members hear of it) and review.go (what the operator sees).
package kyb

import (
	"context"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/vault"
	"github.com/railkit/railkit/platform/workspace"
)

// State is where a form stands. It is that of the last submission, and Drafted before there is one.
type State string

// The states.
const (
	Drafted         State = "draft"
	Submitted       State = "submitted"
	InReview        State = "in_review"
	Approved        State = "approved"
	Rejected        State = "rejected"
	MoreInformation State = "more_information"
)

// States are those of submissions.
var States = []State{Submitted, InReview, Approved, Rejected, MoreInformation}

// The errors of the check.
var (
	ErrChanged = fault.Define(fault.Conflict, "kyb_changed", "Somebody else has changed the form: %s",
		"Another member has changed a section that this call changes, or the form that it submits; read the form again")
	ErrUnderReview = fault.Define(fault.Conflict, "kyb_under_review", "The form is under review",
		"It was submitted and nobody has decided yet; it can be changed again if more information is asked for")
	ErrDecided = fault.Define(fault.Conflict, "kyb_decided", "The form is decided",
		"It was approved or rejected; the operator can open it again by asking for more information")
	ErrIncomplete = fault.Define(fault.Invalid, "kyb_incomplete", "The form is not complete: %s",
		"details.missing has each field that is missing, with a sentence; GET /v1/kyb/customers/me has them by section")
	ErrNoSubmission = fault.Define(fault.Conflict, "kyb_not_submitted", "The workspace has submitted no form",
		"More information can be asked for about a form that was submitted, and no other one can be decided")
	ErrSubmittedAgain = fault.Define(fault.Conflict, "kyb_submitted_again",
		"The workspace has submitted its form again: what you have read is not its last submission",
		"The operator's decision names another submission than the last one (details.submissionId); read that one first")
	ErrOpen = fault.Define(fault.Conflict, "kyb_open",
		"More information was asked for, and the form is not submitted again",
		"Members may be changing it, so it cannot be approved; if what they submitted is enough, take the request back "+
			"with the status pending first")
	ErrTooManyDocuments = fault.Define(fault.Conflict, "kyb_documents_full", "The form has as many documents as it can",
		"A form has at most 30 documents; delete one first")
)

// Draft is the form as its members last left it.
type Draft struct {
	WorkspaceID string
	Version     int64            // 0: there is none yet
	Sections    map[string]int64 // the version that last changed each section
	Sealed      string           // Form
	UpdatedAt   time.Time
}

func (d Draft) place() vault.Place {
	return vault.Place{WorkspaceID: d.WorkspaceID, Kind: "kyb_drafts", ID: d.WorkspaceID, Field: "form"}
}

// Submission is a form as it was handed in.
type Submission struct {
	WorkspaceID, ID string
	Number          int64 // of the workspace's submissions: 1 is the first
	Version         int64 // of the draft
	State           State
	Reason          string    // of the decision; members read it
	Sealed          string    // Form
	CheckAt         time.Time // when the job looks at it next; zero: it waits for the operator, or is decided
	CreatedAt       time.Time
	DecidedAt       time.Time // zero: not yet
}

func (s Submission) place() vault.Place {
	return vault.Place{WorkspaceID: s.WorkspaceID, Kind: "kyb_submissions", ID: s.ID, Field: "form"}
}

// Document is an uploaded file without its content.
type Document struct {
	WorkspaceID, ID string
	Kind            string
	MediaType       string
	Size            int64
	Sealed          string // its name and whose it is
	Content         string // sealed; only Store.Document reads it
	CreatedAt       time.Time
}

func (d Document) place(field string) vault.Place {
	return vault.Place{WorkspaceID: d.WorkspaceID, Kind: "kyb_documents", ID: d.ID, Field: field}
}

// Mail tells an admin of a decision.
type Mail struct {
	WorkspaceID, DecisionID string // one for all mails of a decision
	MemberID, Email         string
	WorkspaceName           string
	State                   State
	Reason                  string
}

// Case is a submission as the operator's list has it.
type Case struct {
	Submission
	WorkspaceName string
}

// Filter selects submissions of an environment: of each workspace the last one.
type Filter struct {
	Environment string
	States      []State // none: all
	Page        page.Page
}

// The kinds of jobs.
const (
	JobCheck job.Kind = "kyb_check"
	JobMail  job.Kind = "kyb_mail"
)

// Store keeps forms. What is not there is fault.Missing.
type Store interface {
	record.Writer[Tx]
	Draft(ctx context.Context, workspaceID string) (Draft, error) // the zero Draft where there is none
	Submission(ctx context.Context, workspaceID, id string) (Submission, error)
	LastSubmission(ctx context.Context, workspaceID string) (Submission, error)
	Cases(ctx context.Context, f Filter) ([]Case, int, error)              // newest first, and how many in all
	Documents(ctx context.Context, workspaceID string) ([]Document, error) // oldest first
	Document(ctx context.Context, workspaceID, id string) (Document, error)
	// Mails lists those of a decision that wait, to those who are members still.
	Mails(ctx context.Context, workspaceID, decisionID string) ([]Mail, error)
	Mailed(ctx context.Context, m Mail, refused bool) error
	// Unchecked lists submissions that a job should have looked at before the instant.
	Unchecked(ctx context.Context, before time.Time, limit int) ([]Submission, error)
	// Unmailed lists decisions between the instants whose mails wait.
	Unmailed(ctx context.Context, since, before time.Time, limit int) ([]Mail, error)
	// Queue makes a job, unless there is one.
	Queue(ctx context.Context, j job.Job) error
}

// Tx is one transaction. Who changes a form holds its workspace first, so that what it reads after stays so.
type Tx interface {
	HoldWorkspace(ctx context.Context, id string) (workspace.Workspace, error)
	UpdateWorkspace(ctx context.Context, w workspace.Workspace) error
	// TellWorkspace has whoever listens to a workspace read its form again.
	TellWorkspace(w workspace.Workspace)
	Draft(ctx context.Context, workspaceID string) (Draft, error)
	PutDraft(ctx context.Context, d Draft) error // record.ErrStale unless it is the next version
	LastSubmission(ctx context.Context, workspaceID string) (Submission, error)
	InsertSubmission(ctx context.Context, s Submission) error
	MoveSubmission(ctx context.Context, s Submission, from State) error // record.ErrStale in another state
	Documents(ctx context.Context, workspaceID string) ([]Document, error)
	InsertDocument(ctx context.Context, d Document) error
	DeleteDocument(ctx context.Context, workspaceID, id string) error
	// InsertMails writes a mail to each admin of the workspace.
	InsertMails(ctx context.Context, workspaceID, decisionID string, state State, reason string, now time.Time) error
	record.Queue
}
