package signing

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Activity finds a prepared wallet or account.
func (s activityReads) Activity(ctx context.Context, workspaceID, id string) (activity.Activity, error) {
	row, err := s.db.Read.Activity(ctx, workspaceID, id)
	return sqldb.One("Wallet request", row, err, activityRow)
}

// WaitingActivities lists activities of every workspace that have waited for
// their stamp since before the instant, oldest first, and from after a row on.
func (s activityReads) WaitingActivities(
	ctx context.Context, before time.Time, after page.Cursor, limit int,
) ([]activity.Activity, error) {
	rows, err := s.db.Read.WaitingActivities(ctx, db.WaitingActivitiesParams{
		State: string(activity.Awaiting), Before: sqldb.Micros(before), After: sqldb.Micros(after.CreatedAt),
		AfterID: after.ID, Most: int32(limit),
	})
	return sqldb.Many(rows, err, activityRow)
}

func (t tx) InsertActivity(ctx context.Context, a activity.Activity) error {
	noted := t.noteAgentOf(ctx, a.WorkspaceID, a.ID, a.Body)
	return errors.Join(noted, sqldb.Doing("inserting an activity", t.Q.InsertActivity(ctx, db.InsertActivityParams{
		WorkspaceID: a.WorkspaceID, ID: a.ID, Kind: a.Kind, SubOrganizationID: a.SubOrganizationID,
		WalletID: a.WalletID,
		Name:     a.Name, Chain: a.Chain, Paths: sqldb.List(a.Paths), Body: a.Body, Fingerprint: a.Fingerprint,
		Preview: a.Preview,
		State:   string(a.State), CreatedAt: sqldb.Micros(a.CreatedAt), UpdatedAt: sqldb.Micros(a.CreatedAt),
		ExpiresAt: sqldb.Micros(a.ExpiresAt),
	})))
}

// RetryActivity puts another body in the place of one that was tried and refused.
func (t tx) RetryActivity(ctx context.Context, tried string, a activity.Activity) error {
	n, err := t.Q.RetryActivity(ctx, db.RetryActivityParams{
		WorkspaceID: a.WorkspaceID, ID: a.ID, Tried: tried, State: string(activity.Awaiting),
		Name: a.Name, Body: a.Body, Fingerprint: a.Fingerprint, Now: sqldb.Micros(a.CreatedAt),
		ExpiresAt: sqldb.Micros(a.ExpiresAt),
	})
	return sqldb.Swapped("retrying an activity", n, err)
}

// ShowActivity keeps the preview of a body that got none before it was held.
func (t tx) ShowActivity(ctx context.Context, workspaceID, id, preview string) error {
	return sqldb.Doing("keeping a preview", t.Q.ShowActivity(ctx, db.ShowActivityParams{
		WorkspaceID: workspaceID, ID: id, State: string(activity.Awaiting), Preview: preview,
	}))
}

// MoveActivity also names the wallet that came of it, where walletID is given.
func (t tx) MoveActivity(
	ctx context.Context, workspaceID, id string, from, to activity.State, walletID string, now time.Time,
) error {
	row, err := t.Q.MoveActivity(ctx, db.MoveActivityParams{
		WorkspaceID: workspaceID, ID: id, FromState: string(from), ToState: string(to), Wallet: walletID,
		Now: sqldb.Micros(now),
	})
	if sqldb.None(err) {
		return record.ErrStale
	}
	if err == nil {
		tellAgent(t.Tx, row)
	}
	return sqldb.Doing("moving an activity", err)
}

func activityRow(r db.Activity) (activity.Activity, error) {
	paths, err := sqldb.Unlist[string](r.Paths)
	return activity.Activity{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Kind: r.Kind, SubOrganizationID: r.SubOrganizationID,
		WalletID: r.WalletID,
		Name:     r.Name, Chain: r.Chain, Paths: paths, Body: r.Body, Fingerprint: r.Fingerprint, Preview: r.Preview,
		State: activity.State(r.State), CreatedAt: sqldb.Instant(r.CreatedAt), ExpiresAt: sqldb.Instant(r.ExpiresAt),
	}, err
}
