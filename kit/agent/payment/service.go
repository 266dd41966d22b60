// Package payment executes what agents pay. An agent's signature stands where a passkey's stamp would, and the enclave
// reads the very bytes that the agent signed: the server adds gas and fee, and can pay nobody else and no other amount.
// A payment is a transaction of type agent_payment; what follows its signature, or its wait for votes, is that of every
// transaction.
//
// The order keeps a crash between any two steps harmless:
//
//  1. the row, which waits for its signature, so that the enclave can be asked about it later;
//  2. the price of the call, held in the agent's budget;
//  3. the enclave, which counts the payment and signs, lets it wait for votes, or refuses;
//  4. the commit, and the price is captured; or the row is deleted, and the price is free again.
//
// What a crash leaves after 1 or 2 the sweepers of transactions and budgets settle by the enclave's word.
//
// Read pay.go for the order, and draft.go for how a request becomes a body.
package payment

import (
	"context"
	"log/slog"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/agent/call"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/plan"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/record"
)

// Tx is what payments need of a transaction of the database.
type Tx interface {
	InsertTransaction(context.Context, transaction.Transaction) error
	// DropPayment deletes an agent's payment that still awaits its signature with this body; else record.ErrStale.
	DropPayment(ctx context.Context, workspaceID, id, fingerprint string) error
}

// Store is what payments need of a database.
type Store interface {
	Transaction(ctx context.Context, workspaceID, id string) (transaction.Transaction, error)
	record.Writer[Tx]
}

// Service executes payments.
type Service struct{ c Config }

// Config wires a Service.
type Config struct {
	Store        Store
	Enclave      signer.Enclave
	Activities   *activity.Service
	Transactions *transaction.Service
	Planner      *plan.Planner
	Nodes        *nodes.Set
	Budget       call.Budget
	Clock        clock.Clock
	Log          *slog.Logger
}

// New makes a Service.
func New(c Config) *Service { return &Service{c} }
