package life

import (
	"context"
	"slices"
	"time"

	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
)

// The types of entries in an agent's record.
const (
	recordBudget     = "budget"
	recordLifecycle  = "lifecycle"
	recordCredential = "credential"
	recordApproval   = "approval"
	recordPayment    = "payment"
)

// recorded is what an action means in an agent's record.
type recorded struct {
	action, kind string
	failed       bool
}

// records lists every action whose resource can be an agent, an activity about it, or a transaction to or from its
// wallet.
var records = slices.Concat(
	forms("agent.create", recordLifecycle), forms("agent.activate", recordLifecycle),
	forms("agent.status", recordLifecycle), forms("agent.delete", recordLifecycle),
	forms("agent.limits", recordBudget), forms("agent.rotate", recordCredential),
	forms("agent.fund", recordPayment), forms("agent.payment", recordPayment), forms("transaction.sign", recordPayment),
	[]recorded{
		{"agent.wallet", recordLifecycle, false}, {"agent.tool_add", recordLifecycle, false},
		{"agent.tool_remove", recordLifecycle, false},
		{"agent.prepare", recordLifecycle, false}, {"agent.policies", recordLifecycle, false},
		{"activity.recover", recordLifecycle, false},
		{"approval.approve", recordApproval, false}, {"approval.approved", recordApproval, false},
		{"approval.pending", recordApproval, false}, {"approval.recover", recordApproval, false},
		{"approval.reject", recordApproval, true}, {"approval.rejected", recordApproval, true},
		{"approval.expired", recordApproval, true},
		{"agent.x402", recordPayment, false}, {"agent.x402.queue", recordPayment, false},
		{"agent.x402.free", recordPayment, false}, {"agent.x402.settled", recordPayment, false},
		{"agent.x402.refuse", recordPayment, true}, {"agent.x402.unused", recordPayment, true},
		{"agent.x402.void", recordPayment, true}, {"agent.x402.undelivered", recordPayment, true},
		{"agent.events", recordBudget, false}, {"agent.payment.refuse", recordPayment, true},
		{"transaction.prepare", recordPayment, false}, {"transaction.confirm", recordPayment, false},
		{"transaction.recover", recordPayment, false}, {"transaction.broadcast", recordPayment, false},
		{"transaction.confirmed", recordPayment, false}, {"transaction.cancel", recordPayment, false},
		{"transaction.reorg", recordPayment, true}, {"transaction.failed", recordPayment, true},
		{"transaction.expired", recordPayment, true},
	},
)

// forms are the actions of a call that is prepared, done, or waits for votes.
func forms(action, kind string) []recorded {
	return []recorded{{action + ".prepare", kind, false}, {action, kind, false}, {action + ".queue", kind, false}}
}

// RecordFilter selects entries of an agent's record. Zero fields do not filter.
type RecordFilter struct {
	Type, Status string
	Since        time.Duration // before now
	Limit        int
	Offset       int
	After        *audit.Place
}

// Record lists what happened to an agent and what it did, newest first: the entries of its workspace's audit record
// whose resource is the agent, an activity about it, or a transaction to or from its wallet.
func (s *Service) Record(
	ctx context.Context, p auth.Principal, id string, f RecordFilter,
) ([]rest.AgentAuditEntry, *audit.Place, int, error) {
	a, _, err := s.find(ctx, p.WorkspaceID, id)
	if err != nil {
		return nil, nil, 0, err
	}
	q := audit.Filter{
		WorkspaceID: a.WorkspaceID, AgentID: a.ID, Limit: f.Limit, Offset: f.Offset, After: f.After,
	}
	if f.Since > 0 {
		q.From = s.c.Clock.Now().Add(-f.Since)
	}
	for _, r := range records {
		if f.Type == "" && f.Status == "" {
			break // nothing that happened is hidden, also where the list above does not know it
		}
		if (f.Type == "" || f.Type == r.kind) && (f.Status == "" || (f.Status == "failed") == r.failed) {
			q.Actions = append(q.Actions, r.action)
		}
	}
	views, next, total, err := audit.Page(ctx, s.c.Audit, q)
	entries := make([]rest.AgentAuditEntry, len(views))
	for i, v := range views {
		entries[i] = entry(a.ID, v)
	}
	return entries, next, total, err
}

func entry(agentID string, v rest.AuditEntry) rest.AgentAuditEntry {
	e := rest.AgentAuditEntry{AgentID: agentID, Type: recordLifecycle, Status: "success", AuditEntry: v}
	at := slices.IndexFunc(records, func(r recorded) bool { return r.action == v.Action })
	if at >= 0 {
		e.Type = records[at].kind
		if records[at].failed {
			e.Status = "failed"
		}
	}
	return e
}
