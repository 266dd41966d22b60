// Package notice handles the payment partner's notices. A notice is a message that the partner sends to the webhook of
// this server.
//
// A notice is stored as it came (received), once even if the partner repeats it, and answered at once. A job then
// calls the follower of its object (done): of a transfer the order, of a drain the orders at its address, of an
// account its row. A notice is only a hint: the follower asks the partner for the object's present state. Say that the
// notice names a transfer as paid; its order is completed only when the partner's API says so. If the object is not
// known here, the job tries for two minutes, since the partner may be faster than our own commit, and then leaves the
// notice to the operator (unmatched). A notice of a kind without a follower is ignored.
//
// Read notice.go, then inbox.go.
package notice

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
)

// Job is the kind of the job that handles a notice.
const Job job.Kind = "payout_notice"

// Notice is a message of the partner, as it came. It names an object; the workspace of that object is not known until
// the follower finds it.
type Notice struct {
	ID, Partner, EventID string
	Category, ObjectID   string
	CustomerID           string // at the partner; '' where it is not said
	AddressID            string // of a drain's liquidation address, or of an activity's virtual account
	State                State
	Seen                 int64 // how often it came
	Body                 string
	ReceivedAt           time.Time
	HandledAt            time.Time // zero: not yet
}

// State is the state of a notice.
type State string

// The states.
const (
	StateReceived  State = "received"
	StateDone      State = "done"
	StateUnmatched State = "unmatched" // nobody knows its object, or it failed for a day: for the operator
	StateIgnored   State = "ignored"   // of a kind that nobody listens to
)

// Store keeps notices. They are found without a workspace.
type Store interface {
	record.Writer[Tx]
	Notice(ctx context.Context, id string) (Notice, error)
	// Notices lists those in a state, newest first, and counts them.
	Notices(ctx context.Context, state State, p page.Page) ([]Notice, int, error)
	// WaitingNotices lists notices from before an instant that are not handled, oldest first.
	WaitingNotices(ctx context.Context, before time.Time, limit int) ([]Notice, error)
	// DropNotices deletes handled notices from before an instant.
	DropNotices(ctx context.Context, before time.Time) error
}

// Tx writes them.
type Tx interface {
	// InsertNotice is false if the same notice came before; then it increments the count.
	InsertNotice(ctx context.Context, n Notice) (first bool, err error)
	// MoveNotice is record.ErrStale where it is in none of the states.
	MoveNotice(ctx context.Context, id string, from, to State, now time.Time) error
	record.Queue
}

// Errors of the webhook. Bridge repeats a notice that is not answered with 200.
var (
	ErrSignature = fault.Define(fault.Unauthenticated, "notice_not_signed", "The notice is not signed by the partner",
		"The signature header of a partner's notice is missing, malformed or not by the key that this server was given")
	ErrTooOld = fault.Define(fault.Invalid, "notice_too_old", "The notice is too old",
		"A partner's notice was signed more than ten minutes ago, or in the future; the partner signs anew when it sends again")
	ErrUnreadable = fault.Define(fault.Invalid, "notice_unreadable", "The notice cannot be read",
		"A partner's notice is signed and is none: not JSON, or without an event or an object")
)

// ErrUnknownObject is a follower's answer for an object that has no row here.
var ErrUnknownObject = errors.New("payout: nobody knows that object of the partner")

// Follow has the follower of each kind of the partner's objects. A follower asks the partner for the object's present
// state, and answers ErrUnknownObject if it has no row of it. It may be called twice for one change, late, or without
// any change.
type Follow struct {
	Transfer func(ctx context.Context, transferID string) error
	Drain    func(ctx context.Context, addressID string) error
	Virtual  func(ctx context.Context, virtualAccountID string) error
	Account  func(ctx context.Context, accountID string) error
	Customer func(ctx context.Context, customerID string) error
}
