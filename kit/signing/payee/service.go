// Package payee keeps the server's copy of the books of payees: who an owner's passkey, or votes, bound to which
// address. The enclave has the books, judges each change, and reads them where a policy says payeesOnly. The rows here
// are for lists and for the names that the server shows; a list with a fresh proof corrects them.
//
// Adding and removing take a stamp, or votes where approvals are on. Without a stamp both wait for votes.
//
// Read payee.go for what a payee is, change.go for adding and removing, outcome.go for what is written once the enclave
// has done it, notice.go for the mails about it, list.go, and sync.go for fresh proofs.
package payee

import (
	"context"
	"log/slog"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/record"
)

// Tx is what payees need of a transaction of the database.
type Tx interface {
	activity.Tx
	// KeepPayee writes a statement of the enclave, unless the row has a later one.
	KeepPayee(context.Context, Payee) error
	record.Queue
	InsertPayeeNotice(context.Context, Notice) error // a second one with the same id: no-op
	// MovePayeeNotice writes Mailed and UpdatedAt, unless it is mailed already.
	MovePayeeNotice(context.Context, Notice) error
}

// Store is what payees need of a database.
type Store interface {
	Payee(ctx context.Context, workspaceID, id string) (Payee, error) // also a removed one
	Payees(ctx context.Context, f Filter) ([]Payee, int, error)
	PayeesOf(ctx context.Context, workspaceID, subOrganizationID string) ([]Payee, error) // also removed ones
	// NewestPayeesOf lists at most so many: those in the book, then removed ones, each newest first.
	NewestPayeesOf(ctx context.Context, workspaceID, subOrganizationID string, limit int) ([]Payee, error)
	PayeeNotice(ctx context.Context, workspaceID, id string) (Notice, error)
	// that are not mailed, and were not touched since before then
	WaitingPayeeNotices(ctx context.Context, before time.Time, limit int) ([]Notice, error)
	Passkeys(ctx context.Context, workspaceID, subOrganizationID string) ([]passkey.Passkey, error)
	record.Writer[Tx]
}

// Service changes and shows books of payees.
type Service struct{ c Config }

// Config wires a Service.
type Config struct {
	Store      Store
	Enclave    signer.Enclave
	Activities *activity.Service
	Changes    activity.Changes
	Passkeys   *passkey.Service
	Nodes      *nodes.Set
	Post       *mail.Post // nil: mail waits until there is one
	Clock      clock.Clock
	Log        *slog.Logger
}

// New makes a Service.
func New(c Config) *Service { return &Service{c} }
