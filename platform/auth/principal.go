// Package auth says who calls and what they may do.
package auth

// Scope is one right of an API key.
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
)

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

// Principal is the caller. It is a parameter, never a context value: a method
// that changes something cannot be called without saying for whom.
type Principal struct {
	WorkspaceID string
	KeyID       string // of the API key
	Scopes      []Scope
	Modules     []Module
	Environment string // sandbox | production
	Limits      Limits
}

// Has reports whether the principal holds one of the scopes.
func (p Principal) Has(any ...Scope) bool {
	for _, s := range p.Scopes {
		for _, want := range any {
			if s == want {
				return true
			}
		}
	}
	return false
}

// HasModule reports whether the workspace has the module.
func (p Principal) HasModule(m Module) bool {
	for _, have := range p.Modules {
		if have == m {
			return true
		}
	}
	return false
}
