// Package payout is the operations of recipients, of what they are paid, and of deposits of fiat money.
package payout

import (
	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/notice"
	"github.com/railkit/railkit/kit/payout/reconcile"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/workspace"
)

// Deps is what the operations stand on.
type Deps struct {
	Kit        *payout.Kit
	Notices    *notice.Inbox
	Workspaces *workspace.Service
	Books      *reconcile.Books
	Links      edge.Limiter // of calls with one link
}

// Register lists the operations.
func Register(s *edge.Server, d Deps) {
	kit := d.Kit
	registerRecipients(s, kit)
	registerOffRamp(s, kit)
	registerDepositAccounts(s, kit)
	registerBankAccounts(s, kit)
	registerQuotes(s, kit)
	registerBatches(s, kit)
	registerOrders(s, kit)
	registerStatements(s, kit)
	registerReconciliation(s, d.Books)
	registerAlerts(s, alerts{kit: kit, workspaces: d.Workspaces, links: d.Links})
	registerInvites(s, invites{kit: kit, workspaces: d.Workspaces, links: d.Links})
	registerNotices(s, d.Notices)
}

// paying says of an operation that it is the payout kit's, and of one that
// changes something which keys may.
func paying(op edge.Op) edge.Op {
	op.Module = auth.Payout
	if op.Method != "" && op.Access == "" {
		op.Access = auth.AccessPayoutWrite
	}
	return op
}
