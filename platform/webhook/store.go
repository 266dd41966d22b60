package webhook

import (
	"context"
	"time"

	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
)

// Ref names an endpoint.
type Ref struct{ WorkspaceID, ID string }

// Filter selects deliveries of an endpoint, newest first.
type Filter struct {
	Ref
	State  State  // "": any
	Type   string // "": any
	Object string // id; "": any
	Page   page.Page
}

// Store keeps endpoints and deliveries.
type Store interface {
	record.Writer[Tx]
	WebhookEndpoint(ctx context.Context, r Ref) (Endpoint, error)
	WebhookEndpoints(ctx context.Context, workspaceID string, at page.Page) ([]Endpoint, int, error)
	// WebhookDelivery finds the delivery of an event, with the event.
	WebhookDelivery(ctx context.Context, r Ref, eventID string) (Delivery, error)
	WebhookDeliveries(ctx context.Context, f Filter) ([]Delivery, int, error)

	// WaitingWebhooks names active endpoints that nobody works on and for which there is something to do.
	WaitingWebhooks(ctx context.Context, now time.Time, limit int) ([]Ref, error)
	// DueWebhooks lists pending deliveries that are due, with their events, the longest due first.
	DueWebhooks(ctx context.Context, r Ref, now time.Time, limit int) ([]Delivery, error)
	Events(ctx context.Context, f event.Filter) ([]event.Event, error)
	EventEnds(ctx context.Context, workspaceID string) (event.Ends, error)

	AdminEmails(ctx context.Context, workspaceID string) ([]string, error)
	WebhookNotice(ctx context.Context, workspaceID, id string) (Notice, error)
	WaitingWebhookNotices(ctx context.Context, before time.Time, limit int) ([]Notice, error)
	// DropWebhooks removes deliveries whose events are removed, deleted endpoints that have none, and old notices.
	DropWebhooks(ctx context.Context, before time.Time) error
}

// Tx is one transaction.
type Tx interface {
	// HoldOwner counts the endpoints of a workspace, of which none is made until the transaction ends.
	HoldOwner(ctx context.Context, workspaceID string) (int, error)
	Insert(context.Context, Endpoint) error
	// Hold reads an endpoint that nobody else changes until the transaction ends.
	Hold(context.Context, Ref) (Endpoint, error)
	Update(context.Context, Endpoint) error // one that is held
	LastEvent(ctx context.Context, workspaceID string) (int64, error)

	// Claim takes the lease of an endpoint. It is record.ErrStale where somebody has it.
	Claim(ctx context.Context, r Ref, lease string, now, until time.Time) (Endpoint, error)
	// Renew holds the endpoint, as it is now. It is record.ErrStale where the lease is lost or it is not active.
	Renew(ctx context.Context, r Ref, lease string, until time.Time) (Endpoint, error)
	Save(context.Context, Endpoint) error // the Work of one that is held by its lease

	// Add makes deliveries that are waiting. One that is there is reopened if it failed or was canceled, and with all
	// also if it was delivered.
	Add(ctx context.Context, all []Delivery, again Again) error
	Reopen(ctx context.Context, r Ref, seq int64, now time.Time) error
	// Refresh begins the schedule of all that is waiting or pending anew.
	Refresh(ctx context.Context, r Ref, now time.Time) error
	// Promote makes the earliest waiting delivery about an object pending, unless one is.
	Promote(ctx context.Context, r Ref, objectID string, now time.Time) error
	// End writes what came of an attempt, unless the delivery was begun anew meanwhile.
	End(context.Context, Delivery) error
	// Expire gives up deliveries that are pending or waiting since before these instants, and names their objects.
	Expire(ctx context.Context, r Ref, now, pending, waiting time.Time) ([]string, error)
	Cancel(ctx context.Context, r Ref, reason string, now time.Time) error
	// NextDue is when the first pending delivery is due; zero: there is none.
	NextDue(context.Context, Ref) (time.Time, error)

	InsertNotice(context.Context, Notice) error
	// Noticed tells whether a notice of the workspace waits for its mail, or is younger than an instant.
	Noticed(ctx context.Context, workspaceID string, since time.Time) (bool, error)
	// Gather puts a notice, and all others of its workspace that are in no mail, into its mail; false: that of another
	// one tells of it. Once that is done, the mail tells of no further ones.
	Gather(ctx context.Context, n Notice, now time.Time) (bool, error)
	// NoticesMailed writes that the mail of a notice was sent.
	NoticesMailed(ctx context.Context, n Notice, now time.Time) error
	record.Queue
}

// Again says what Add does with a delivery that is there.
type Again int

// What Add can do.
const (
	Never   Again = iota
	Unheard       // reopen it, unless it was delivered
	Always
)
