package team

import (
	"context"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/notify"
	"github.com/railkit/railkit/platform/page"
)

// Service holds the rules of the team.
type Service struct {
	store  Store
	clock  clock.Clock
	mailer notify.Mailer
	secret []byte
	origin string
}

// Config is what a Service needs.
type Config struct {
	Store  Store
	Clock  clock.Clock
	Mailer notify.Mailer // nil: mail waits until there is one
	Secret []byte        // of which tokens of invitations are made; nil: nobody can be invited
	Origin string        // of the dashboard, where invitations lead to
}

// New makes a Service.
func New(c Config) *Service {
	return &Service{store: c.Store, clock: c.Clock, mailer: c.Mailer, secret: c.Secret, origin: c.Origin}
}

// Members lists the workspace's members, newest first.
func (s *Service) Members(
	ctx context.Context, p auth.Principal, at page.Page,
) ([]MemberView, *page.Cursor, int, error) {
	members, total, err := s.store.Members(ctx, p.WorkspaceID, at)
	if err != nil {
		return nil, nil, 0, err
	}
	views := make([]MemberView, len(members))
	for i, m := range members {
		views[i] = m.View()
	}
	next := page.Next(at, members, total, func(m Member) page.Cursor {
		return page.Cursor{CreatedAt: m.CreatedAt, ID: m.ID}
	})
	return views, next, total, nil
}

// RoleInput is the body of a change of role.
type RoleInput struct {
	Role auth.Role `json:"role" enum:"admin,manager,auditor,viewer"`
}

// SetRole makes a member something else. Its sessions may at their next call
// what the new role may.
func (s *Service) SetRole(ctx context.Context, cmd *command.Command, id string, in RoleInput) (command.Answer, error) {
	now := s.clock.Now()
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		m, err := changeable(ctx, tx, cmd.Principal.WorkspaceID, id, in.Role == auth.RoleAdmin)
		if err != nil {
			return command.Reply{}, err
		}
		before := m.Role
		m.Role, m.UpdatedAt = in.Role, now
		return command.Reply{
			Status: 200, Message: "Role changed", Data: m.View(),
			Audit: command.Audit{
				Action: "member.role", Resource: id, Before: map[string]any{"role": before},
				After: map[string]any{"role": in.Role},
			},
		}, tx.SetRole(ctx, m.WorkspaceID, id, in.Role, now)
	})
}

// Removed is the data of an answer that names what is gone.
type Removed struct {
	ID string `json:"id"`
}

// Remove takes a member out of the workspace. Its sessions end with it.
func (s *Service) Remove(ctx context.Context, cmd *command.Command, id string) (command.Answer, error) {
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		m, err := changeable(ctx, tx, cmd.Principal.WorkspaceID, id, false)
		if err != nil {
			return command.Reply{}, err
		}
		return command.Reply{
			Status: 200, Message: "Member removed", Data: Removed{id},
			Audit: command.Audit{
				Action: "member.remove", Resource: id, Detail: map[string]string{"role": string(m.Role)},
			},
		}, tx.RemoveMember(ctx, m.WorkspaceID, id, s.clock.Now())
	})
}

// changeable finds a member, and refuses a change that would leave the workspace without an admin. It locks the admins
// before it reads: if two admins demote each other at once, the second call sees the result of the first.
func changeable(ctx context.Context, tx Tx, workspaceID, id string, staysAdmin bool) (Member, error) {
	admins, err := tx.LockAdmins(ctx, workspaceID)
	if err != nil {
		return Member{}, err
	}
	m, err := tx.Member(ctx, workspaceID, id)
	if err == nil && m.Role == auth.RoleAdmin && !staysAdmin && admins <= 1 {
		err = ErrLastAdmin
	}
	return m, err
}
