package api

import (
	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/platform/auth"
)

// registerPayout lists the operations of the payout kit.
func registerPayout(s *edge.Server, d Deps) {
	kit := d.Payout
	registerRecipients(s, kit)
	registerOffRamp(s, kit)
	registerDepositAccounts(s, kit)
	registerBankAccounts(s, kit)
	registerQuotes(s, kit)
	registerBatches(s, kit)
	registerOrders(s, kit)
	registerStatements(s, kit)
	registerAlerts(s, alerts{kit: kit, workspaces: d.Workspaces, links: d.Edge.Keys})
	registerInvites(s, invites{kit: kit, workspaces: d.Workspaces, links: d.Edge.Keys})
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
