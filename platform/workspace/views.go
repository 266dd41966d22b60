package workspace

import (
	"net/netip"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/auth"
)

// IntegratorView is a workspace as the API shows it.
type IntegratorView struct {
	ID          string        `json:"id" format:"uuid"`
	Name        string        `json:"name"`
	Email       string        `json:"email,omitempty"`
	Environment string        `json:"environment" enum:"sandbox,production"`
	KYBStatus   string        `json:"kybStatus" enum:"pending,approved,rejected"`
	KYBReason   string        `json:"kybReason,omitempty"`
	Modules     []auth.Module `json:"modules" enum:"signing,payout,agents,widget"`
	AgentLimits RateLimits    `json:"agentRateLimits" doc:"Of each of its agents"`
	CreatedAt   string        `json:"createdAt" format:"date-time"`
	UpdatedAt   string        `json:"updatedAt" format:"date-time"`
}

// CreatedIntegrator is a new workspace with its first key.
type CreatedIntegrator struct {
	IntegratorView
	APIKeyID string `json:"apiKeyId,omitempty"`
	APIKey   string `json:"apiKey,omitempty" doc:"The whole first key, of scope integrator; shown once"`
}

// APIKeyView is a key as lists show it: never its text.
type APIKeyView struct {
	ID          string       `json:"id"`
	Name        string       `json:"name"`
	Description string       `json:"description,omitempty"`
	Prefix      string       `json:"prefix" doc:"The first 20 characters of the key"`
	LastFour    string       `json:"lastFour" doc:"Last four characters of it"`
	Scopes      []auth.Scope `json:"scopes"`
	IPAllowlist []string     `json:"ipAllowlist" doc:"Addresses and networks from which it may be used; none: from everywhere"`
	RateLimits  RateLimits   `json:"rateLimits"`
	Active      bool         `json:"active" doc:"Neither revoked nor expired"`
	ExpiresAt   string       `json:"expiresAt,omitempty" format:"date-time"`
	LastUsedAt  string       `json:"lastUsedAt,omitempty" format:"date-time" doc:"Up to a minute behind"`
	RevokedAt   string       `json:"revokedAt,omitempty" format:"date-time"`
	CreatedAt   string       `json:"createdAt" format:"date-time"`
	CreatedBy   string       `json:"createdBy,omitempty" format:"uuid" doc:"The member who made it, also after the member is removed; absent: the operator"`
}

// RateLimits are how many calls a minute a key, or an agent, may make.
type RateLimits struct {
	Standard  int `json:"standard,omitempty" minimum:"100" maximum:"1000000" doc:"Default 100"`
	Financial int `json:"financial,omitempty" minimum:"20" maximum:"1000000" doc:"Default 20"`
}

// CreatedAPIKey is a new key, with its text for the only time.
type CreatedAPIKey struct {
	APIKeyView
	Key string `json:"key" doc:"The whole key; shown once"`
}

// RevokedAPIKey is what is left of a key.
type RevokedAPIKey struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Message   string `json:"message"`
	RevokedAt string `json:"revokedAt" format:"date-time"`
}

func (w Workspace) View() IntegratorView {
	return IntegratorView{
		ID: w.ID, Name: w.Name, Email: w.Email, Environment: w.Environment, KYBStatus: w.KYBStatus,
		KYBReason: w.KYBReason, Modules: append([]auth.Module{}, w.Modules...),
		AgentLimits: RateLimits(w.AgentLimits.OrStock()), CreatedAt: clock.ISO(w.CreatedAt),
		UpdatedAt: clock.ISO(w.UpdatedAt),
	}
}

func keyView(k auth.Key, now time.Time) APIKeyView {
	return APIKeyView{
		ID: k.ID, Name: k.Name, Description: k.Description, Prefix: k.Prefix, LastFour: k.LastFour, Scopes: k.Scopes,
		IPAllowlist: texts(k.Networks), Active: k.Active(now), RateLimits: RateLimits(k.Limits.OrStock()),
		ExpiresAt: iso(k.ExpiresAt), LastUsedAt: iso(k.LastUsedAt), RevokedAt: iso(k.RevokedAt),
		CreatedAt: clock.ISO(k.CreatedAt), CreatedBy: k.CreatedBy,
	}
}

// iso is empty where there is no instant.
func iso(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return clock.ISO(t)
}

// texts writes one address without its length.
func texts(networks []netip.Prefix) []string {
	all := []string{}
	for _, n := range networks {
		if n.IsSingleIP() {
			all = append(all, n.Addr().String())
		} else {
			all = append(all, n.String())
		}
	}
	return all
}
