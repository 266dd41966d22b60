package railkit

import (
	"context"
	"iter"
)

// AgentAuditEntry is one thing that happened to an agent, or that it did.
type AgentAuditEntry struct {
	AgentID      string         `json:"agentId"`
	Type         string         `json:"type"`   // budget | lifecycle | credential | approval | payment
	Status       string         `json:"status"` // success | failed
	ID           string         `json:"id"`
	Seq          int64          `json:"seq"` // place in the workspace's chain of hashes
	Hash         string         `json:"hash,omitempty"`
	PreviousHash string         `json:"previousHash,omitempty"`
	Timestamp    string         `json:"timestamp"`
	Actor        AuditActor     `json:"actor"`
	Action       string         `json:"action"`
	Operation    string         `json:"operation"`
	Resource     string         `json:"resource"` // the agent, an activity about it, or a transaction
	RequestID    string         `json:"requestId"`
	IP           string         `json:"ip"`
	Detail       map[string]any `json:"detail"`
	Before       map[string]any `json:"before,omitempty"`
	After        map[string]any `json:"after,omitempty"`
}

// AuditActor is who made a change.
type AuditActor struct {
	Type string `json:"type"` // api_key | agent | session | operator | system | ceremony | invite
	ID   string `json:"id"`
}

// AgentAuditOptions select entries. What is empty selects all.
type AgentAuditOptions struct {
	ListOptions
	Type   string // budget | lifecycle | credential | approval | payment
	Period string // 24h | 7d | 30d
	Status string // success | failed
}

// Audit reads one page of what happened to an agent and what it did, newest first.
func (s *AgentsService) Audit(
	ctx context.Context, agentID string, o AgentAuditOptions,
) (*Page[AgentAuditEntry], error) {
	q := o.query()
	for name, value := range map[string]string{"type": o.Type, "period": o.Period, "status": o.Status} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return list[AgentAuditEntry](ctx, s.c, agentPath(agentID, "/audit"), q, nil)
}

// AllAudit goes through all pages.
func (s *AgentsService) AllAudit(
	ctx context.Context, agentID string, o AgentAuditOptions,
) iter.Seq2[AgentAuditEntry, error] {
	return each(o.ListOptions, func(page ListOptions) (*Page[AgentAuditEntry], error) {
		o.ListOptions = page
		return s.Audit(ctx, agentID, o)
	})
}

// Approvals reads one page of agents' payments that wait for a passkey, newest first; with a status those that were
// decided. Vote on them as on any approval: Client.Approvals.
func (s *AgentsService) Approvals(ctx context.Context, o ListOptions, status string) (*Page[Approval], error) {
	q := o.query()
	if status != "" {
		q.Set("status", status)
	}
	return list(ctx, s.c, agentsPath+"/approvals", q, func(a *Approval) error {
		_, err := s.c.Approvals.check(a)
		return err
	})
}
