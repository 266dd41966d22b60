// Package notice takes in what the payment partner says without being asked, at its
// webhook.
//
// A notice is kept as it came, once however often it comes (received), and answered
// at once. A job then hands the object that it names to whoever follows such objects
// (done): a transfer to its order, a drain to the orders at its address, an account to
// its row. A notice is a hint and proves nothing: who follows it asks the partner for
// what is true. One about an object that is not known here is tried for two minutes,
// since the partner may be faster than our own commit, and then left for the operator
// (unmatched). Of a kind that nobody follows it is ignored.
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

// Job is the kind of the job that looks what a notice is about.
const Job job.Kind = "payout_notice"

// Notice is what the partner said, as it said it. It is a hint: it names an object,
// and whoever follows that object asks the partner what is true. Whose it is, is
// not known before.
type Notice struct {
	ID, Partner, EventID string
	Category, ObjectID   string
	CustomerID           string // at the partner; '' where it is not said
	AddressID            string // of a drain
	State                State
	Seen                 int64 // how often it came
	Body                 string
	ReceivedAt           time.Time
	HandledAt            time.Time // zero: not yet
}

// State is what became of a notice.
type State string

// The states.
const (
	StateReceived  State = "received"
	StateDone      State = "done"
	StateUnmatched State = "unmatched" // nobody knows its object: for the operator
	StateIgnored   State = "ignored"   // of a kind that nobody listens to
)

// Store keeps notices. They are found without a workspace.
type Store interface {
	record.Writer[Tx]
	Notice(ctx context.Context, id string) (Notice, error)
	// Notices lists those in a state, newest first, and counts them.
	Notices(ctx context.Context, state State, p page.Page) ([]Notice, int, error)
	// WaitingNotices lists what came before an instant and was not looked at, oldest first.
	WaitingNotices(ctx context.Context, before time.Time, limit int) ([]Notice, error)
	// DropNotices forgets what was looked at and is older.
	DropNotices(ctx context.Context, before time.Time) error
}

// Tx writes them.
type Tx interface {
	// InsertNotice is false where the same one came before; it is counted then.
	InsertNotice(ctx context.Context, n Notice) (first bool, err error)
	// MoveNotice is record.ErrStale where it is in none of the states.
	MoveNotice(ctx context.Context, id string, from, to State, now time.Time) error
	record.Queue
}

// What a caller of the webhook meets. Bridge sends again what is not answered with 200.
var (
	ErrSignature = fault.Define(fault.Unauthenticated, "notice_not_signed", "The notice is not signed by the partner",
		"The signature header of a partner's notice is missing, malformed or not by the key that this server was given")
	ErrTooOld = fault.Define(fault.Invalid, "notice_too_old", "The notice is too old",
		"A partner's notice was signed more than ten minutes ago, or in the future; the partner signs anew when it sends again")
	ErrUnreadable = fault.Define(fault.Invalid, "notice_unreadable", "The notice cannot be read",
		"A partner's notice is signed and is none: not JSON, or without an event or an object")
)

// ErrUnknownObject says that an object of the partner's is known to nobody here.
var ErrUnknownObject = errors.New("payout: nobody knows that object of the partner")

// Follow is who looks after which of the partner's objects. Each asks the partner
// for what is true now, and answers ErrNobodys where it never heard of the object.
// It may be called twice for one change, late, and for no change at all.
type Follow struct {
	Transfer func(ctx context.Context, transferID string) error
	Drain    func(ctx context.Context, addressID string) error
	Account  func(ctx context.Context, accountID string) error
	Customer func(ctx context.Context, customerID string) error
}
