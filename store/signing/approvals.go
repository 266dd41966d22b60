package signing

import (
	"context"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Approval reads one.
func (s approvalReads) Approval(ctx context.Context, workspaceID, id string) (approval.Approval, error) {
	row, err := s.db.Read.Approval(ctx, workspaceID, id)
	return sqldb.One("Approval", row, err, approvalRow)
}

// Approvals lists a page of approvals and counts all that the filter selects.
func (s approvalReads) Approvals(ctx context.Context, f approval.Filter) ([]approval.Approval, int, error) {
	q := s.db.Query(1).Equal(
		"sub_organization_id", f.SubOrganizationID,
	).Equal("wallet_id", f.WalletID).In("activity", f.Activities).In("state", sqldb.Texts(f.States))
	total, err := db.New(q).CountApprovals(ctx, f.WorkspaceID)
	if err != nil {
		return nil, 0, sqldb.Reading("counting approvals", err)
	}
	rows, err := db.New(q.Newest(f.Page)).ListApprovals(ctx, f.WorkspaceID)
	return sqldb.Listed(total, rows, err, approvalRow)
}

// WaitingApprovals lists approvals of every workspace that have been in the state
// since before the instant, oldest first, and from after a row on.
func (s approvalReads) WaitingApprovals(
	ctx context.Context, state approval.State, before time.Time, after page.Cursor, limit int,
) ([]approval.Approval, error) {
	rows, err := s.db.Read.WaitingApprovals(ctx, db.WaitingApprovalsParams{
		State: string(state), Before: sqldb.Micros(before), After: sqldb.Micros(after.CreatedAt), AfterID: after.ID,
		Most: int32(limit),
	})
	return sqldb.Many(rows, err, approvalRow)
}

func (t tx) InsertApproval(ctx context.Context, a approval.Approval) error {
	n, err := t.Q.InsertApproval(ctx, db.InsertApprovalParams{
		WorkspaceID: a.WorkspaceID, ID: a.ID, Kind: string(a.Kind), Subject: a.Subject, Activity: a.Activity,
		SubOrganizationID: a.SubOrganizationID, WalletID: a.WalletID, Fingerprint: a.Fingerprint, Reason: a.Reason,
		Requester: a.RequesterUserID, RequestedBy: a.RequestedBy, CostUsd: a.CostUSD, Required: int64(a.Required),
		Votes: sqldb.List(a.Votes),
		State: string(a.State), Comment: a.Comment, Proof: a.Proof, CreatedAt: sqldb.Micros(a.CreatedAt),
		UpdatedAt: sqldb.Micros(a.UpdatedAt),
		ExpiresAt: sqldb.Micros(a.ExpiresAt), ResolvedAt: sqldb.Micros(a.ResolvedAt),
	})
	return t.Told("inserting an approval", n, err, approvalChange(event.ApprovalCreated, a))
}

func approvalChange(kind event.Type, a approval.Approval) event.Change {
	return event.Change{Type: kind, WorkspaceID: a.WorkspaceID, Object: a.ID, Data: rest.EventApproval{
		Status: string(a.State), Kind: string(a.Kind), Subject: a.Subject, SubOrganizationID: a.SubOrganizationID,
		WalletID: a.WalletID, Votes: len(a.Votes), Required: a.Required, ExpiresAt: clock.ISO(a.ExpiresAt),
	}}
}

// MoveApproval writes how an approval stands, if it is in the state that the
// change starts from, and not resolved.
func (t tx) MoveApproval(ctx context.Context, a approval.Approval, from approval.State) error {
	n, err := t.Q.MoveApproval(ctx, db.MoveApprovalParams{
		WorkspaceID: a.WorkspaceID, ID: a.ID, FromState: string(from), ToState: string(a.State),
		Votes:    sqldb.List(a.Votes),
		Required: int64(a.Required), Comment: a.Comment, Now: sqldb.Micros(a.UpdatedAt),
		ResolvedAt: sqldb.Micros(a.ResolvedAt),
	})
	return t.ToldSwapped("moving an approval", n, err, approvalChange(event.Type("approval."+a.State), a))
}

func approvalRow(r db.Approval) (approval.Approval, error) {
	votes, err := sqldb.Unlist[wire.Vote](r.Votes)
	return approval.Approval{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Kind: approval.SubjectKind(r.Kind), Subject: r.Subject,
		Activity:          r.Activity,
		SubOrganizationID: r.SubOrganizationID, WalletID: r.WalletID, Fingerprint: r.Fingerprint, Reason: r.Reason,
		RequesterUserID: r.Requester, RequestedBy: r.RequestedBy, CostUSD: r.CostUsd, Required: int(r.Required),
		Votes: votes,
		State: approval.State(r.State), Comment: r.Comment, Proof: r.Proof, CreatedAt: sqldb.Instant(r.CreatedAt),
		UpdatedAt: sqldb.Instant(r.UpdatedAt), ExpiresAt: sqldb.Instant(r.ExpiresAt),
		ResolvedAt: sqldb.Instant(r.ResolvedAt),
	}, err
}
