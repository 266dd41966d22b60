package agent

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/agent/skill"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Skill finds one, also a deleted one.
func (r reads) Skill(ctx context.Context, workspaceID, id string) (skill.Skill, error) {
	row, err := r.db.Read.Skill(ctx, workspaceID, id)
	return sqldb.One("Skill", row, err, skillRow)
}

// PublicSkill finds a public one of whatever workspace.
func (r reads) PublicSkill(ctx context.Context, environment, id string) (skill.Skill, error) {
	row, err := r.db.Read.PublicSkill(ctx, id, environment)
	return sqldb.One("Skill", row, err, skillRow)
}

// Skills lists a page of what a workspace sees, newest first, and counts all that the filter selects.
func (r reads) Skills(ctx context.Context, f skill.Filter) ([]skill.Skill, int, error) {
	q := r.db.Query(2).Equal("subtype", string(f.Subtype))
	total, err := db.New(q).CountSkills(ctx, f.WorkspaceID, f.Environment)
	if err != nil {
		return nil, 0, sqldb.Reading("counting skills", err)
	}
	rows, err := db.New(q.Newest(f.Page)).ListSkills(ctx, f.WorkspaceID, f.Environment)
	return sqldb.Listed(total, rows, err, skillRow)
}

// Bazaar lists a page of what is on offer, newest first, and counts all of it.
func (r reads) Bazaar(ctx context.Context, o skill.Offers) ([]skill.Skill, int, error) {
	q := r.db.Query(1)
	switch o.Type {
	case "mcp":
		q.Add(" AND subtype = ?", string(skill.MCP))
	case "http":
		q.Add(" AND subtype <> ?", string(skill.MCP))
	}
	total, err := db.New(q).CountBazaar(ctx, o.Environment)
	if err != nil {
		return nil, 0, sqldb.Reading("counting what is on offer", err)
	}
	rows, err := db.New(q.Newest(o.Page)).ListBazaar(ctx, o.Environment)
	return sqldb.Listed(total, rows, err, skillRow)
}

// UncheckedSkills lists public ones whose check is due since before the instant.
func (r reads) UncheckedSkills(ctx context.Context, before time.Time, limit int) ([]skill.Skill, error) {
	rows, err := r.db.Read.UncheckedSkills(ctx, sqldb.Micros(before), int32(limit))
	return sqldb.Many(rows, err, skillRow)
}

func (t tx) HoldOwner(ctx context.Context, workspaceID string) (int, error) {
	if _, err := t.Q.HoldWorkspace(ctx, workspaceID); err != nil {
		return 0, sqldb.Doing("holding a workspace", err)
	}
	n, err := t.Q.CountOwnSkills(ctx, workspaceID)
	return int(n), sqldb.Doing("counting a workspace's skills", err)
}

func (t tx) InsertSkill(ctx context.Context, k skill.Skill) error {
	err := t.Q.InsertSkill(ctx, db.InsertSkillParams{
		WorkspaceID: k.WorkspaceID, ID: k.ID, Environment: k.Environment, Name: k.Name, Description: k.Description,
		Url: k.URL, Method: k.Method, AuthType: string(k.Auth), AuthSealed: k.Sealed, IsPublic: sqldb.Flag(k.Public),
		Subtype: string(k.Subtype), CostUsdc: k.CostUSDC, PayTo: k.PayTo, Network: k.Network, SchemaInput: k.Input,
		SchemaOutput: k.Output, Health: string(k.Health.Status), Failures: int64(k.Health.Failures),
		HttpStatus: int64(k.Health.HTTPStatus), LatencyMs: k.Health.Latency.Milliseconds(), Reason: k.Health.Reason,
		CheckedAt: sqldb.Micros(k.Health.CheckedAt), DueAt: sqldb.Micros(k.Health.DueAt),
		CreatedAt: sqldb.Micros(k.CreatedAt), UpdatedAt: sqldb.Micros(k.UpdatedAt),
		DeletedAt: sqldb.Micros(k.DeletedAt),
	})
	if err == nil {
		err = t.listSkill(ctx, k)
	}
	return sqldb.Doing("inserting a skill", err)
}

// listSkill has the directory of public skills say what the skill's row says.
func (t tx) listSkill(ctx context.Context, k skill.Skill) error {
	if k.Public && k.DeletedAt.IsZero() {
		return t.Q.PublishSkill(ctx, k.ID, k.WorkspaceID, k.Environment)
	}
	return t.Q.HideSkill(ctx, k.ID)
}

func (t tx) HoldSkill(ctx context.Context, workspaceID, id string) (skill.Skill, error) {
	row, err := t.Q.HoldSkill(ctx, workspaceID, id)
	return sqldb.One("Skill", row, err, skillRow)
}

func (t tx) UpdateSkill(ctx context.Context, k skill.Skill) error {
	err := t.Q.UpdateSkill(ctx, db.UpdateSkillParams{
		Name: k.Name, Description: k.Description, Url: k.URL, Method: k.Method, AuthType: string(k.Auth),
		AuthSealed: k.Sealed, IsPublic: sqldb.Flag(k.Public), Subtype: string(k.Subtype), CostUsdc: k.CostUSDC,
		PayTo: k.PayTo, Network: k.Network, SchemaInput: k.Input, SchemaOutput: k.Output,
		Health: string(k.Health.Status), Failures: int64(k.Health.Failures), HttpStatus: int64(k.Health.HTTPStatus),
		LatencyMs: k.Health.Latency.Milliseconds(), Reason: k.Health.Reason,
		CheckedAt: sqldb.Micros(k.Health.CheckedAt), DueAt: sqldb.Micros(k.Health.DueAt),
		UpdatedAt: sqldb.Micros(k.UpdatedAt), DeletedAt: sqldb.Micros(k.DeletedAt),
		WorkspaceID: k.WorkspaceID, ID: k.ID,
	})
	if err == nil {
		err = t.listSkill(ctx, k)
	}
	return sqldb.Doing("updating a skill", err)
}

func (t tx) ClaimSkillCheck(ctx context.Context, k skill.Skill, until time.Time) error {
	n, err := t.Q.ClaimSkillCheck(ctx, db.ClaimSkillCheckParams{
		Until: sqldb.Micros(until), WorkspaceID: k.WorkspaceID, ID: k.ID, DueAt: sqldb.Micros(k.Health.DueAt),
	})
	return sqldb.Swapped("claiming the check of a skill", n, err)
}

func (t tx) SkillChecked(ctx context.Context, k skill.Skill) error {
	n, err := t.Q.SkillChecked(ctx, db.SkillCheckedParams{
		Health: string(k.Health.Status), Failures: int64(k.Health.Failures), HttpStatus: int64(k.Health.HTTPStatus),
		LatencyMs: k.Health.Latency.Milliseconds(), Reason: k.Health.Reason,
		CheckedAt: sqldb.Micros(k.Health.CheckedAt), WorkspaceID: k.WorkspaceID, ID: k.ID,
		DueAt: sqldb.Micros(k.Health.DueAt),
	})
	return sqldb.Swapped("noting the check of a skill", n, err)
}

func skillRow(r db.Skill) (skill.Skill, error) {
	return skill.Skill{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Environment: r.Environment, Name: r.Name, Description: r.Description,
		URL: r.Url, Method: r.Method, Auth: skill.AuthType(r.AuthType), Sealed: r.AuthSealed, Public: r.IsPublic == 1,
		Subtype: skill.Subtype(r.Subtype), CostUSDC: r.CostUsdc, PayTo: r.PayTo, Network: r.Network,
		Input: r.SchemaInput, Output: r.SchemaOutput, Health: skill.Health{
			Status: skill.HealthStatus(r.Health), Failures: int(r.Failures), HTTPStatus: int(r.HttpStatus),
			Latency: time.Duration(r.LatencyMs) * time.Millisecond, Reason: r.Reason,
			CheckedAt: sqldb.Instant(r.CheckedAt), DueAt: sqldb.Instant(r.DueAt),
		},
		CreatedAt: sqldb.Instant(r.CreatedAt), UpdatedAt: sqldb.Instant(r.UpdatedAt),
		DeletedAt: sqldb.Instant(r.DeletedAt),
	}, nil
}
