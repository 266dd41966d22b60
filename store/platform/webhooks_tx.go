package platform

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/webhook"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// webhookTx is the writing half of a transaction about webhooks.
type webhookTx struct{ *sqldb.Tx }

func (t webhookTx) HoldOwner(ctx context.Context, workspaceID string) (int, error) {
	if _, err := t.Q.HoldWorkspace(ctx, workspaceID); err != nil {
		return 0, sqldb.Doing("holding a workspace", err)
	}
	n, err := t.Q.CountWebhookEndpoints(ctx, workspaceID)
	return int(n), sqldb.Doing("counting webhook endpoints", err)
}

func (t webhookTx) Insert(ctx context.Context, e webhook.Endpoint) error {
	return sqldb.Doing("inserting a webhook endpoint", t.Q.InsertWebhookEndpoint(ctx, db.InsertWebhookEndpointParams{
		WorkspaceID: e.WorkspaceID, ID: e.ID, Url: e.URL, Description: e.Description, Types: sqldb.List(e.Types),
		Status: string(e.Status), Reason: e.Reason, SecretVersion: e.SecretVersion, Sealed: e.Sealed,
		CreatedAt: sqldb.Micros(e.CreatedAt),
	}))
}

func (t webhookTx) Hold(ctx context.Context, r webhook.Ref) (webhook.Endpoint, error) {
	row, err := t.Q.HoldWebhookEndpoint(ctx, r.WorkspaceID, r.ID)
	return sqldb.One("Webhook endpoint", row, err, webhookEndpoint)
}

func (t webhookTx) Update(ctx context.Context, e webhook.Endpoint) error {
	return sqldb.Doing("changing a webhook endpoint", t.Q.UpdateWebhookEndpoint(ctx, db.UpdateWebhookEndpointParams{
		WorkspaceID: e.WorkspaceID, ID: e.ID, Url: e.URL, Description: e.Description, Types: sqldb.List(e.Types),
		Status: string(e.Status), Reason: e.Reason, SecretVersion: e.SecretVersion, Sealed: e.Sealed,
		OldSealed: e.OldSealed, OldUntil: sqldb.Micros(e.OldUntil), UpdatedAt: sqldb.Micros(e.UpdatedAt),
		EventCursor: e.Cursor, ReplayAfter: e.ReplayAfter, ReplayTo: e.ReplayTo, ReplayAll: sqldb.Flag(e.ReplayAll),
		NextAt: sqldb.Micros(e.NextAt), PausedUntil: sqldb.Micros(e.PausedUntil), Lease: e.Lease,
		LeasedUntil: sqldb.Micros(e.LeasedUntil), Failures: int64(e.Failures),
		FailingSince: sqldb.Micros(e.FailingSince),
	}))
}

func (t webhookTx) LastEvent(ctx context.Context, workspaceID string) (int64, error) {
	ends, err := t.Q.EventEnds(ctx, workspaceID)
	if sqldb.None(err) {
		return 0, nil
	}
	return ends.Events, sqldb.Doing("reading where events end", err)
}

func (t webhookTx) Claim(
	ctx context.Context, r webhook.Ref, lease string, now, until time.Time,
) (webhook.Endpoint, error) {
	row, err := t.Q.ClaimWebhookEndpoint(ctx, db.ClaimWebhookEndpointParams{
		Lease: lease, Until: sqldb.Micros(until), WorkspaceID: r.WorkspaceID, ID: r.ID, Now: sqldb.Micros(now),
	})
	return leased(row, err)
}

func (t webhookTx) Renew(ctx context.Context, r webhook.Ref, lease string, until time.Time) (webhook.Endpoint, error) {
	row, err := t.Q.RenewWebhookLease(ctx, db.RenewWebhookLeaseParams{
		Until: sqldb.Micros(until), WorkspaceID: r.WorkspaceID, ID: r.ID, Lease: lease,
	})
	return leased(row, err)
}

// leased is the row of a lease that was taken or is still held.
func leased(row db.WebhookEndpoint, err error) (webhook.Endpoint, error) {
	if sqldb.None(err) {
		return webhook.Endpoint{}, record.ErrStale
	}
	return sqldb.One("Webhook endpoint", row, err, webhookEndpoint)
}

func (t webhookTx) Save(ctx context.Context, e webhook.Endpoint) error {
	n, err := t.Q.SaveWebhookWork(ctx, db.SaveWebhookWorkParams{
		Until: sqldb.Micros(e.LeasedUntil), EventCursor: e.Cursor, ReplayAfter: e.ReplayAfter,
		NextAt: sqldb.Micros(e.NextAt), PausedUntil: sqldb.Micros(e.PausedUntil), Failures: int64(e.Failures),
		FailingSince: sqldb.Micros(e.FailingSince), WorkspaceID: e.WorkspaceID, ID: e.ID, Lease: e.Lease,
	})
	return sqldb.Swapped("noting what was done for a webhook endpoint", n, err)
}

// deliveriesAtOnce are inserted by one statement.
const deliveriesAtOnce = 100

// conflicts are what becomes of a delivery that is there already.
var conflicts = map[webhook.Again]string{
	webhook.Never:   " ON CONFLICT (workspace_id, endpoint_id, seq) DO NOTHING",
	webhook.Unheard: reopening + " WHERE webhook_deliveries.status IN ('failed', 'canceled')",
	webhook.Always:  reopening + " WHERE webhook_deliveries.status IN ('failed', 'canceled', 'delivered')",
}

const reopening = ` ON CONFLICT (workspace_id, endpoint_id, seq) DO UPDATE SET status = 'waiting', reason = '', tries = 0,
	since = excluded.since, ended_at = 0`

func (t webhookTx) Add(ctx context.Context, all []webhook.Delivery, again webhook.Again) error {
	for some := range slices.Chunk(all, deliveriesAtOnce) {
		rows := make([]db.InsertWebhookDeliveriesParams, len(some))
		for i, d := range some {
			rows[i] = db.InsertWebhookDeliveriesParams{
				WorkspaceID: d.WorkspaceID, EndpointID: d.EndpointID, Seq: d.Seq, ID: d.ID, Type: string(d.Type),
				ObjectID: d.ObjectID, Since: sqldb.Micros(d.Since), CreatedAt: sqldb.Micros(d.CreatedAt),
			}
		}
		q := t.Query(8)
		for _, p := range rows[1:] {
			q.Add(", (?, ?, ?, ?, ?, ?, ?, ?, 'waiting', '', 0, '[]', 0, 0)", p.WorkspaceID, p.EndpointID, p.Seq, p.ID,
				p.Type, p.ObjectID, p.Since, p.CreatedAt)
		}
		if err := db.New(q.Add(conflicts[again])).InsertWebhookDeliveries(ctx, rows[0]); err != nil {
			return sqldb.Doing("inserting webhook deliveries", err)
		}
	}
	return nil
}

func (t webhookTx) Reopen(ctx context.Context, r webhook.Ref, seq int64, now time.Time) error {
	return sqldb.Doing("reopening a webhook delivery", t.Q.ReopenWebhookDelivery(ctx, db.ReopenWebhookDeliveryParams{
		Now: sqldb.Micros(now), WorkspaceID: r.WorkspaceID, EndpointID: r.ID, Seq: seq,
	}))
}

func (t webhookTx) Refresh(ctx context.Context, r webhook.Ref, now time.Time) error {
	return sqldb.Doing("beginning webhook deliveries anew", errors.Join(
		t.Q.RefreshPendingWebhooks(ctx, sqldb.Micros(now), r.WorkspaceID, r.ID),
		t.Q.RefreshWaitingWebhooks(ctx, sqldb.Micros(now), r.WorkspaceID, r.ID)))
}

func (t webhookTx) Promote(ctx context.Context, r webhook.Ref, objectID string, now time.Time) error {
	return sqldb.Doing("letting a webhook delivery have its turn",
		t.Q.PromoteWebhookDelivery(ctx, db.PromoteWebhookDeliveryParams{
			Now: sqldb.Micros(now), WorkspaceID: r.WorkspaceID, EndpointID: r.ID, ObjectID: objectID,
		}))
}

func (t webhookTx) End(ctx context.Context, d webhook.Delivery) error {
	_, err := t.Q.EndWebhookAttempt(ctx, db.EndWebhookAttemptParams{
		Status: string(d.State), Reason: d.Reason, Tries: int64(d.Tries), Attempts: sqldb.List(d.Attempts),
		DueAt: sqldb.Micros(d.DueAt), EndedAt: sqldb.Micros(d.EndedAt), WorkspaceID: d.WorkspaceID,
		EndpointID: d.EndpointID, Seq: d.Seq, Since: sqldb.Micros(d.Since),
	})
	return sqldb.Doing("writing what came of a webhook", err)
}

func (t webhookTx) Expire(
	ctx context.Context, r webhook.Ref, now, pending, waiting time.Time,
) ([]string, error) {
	objects, err := t.Q.ExpirePendingWebhooks(ctx, db.ExpirePendingWebhooksParams{
		Now: sqldb.Micros(now), WorkspaceID: r.WorkspaceID, EndpointID: r.ID, Before: sqldb.Micros(pending),
	})
	if err != nil {
		return nil, sqldb.Doing("giving up pending webhook deliveries", err)
	}
	others, err := t.Q.ExpireWaitingWebhooks(ctx, db.ExpireWaitingWebhooksParams{
		Now: sqldb.Micros(now), WorkspaceID: r.WorkspaceID, EndpointID: r.ID, Before: sqldb.Micros(waiting),
	})
	return append(objects, others...), sqldb.Doing("giving up waiting webhook deliveries", err)
}

func (t webhookTx) Cancel(ctx context.Context, r webhook.Ref, reason string, now time.Time) error {
	p := db.CancelPendingWebhooksParams{
		Reason: reason, Now: sqldb.Micros(now), WorkspaceID: r.WorkspaceID, EndpointID: r.ID,
	}
	return sqldb.Doing("canceling webhook deliveries", errors.Join(
		t.Q.CancelPendingWebhooks(ctx, p), t.Q.CancelWaitingWebhooks(ctx, db.CancelWaitingWebhooksParams(p))))
}

func (t webhookTx) NextDue(ctx context.Context, r webhook.Ref) (time.Time, error) {
	at, err := t.Q.NextWebhookDelivery(ctx, r.WorkspaceID, r.ID)
	return sqldb.Instant(at), sqldb.Doing("reading when a webhook is due", err)
}

func (t webhookTx) InsertNotice(ctx context.Context, n webhook.Notice) error {
	return sqldb.Doing("inserting a notice", t.Q.InsertWebhookNotice(ctx, db.InsertWebhookNoticeParams{
		WorkspaceID: n.WorkspaceID, ID: n.ID, EndpointID: n.EndpointID, Change: n.Change, Url: n.URL,
		ActorKind: string(n.By), ActorID: n.ByID, RemoteIp: n.RemoteIP, MailID: n.MailID,
		CreatedAt: sqldb.Micros(n.CreatedAt),
	}))
}

func (t webhookTx) Noticed(ctx context.Context, workspaceID string, since time.Time) (bool, error) {
	ids, err := t.Q.RecentWebhookNotice(ctx, workspaceID, sqldb.Micros(since))
	return len(ids) > 0, sqldb.Doing("looking for a notice", err)
}

func (t webhookTx) Gather(ctx context.Context, n webhook.Notice, now time.Time) (bool, error) {
	moved, err := t.Q.GatherWebhookNotices(ctx, n.ID, sqldb.Micros(now), n.WorkspaceID)
	return moved > 0, sqldb.Doing("gathering notices", err)
}

func (t webhookTx) NoticesMailed(ctx context.Context, n webhook.Notice, now time.Time) error {
	return sqldb.Doing("noting that a mail was sent",
		t.Q.WebhookNoticesMailed(ctx, sqldb.Micros(now), n.WorkspaceID, n.ID))
}
