package store

import (
	"context"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
)

// Approval reads one.
func (s Signing) Approval(ctx context.Context, workspaceID, id string) (approval.Approval, error) {
	row, err := s.read.Approval(ctx, workspaceID, id)
	return one("Approval", row, err, approvalRow)
}

// Approvals lists a page of approvals and counts all that the filter selects.
func (s Signing) Approvals(ctx context.Context, f approval.Filter) ([]approval.Approval, int, error) {
	selected := func() *query {
		return s.query(1).equal("sub_organization_id", f.SubOrganizationID).equal("wallet_id", f.WalletID).in("state", texts(f.States))
	}
	total, err := db.New(selected()).CountApprovals(ctx, f.WorkspaceID)
	if err != nil {
		return nil, 0, doing("counting approvals", postgres.Tell(err))
	}
	rows, err := db.New(selected().page("created_at", " DESC", f.Page)).ListApprovals(ctx, f.WorkspaceID)
	approvals, err := many(rows, err, approvalRow)
	return approvals, int(total), err
}

// WaitingApprovals lists approvals of every workspace that have been in the state
// since before the instant, oldest first, and from after a row on.
func (s Signing) WaitingApprovals(ctx context.Context, state approval.State, before time.Time, after page.Cursor, limit int) ([]approval.Approval, error) {
	rows, err := s.read.WaitingApprovals(ctx, db.WaitingApprovalsParams{
		State: string(state), Before: micros(before), After: micros(after.CreatedAt), AfterID: after.ID, Most: int32(limit),
	})
	return many(rows, err, approvalRow)
}

func (t *tx) InsertApproval(ctx context.Context, a approval.Approval) error {
	return doing("inserting an approval", t.q.InsertApproval(ctx, db.InsertApprovalParams{
		WorkspaceID: a.WorkspaceID, ID: a.ID, Kind: string(a.Kind), Subject: a.Subject, Activity: a.Activity,
		SubOrganizationID: a.SubOrganizationID, WalletID: a.WalletID, Fingerprint: a.Fingerprint, Reason: a.Reason,
		Requester: a.RequesterUserID, RequestedBy: a.RequestedBy, CostUsd: a.CostUSD, Required: int64(a.Required), Votes: list(a.Votes),
		State: string(a.State), Comment: a.Comment, Proof: a.Proof, CreatedAt: micros(a.CreatedAt), UpdatedAt: micros(a.UpdatedAt),
		ExpiresAt: micros(a.ExpiresAt), ResolvedAt: micros(a.ResolvedAt),
	}))
}

// MoveApproval writes how an approval stands, if it is in the state that the
// change starts from, and not resolved.
func (t *tx) MoveApproval(ctx context.Context, a approval.Approval, from approval.State) error {
	n, err := t.q.MoveApproval(ctx, db.MoveApprovalParams{
		WorkspaceID: a.WorkspaceID, ID: a.ID, FromState: string(from), ToState: string(a.State), Votes: list(a.Votes),
		Required: int64(a.Required), Comment: a.Comment, Now: micros(a.UpdatedAt), ResolvedAt: micros(a.ResolvedAt),
	})
	return swapped("moving an approval", n, err)
}

func approvalRow(r db.Approval) (approval.Approval, error) {
	votes, err := unlist[wire.Vote](r.Votes)
	return approval.Approval{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Kind: approval.SubjectKind(r.Kind), Subject: r.Subject, Activity: r.Activity,
		SubOrganizationID: r.SubOrganizationID, WalletID: r.WalletID, Fingerprint: r.Fingerprint, Reason: r.Reason,
		RequesterUserID: r.Requester, RequestedBy: r.RequestedBy, CostUSD: r.CostUsd, Required: int(r.Required), Votes: votes,
		State: approval.State(r.State), Comment: r.Comment, Proof: r.Proof, CreatedAt: instant(r.CreatedAt),
		UpdatedAt: instant(r.UpdatedAt), ExpiresAt: instant(r.ExpiresAt), ResolvedAt: instant(r.ResolvedAt),
	}, err
}
