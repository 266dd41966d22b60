// Package transaction is a transaction from its preparation to its signature. states.go has its whole life, of which
// what follows the signature is package broadcast.
//
//	prepare -> awaiting_signature -> confirm -> pending -> broadcast -> confirmed
//
// Beside that straight way a transaction is cancelled, expires after 15 minutes without a stamp, fails because a rule
// refuses it, or awaits approval and is signed with its last vote. The sender's key is in the enclave, which signs
// under a stamp, within a delegation, or after approval; or it is outside, and the caller brings the signed bytes
// (external.go).
//
// What keeps money safe is an order. The enclave signs first and the database commits after it, since the enclave signs
// the same body always to the same bytes: a crash in between loses nothing, and the sweeper finds what was signed and
// not committed (sweep.go).
//
// Read states.go and transaction.go, then prepare.go, confirm.go, commit.go and fee.go for the straight way; sign.go
// for a caller's own bytes; held.go, replacement.go, external.go and cancel.go for the others; rows.go and view.go
// last. What agents pay is a transaction too: package payment writes its body.
package transaction

import (
	"context"
	"log/slog"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/kit/signing/denial"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/plan"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
)

// Tx is what transactions need of a transaction of the database. A compare-and-swap that finds another state answers
// record.ErrStale.
type Tx interface {
	denial.Tx
	approval.Tx
	link.Tx
	activity.Toucher
	record.Queue
	InsertTransaction(context.Context, Transaction) error
	// MoveTransaction sets the state and what c names, if the row's state is one of from.
	MoveTransaction(ctx context.Context, workspaceID, id string, from []State, to State, c Change) error
	// ReplaceTransaction frees the nonce of a signed transaction for its one
	// successor; another's answers record.ErrStale. It comes before the successor's move.
	ReplaceTransaction(ctx context.Context, workspaceID, id, by string, now time.Time) error
}

// Store is what transactions need of a database.
type Store interface {
	Transaction(ctx context.Context, workspaceID, id string) (Transaction, error)
	Transactions(ctx context.Context, f Filter) ([]Transaction, int, error)
	Approval(ctx context.Context, workspaceID, id string) (approval.Approval, error)
	// Unsent lists what an address has signed for nonces below one and has on no
	// chain, highest nonce first. A nonce below a mined one is used up.
	Unsent(ctx context.Context, workspaceID, chain, from string, below int64) (ids []string, err error)
	// WaitingTransactions lists transactions of every workspace that have been in one of the states since before the
	// instant, from after the last row of the batch before. What is signed and held, or was replaced, is not listed.
	WaitingTransactions(ctx context.Context, states []State, before time.Time, after page.Cursor,
		limit int) ([]Transaction, error)
	record.Writer[Tx]
}

// Service prepares, signs, cancels and shows transactions.
type Service struct {
	c                 Config
	sweptTransactions page.Cursor // where the next sweep goes on
}

// Config wires a Service.
type Config struct {
	Store      Store
	Enclave    signer.Enclave
	Activities *activity.Service
	Denials    *denial.Service
	Planner    *plan.Planner
	Nodes      *nodes.Set
	Rows       *Rows
	Clock      clock.Clock
	Log        *slog.Logger
}

// New makes a Service.
func New(c Config) *Service { return &Service{c: c} }
