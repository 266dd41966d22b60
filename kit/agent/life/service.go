// Package life makes agents and changes what they may do: programs with a wallet, limits and a secret of their own.
// The enclave has all of these, and judges each change. A row here only says that there is an agent, and what its
// activation asks for; whatever the API tells of limits and states is read from the enclave.
//
// An agent is made in two rounds, each with a stamp of its owner: one makes it and its wallet, the other gives it its
// limits and its secret. Between the two it is pending_policies and may do nothing. After a crash the second round is
// prepared anew, or the agent is deleted; its wallet stays its owner's.
//
// Read agent.go for the row, provision.go for the two rounds, limits.go for the forms in which limits come, control.go
// for later changes, wallet.go for wallets that an agent makes itself, outcome.go for what is written once the enclave
// has done it, list.go, funding.go for the owner's money on its way to the agent, holdings.go for where it then is,
// exposure.go for what was signed and may still leave, and record.go for its audit entries.
package life

import (
	"context"
	"log/slog"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/kit/agent/call"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/outstanding"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/record"
)

// Tx is what agents need of a transaction of the database.
type Tx interface {
	wallet.Tx
	budget.HoldTx
	InsertAgentDraft(context.Context, Draft) error
	InsertAgent(context.Context, Agent) error // a second one with the same id: no-op
	// KeepAgentSecret writes the statement with the newest sealed secret; "" where that is in clear. At is when the
	// enclave said so: what it said earlier than the row has is not written.
	KeepAgentSecret(ctx context.Context, workspaceID, id, proof string, at time.Time) error
	DeleteAgent(ctx context.Context, workspaceID, id string) error
	// EndAgent notes that an agent was killed or deleted, which no older state of the signer takes back.
	EndAgent(ctx context.Context, workspaceID, id string, at time.Time) error
	InsertTransaction(context.Context, transaction.Transaction) error
	// NoteAgentSubject makes the audit entries of a subject some of the agent's. A second time: no-op.
	NoteAgentSubject(ctx context.Context, workspaceID, agentID, subject string) error
}

// Store is what agents need of a database.
type Store interface {
	Activity(ctx context.Context, workspaceID, id string) (activity.Activity, error)
	AgentDraft(ctx context.Context, workspaceID, requestID string) (Draft, error)
	Agent(ctx context.Context, workspaceID, id string) (Agent, error) // not a deleted one
	Agents(ctx context.Context, f Filter) ([]Agent, int, error)
	Transaction(ctx context.Context, workspaceID, id string) (transaction.Transaction, error)
	record.Writer[Tx]
}

// Service makes, changes and shows agents.
type Service struct {
	c     Config
	calls *call.Caller[Tx]
}

// Config wires a Service.
type Config struct {
	Store      Store
	Enclave    signer.Enclave
	Activities *activity.Service
	Changes    activity.Changes
	Passkeys   *passkey.Service
	Wallets    *wallet.Service
	Networks   []chain.Network

	Transactions *transaction.Service
	Nodes        *nodes.Set
	Outstanding  *outstanding.Service
	Audit        audit.Lister
	Clock        clock.Clock
	Budget       call.Budget
	Log          *slog.Logger
}

// New makes a Service.
func New(c Config) *Service {
	return &Service{
		c: c,
		calls: &call.Caller[Tx]{
			Store: c.Store, Enclave: c.Enclave, Budget: c.Budget, Clock: c.Clock, Log: c.Log,
		},
	}
}
