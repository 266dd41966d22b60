package api

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
)

const approvalsTag = "Approvals"

// Stamping is the query of calls that have no prepare and confirm of their own.
type Stamping struct {
	Prepare bool `query:"prepare" default:"false" doc:"Change nothing, and answer the activity to stamp with its preview; the same call with signedActivity carries the stamp"`
}

// approvalPath names an approval.
type approvalPath struct {
	ID string `path:"id" maxLength:"64"`
}

type approvalsQuery struct {
	edge.Paging
	Status            string `query:"status" enum:"pending,approved,rejected,expired,all" default:"pending"`
	SubOrganizationID string `query:"subOrganizationId" maxLength:"64"`
	WalletID          string `query:"walletId" maxLength:"64" doc:"Of signings"`
}

func registerApprovals(s *edge.Server, kit *signing.Service) {
	edge.List(s, edge.Op{
		ID: "listApprovals", Path: "/v1/signing/approvals", Tag: approvalsTag, Summary: "List approvals, newest first: requests that wait for votes", Module: auth.Signing,
	}, func(ctx context.Context, p auth.Principal, in *approvalsQuery) (edge.Page[signing.ApprovalView], error) {
		f := signing.ApprovalFilter{WorkspaceID: p.WorkspaceID, SubOrganizationID: in.SubOrganizationID, WalletID: in.WalletID}
		if in.Status != "all" {
			f.States = []signing.ApprovalState{signing.ApprovalState(in.Status)}
		}
		return paged(in.Paging, func(at page.Page) ([]signing.ApprovalView, *page.Cursor, int, error) {
			f.Page = at
			return kit.Approvals(ctx, f)
		})
	})
	edge.Get(s, edge.Op{
		ID: "getApproval", Path: "/v1/signing/approvals/{id}", Tag: approvalsTag, Summary: "Get an approval with its votes and, once executed, its result", Module: auth.Signing,
	}, func(ctx context.Context, p auth.Principal, in *approvalPath) (signing.ApprovalView, error) {
		return kit.Approval(ctx, p, in.ID)
	})
	registerVotes(s, kit)
}

func registerVotes(s *edge.Server, kit *signing.Service) {
	approve := func(id, path, summary string) {
		edge.Write[signing.ApprovalView](s, edge.Op{
			ID: id, Path: path, Tag: approvalsTag, Summary: summary, Module: auth.Signing, Status: 201, Prepared: edge.PreparedEnvelope[signing.PreparedVote]{},
			Aliases: edge.Aliases{"stampedActivity": "signedActivity", "stamped_request": "signedActivity"},
		}, func(ctx context.Context, cmd *command.Command, in *struct {
			ID string `path:"id" maxLength:"64"`
			Stamping
			Body *signing.ApproveInput
		}) (command.Answer, error) {
			how := signing.Stamping{Prepare: in.Prepare}
			if in.Body != nil {
				how.SignedActivity = in.Body.SignedActivity
			}
			return kit.Approve(ctx, cmd, in.ID, how)
		})
	}
	approve("approveApproval", "/v1/signing/approvals/{id}/approve", "Approve with a passkey-stamped vote; the last vote needed executes the request")
	approve("approveApprovalWithPasskey", "/v1/signing/approvals/{id}/approve-with-passkey", "Approve with a passkey-stamped vote (the same as approve)")
	edge.Write[signing.ApprovalView](s, edge.Op{
		ID: "rejectApproval", Path: "/v1/signing/approvals/{id}/reject", Tag: approvalsTag, Summary: "Reject a waiting request: it is never executed",
		Module: auth.Signing, Status: 201,
	}, func(ctx context.Context, cmd *command.Command, in *struct {
		ID   string `path:"id" maxLength:"64"`
		Body *signing.RejectInput
	}) (command.Answer, error) {
		if in.Body == nil {
			in.Body = &signing.RejectInput{}
		}
		return kit.Reject(ctx, cmd, in.ID, *in.Body)
	})
}

func registerSignatures(s *edge.Server, kit *signing.Service) {
	edge.Write[signing.TransactionView](s, edge.Op{
		ID: "signTransaction", Path: "/v1/transactions/sign", Tag: transactionsTag, Module: auth.Signing, Queued: true, Aliases: stampedAlias,
		Prepared: edge.PreparedEnvelope[signing.PreparedTransaction]{},
		Summary:  "Sign exact transaction bytes, at once with a stamp or a delegation, else after approval",
	}, func(ctx context.Context, cmd *command.Command, in *struct {
		Stamping
		Body signing.SignTransactionInput
	}) (command.Answer, error) {
		return kit.SignTransaction(ctx, cmd, in.Body, in.Prepare)
	})
	edge.Write[signing.SignedMessage](s, edge.Op{
		ID: "signMessage", Path: "/v1/signing/messages/sign", Tag: "Messages", Module: auth.Signing, Queued: true, Aliases: stampedAlias, Prepared: edge.PreparedEnvelope[signing.Prepared]{},
		Summary: "Sign a text or EIP-712 typed data, at once with a stamp or a delegation, else after approval",
	}, func(ctx context.Context, cmd *command.Command, in *struct {
		Stamping
		Body signing.SignMessageInput
	}) (command.Answer, error) {
		return kit.SignMessage(ctx, cmd, in.Body, in.Prepare)
	})
}
