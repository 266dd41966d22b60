package signing

import (
	"context"
	"time"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/api/edge/stamp"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/kit/signing/message"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/vote"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

const approvalsTag = "Approvals"

type approvalsQuery struct {
	edge.Paging
	Status            string `query:"status" enum:"pending,approved,rejected,expired,all" default:"pending"`
	SubOrganizationID string `query:"subOrganizationId" maxLength:"64"`
	WalletID          string `query:"walletId" maxLength:"64" doc:"Of signings"`
}

func registerApprovals(s *edge.Server, kit *signing.Kit) {
	edge.List(s, edge.Op{
		ID: "listApprovals", Path: "/v1/signing/approvals", Tag: approvalsTag,
		Summary: "List approvals, newest first: requests that wait for votes", Module: auth.Signing,
	}, func(ctx context.Context, p auth.Principal, in *approvalsQuery) (edge.Page[vote.ApprovalView], error) {
		f := approval.Filter{WorkspaceID: p.WorkspaceID, SubOrganizationID: in.SubOrganizationID, WalletID: in.WalletID}
		if in.Status != "all" {
			f.States = []approval.State{approval.State(in.Status)}
		}
		return edge.PageFrom(in.Paging, func(at page.Page) ([]vote.ApprovalView, *page.Cursor, int, error) {
			f.Page = at
			return kit.Votes.List(ctx, f)
		})
	})
	edge.Get(s, edge.Op{
		ID: "getApproval", Path: "/v1/signing/approvals/{id}", Tag: approvalsTag,
		Summary:     "Get an approval with its votes and, once executed, its result",
		Description: "An agent reads the approvals of its own payments.",
		Module:      auth.Signing, Access: auth.AccessOwnAgentRead, Callers: edge.AlsoAgents,
	}, func(ctx context.Context, p auth.Principal, in *struct {
		ID   string `path:"id" maxLength:"64"`
		Wait int    `query:"wait" default:"0" minimum:"0" maximum:"55" doc:"Seconds to wait for the decision: the answer comes as soon as there is one"`
	}) (vote.ApprovalView, error) {
		return kit.Votes.Await(ctx, p, in.ID, time.Duration(in.Wait)*time.Second)
	})
	registerVotes(s, kit)
}

func registerVotes(s *edge.Server, kit *signing.Kit) {
	approve := func(id, path, summary string) {
		edge.Write[vote.ApprovalView](s, edge.Op{
			ID: id, Path: path, Tag: approvalsTag, Summary: summary, Module: auth.Signing, Status: 201,
			Prepared: vote.PreparedVote{},
			Aliases:  edge.Aliases{"stampedActivity": "signedActivity", "stamped_request": "signedActivity"},
		}, func(ctx context.Context, cmd *command.Command, in *struct {
			ID string `path:"id" maxLength:"64"`
			stamp.Query
			Body *vote.ApproveInput
		}) (command.Answer, error) {
			how := activity.Stamping{Prepare: in.Prepare}
			if in.Body != nil {
				how.SignedActivity = in.Body.SignedActivity
			}
			return kit.Votes.Approve(ctx, cmd, in.ID, how)
		})
	}
	approve("approveApproval", "/v1/signing/approvals/{id}/approve", "Approve with a passkey-stamped vote; the last vote needed executes the request")
	approve(
		"approveApprovalWithPasskey", "/v1/signing/approvals/{id}/approve-with-passkey",
		"Approve with a passkey-stamped vote (the same as approve)",
	)
	edge.Write[vote.ApprovalView](s, edge.Op{
		ID: "rejectApproval", Path: "/v1/signing/approvals/{id}/reject", Tag: approvalsTag,
		Summary: "Reject a waiting request: it is never executed",
		Module:  auth.Signing, Status: 201,
	}, func(ctx context.Context, cmd *command.Command, in *struct {
		ID   string `path:"id" maxLength:"64"`
		Body *rest.RejectRequest
	}) (command.Answer, error) {
		if in.Body == nil {
			in.Body = &rest.RejectRequest{}
		}
		return kit.Votes.Reject(ctx, cmd, in.ID, *in.Body)
	})
}

func registerSignatures(s *edge.Server, kit *signing.Kit) {
	edge.Write[transaction.TransactionView](s, edge.Op{
		ID: "signTransaction", Path: "/v1/transactions/sign", Tag: transactionsTag, Module: auth.Signing, Queued: true,
		Aliases:  stamp.Alias,
		Prepared: transaction.PreparedTransaction{},
		Summary:  "Sign exact transaction bytes, at once with a stamp or a delegation, else after approval",
	}, func(ctx context.Context, cmd *command.Command, in *struct {
		stamp.Query
		Body transaction.SignTransactionInput
	}) (command.Answer, error) {
		return kit.Transactions.Sign(ctx, cmd, in.Body, in.Prepare)
	})
	edge.Write[message.SignedMessage](s, edge.Op{
		ID: "signMessage", Path: "/v1/signing/messages/sign", Tag: "Messages", Module: auth.Signing, Queued: true,
		Aliases: stamp.Alias, Prepared: activity.Prepared{},
		Summary: "Sign a text or EIP-712 typed data, at once with a stamp or a delegation, else after approval",
	}, func(ctx context.Context, cmd *command.Command, in *struct {
		stamp.Query
		Body message.SignMessageInput
	}) (command.Answer, error) {
		return kit.Messages.Sign(ctx, cmd, in.Body, in.Prepare)
	})
}
