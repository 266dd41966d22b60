package store

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/store/db"
)

// Activity finds a prepared wallet or account.
func (s Signing) Activity(ctx context.Context, workspaceID, id string) (activity.Activity, error) {
	row, err := s.read.Activity(ctx, workspaceID, id)
	return one("Wallet request", row, err, activityRow)
}

// WaitingActivities lists activities of every workspace that have waited for
// their stamp since before the instant, oldest first, and from after a row on.
func (s Signing) WaitingActivities(ctx context.Context, before time.Time, after page.Cursor, limit int) ([]activity.Activity, error) {
	rows, err := s.read.WaitingActivities(ctx, db.WaitingActivitiesParams{
		State: string(activity.Awaiting), Before: micros(before), After: micros(after.CreatedAt), AfterID: after.ID, Most: int32(limit),
	})
	return many(rows, err, activityRow)
}

func (t *tx) InsertActivity(ctx context.Context, a activity.Activity) error {
	return doing("inserting an activity", t.q.InsertActivity(ctx, db.InsertActivityParams{
		WorkspaceID: a.WorkspaceID, ID: a.ID, Kind: a.Kind, SubOrganizationID: a.SubOrganizationID, WalletID: a.WalletID,
		Name: a.Name, Chain: a.Chain, Paths: list(a.Paths), Body: a.Body, Fingerprint: a.Fingerprint, Preview: a.Preview,
		State: string(a.State), CreatedAt: micros(a.CreatedAt), UpdatedAt: micros(a.CreatedAt), ExpiresAt: micros(a.ExpiresAt),
	}))
}

// RetryActivity puts another body in the place of one that was tried and refused.
func (t *tx) RetryActivity(ctx context.Context, tried string, a activity.Activity) error {
	n, err := t.q.RetryActivity(ctx, db.RetryActivityParams{
		WorkspaceID: a.WorkspaceID, ID: a.ID, Tried: tried, State: string(activity.Awaiting),
		Name: a.Name, Body: a.Body, Fingerprint: a.Fingerprint, Now: micros(a.CreatedAt), ExpiresAt: micros(a.ExpiresAt),
	})
	return swapped("retrying an activity", n, err)
}

// MoveActivity also names the wallet that came of it, where walletID is given.
func (t *tx) MoveActivity(ctx context.Context, workspaceID, id string, from, to activity.State, walletID string, now time.Time) error {
	n, err := t.q.MoveActivity(ctx, db.MoveActivityParams{
		WorkspaceID: workspaceID, ID: id, FromState: string(from), ToState: string(to), Wallet: walletID, Now: micros(now),
	})
	return swapped("moving an activity", n, err)
}

func activityRow(r db.Activity) (activity.Activity, error) {
	paths, err := unlist[string](r.Paths)
	return activity.Activity{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Kind: r.Kind, SubOrganizationID: r.SubOrganizationID, WalletID: r.WalletID,
		Name: r.Name, Chain: r.Chain, Paths: paths, Body: r.Body, Fingerprint: r.Fingerprint, Preview: r.Preview,
		State: activity.State(r.State), CreatedAt: instant(r.CreatedAt), ExpiresAt: instant(r.ExpiresAt),
	}, err
}
