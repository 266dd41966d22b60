package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/text"
)

// IntegratorInput is a workspace to be.
type IntegratorInput struct {
	Name    string        `json:"name" minLength:"1" maxLength:"255"`
	Email   string        `json:"email,omitempty" format:"email" maxLength:"254"`
	Modules []auth.Module `json:"modules,omitempty" uniqueItems:"true" enum:"signing,payout,agents,widget" doc:"Default signing; agents brings signing"`
}

// IntegratorChange changes what is given.
type IntegratorChange struct {
	Name  *string `json:"name,omitempty" minLength:"1" maxLength:"255"`
	Email *string `json:"email,omitempty" format:"email" maxLength:"254"`
}

// ModulesInput lists all modules that shall be on.
type ModulesInput struct {
	Modules []auth.Module `json:"modules" uniqueItems:"true" enum:"signing,payout,agents,widget" doc:"All that shall be on; agents brings signing"`
}

// Create makes a workspace in the caller's environment and, unless without is
// set, its first key.
func (s *Service) Create(
	ctx context.Context, cmd *command.Command, in IntegratorInput, without bool,
) (command.Answer, error) {
	w, err := s.newWorkspace(cmd.Principal.Environment, in)
	if err != nil {
		return command.Answer{}, err
	}
	made := CreatedIntegrator{IntegratorView: w.View()}
	var first auth.Key
	if !without {
		if first, made.APIKey, err = s.newKey(w, APIKeyInput{Name: "First key"}); err != nil {
			return command.Answer{}, err
		}
		made.APIKeyID = first.ID
	}
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		err := tx.InsertWorkspace(ctx, w)
		if err == nil && !without {
			err = tx.InsertKey(ctx, first)
		}
		return command.Reply{Status: 201, Message: "Workspace created", Data: made, Audit: command.Audit{
			Action: "workspace.create", Resource: w.ID, WorkspaceID: w.ID,
			Detail: map[string]string{"name": w.Name, "modules": join(w.Modules), "apiKeyId": first.ID},
		}}, err
	})
}

func (s *Service) newWorkspace(environment string, in IntegratorInput) (Workspace, error) {
	modules := in.Modules
	if modules == nil {
		modules = []auth.Module{auth.Signing}
	}
	modules, err := complete(modules)
	if err != nil {
		return Workspace{}, err
	}
	if err := errors.Join(checkName(in.Name), checkEmail(in.Email)); err != nil {
		return Workspace{}, err
	}
	id, err := uuid.NewRandom()
	if err != nil {
		return Workspace{}, fmt.Errorf("making a workspace: %w", err)
	}
	now := s.clock.Now()
	return Workspace{
		ID: id.String(), Name: in.Name, Email: in.Email, Environment: environment, KYBStatus: KYBPending,
		Modules: modules, CreatedAt: now, UpdatedAt: now,
	}, nil
}

// checkName holds for every way in, the shell too.
func checkName(name string) error {
	const most = 255
	if n := utf8.RuneCountInString(name); n == 0 {
		return fault.Field("name", "is required")
	} else if n > most {
		return fault.Field("name", fmt.Sprintf("must have at most %d characters", most))
	}
	if !text.Visible(name) {
		return fault.Field("name", text.Unseen)
	}
	return nil
}

// checkEmail lets none through too.
func checkEmail(email string) error {
	if a, err := mail.ParseAddress(email); email != "" && (err != nil || a.Address != email) {
		return fault.Field("email", "must be an e-mail address")
	}
	return nil
}

// complete puts modules in order and adds what they need: an agent signs, so
// agents bring signing, also where a list leaves it out.
func complete(wanted []auth.Module) ([]auth.Module, error) {
	modules := []auth.Module{}
	for _, m := range auth.AllModules {
		if slices.Contains(wanted, m) || m == auth.Signing && slices.Contains(wanted, auth.Agents) {
			modules = append(modules, m)
		}
	}
	for i, m := range wanted {
		if !slices.Contains(modules, m) {
			return nil, fault.Field(fmt.Sprintf("modules[%d]", i), "must be one of "+join(auth.AllModules))
		}
	}
	return modules, nil
}

// Get finds the caller's workspace.
func (s *Service) Get(ctx context.Context, p auth.Principal) (IntegratorView, error) {
	w, err := s.own(ctx, p)
	return w.View(), err
}

// own is the workspace that the caller acts for.
func (s *Service) own(ctx context.Context, p auth.Principal) (Workspace, error) {
	w, err := s.store.Workspace(ctx, p.WorkspaceID)
	return sameEnvironment(p, w, err)
}

// Holder is what holds a workspace in a transaction of another noun's.
type Holder interface {
	HoldWorkspace(ctx context.Context, id string) (Workspace, error)
	UpdateWorkspace(ctx context.Context, w Workspace) error
}

// Hold finds the caller's workspace inside a commit, and keeps other writers of it waiting.
func Hold(ctx context.Context, tx Holder, p auth.Principal) (Workspace, error) {
	w, err := tx.HoldWorkspace(ctx, p.WorkspaceID)
	return sameEnvironment(p, w, err)
}

// sameEnvironment refuses a workspace of another environment in the same database.
func sameEnvironment(p auth.Principal, w Workspace, err error) (Workspace, error) {
	if err == nil && w.Environment != p.Environment {
		return Workspace{}, fault.Missing("Workspace")
	}
	return w, err
}

// List lists the workspaces of the caller's environment, newest first.
func (s *Service) List(ctx context.Context, p auth.Principal, f Filter) ([]IntegratorView, *page.Cursor, int, error) {
	f.Environment = p.Environment
	rows, total, err := s.store.Workspaces(ctx, f)
	if err != nil {
		return nil, nil, 0, err
	}
	views := []IntegratorView{}
	for _, w := range rows {
		views = append(views, w.View())
	}
	next := page.Next(f.Page, rows, total, func(w Workspace) page.Cursor {
		return page.Cursor{CreatedAt: w.CreatedAt, ID: w.ID}
	})
	return views, next, total, nil
}

// Rename changes name and e-mail.
func (s *Service) Rename(ctx context.Context, cmd *command.Command, in IntegratorChange) (command.Answer, error) {
	if in.Name == nil && in.Email == nil {
		return command.Answer{}, fault.Field("body", "must have name or email")
	}
	return s.change(ctx, cmd, "workspace.rename", func(w *Workspace) (err error) {
		if in.Name != nil {
			w.Name, err = *in.Name, checkName(*in.Name)
		}
		if in.Email != nil {
			w.Email, err = *in.Email, errors.Join(err, checkEmail(*in.Email))
		}
		return err
	})
}

// AgentLimitsInput is how many calls a minute each agent of a workspace may make.
type AgentLimitsInput struct {
	RateLimits RateLimits `json:"rateLimits" doc:"Absent ones are the stock limits"`
}

// SetAgentLimits raises the rate limits of a workspace's agents. Only the operator may: the limits protect the servers.
func (s *Service) SetAgentLimits(
	ctx context.Context, cmd *command.Command, in AgentLimitsInput,
) (command.Answer, error) {
	limits, err := limitsOf(&in.RateLimits)
	if err != nil {
		return command.Answer{}, err
	}
	if !cmd.Principal.May(auth.AccessOperate) {
		return command.Answer{}, auth.ErrScope
	}
	return s.change(ctx, cmd, "workspace.agent_limits", func(w *Workspace) error {
		w.AgentLimits = limits
		return nil
	})
}

// SetModules switches modules on and off, from the next call on.
func (s *Service) SetModules(ctx context.Context, cmd *command.Command, in ModulesInput) (command.Answer, error) {
	modules, err := complete(in.Modules)
	if err != nil {
		return command.Answer{}, err
	}
	return s.change(ctx, cmd, "workspace.modules", func(w *Workspace) error {
		w.Modules = modules
		return nil
	})
}

// change holds the workspace, so that what was before is what was there last.
func (s *Service) change(
	ctx context.Context, cmd *command.Command, action string, set func(*Workspace) error,
) (command.Answer, error) {
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		w, err := Hold(ctx, tx, cmd.Principal)
		if err != nil {
			return command.Reply{}, err
		}
		w, changed, err := Change(ctx, tx, w, action, s.clock.Now(), set)
		return command.Reply{Status: 200, Message: "Workspace updated", Data: w.View(), Audit: changed}, err
	})
}

// Change writes settings of a workspace that is held, and tells what the record says of that.
func Change(
	ctx context.Context, tx Holder, w Workspace, action string, now time.Time, set func(*Workspace) error,
) (Workspace, command.Audit, error) {
	was := w
	if err := set(&w); err != nil {
		return w, command.Audit{}, err
	}
	before, after := differences(was, w)
	w.UpdatedAt = now
	return w, command.Audit{Action: action, Resource: w.ID, WorkspaceID: w.ID, Before: before, After: after},
		tx.UpdateWorkspace(ctx, w)
}

// differences are the settings that are not as they were. Where all are, each
// side is empty: somebody set them, to what they had been.
func differences(was, is Workspace) (before, after map[string]any) {
	before, after = map[string]any{}, map[string]any{}
	for _, f := range []struct{ name, was, is string }{
		{"name", was.Name, is.Name}, {"email", was.Email, is.Email}, {"kybStatus", was.KYBStatus, is.KYBStatus},
		{"kybReason", was.KYBReason, is.KYBReason}, {"modules", join(was.Modules), join(is.Modules)},
		{"agentRateLimits", callsAMinute(was.AgentLimits), callsAMinute(is.AgentLimits)},
	} {
		if f.was != f.is {
			before[f.name], after[f.name] = f.was, f.is
		}
	}
	return before, after
}

func callsAMinute(l auth.Limits) string {
	l = l.OrStock()
	return fmt.Sprintf("standard %d, financial %d", l.Standard, l.Financial)
}

func join(modules []auth.Module) string {
	names := make([]string, len(modules))
	for i, m := range modules {
		names[i] = string(m)
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}
