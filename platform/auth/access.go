package auth

import "slices"

// Access is what an operation asks of a key.
type Access string

// The kinds of access.
const (
	AccessRead         Access = "read"
	AccessWrite        Access = "write"
	AccessReadOrWrite  Access = "read or write" // what a client needs for either
	AccessPayoutWrite  Access = "payout write"
	AccessAgentRead    Access = "agent read"
	AccessAgentWrite   Access = "agent write"
	AccessOwnAgentRead Access = "own agent read" // an agent about itself, too
	AccessManage       Access = "manage"         // a workspace's settings and keys
	AccessTeam         Access = "team"           // its members
	AccessAudit        Access = "audit"          // the record of what was changed
	AccessOperate      Access = "operate"        // what only the operator may: new workspaces, KYB, limits, kill switch
)

// matrix says which scopes open what; any one of a row is enough. The scope
// client opens nothing by itself.
var matrix = map[Access][]Scope{
	AccessRead:         {Integrator, IntegratorRead, Internal, Admin},
	AccessWrite:        {Integrator, IntegratorWrite, Internal, Admin},
	AccessReadOrWrite:  {Integrator, IntegratorRead, IntegratorWrite, Internal, Admin},
	AccessPayoutWrite:  {Integrator, IntegratorWrite, PayoutWrite, Internal, Admin},
	AccessAgentRead:    {Integrator, IntegratorRead, Agent, Internal, Admin},
	AccessAgentWrite:   {Integrator, IntegratorWrite, Agent, Internal, Admin},
	AccessOwnAgentRead: {Integrator, IntegratorRead, Agent, OwnAgent, Internal, Admin},
	AccessManage:       {Manage, Internal, Admin},
	AccessTeam:         {Team, Internal, Admin},
	AccessAudit:        {AuditRead, Admin},
	AccessOperate:      {Internal, Admin},
}

// May reports whether the principal's scopes open the access.
func (p Principal) May(a Access) bool { return p.Has(matrix[a]...) }

// AcrossWorkspaces reports whether the key is the operator's: such a key names
// the workspace it acts for with each call.
func (p Principal) AcrossWorkspaces() bool { return p.Has(Internal, Admin) }

// MayGive reports whether the principal may make a key with the scope: all that
// the scope opens is open to the principal itself.
func (p Principal) MayGive(s Scope) bool {
	for access, opened := range matrix {
		if slices.Contains(opened, s) && !p.May(access) {
			return false
		}
	}
	return slices.Contains(Assignable, s)
}
