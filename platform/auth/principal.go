// Package auth authenticates callers, and has their rights: scopes, roles, modules and limits.
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
)

// What only members have, in their own workspace.
const (
	Manage Scope = "manage" // settings and keys
	Team   Scope = "team"   // members
)

// OwnAgent is the scope of an agent: it may act as itself only.
const OwnAgent Scope = "agent:own"

// Assignable are the scopes that an API key can be given.
var Assignable = []Scope{
	Integrator, IntegratorRead, IntegratorWrite, PayoutWrite, Agent, Client, AuditRead, Internal, Admin,
}

// Role is what a member is to a workspace.
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

// Scopes are what the role opens; of a role that does not exist, nothing.
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

// Limits are how many calls a minute a key may make. Zero means the stock limit.
type Limits struct{ Standard, Financial int }

// Stock are the limits of a caller that has no higher ones of its own.
var Stock = Limits{Standard: 100, Financial: 20}

// OrStock are the limits that count.
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
	ByAlert   Kind = "alert"   // whoever holds the link that a member was mailed with a changed bank account
	ByInvite  Kind = "invite"  // whoever holds the link that a recipient was sent
)

// AllModules lists the modules, in the order in which they are shown.
var AllModules = []Module{Signing, Payout, Agents, Widget}

// Tenant is what every call needs to know of a workspace.
type Tenant struct {
	WorkspaceID string
	Modules     []Module
	Verified    bool // the business (KYB) is approved
}

// Principal is the caller. It is a parameter, never a context value: a method
// that changes something cannot be called without saying for whom.
type Principal struct {
	Tenant
	Kind        Kind
	ID          string    // of the API key, agent or member
	Role        Role      // of a member
	SessionID   string    // of a member: by which login it calls
	LoggedInAt  time.Time // of a member: when it showed its passkey
	Scopes      []Scope
	Environment string // sandbox | production
	Limits      Limits
}

// Has reports whether the principal holds one of the scopes.
func (p Principal) Has(any ...Scope) bool {
	return slices.ContainsFunc(p.Scopes, func(s Scope) bool { return slices.Contains(any, s) })
}

// HasModule reports whether the workspace has the module.
func (t Tenant) HasModule(m Module) bool { return slices.Contains(t.Modules, m) }
