// Package vote lets users decide requests that wait for votes: it shows approvals, counts votes, rejects, and has the
// enclave execute a request that has its votes. The states of an approval are in package approval.
//
// A vote is a body of its own, which its user stamps; the enclave counts it. After the last vote the server submits
// the waiting body again, without a stamp: the votes authorize it. Example: two votes are required for a transfer of
// 500 USD. The first answers with one vote and the status pending; the second answers with two votes, the status
// approved and the signed transaction. Where the node does not answer at that moment, the approval stays approved and
// open, and a job tries again until the 30 minutes are over.
//
// Read approve.go and reject.go for the calls, execution.go and standing.go for what becomes of an approval, job.go
// for what the server does by itself, and view.go for how it is shown.
package vote

import (
	"context"
	"log/slog"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/kit/signing/change"
	"github.com/railkit/railkit/kit/signing/denial"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
)

// Tx is what votes need of a transaction of the database: with the last vote a transaction is signed, or an activity
// of any kind is done.
type Tx interface {
	activity.Tx
	transaction.Tx
	// MoveApproval writes state, votes, what is required, comment and times.
	MoveApproval(ctx context.Context, a approval.Approval, from approval.State) error
}

// Store is what votes need of a database.
type Store interface {
	Approval(ctx context.Context, workspaceID, id string) (approval.Approval, error)
	Approvals(ctx context.Context, f approval.Filter) ([]approval.Approval, int, error)
	// WaitingApprovals lists approvals of every workspace that are not resolved and have been in the state since
	// before the instant, from after the last row of the batch before.
	WaitingApprovals(ctx context.Context, state approval.State, before time.Time, after page.Cursor,
		limit int) ([]approval.Approval, error)
	Activity(ctx context.Context, workspaceID, id string) (activity.Activity, error)
	Transaction(ctx context.Context, workspaceID, id string) (transaction.Transaction, error)
	Wallet(ctx context.Context, workspaceID, idOrEnclaveID string) (wallet.Wallet, error)
	SubOrganization(ctx context.Context, workspaceID, id string) (passkey.SubOrganization, error)
	record.Writer[Tx]
}

// Agents tells whether agents of a workspace may pay. The agent kit has it.
type Agents interface {
	Open(ctx context.Context, workspaceID string) error
}

// Service shows and decides approvals.
type Service struct {
	c              Config
	sweptApprovals map[approval.State]page.Cursor // where the next sweep goes on
}

// Config wires a Service.
type Config struct {
	Store        Store
	Enclave      signer.Enclave
	Activities   *activity.Service
	Changes      *change.Service
	Transactions *transaction.Service
	Denials      *denial.Service
	Agents       Agents
	Clock        clock.Clock
	Log          *slog.Logger
}

// Kinds are the bodies that are votes.
func (s *Service) Kinds() []activity.Kind {
	return []activity.Kind{{Type: wire.ApproveActivity, Recover: s.recoverVote}}
}

// New makes a Service.
func New(c Config) *Service {
	return &Service{
		c:              c,
		sweptApprovals: map[approval.State]page.Cursor{},
	}
}
