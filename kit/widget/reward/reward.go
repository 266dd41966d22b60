// Package reward counts executions of mini apps. Anybody with an API key reports that a transaction executed one, and
// who referred its user. It counts once the network's node has shown that the transaction is mined as deep as the
// network's confirmations ask for, succeeded, came from that user, and is what one of the mini app's actions makes.
//
// Read report.go for how a report is taken in, verify.go and proof.go for how it is verified, and metrics.go for what
// is told of those that count.
package reward

import (
	"context"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/widget/action"
	"github.com/railkit/railkit/kit/widget/miniapp"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
)

// State of an execution.
type State string

// The states. Nothing but a counted one is in any number.
const (
	Pending State = "pending" // its transaction is not verified yet
	Counted State = "counted"
	Refused State = "refused" // Reason says why; it may be reported anew
)

// Execution is a transaction that was reported as one of a mini app.
type Execution struct {
	ID, Environment string
	WorkspaceID     string // who reported it
	MiniAppID       string
	ChainID         uint64
	TxHash          string
	User, Referrer  string // Referrer "": none
	State           State
	Reason          string
	Type            string // of the action that was executed
	Moved           Amount // out of the user's address
	Block           int64
	CreatedAt       time.Time
	UpdatedAt       time.Time
}

// Amount is of a listed token or of a network's own coin. Asset "" is nothing.
type Amount struct {
	Asset, Symbol string // Asset is native, or the token's contract
	Decimals      int
	Units         string // smallest unit, decimal
}

// Cursor is its place in a list.
func (e Execution) Cursor() page.Cursor { return page.Cursor{CreatedAt: e.CreatedAt, ID: e.ID} }

// Filter selects counted executions.
type Filter struct {
	Environment         string
	Referrer, MiniAppID string // "": all
	Since               time.Time
	Page                page.Page
}

// Store keeps them.
type Store interface {
	record.Writer[Tx]
	Execution(ctx context.Context, id string) (Execution, error)
	// Executions lists a page of those that count, newest first, and how many there are.
	Executions(context.Context, Filter) ([]Execution, int, error)
	// Moves has of all that count the mini app, the network, the type and what moved.
	Moves(context.Context, Filter) ([]Execution, error)
	PendingExecutions(ctx context.Context, before time.Time, most int) ([]Execution, error)
}

// Tx is what they need of a transaction of the database.
type Tx interface {
	record.Queue
	// ReportExecution takes in one that is new, or was refused for another user or before an instant; false: it stays
	// as it is.
	ReportExecution(ctx context.Context, e Execution, refusedBefore time.Time) (taken bool, err error)
	Execution(ctx context.Context, id string) (Execution, error)
	// JudgeExecution writes down what became of a pending one; record.ErrStale where it is another report by now.
	JudgeExecution(context.Context, Execution) error
}

// Node is what is asked of a network's node. A node that lies has executions count that never were.
type Node interface {
	node.Reader
	Receipt(ctx context.Context, id string) (r node.Receipt, found bool, err error)
	Head(context.Context) (int64, error)
	Headers(ctx context.Context, numbers []int64) ([]node.Header, error)
	Transfers(context.Context, node.Query) ([]node.Transfer, error)
}

// Nodes finds the node of a network, where the operator runs one.
type Nodes interface {
	Node(slug string) (Node, bool)
}

// MiniApps finds a mini app.
type MiniApps interface {
	Find(ctx context.Context, id string) (miniapp.MiniApp, error)
}

// Job is the kind of the jobs that verify executions.
const Job job.Kind = "verify_execution"

// Service takes executions in, verifies them, and tells of those that count.
type Service struct {
	store       Store
	apps        MiniApps
	nodes       Nodes
	rules       action.Rules
	environment string
	clock       clock.Clock
}

// New makes a Service.
func New(s Store, apps MiniApps, nodes Nodes, environment chain.Environment, c clock.Clock) *Service {
	return &Service{s, apps, nodes, action.RulesOf(environment), string(environment), c}
}

func (e Execution) job() job.Job { return job.Job{Kind: Job, WorkspaceID: e.WorkspaceID, ID: e.ID} }
