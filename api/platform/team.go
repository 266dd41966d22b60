package platform

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/rest"
)

const teamTag = "Members"

var roleAlias = edge.Aliases{"internal_role": "role"}

func registerTeam(s *edge.Server, people *team.Service) {
	registerMembers(s, people)
	registerTeamInvitations(s, people)
}

// OfMember names a member of a workspace.
type OfMember struct {
	OfIntegrator
	MemberID string `path:"memberId" maxLength:"64"`
}

func registerMembers(s *edge.Server, people *team.Service) {
	const path = integratorPath + "/members"
	edge.List(s, edge.Op{
		ID: "listMembers", Path: path, Tag: teamTag, Access: auth.AccessManage, Summary: "List members, newest first",
	},
		listOf(people.Members))
	edge.Write[rest.Invitation](s, edge.Op{
		ID: "inviteMember", Path: path, Tag: teamTag, Status: 201, Access: auth.AccessTeam, Aliases: roleAlias,
		Summary: "Invite a member by e-mail; the link works once, for 7 days, and replaces an earlier one",
	}, func(
		ctx context.Context, cmd *command.Command, in *onIntegrator[rest.InviteMemberRequest],
	) (command.Answer, error) {
		return people.Invite(ctx, cmd, in.Body)
	})
	edge.Write[team.RoleChanged](s, edge.Op{
		ID: "changeMemberRole", Method: "PATCH", Path: path + "/{memberId}", Tag: teamTag, Access: auth.AccessTeam,
		Aliases: roleAlias,
		Summary: "Change a member's role, from its next call on",
	}, func(ctx context.Context, cmd *command.Command, in *struct {
		OfMember
		Body team.RoleInput
	}) (command.Answer, error) {
		return people.SetRole(ctx, cmd, in.MemberID, in.Body)
	})
	edge.Write[team.MemberRemoved](s, edge.Op{
		ID: "removeMember", Method: "DELETE", Path: path + "/{memberId}", Tag: teamTag, Access: auth.AccessTeam,
		Summary:     "Remove a member and end its sessions",
		Description: "API keys that the member made go on working. The answer names them: the member has seen them, so replace and revoke each.",
	}, func(ctx context.Context, cmd *command.Command, in *OfMember) (command.Answer, error) {
		return people.Remove(ctx, cmd, in.MemberID)
	})
}

// ofInvitation names an invitation into a workspace.
type ofInvitation struct {
	OfIntegrator
	ID string `path:"id" maxLength:"64"`
}

func registerTeamInvitations(s *edge.Server, people *team.Service) {
	const path = integratorPath + "/invitations"
	edge.List(s, edge.Op{
		ID: "listInvitations", Path: path, Tag: teamTag, Access: auth.AccessManage,
		Summary: "List invitations, newest first",
	},
		listOf(people.Invitations))
	edge.Write[team.Removed](s, edge.Op{
		ID: "revokeInvitation", Method: "DELETE", Path: path + "/{id}", Tag: teamTag, Access: auth.AccessTeam,
		Summary: "Revoke an invitation",
	}, func(ctx context.Context, cmd *command.Command, in *ofInvitation) (command.Answer, error) {
		return people.Revoke(ctx, cmd, in.ID)
	})
	edge.Write[rest.Invitation](s, edge.Op{
		ID: "resendInvitation", Path: path + "/{id}/resend", Tag: teamTag, Access: auth.AccessTeam,
		Summary: "Mail an invitation again: the same link, until the same day",
	}, func(ctx context.Context, cmd *command.Command, in *ofInvitation) (command.Answer, error) {
		return people.Resend(ctx, cmd, in.ID)
	})
}
