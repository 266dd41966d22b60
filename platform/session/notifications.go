package session

import (
	"context"
	"slices"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/notification"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/rest"
)

// Notifications shows which mails the caller gets.
func (s *Service) Notifications(ctx context.Context, p auth.Principal) (rest.Notifications, error) {
	m, err := s.member(ctx, p)
	return notifications(m), err
}

func notifications(m team.Member) rest.Notifications {
	gets := func(group string) bool { return !slices.Contains(m.Muted, group) }
	return rest.Notifications{
		Language: string(m.Language.Or()), Requests: gets(notification.Requests),
		Decisions: gets(notification.Decisions), Agents: gets(notification.Agents), Security: true,
	}
}

// SetNotifications changes which mails the caller gets, and in which language.
func (s *Service) SetNotifications(
	ctx context.Context, cmd *command.Command, in rest.NotificationsChange,
) (command.Answer, error) {
	if in.Security != nil && !*in.Security {
		return command.Answer{}, fault.Field("security", "cannot be switched off")
	}
	p, now := cmd.Principal, s.c.Clock.Now()
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		if _, err := tx.LockLoginPasskeys(ctx, p.WorkspaceID, p.ID); err != nil { // two changes one after the other
			return command.Reply{}, err
		}
		m, err := tx.Member(ctx, p.WorkspaceID, p.ID)
		if err != nil {
			return command.Reply{}, err
		}
		before := chosen(m)
		change(&m, in)
		return command.Reply{
			Status: 200, Message: "Notifications changed", Data: notifications(m),
			Audit: command.Audit{Action: "member.notifications", Resource: m.ID, Before: before, After: chosen(m)},
		}, tx.SetMails(ctx, m, now)
	})
}

// chosen is what the record says of it.
func chosen(m team.Member) map[string]any {
	return map[string]any{"language": m.Language.Or(), "muted": slices.Clone(m.Muted)}
}

func change(m *team.Member, in rest.NotificationsChange) {
	if in.Language != nil {
		m.Language = mail.Language(*in.Language)
	}
	for group, on := range map[string]*bool{
		notification.Requests: in.Requests, notification.Decisions: in.Decisions, notification.Agents: in.Agents,
	} {
		if on == nil {
			continue
		}
		m.Muted = slices.DeleteFunc(m.Muted, func(g string) bool { return g == group })
		if !*on {
			m.Muted = append(m.Muted, group)
		}
	}
	slices.Sort(m.Muted)
}
