package skill

import (
	"context"
	"errors"
	"reflect"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/fetch"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/vault"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/x402/shop"
)

const mostSkills = 200 // of a workspace

// Wallets tells whose an address is.
type Wallets interface {
	// Holds tells whether an address is of a wallet of the workspace, and gives its canonical spelling.
	Holds(ctx context.Context, workspaceID, address string) (canonical string, held bool, err error)
}

// Config wires a Service.
type Config struct {
	Store    Store
	Wallets  Wallets
	Sponsors *shop.Sponsors // who pays the fee on Solana; nil: nothing is sold there
	Vault    *vault.Vault   // seals what skills' servers want to see
	Client   *fetch.Client  // asks them
	Networks []chain.Network
	Origin   string // at which callers reach the API; "": whatever a request names
	Clock    clock.Clock
}

// Service is the skills of every workspace.
type Service struct {
	c        Config
	checking chan struct{} // a place for each check at once
}

// New makes it.
func New(c Config) *Service {
	return &Service{
		c:        c,
		checking: make(chan struct{}, checksAtOnce),
	}
}

// Create registers a skill.
func (s *Service) Create(ctx context.Context, cmd *command.Command, in rest.SkillRequest) (command.Answer, error) {
	now := s.c.Clock.Now()
	k := Skill{
		WorkspaceID: cmd.Principal.WorkspaceID, ID: record.NewID(), Environment: cmd.Principal.Environment,
		Method: "POST", Auth: NoAuth, Subtype: X402, Health: Health{Status: Unknown, DueAt: now},
		CreatedAt: now, UpdatedAt: now,
	}
	if err := s.apply(ctx, &k, settings(in)); err != nil {
		return command.Answer{}, err
	}
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		skills, err := tx.HoldOwner(ctx, k.WorkspaceID)
		if err == nil && skills >= mostSkills {
			err = errTooMany
		}
		if err == nil {
			err = errors.Join(tx.InsertSkill(ctx, k), enqueue(ctx, tx, k))
		}
		return command.Reply{Status: 201, Message: "Skill created", Data: k.View(), Audit: command.Audit{
			Action: "skill.create", Resource: k.ID, After: fields(k),
		}}, err
	})
}

// enqueue has a public skill checked at once.
func enqueue(ctx context.Context, tx Tx, k Skill) error {
	if !k.Public {
		return nil
	}
	return tx.Enqueue(ctx, job.Job{Kind: JobCheck, WorkspaceID: k.WorkspaceID, ID: k.ID, Anew: true})
}

// Find finds a skill that a workspace sees: one of its own, or a public one.
func (s *Service) Find(ctx context.Context, p auth.Principal, id string) (Skill, error) {
	id = strings.ToLower(id)
	k, err := s.c.Store.Skill(ctx, p.WorkspaceID, id)
	if errors.Is(err, fault.ErrNotFound) {
		k, err = s.c.Store.PublicSkill(ctx, p.Environment, id)
	}
	if err == nil && !k.SeenBy(p.WorkspaceID) {
		err = fault.Missing("Skill")
	}
	return k, err
}

// own finds a skill that the caller's workspace registered, also a deleted one.
func (s *Service) own(ctx context.Context, p auth.Principal, id string) (Skill, error) {
	id = strings.ToLower(id)
	k, err := s.c.Store.Skill(ctx, p.WorkspaceID, id)
	if !errors.Is(err, fault.ErrNotFound) {
		return k, err
	}
	if k, err = s.c.Store.PublicSkill(ctx, p.Environment, id); err == nil {
		err = errNotOwner
	}
	return k, err
}

// present finds a skill that the caller's workspace registered and did not delete.
func (s *Service) present(ctx context.Context, p auth.Principal, id string) (Skill, error) {
	k, err := s.own(ctx, p, id)
	if err == nil && !k.DeletedAt.IsZero() {
		err = fault.Missing("Skill")
	}
	return k, err
}

// Get shows a skill.
func (s *Service) Get(ctx context.Context, p auth.Principal, id string) (rest.Skill, error) {
	k, err := s.Find(ctx, p, id)
	return k.View(), err
}

// Health shows what came of the last check of a skill.
func (s *Service) Health(ctx context.Context, p auth.Principal, id string) (rest.SkillHealth, error) {
	k, err := s.Find(ctx, p, id)
	return k.Health.View(), err
}

// List lists the skills that a workspace sees, newest first.
func (s *Service) List(ctx context.Context, p auth.Principal, f Filter) ([]rest.Skill, *page.Cursor, int, error) {
	f.WorkspaceID, f.Environment = p.WorkspaceID, p.Environment
	rows, total, err := s.c.Store.Skills(ctx, f)
	if err != nil {
		return nil, nil, 0, err
	}
	views := make([]rest.Skill, len(rows))
	for i, k := range rows {
		views[i] = k.View()
	}
	return views, page.Next(f.Page, rows, total, Skill.Cursor), total, nil
}

// Update changes a skill. One that is elsewhere than before is unknown until it is checked again.
func (s *Service) Update(
	ctx context.Context, cmd *command.Command, id string, in rest.SkillChange,
) (answer command.Answer, err error) {
	if reflect.DeepEqual(in, rest.SkillChange{}) {
		return answer, fault.Field("body", "must name what to change")
	}
	err = record.Retry(func() error {
		was, err := s.present(ctx, cmd.Principal, id)
		if err != nil {
			return err
		}
		k := was
		if err := s.apply(ctx, &k, in); err != nil {
			return err
		}
		k.UpdatedAt = s.c.Clock.Now()
		answer, err = s.replace(ctx, cmd, was, k)
		return err
	})
	return answer, err
}

// replace writes a skill's new settings, unless they are no longer what they were.
func (s *Service) replace(ctx context.Context, cmd *command.Command, was, k Skill) (command.Answer, error) {
	anew := k.Public && (!was.Public || k.URL != was.URL)
	before, after := differences(was, k)
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		held, err := tx.HoldSkill(ctx, k.WorkspaceID, k.ID)
		if err == nil && !held.sameSettings(was) {
			err = record.ErrStale
		}
		if err != nil {
			return command.Reply{}, err
		}
		now := k
		now.Health = held.Health
		if anew {
			now.Health = Health{Status: Unknown, DueAt: k.UpdatedAt}
			err = enqueue(ctx, tx, now)
		}
		return command.Reply{Status: 200, Message: "Skill updated", Data: now.View(), Audit: command.Audit{
			Action: "skill.update", Resource: k.ID, Before: before, After: after,
		}}, errors.Join(err, tx.UpdateSkill(ctx, now))
	})
}

// sameSettings tells whether nobody changed the skill between two reads of it.
func (s Skill) sameSettings(other Skill) bool {
	s.Health, other.Health = Health{}, Health{}
	return s == other
}

// Delete takes a skill away, from every list. The same again says the same.
func (s *Service) Delete(ctx context.Context, cmd *command.Command, id string) (command.Answer, error) {
	was, err := s.own(ctx, cmd.Principal, id)
	if err != nil {
		return command.Answer{}, err
	}
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		k, err := tx.HoldSkill(ctx, was.WorkspaceID, was.ID)
		if err != nil {
			return command.Reply{}, err
		}
		if k.DeletedAt.IsZero() {
			k.DeletedAt, k.Sealed = s.c.Clock.Now(), ""
			err = tx.UpdateSkill(ctx, k)
		}
		gone := rest.SkillDeleted{ID: k.ID, DeletedAt: clock.ISO(k.DeletedAt)}
		return command.Reply{Status: 200, Message: "Skill deleted", Data: gone, Audit: command.Audit{
			Action: "skill.delete", Resource: k.ID,
		}}, err
	})
}

// fields are a skill's settings for the audit entry, without what is secret.
func fields(k Skill) map[string]any {
	return map[string]any{
		"name": k.Name, "description": k.Description, "url": k.URL, "method": k.Method, "auth_type": string(k.Auth),
		"is_public": k.Public, "subtype": string(k.Subtype), "cost_usdc": k.CostUSDC, "payTo": k.PayTo,
		"network": k.Network,
	}
}

// differences are the changes for the audit entry. Of secrets and schemas they say only that they changed.
func differences(was, is Skill) (before, after map[string]any) {
	before, after = fields(was), fields(is)
	for name, value := range before {
		if value == after[name] {
			delete(before, name)
			delete(after, name)
		}
	}
	for name, changed := range map[string]bool{
		"auth_config": was.Sealed != is.Sealed, "schema_input": was.Input != is.Input,
		"schema_output": was.Output != is.Output,
	} {
		if changed {
			before[name], after[name] = "(as it was)", "(changed)"
		}
	}
	return before, after
}
