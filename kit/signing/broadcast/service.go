// Package broadcast brings signed transactions into their chains, and follows them until they are deep enough.
//
// A signed transaction is pending until a node has taken it, then broadcast, then confirmed or failed once its block
// has as many blocks on top of it as its network wants. Nothing of that is final: a reorg may take the block away, and
// then the transaction is broadcast again. docs/states.md draws it.
//
// What is difficult here comes from two facts. Whoever has the signed bytes can send them at any time, past this
// server. And a node may be behind, or lie: a caller who is told "failed" of a transaction that is mined pays twice. So
// an end is written down only when the node's answers agree (reorg.go), and transactions that were not sent are looked
// for, too (nonce.go).
//
// Read broadcast.go for the calls of the API, deliver.go and follow.go for the two jobs, then reorg.go, replacement.go,
// stuck.go and nonce.go. relay.go is for bytes that somebody else signed, of which there is no row.
package broadcast

import (
	"context"
	"log/slog"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/record"
)

// Tx is what a broadcast needs of a transaction of the database.
type Tx interface {
	record.Queue
	MoveTransaction(ctx context.Context, workspaceID, id string, from []transaction.State, to transaction.State,
		c transaction.Change) error
}

// Store is what broadcasts need of a database.
type Store interface {
	Transaction(ctx context.Context, workspaceID, id string) (transaction.Transaction, error)
	// UnsentDue lists transactions of every workspace that are signed, pending or
	// failed, in no block, and whose LookAt has come, the earliest first.
	UnsentDue(ctx context.Context, now time.Time, limit int) ([]transaction.Transaction, error)
	// LookLater moves the LookAt of those that are still so to the next one.
	LookLater(ctx context.Context, now time.Time, all []transaction.Look) error
	record.Writer[Tx]
}

// Service sends and follows signed transactions.
type Service struct{ c Config }

// Config wires a Service.
type Config struct {
	Store Store
	Nodes *nodes.Set
	Rows  *transaction.Rows
	Clock clock.Clock
	Log   *slog.Logger
}

// New makes a Service.
func New(c Config) *Service { return &Service{c} }
