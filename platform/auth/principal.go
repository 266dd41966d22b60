// Package auth authenticates callers, and defines their rights: scopes, roles, modules and limits.
package auth

import (
	"slices"
	"time"
)

// Scope is one right of a caller.
type Scope string

// The scopes of an API key.
const (
	Integrator      Scope = "integrator"
	IntegratorRead  Scope = "integrator:read"
	IntegratorWrite Scope = "integrator:write"
	PayoutWrite     Scope = "payout:write"
	Agent           Scope = "agent"
	Client          Scope = "client"
	Internal        Scope = "internal"
	Admin           Scope = "admin"
	AuditRead       Scope = "audit:read"
	Webhooks        Scope = "webhooks" // and so what they are told: all that a manager reads
)

// The scopes that only members have, in their own workspace.
const (
	Manage Scope = "manage" // settings and keys
	Team   Scope = "team"   // members
)

// OwnAgent is the scope of an agent. An agent may act only for itself.
const OwnAgent Scope = "agent:own"

// Assignable lists the scopes that an API key can have.
var Assignable = []Scope{
	Integrator, IntegratorRead, IntegratorWrite, PayoutWrite, Agent, Client, AuditRead, Webhooks, Internal, Admin,
}

// Role is the role of a member in a workspace. It decides the member's scopes.
type Role string

// The roles.
const (
	RoleAdmin   Role = "admin"
	RoleManager Role = "manager"
	RoleAuditor Role = "auditor"
	RoleViewer  Role = "viewer"
)

var roleScopes = map[Role][]Scope{
	RoleAdmin:   {Integrator, AuditRead, Manage, Team},
	RoleManager: {Integrator, Manage},
	RoleAuditor: {IntegratorRead, AuditRead},
	RoleViewer:  {IntegratorRead},
}

// Scopes lists the scopes of the role. An unknown role has none.
func (r Role) Scopes() []Scope { return roleScopes[r] }

// Module is a kit that a workspace has switched on.
type Module string

// The modules.
const (
	Signing Module = "signing"
	Payout  Module = "payout"
	Agents  Module = "agents"
	Widget  Module = "widget"
)

// Limits are how many calls a minute a caller may make. Zero means the stock limit.
type Limits struct{ Standard, Financial int }

// Stock are the limits of a caller without higher limits of its own.
var Stock = Limits{Standard: 100, Financial: 20}

// OrStock are the limits that apply: of each class the caller's own or, if that is lower, the stock limit.
func (l Limits) OrStock() Limits {
	return Limits{Standard: max(l.Standard, Stock.Standard), Financial: max(l.Financial, Stock.Financial)}
}

// Kind is a kind of caller, by its type of credential.
type Kind string

// The kinds of callers.
const (
	ByKey     Kind = "api_key"
	ByAgent   Kind = "agent"   // HMAC, which the enclave checks
	BySession Kind = "session" // a member who logged in
	ByAlert   Kind = "alert"   // a person with the link mailed to a member after a bank account changed
	ByInvite  Kind = "invite"  // a person with the link that a recipient was sent
)

// AllModules lists the modules in the order in which the API shows them.
var AllModules = []Module{Signing, Payout, Agents, Widget}

// Tenant is the part of a workspace that the server needs at every call.
type Tenant struct {
	WorkspaceID string
	Modules     []Module
	Verified    bool   // the business (KYB) is approved
	Rejected    bool   // the operator has rejected it
	AgentLimits Limits // of each of its agents
}

// Principal is the caller of an operation. Code passes it as a parameter, never in a context, so that no change can be
// made without naming its caller.
type Principal struct {
	Tenant
	Kind        Kind
	ID          string    // of the API key, agent or member
	Role        Role      // of a member
	SessionID   string    // of a member: the login of this call
	LoggedInAt  time.Time // of a member: the time of that login by passkey
	JoinedAt    time.Time // of a member: when the invitation was accepted
	Scopes      []Scope
	Environment string // sandbox | production
	Limits      Limits
	Claim       *AgentClaim // of an agent: the request that it signed
}

// FreshLogin is how old a login may be that began just now.
const FreshLogin = 5 * time.Minute

// LoggedInJustNow refuses a caller who is no member, or whose login is older than FreshLogin: a session that was left
// open, or a key that was stolen, is not enough for what the caller wants.
func (p Principal) LoggedInJustNow(now time.Time) error {
	if p.Kind != BySession || now.Sub(p.LoggedInAt) > FreshLogin {
		return ErrLoginNotFresh
	}
	return nil
}

// Has reports whether the principal holds one of the scopes.
func (p Principal) Has(any ...Scope) bool {
	return slices.ContainsFunc(p.Scopes, func(s Scope) bool { return slices.Contains(any, s) })
}

// AgentsMayPay refuses where the operator has stopped what the workspace's agents pay: its module agents is off, or its
// business was rejected. A business that is not checked yet stops no agent.
func (t Tenant) AgentsMayPay() error {
	switch {
	case !t.HasModule(Agents):
		return ErrModule.Msg(Agents)
	case t.Rejected:
		return ErrVerification
	}
	return nil
}

// HasModule reports whether the workspace has the module.
func (t Tenant) HasModule(m Module) bool { return slices.Contains(t.Modules, m) }
