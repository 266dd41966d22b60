package payout

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/payout/work"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
)

// JobNotice is the kind of the job that looks what a notice is about.
const JobNotice job.Kind = "payout_notice"

// Notice is what the partner said, as it said it. It is a hint: it names an object,
// and whoever follows that object asks the partner what is true. Whose it is, is
// not known before.
type Notice struct {
	ID, Partner, EventID string
	Category, ObjectID   string
	CustomerID           string // at the partner; '' where it is not said
	AddressID            string // of a drain
	State                NoticeState
	Seen                 int64 // how often it came
	Body                 string
	ReceivedAt           time.Time
	HandledAt            time.Time // zero: not yet
}

// NoticeState is what became of a notice.
type NoticeState string

// The states.
const (
	NoticeReceived  NoticeState = "received"
	NoticeDone      NoticeState = "done"
	NoticeUnmatched NoticeState = "unmatched" // nobody knows its object: for the operator
	NoticeIgnored   NoticeState = "ignored"   // of a kind that nobody listens to
)

// NoticeStore keeps notices. They are found without a workspace.
type NoticeStore interface {
	Notice(ctx context.Context, id string) (Notice, error)
	// Notices lists those in a state, newest first, and counts them.
	Notices(ctx context.Context, state NoticeState, p page.Page) ([]Notice, int, error)
	// WaitingNotices lists what came before an instant and was not looked at, oldest first.
	WaitingNotices(ctx context.Context, before time.Time, limit int) ([]Notice, error)
	// DropNotices forgets what was looked at and is older.
	DropNotices(ctx context.Context, before time.Time) error
}

// NoticeTx writes them.
type NoticeTx interface {
	// InsertNotice is false where the same one came before; it is counted then.
	InsertNotice(ctx context.Context, n Notice) (first bool, err error)
	// MoveNotice is work.ErrStale where it is in none of the states.
	MoveNotice(ctx context.Context, id string, from, to NoticeState, now time.Time) error
}

// What a caller of the webhook meets. Bridge sends again what is not answered with 200.
var (
	ErrNoticeSignature = fault.Define(fault.Unauthenticated, "notice_not_signed", "The notice is not signed by the partner",
		"The signature header of a partner's notice is missing, malformed or not by the key that this server was given")
	ErrNoticeStale = fault.Define(fault.Invalid, "notice_too_old", "The notice is too old",
		"A partner's notice was signed more than ten minutes ago, or in the future; the partner signs anew when it sends again")
	ErrNoticeForm = fault.Define(fault.Invalid, "notice_unreadable", "The notice cannot be read",
		"A partner's notice is signed and is none: not JSON, or without an event or an object")
)

// ErrNobodys says that an object of the partner's is known to nobody here.
var ErrNobodys = errors.New("payout: nobody knows that object of the partner")

// Follow is who looks after which of the partner's objects. Each asks the partner
// for what is true now, and answers ErrNobodys where it never heard of the object.
// It may be called twice for one change, late, and for no change at all.
type Follow struct {
	Transfer func(ctx context.Context, transferID string) error
	Drain    func(ctx context.Context, addressID string) error
	Account  func(ctx context.Context, accountID string) error
	Customer func(ctx context.Context, customerID string) error
}

// Notices takes in what the partner says without being asked.
type Notices struct {
	store   Store
	partner fiat.Partner
	name    string
	follow  Follow
	keep    time.Duration
	clock   clock.Clock
	log     *slog.Logger
}

// NoticesConfig wires Notices.
type NoticesConfig struct {
	Store   Store
	Partner fiat.Partner // nil: no notice is believed
	Name    string       // of the partner, in the rows
	Follow  Follow
	Keep    time.Duration // for which bodies are kept
	Clock   clock.Clock
	Log     *slog.Logger
}

// NewNotices makes one.
func NewNotices(c NoticesConfig) *Notices {
	return &Notices{store: c.Store, partner: c.Partner, name: c.Name, follow: c.Follow, keep: c.Keep, clock: c.Clock, log: c.Log}
}

// Received is the answer to a notice.
type Received struct {
	EventID string `json:"eventId" doc:"The partner's"`
	First   bool   `json:"first" doc:"False where it came before: it is answered alike and does nothing"`
}

// Receive keeps a notice that was read as it came, and answers: what it is about is
// looked at afterwards. One that came before does nothing.
func (n *Notices) Receive(ctx context.Context, row Notice) (Received, error) {
	answer := Received{EventID: row.EventID}
	err := n.store.Work(ctx, "", func(ctx context.Context, tx Tx) (command.Audit, error) {
		first, err := tx.InsertNotice(ctx, row)
		if err != nil || !first {
			return command.Audit{}, err
		}
		answer.First = true
		return command.Audit{}, tx.Enqueue(ctx, job.Job{Kind: JobNotice, ID: row.ID})
	})
	return answer, err
}

// Read checks the signature of a notice, and then what it is.
func (n *Notices) Read(signature string, body []byte) (Notice, error) {
	if n.partner == nil {
		return Notice{}, ErrNoticeSignature
	}
	now := n.clock.Now()
	said, err := n.partner.ReadNotice(signature, body, now)
	switch {
	case errors.Is(err, fiat.ErrSignature):
		return Notice{}, ErrNoticeSignature.Because(err)
	case errors.Is(err, fiat.ErrStale):
		return Notice{}, ErrNoticeStale.Because(err)
	case err != nil:
		return Notice{}, ErrNoticeForm.Because(err)
	}
	return Notice{
		ID: work.NewID(), Partner: n.name, EventID: said.EventID, Category: said.Category, ObjectID: said.ObjectID,
		CustomerID: said.CustomerID, AddressID: said.AddressID, State: NoticeReceived, Seen: 1, Body: string(body), ReceivedAt: now,
	}, nil
}

// How long an object may be unknown: the partner may say that a payout is done
// before our own row has its id.
const (
	strange     = 2 * time.Minute
	lookAgain   = 5 * time.Second
	noticesLost = time.Minute // after which a job is taken for lost
	noticeBatch = 200
)

// Handle looks what a notice is about, and says when to look again; 0 ends it.
func (n *Notices) Handle(ctx context.Context, id string) (time.Duration, error) {
	row, err := n.store.Notice(ctx, id)
	if errors.Is(err, fault.ErrNotFound) || err == nil && row.State != NoticeReceived {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	state, err := n.dispatch(ctx, row)
	now := n.clock.Now()
	switch {
	case errors.Is(err, ErrNobodys) && now.Sub(row.ReceivedAt) < strange:
		return lookAgain, nil
	case errors.Is(err, ErrNobodys):
		state = NoticeUnmatched
		n.log.Warn("the partner spoke of what nobody knows here: railkit admin notice lists it",
			"partner", row.Partner, "category", row.Category, "object", row.ObjectID, "event", row.EventID)
	case err != nil:
		return 0, err
	}
	return 0, n.move(ctx, row, state, now)
}

func (n *Notices) move(ctx context.Context, row Notice, to NoticeState, now time.Time) error {
	err := n.store.Work(ctx, "", func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, tx.MoveNotice(ctx, row.ID, row.State, to, now)
	})
	if errors.Is(err, work.ErrStale) {
		return nil // somebody did the same
	}
	return err
}

// dispatch hands the object to who follows it.
func (n *Notices) dispatch(ctx context.Context, row Notice) (NoticeState, error) {
	f, err := n.follow, ErrNobodys
	switch row.Category {
	case fiat.NoticeTransfer:
		if f.Transfer != nil {
			err = f.Transfer(ctx, row.ObjectID)
		}
	case fiat.NoticeDrain:
		if f.Drain != nil && row.AddressID != "" {
			err = f.Drain(ctx, row.AddressID)
		}
	case fiat.NoticeAccount:
		if f.Account != nil {
			err = f.Account(ctx, row.ObjectID)
		}
	case fiat.NoticeCustomer:
		if f.Customer != nil {
			err = f.Customer(ctx, row.ObjectID)
		}
	default:
		return NoticeIgnored, nil
	}
	return NoticeDone, err
}

// In lists notices in a state, newest first.
func (n *Notices) In(ctx context.Context, state NoticeState, p page.Page) ([]Notice, *page.Cursor, int, error) {
	rows, total, err := n.store.Notices(ctx, state, p)
	at := func(row Notice) page.Cursor { return page.Cursor{CreatedAt: row.ReceivedAt, ID: row.ID} }
	return rows, page.Next(p, rows, total, at), total, err
}

// Retry has a notice looked at again, once: one that nobody knew, or whose job was
// lost. work.ErrStale says that it is done with.
func (n *Notices) Retry(ctx context.Context, id string) error {
	row, err := n.store.Notice(ctx, id)
	if err != nil {
		return err
	}
	return n.store.Work(ctx, "", func(ctx context.Context, tx Tx) (command.Audit, error) {
		if row.State != NoticeReceived {
			if err := tx.MoveNotice(ctx, id, NoticeUnmatched, NoticeReceived, time.Time{}); err != nil {
				return command.Audit{}, err
			}
		}
		return command.Audit{}, tx.Enqueue(ctx, job.Job{Kind: JobNotice, ID: id, Anew: true})
	})
}

// Sweep gives notices whose jobs were lost new ones, and forgets old ones.
func (n *Notices) Sweep(ctx context.Context) error {
	now := n.clock.Now()
	rows, err := n.store.WaitingNotices(ctx, now.Add(-noticesLost), noticeBatch)
	for _, row := range rows {
		err = errors.Join(err, n.store.Work(ctx, "", func(ctx context.Context, tx Tx) (command.Audit, error) {
			return command.Audit{}, tx.Enqueue(ctx, job.Job{Kind: JobNotice, ID: row.ID})
		}))
	}
	return errors.Join(err, n.store.DropNotices(ctx, now.Add(-n.keep)))
}
