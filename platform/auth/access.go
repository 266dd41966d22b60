package auth

import "slices"

// Access is the right that an operation asks of its caller.
type Access string

// The kinds of access.
const (
	AccessRead          Access = "read"
	AccessWrite         Access = "write"
	AccessReadOrWrite   Access = "read or write" // for operations that both readers and writers need
	AccessPayoutWrite   Access = "payout write"
	AccessAgentRead     Access = "agent read"
	AccessAgentWrite    Access = "agent write"
	AccessOwnAgentRead  Access = "own agent read"  // also for an agent that reads about itself
	AccessOwnAgentWrite Access = "own agent write" // for an agent alone
	AccessSkillCall     Access = "skill call"      // for a writer of agents, and an agent
	AccessManage        Access = "manage"          // a workspace's settings and keys
	AccessTeam          Access = "team"            // its members
	AccessAudit         Access = "audit"           // the record of changes
	AccessWebhooks      Access = "webhooks"        // where all events of a workspace are sent
	AccessOperate       Access = "operate"         // the operator's operations: workspaces, KYB, limits, kill switch
)

// matrix lists the scopes that open each access; a caller needs one of them. The scope client alone opens nothing.
var matrix = map[Access][]Scope{
	AccessRead:          {Integrator, IntegratorRead, Internal, Admin},
	AccessWrite:         {Integrator, IntegratorWrite, Internal, Admin},
	AccessReadOrWrite:   {Integrator, IntegratorRead, IntegratorWrite, Internal, Admin},
	AccessPayoutWrite:   {Integrator, IntegratorWrite, PayoutWrite, Internal, Admin},
	AccessAgentRead:     {Integrator, IntegratorRead, Agent, Internal, Admin},
	AccessAgentWrite:    {Integrator, IntegratorWrite, Agent, Internal, Admin},
	AccessOwnAgentRead:  {Integrator, IntegratorRead, Agent, OwnAgent, Internal, Admin},
	AccessOwnAgentWrite: {OwnAgent},
	AccessSkillCall:     {Integrator, IntegratorWrite, Agent, OwnAgent, Internal, Admin},
	AccessManage:        {Manage, Internal, Admin},
	AccessTeam:          {Team, Internal, Admin},
	AccessAudit:         {AuditRead, Admin},
	AccessWebhooks:      {Webhooks, Manage, Internal, Admin},
	AccessOperate:       {Internal, Admin},
}

// May reports whether the principal's scopes open the access.
func (p Principal) May(a Access) bool { return p.Has(matrix[a]...) }

// AcrossWorkspaces reports whether the key is the operator's. Each call with such a key names the workspace for which
// it acts.
func (p Principal) AcrossWorkspaces() bool { return p.Has(Internal, Admin) }

// MayGive reports whether the principal may make a key with the scope. It may if the scope opens nothing that is closed
// to the principal itself.
func (p Principal) MayGive(s Scope) bool {
	for access, opened := range matrix {
		if slices.Contains(opened, s) && !p.May(access) {
			return false
		}
	}
	return slices.Contains(Assignable, s)
}
