package team

import (
	"context"
	"strings"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/page"
)

// Service holds the rules of the team.
type Service struct{ c Config }

// Config is what a Service needs.
type Config struct {
	Store     Store
	Clock     clock.Clock
	Post      *mail.Post     // nil: mail waits until there is one
	Secret    []byte         // of which tokens of invitations are made; nil: nobody can be invited
	Dashboard mail.Dashboard // where invitations lead to
}

// New makes a Service.
func New(c Config) *Service { return &Service{c} }

// Members lists the workspace's members, newest first.
func (s *Service) Members(
	ctx context.Context, p auth.Principal, at page.Page,
) ([]MemberView, *page.Cursor, int, error) {
	members, total, err := s.c.Store.Members(ctx, p.WorkspaceID, at)
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

// LeftKey is an API key that a member made and that goes on working.
type LeftKey struct {
	ID       string       `json:"id"`
	Name     string       `json:"name"`
	Prefix   string       `json:"prefix" doc:"The first 20 characters of the key"`
	LastFour string       `json:"lastFour" doc:"Last four characters of it"`
	Scopes   []auth.Scope `json:"scopes"`
}

// leftKeys are the keys that a member made: the member has seen their text, and they are the workspace's.
func leftKeys(ctx context.Context, tx Tx, m Member) ([]LeftKey, string, error) {
	keys, err := tx.KeysMadeBy(ctx, m.WorkspaceID, m.ID)
	left, ids := []LeftKey{}, []string{}
	for _, k := range keys {
		left = append(left, LeftKey{k.ID, k.Name, k.Prefix, k.LastFour, k.Scopes})
		ids = append(ids, k.ID)
	}
	return left, strings.Join(ids, ", "), err
}

// RoleChanged is a member with another role.
type RoleChanged struct {
	MemberView
	APIKeys []LeftKey `json:"apiKeys" doc:"Keys that the member made: they go on working, with the rights that they have"`
}

// SetRole makes a member something else. Its sessions may at their next call
// what the new role may. Keys that it made stay as they are, and are told.
func (s *Service) SetRole(ctx context.Context, cmd *command.Command, id string, in RoleInput) (command.Answer, error) {
	now := s.c.Clock.Now()
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		m, err := changeable(ctx, tx, cmd.Principal.WorkspaceID, id, in.Role == auth.RoleAdmin)
		if err != nil {
			return command.Reply{}, err
		}
		before := m.Role
		m.Role, m.UpdatedAt = in.Role, now
		left, ids, err := leftKeys(ctx, tx, m)
		if err != nil {
			return command.Reply{}, err
		}
		return command.Reply{
			Status: 200, Message: "Role changed", Data: RoleChanged{m.View(), left},
			Audit: command.Audit{
				Action: "member.role", Resource: id, Before: map[string]any{"role": before},
				After: map[string]any{"role": in.Role}, Detail: map[string]string{"apiKeys": ids},
			},
		}, tx.SetRole(ctx, m.WorkspaceID, id, in.Role, now)
	})
}

// Removed is the data of an answer that names what is gone.
type Removed struct {
	ID string `json:"id"`
}

// MemberRemoved is the data of the answer to a removal.
type MemberRemoved struct {
	Removed
	APIKeys []LeftKey `json:"apiKeys" doc:"Keys that the member made, and has seen: they go on working until each is revoked"`
}

// Remove takes a member out of the workspace. Its sessions end with it. Keys that it made are the workspace's and go on
// working, since a server may live by them; the answer and the audit record name them, so that they are replaced and
// revoked.
func (s *Service) Remove(ctx context.Context, cmd *command.Command, id string) (command.Answer, error) {
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		m, err := changeable(ctx, tx, cmd.Principal.WorkspaceID, id, false)
		if err != nil {
			return command.Reply{}, err
		}
		left, ids, err := leftKeys(ctx, tx, m)
		if err != nil {
			return command.Reply{}, err
		}
		return command.Reply{
			Status: 200, Message: "Member removed", Data: MemberRemoved{Removed{id}, left},
			Audit: command.Audit{
				Action: "member.remove", Resource: id,
				Detail: map[string]string{"role": string(m.Role), "apiKeys": ids},
			},
		}, tx.RemoveMember(ctx, m.WorkspaceID, id, s.c.Clock.Now())
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
