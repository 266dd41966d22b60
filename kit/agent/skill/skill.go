// Package skill keeps skills: functions of somebody's server that agents call over HTTP, at a price.
//
// A skill is its workspace's own or public. A public one is seen by every workspace of the environment, and is checked
// every five minutes: unknown until the first check, healthy after one that did not fail, unhealthy after two in a row
// that did. The bazaar lists what is public, healthy and costs something. A deleted skill stays as a row, and is not
// found.
//
// What a skill's server wants to see (auth_config) is sealed by the vault, and shown to that server alone.
//
// Read skill.go (the row), settings.go (what the API takes), service.go, check.go, test.go, then bazaar.go.
package skill

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/vault"
	"github.com/railkit/railkit/rest"
)

// AuthType is what the platform shows to a skill's server.
type AuthType string

// The types.
const (
	NoAuth AuthType = "none"
	APIKey AuthType = "api_key"
	Bearer AuthType = "bearer"
)

// Subtype is what a skill's server speaks.
type Subtype string

// The subtypes.
const (
	X402     Subtype = "x402"
	MCP      Subtype = "mcp"
	HTTP     Subtype = "http"
	Internal Subtype = "internal" // the workspace's own, never public
)

// Skill is a function that agents call.
type Skill struct {
	WorkspaceID, ID      string
	Environment          string
	Name, Description    string
	URL, Method          string
	Auth                 AuthType
	Sealed               string // what is shown to the server; "" of NoAuth
	Public               bool
	Subtype              Subtype
	CostUSDC             int64  // micro-USD for each call
	PayTo, Network       string // both "" where a call costs nothing and nobody is named
	Input, Output        string // JSON Schema; "": not said
	Health               Health
	CreatedAt, UpdatedAt time.Time
	DeletedAt            time.Time // zero: it is there
}

// HealthStatus is how a public skill stands.
type HealthStatus string

// The states of health.
const (
	Unknown   HealthStatus = "unknown"
	Healthy   HealthStatus = "healthy"
	Unhealthy HealthStatus = "unhealthy"
)

// Health is what came of the last check.
type Health struct {
	Status     HealthStatus
	Failures   int // in a row
	HTTPStatus int // 0: no answer
	Latency    time.Duration
	Reason     string // why the last check failed
	CheckedAt  time.Time
	DueAt      time.Time // of the next check
}

// Filter selects what a workspace sees: its own skills, and the public ones of its environment.
type Filter struct {
	WorkspaceID, Environment string
	Subtype                  Subtype // "": any
	Page                     page.Page
}

// Offers selects what the bazaar lists.
type Offers struct {
	Environment string
	Origin      string // at which the request reached the API
	Type        string // http | mcp; "": both
	Page        page.Page
}

// Store keeps skills.
type Store interface {
	record.Writer[Tx]
	Skill(ctx context.Context, workspaceID, id string) (Skill, error) // also a deleted one
	// PublicSkill finds a public skill of whatever workspace.
	PublicSkill(ctx context.Context, environment, id string) (Skill, error)
	Skills(ctx context.Context, f Filter) ([]Skill, int, error) // newest first
	Bazaar(ctx context.Context, f Offers) ([]Skill, int, error) // newest first
	// UncheckedSkills lists public skills whose check is due since before the instant.
	UncheckedSkills(ctx context.Context, before time.Time, limit int) ([]Skill, error)
}

// Tx writes skills.
type Tx interface {
	// HoldOwner keeps other writers of the workspace waiting until the transaction ends, and counts its skills.
	HoldOwner(ctx context.Context, workspaceID string) (skills int, err error)
	InsertSkill(context.Context, Skill) error
	// HoldSkill reads a skill, also a deleted one, and locks its row until the transaction ends.
	HoldSkill(ctx context.Context, workspaceID, id string) (Skill, error)
	UpdateSkill(context.Context, Skill) error
	// ClaimSkillCheck moves the next check of a skill to an instant. It is record.ErrStale where another one did.
	ClaimSkillCheck(ctx context.Context, s Skill, until time.Time) error
	// SkillChecked writes what came of the check that was claimed. It is record.ErrStale if the skill was moved since.
	SkillChecked(context.Context, Skill) error
	record.Queue
}

// Cursor is the skill's place in a list.
func (s Skill) Cursor() page.Cursor { return page.Cursor{CreatedAt: s.CreatedAt, ID: s.ID} }

// SeenBy tells whether a workspace sees the skill.
func (s Skill) SeenBy(workspaceID string) bool {
	return s.DeletedAt.IsZero() && (s.Public || s.WorkspaceID == workspaceID)
}

func (s Skill) place() vault.Place {
	return vault.Place{WorkspaceID: s.WorkspaceID, Kind: "skills", ID: s.ID, Field: "auth_config"}
}

// View is the skill as the API shows it.
func (s Skill) View() rest.Skill {
	return rest.Skill{
		ID: s.ID, Owner: s.WorkspaceID, Name: s.Name, Description: s.Description, URL: s.URL, Method: s.Method,
		AuthType: string(s.Auth), IsPublic: s.Public, Subtype: string(s.Subtype), CostUSDC: s.CostUSDC, PayTo: s.PayTo,
		Network: s.Network, SchemaInput: object(s.Input), SchemaOutput: object(s.Output), Health: s.Health.View(),
		CreatedAt: clock.ISO(s.CreatedAt), UpdatedAt: clock.ISO(s.UpdatedAt),
	}
}

// object reads a stored JSON object, its numbers digit by digit.
func object(text string) (o map[string]any) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&o) != nil { // "", since what is stored was written here
		return nil
	}
	return o
}

// View is the health as the API shows it.
func (h Health) View() rest.SkillHealth {
	v := rest.SkillHealth{Status: string(h.Status), LastCheckedAt: clock.ISOOrNil(h.CheckedAt), Reason: h.Reason}
	if h.CheckedAt.IsZero() {
		return v
	}
	ms := h.Latency.Milliseconds()
	v.LatencyMS = &ms
	if h.HTTPStatus > 0 {
		v.HTTPStatus = &h.HTTPStatus
	}
	return v
}
