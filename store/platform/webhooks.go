package platform

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/webhook"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Webhooks is the database as platform/webhook sees it.
type Webhooks struct {
	Store
	sqldb.Writer[webhook.Tx]
}

// Webhooks returns it.
func (s Store) Webhooks() Webhooks {
	return Webhooks{s, sqldb.WriterOf(s.db, func(t *sqldb.Tx) webhook.Tx { return webhookTx{t} })}
}

var _ webhook.Store = Webhooks{}

// WebhookEndpoint finds one that is not deleted.
func (s Webhooks) WebhookEndpoint(ctx context.Context, r webhook.Ref) (webhook.Endpoint, error) {
	row, err := s.db.Read.WebhookEndpoint(ctx, r.WorkspaceID, r.ID)
	return sqldb.One("Webhook endpoint", row, err, webhookEndpoint)
}

// WebhookEndpoints lists a page of a workspace's endpoints, newest first, and counts all.
func (s Webhooks) WebhookEndpoints(
	ctx context.Context, workspaceID string, at page.Page,
) ([]webhook.Endpoint, int, error) {
	total, err := s.db.Read.CountWebhookEndpoints(ctx, workspaceID)
	if err != nil {
		return nil, 0, sqldb.Reading("counting webhook endpoints", err)
	}
	rows, err := db.New(s.db.Query(1).Newest(at)).ListWebhookEndpoints(ctx, workspaceID)
	return sqldb.Listed(total, rows, err, webhookEndpoint)
}

// WebhookDelivery finds the delivery of an event to an endpoint, with the event.
func (s Webhooks) WebhookDelivery(ctx context.Context, r webhook.Ref, eventID string) (webhook.Delivery, error) {
	row, err := s.db.Read.WebhookDelivery(ctx, r.WorkspaceID, r.ID, eventID)
	return sqldb.One("Webhook delivery", row, err, func(d db.WebhookDeliveryRow) (webhook.Delivery, error) {
		return withEvent(d.WebhookDelivery, d.EventAt, d.EventData)
	})
}

// WebhookDeliveries lists a page of an endpoint's deliveries, newest first, and counts all that the filter selects.
func (s Webhooks) WebhookDeliveries(ctx context.Context, f webhook.Filter) ([]webhook.Delivery, int, error) {
	q := s.db.Query(2).Equal("status", string(f.State)).Equal("type", f.Type).Equal("object_id", f.Object)
	total, err := db.New(q).CountWebhookDeliveries(ctx, f.WorkspaceID, f.ID)
	if err != nil {
		return nil, 0, sqldb.Reading("counting webhook deliveries", err)
	}
	rows, err := db.New(q.Newest(f.Page)).ListWebhookDeliveries(ctx, f.WorkspaceID, f.ID)
	return sqldb.Listed(total, rows, err, webhookDelivery)
}

// WaitingWebhooks names active endpoints of every workspace that nobody works on and for which there is something to
// do.
func (s Webhooks) WaitingWebhooks(ctx context.Context, now time.Time, limit int) ([]webhook.Ref, error) {
	rows, err := s.db.Read.WaitingWebhookEndpoints(ctx, sqldb.Micros(now), int32(limit))
	return sqldb.Many(rows, err, func(r db.WaitingWebhookEndpointsRow) (webhook.Ref, error) {
		return webhook.Ref{WorkspaceID: r.WorkspaceID, ID: r.ID}, nil
	})
}

// DueWebhooks lists pending deliveries that are due, with their events, the longest due first.
func (s Webhooks) DueWebhooks(
	ctx context.Context, r webhook.Ref, now time.Time, limit int,
) ([]webhook.Delivery, error) {
	rows, err := s.db.Read.DueWebhookDeliveries(ctx, db.DueWebhookDeliveriesParams{
		WorkspaceID: r.WorkspaceID, EndpointID: r.ID, Now: sqldb.Micros(now), Most: int32(limit),
	})
	return sqldb.Many(rows, err, func(d db.DueWebhookDeliveriesRow) (webhook.Delivery, error) {
		return withEvent(d.WebhookDelivery, d.EventAt, d.EventData)
	})
}

// MeasureWebhooks counts the endpoints of all workspaces, and what waits for the active ones.
func (s Webhooks) MeasureWebhooks(ctx context.Context) ([]webhook.Measure, error) {
	rows, err := s.db.Read.MeasureWebhooks(ctx)
	return sqldb.Many(rows, err, func(r db.MeasureWebhooksRow) (webhook.Measure, error) {
		due := r.DueAt
		if due == 0 || r.EventAt > 0 && r.EventAt < due {
			due = r.EventAt
		}
		return webhook.Measure{
			Status: webhook.Status(r.Status), Failing: r.Failing == 1, Endpoints: r.Endpoints, Waiting: r.Waiting,
			Due: sqldb.Instant(due),
		}, nil
	})
}

// AdminEmails lists those of a workspace's admins.
func (s Webhooks) AdminEmails(ctx context.Context, workspaceID string) ([]string, error) {
	emails, err := s.db.Read.AdminEmails(ctx, workspaceID)
	return emails, sqldb.Reading("listing admins", err)
}

// WebhookNotice finds the notice of a change of an endpoint, with how many others its mail tells of.
func (s Webhooks) WebhookNotice(ctx context.Context, workspaceID, id string) (webhook.Notice, error) {
	row, err := s.db.Read.WebhookNotice(ctx, workspaceID, id)
	return sqldb.One("Notice", row, err, func(r db.WebhookNoticeRow) (webhook.Notice, error) {
		n, err := webhookNotice(r.WebhookNotice)
		n.More = int(r.More)
		return n, err
	})
}

// WaitingWebhookNotices lists those of every workspace that are in no mail, or whose own mail is not sent, and that
// nobody has touched since the instant.
func (s Webhooks) WaitingWebhookNotices(
	ctx context.Context, before time.Time, limit int,
) ([]webhook.Notice, error) {
	rows, err := s.db.Read.WaitingWebhookNotices(ctx, sqldb.Micros(before), int32(limit))
	return sqldb.Many(rows, err, webhookNotice)
}

// DropWebhooks removes deliveries whose events are removed, deleted endpoints that have none, and notices that were
// mailed before the instant: of some endpoints, and of the rest with the next calls. One that fails stops no other.
func (s Webhooks) DropWebhooks(ctx context.Context, before time.Time) error {
	rows, err := s.db.Read.OldWebhookEndpoints(ctx, record.SweepBatch)
	err = sqldb.Reading("listing webhook endpoints", err)
	return errors.Join(err, record.Each(rows, func(r db.OldWebhookEndpointsRow) error {
		return s.dropWebhooks(ctx, r.WorkspaceID, r.ID)
	}), s.db.Transact(ctx, func(t *sqldb.Tx) error {
		return sqldb.Doing("removing webhook notices", t.Q.DropWebhookNotices(ctx, sqldb.Micros(before)))
	}))
}

func (s Webhooks) dropWebhooks(ctx context.Context, workspaceID, id string) error {
	return s.db.Transact(ctx, func(t *sqldb.Tx) error {
		if err := t.Q.DropWebhookDeliveries(ctx, workspaceID, id); err != nil {
			return sqldb.Doing("removing webhook deliveries", err)
		}
		return sqldb.Doing("removing a webhook endpoint", t.Q.DropWebhookEndpoint(ctx, workspaceID, id))
	})
}

func webhookEndpoint(r db.WebhookEndpoint) (webhook.Endpoint, error) {
	types, err := sqldb.Unlist[string](r.Types)
	return webhook.Endpoint{
		WorkspaceID: r.WorkspaceID, ID: r.ID, URL: r.Url, Description: r.Description, Types: types,
		Status: webhook.Status(r.Status), Reason: r.Reason, SecretVersion: r.SecretVersion, Sealed: r.Sealed,
		OldSealed: r.OldSealed, OldUntil: sqldb.Instant(r.OldUntil), CreatedAt: sqldb.Instant(r.CreatedAt),
		UpdatedAt: sqldb.Instant(r.UpdatedAt), Work: webhook.Work{
			Lease: r.Lease, LeasedUntil: sqldb.Instant(r.LeasedUntil), Cursor: r.EventCursor,
			ReplayAfter: r.ReplayAfter, ReplayTo: r.ReplayTo, ReplayAll: r.ReplayAll == 1,
			NextAt: sqldb.Instant(r.NextAt), PausedUntil: sqldb.Instant(r.PausedUntil), Failures: int(r.Failures),
			FailingSince: sqldb.Instant(r.FailingSince),
		},
	}, err
}

func webhookDelivery(r db.WebhookDelivery) (webhook.Delivery, error) {
	attempts, err := sqldb.Unlist[rest.WebhookAttempt](r.Attempts)
	return webhook.Delivery{
		WorkspaceID: r.WorkspaceID, EndpointID: r.EndpointID, Seq: r.Seq, ID: r.ID, Type: event.Type(r.Type),
		ObjectID: r.ObjectID, State: webhook.State(r.Status), Reason: r.Reason, Tries: int(r.Tries), Attempts: attempts,
		Since: sqldb.Instant(r.Since), DueAt: sqldb.Instant(r.DueAt), CreatedAt: sqldb.Instant(r.CreatedAt),
		EndedAt: sqldb.Instant(r.EndedAt),
	}, err
}

// withEvent is a delivery with its event, which has no id where it is removed.
func withEvent(r db.WebhookDelivery, at int64, data string) (webhook.Delivery, error) {
	d, err := webhookDelivery(r)
	if data != "" {
		d.Event = event.Event{
			WorkspaceID: r.WorkspaceID, Seq: r.Seq, ID: r.ID, At: sqldb.Instant(at), Type: d.Type, Object: r.ObjectID,
			Data: []byte(data),
		}
	}
	return d, err
}

func webhookNotice(r db.WebhookNotice) (webhook.Notice, error) {
	return webhook.Notice{
		WorkspaceID: r.WorkspaceID, ID: r.ID, EndpointID: r.EndpointID, Change: r.Change, URL: r.Url,
		By: auth.Kind(r.ActorKind), ByID: r.ActorID, RemoteIP: r.RemoteIp, MailID: r.MailID,
		CreatedAt: sqldb.Instant(r.CreatedAt), UpdatedAt: sqldb.Instant(r.UpdatedAt), Mailed: r.Mailed == 1,
	}, nil
}
