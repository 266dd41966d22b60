package api

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/team"
)

const teamTag = "Members"

var roleAlias = edge.Aliases{"internal_role": "role"}

func registerTeam(s *edge.Server, people *team.Service) {
	registerMembers(s, people)
	registerTeamInvitations(s, people)
}

type membersQuery struct {
	IntegratorID string `path:"integratorId" maxLength:"64"`
	edge.Paging
}

type memberPath struct {
	IntegratorID string `path:"integratorId" maxLength:"64"`
	MemberID     string `path:"memberId" maxLength:"64"`
}

func registerMembers(s *edge.Server, people *team.Service) {
	const path = "/v1/integrators/{integratorId}/members"
	edge.List(s, edge.Op{ID: "listMembers", Path: path, Tag: teamTag, Access: auth.AccessManage, Summary: "List members, newest first"},
		teamList(people.Members))
	edge.Write[team.InvitationView](s, edge.Op{
		ID: "inviteMember", Path: path, Tag: teamTag, Status: 201, Access: auth.AccessTeam, Aliases: roleAlias,
		Summary: "Invite by e-mail (single use, 7 days); an earlier invitation for the e-mail is void",
	}, func(ctx context.Context, cmd *command.Command, in *struct {
		IntegratorID string `path:"integratorId" maxLength:"64"`
		Body         team.InviteInput
	}) (command.Answer, error) {
		return people.Invite(ctx, cmd, in.Body)
	})
	edge.Write[team.MemberView](s, edge.Op{
		ID: "changeMemberRole", Method: "PATCH", Path: path + "/{memberId}", Tag: teamTag, Access: auth.AccessTeam, Aliases: roleAlias,
		Summary: "Change a member's role, from its next call on",
	}, func(ctx context.Context, cmd *command.Command, in *struct {
		IntegratorID string `path:"integratorId" maxLength:"64"`
		MemberID     string `path:"memberId" maxLength:"64"`
		Body         team.RoleInput
	}) (command.Answer, error) {
		return people.SetRole(ctx, cmd, in.MemberID, in.Body)
	})
	edge.Write[team.Removed](s, edge.Op{
		ID: "removeMember", Method: "DELETE", Path: path + "/{memberId}", Tag: teamTag, Access: auth.AccessTeam,
		Summary: "Remove a member, and end its sessions",
	}, func(ctx context.Context, cmd *command.Command, in *memberPath) (command.Answer, error) {
		return people.Remove(ctx, cmd, in.MemberID)
	})
}

type invitationPath struct {
	IntegratorID string `path:"integratorId" maxLength:"64"`
	ID           string `path:"id" maxLength:"64"`
}

func registerTeamInvitations(s *edge.Server, people *team.Service) {
	const path = "/v1/integrators/{integratorId}/invitations"
	edge.List(s, edge.Op{ID: "listInvitations", Path: path, Tag: teamTag, Access: auth.AccessManage, Summary: "List invitations, newest first"},
		teamList(people.Invitations))
	edge.Write[team.Removed](s, edge.Op{
		ID: "revokeInvitation", Method: "DELETE", Path: path + "/{id}", Tag: teamTag, Access: auth.AccessTeam, Summary: "Make an invitation void",
	}, func(ctx context.Context, cmd *command.Command, in *invitationPath) (command.Answer, error) {
		return people.Revoke(ctx, cmd, in.ID)
	})
	edge.Write[team.InvitationView](s, edge.Op{
		ID: "resendInvitation", Path: path + "/{id}/resend", Tag: teamTag, Access: auth.AccessTeam,
		Summary: "Mail an invitation again: the same link, until the same day",
	}, func(ctx context.Context, cmd *command.Command, in *invitationPath) (command.Answer, error) {
		return people.Resend(ctx, cmd, in.ID)
	})
}

// teamList makes an operation of a list of the team's.
func teamList[T any](read func(context.Context, auth.Principal, page.Page) ([]T, *page.Cursor, int, error),
) func(context.Context, auth.Principal, *membersQuery) (edge.Page[items[T]], error) {
	return func(ctx context.Context, p auth.Principal, in *membersQuery) (edge.Page[items[T]], error) {
		at, err := pageOf(in.Paging)
		if err != nil {
			return edge.Page[items[T]]{}, err
		}
		views, next, total, err := read(ctx, p, at)
		return edge.PageOf(in.Paging, items[T]{views}, total, cursor(next)), err
	}
}
