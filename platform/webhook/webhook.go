// Package webhook sends the events of a workspace to its own servers, as Standard Webhooks. An endpoint is where they
// are sent: it is disabled until a ping is answered, and told from then on.
//
// A change's commit does nothing for webhooks. A dispatcher, of which each server has one, asks the database four times
// a second which endpoints have something to do. It takes the lease of such an endpoint, makes deliveries of the events
// after the endpoint's cursor, and sends what is due. All that it writes names the lease: a server that was taken for
// dead writes nothing more. What was sent and not written down is sent again, with the same id.
//
// A delivery is waiting while an earlier one about the same object is not answered or given up; pending while it is
// tried, over three days; then delivered, failed, or canceled with its endpoint.
//
// It is a loop with leases, and not a job for each delivery: jobs would write each delivery twice, their workers are
// those that payments need, and the order of an object and the calm of an endpoint that fails belong to the endpoint.
//
// Read webhook.go and store.go (the rows), endpoint.go, ping.go and log.go (what callers do), schedule.go and
// secret.go, then dispatch.go, turn.go and send.go (how events leave), and notice.go (what admins are mailed).
package webhook

import (
	"slices"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/vault"
	"github.com/railkit/railkit/rest"
)

// Status is that of an endpoint.
type Status string

// The statuses of an endpoint.
const (
	Disabled Status = "disabled"
	Active   Status = "active"
	Deleted  Status = "deleted" // kept for as long as its deliveries are
)

// Why an endpoint is disabled.
const (
	ReasonNew   = "not_pinged" // nobody has answered a ping at this URL
	ReasonOwner = "disabled"   // a caller disabled it
	ReasonGone  = "gone"       // it answered 410
)

// Endpoint is where a workspace has its events sent.
type Endpoint struct {
	WorkspaceID, ID      string
	URL, Description     string
	Types                []string // as they were asked for, such as order.*; none: all
	Status               Status
	Reason               string // why it is disabled
	SecretVersion        int64
	Sealed               string // the secret that signs
	OldSealed            string // the one before
	OldUntil             time.Time
	CreatedAt, UpdatedAt time.Time

	Work
}

// Work is how far an endpoint's events are. It is changed under the lease.
type Work struct {
	Lease        string
	LeasedUntil  time.Time
	Cursor       int64     // number of the last event that has a delivery or needs none; neverActive at first
	ReplayAfter  int64     // the same of a range that is sent again
	ReplayTo     int64     // the last number of that range
	ReplayAll    bool      // also what was delivered
	NextAt       time.Time // when the first delivery is due; zero: none waits
	PausedUntil  time.Time
	Failures     int // rounds without a good answer, one after the other
	FailingSince time.Time
}

// neverActive is the cursor of an endpoint that nothing was sent to yet.
const neverActive = -1

// forget is a new beginning for what is known of an endpoint's health.
func (w *Work) forget() {
	w.NextAt, w.PausedUntil, w.Failures, w.FailingSince = time.Time{}, time.Time{}, 0, time.Time{}
}

// replays tells whether events of a range are still to be sent again.
func (w Work) replays() bool { return w.ReplayTo > w.ReplayAfter }

// cursorOf is an endpoint's place in a list.
func cursorOf(e Endpoint) page.Cursor { return page.Cursor{CreatedAt: e.CreatedAt, ID: e.ID} }

// place binds a secret to its field in the database.
func (e Endpoint) place(version int64) vault.Place {
	return vault.Place{WorkspaceID: e.WorkspaceID, Kind: "webhook_endpoints", ID: e.ID, Field: secretField(version)}
}

// View is the endpoint as the API shows it, at an instant.
func (e Endpoint) View(now time.Time) rest.WebhookEndpoint {
	v := rest.WebhookEndpoint{
		ID: e.ID, URL: e.URL, Description: e.Description, Types: e.Types, Status: string(e.Status), Reason: e.Reason,
		Sequence: max(e.Cursor, 0), FailingSince: clock.ISOOrNil(e.FailingSince), CreatedAt: clock.ISO(e.CreatedAt),
		UpdatedAt: clock.ISO(e.UpdatedAt),
	}
	if v.Types == nil {
		v.Types = []string{}
	}
	if e.replays() {
		v.Replay = &rest.WebhookRange{After: e.ReplayAfter, UpTo: e.ReplayTo}
	}
	if now.Before(e.OldUntil) {
		v.OldSecretEndsAt = clock.ISOOrNil(e.OldUntil)
	}
	if now.Before(e.PausedUntil) {
		v.PausedUntil = clock.ISOOrNil(e.PausedUntil)
	}
	return v
}

// State is how far a delivery is.
type State string

// The states of a delivery.
const (
	Waiting   State = "waiting" // for an earlier one about the same object
	Pending   State = "pending"
	Delivered State = "delivered"
	Failed    State = "failed"
	Canceled  State = "canceled"
)

// Why a delivery failed or was canceled, where no answer says it.
const (
	reasonExhausted = "exhausted"        // the last try of the schedule
	reasonDeleted   = "endpoint_deleted" // with its endpoint
	reasonRemoved   = "event_removed"    // the event is older than events are kept
	reasonUnread    = "not_readable"     // the workspace may not read such events any more
	reasonStatus    = "http_status"      // of an attempt: another status than 2xx
	reasonUnsent    = "request_failed"   // of an attempt: it was not made
)

// Delivery is an event on its way to an endpoint, or what came of it.
type Delivery struct {
	WorkspaceID, EndpointID string
	Seq                     int64  // of the event
	ID                      string // of the event
	Type                    event.Type
	ObjectID                string
	State                   State
	Reason                  string
	Tries                   int // since it was last begun
	Attempts                []rest.WebhookAttempt
	Since                   time.Time // since when it is waiting or pending
	DueAt                   time.Time
	CreatedAt, EndedAt      time.Time

	Event event.Event // without an id where it is removed, and where it was not read
}

// mostAttempts is how many attempts the log of a delivery keeps.
const mostAttempts = 20

// after is the delivery after an attempt.
func (d Delivery) after(r result, now time.Time) Delivery {
	if r.outcome == unsent {
		return d.end(Canceled, r.attempt.Reason, now)
	}
	d.Tries++
	d.Attempts = append(slices.Clone(d.Attempts), r.attempt)
	d.Attempts = d.Attempts[max(0, len(d.Attempts)-mostAttempts):]
	if r.outcome == good {
		return d.end(Delivered, "", now)
	}
	wait, again := nextTry(d.Tries, r.retryAfter)
	if !again {
		return d.end(Failed, reasonExhausted, now)
	}
	d.DueAt = now.Add(wait)
	return d
}

func (d Delivery) end(s State, reason string, now time.Time) Delivery {
	d.State, d.Reason, d.EndedAt = s, reason, now
	return d
}

// heard notes what a round of answers says of the endpoint. One good answer shows that it is well.
func (w *Work) heard(results []result, now time.Time) {
	answered, failed, longest := false, false, time.Duration(0)
	for _, r := range results {
		answered = answered || r.outcome == good
		failed = failed || r.outcome == bad || r.outcome == gone
		longest = max(longest, r.retryAfter)
	}
	switch {
	case answered:
		w.PausedUntil, w.Failures, w.FailingSince = time.Time{}, 0, time.Time{}
	case failed:
		if w.Failures++; w.FailingSince.IsZero() {
			w.FailingSince = now
		}
		w.PausedUntil = now.Add(pause(w.Failures, longest))
	}
}

// View is the delivery as a list shows it.
func (d Delivery) View() rest.WebhookDelivery {
	v := rest.WebhookDelivery{
		EventID: d.ID, Sequence: d.Seq, Type: string(d.Type),
		Object: rest.EventObject{Type: d.Type.Object(), ID: d.ObjectID},
		Status: string(d.State), Reason: d.Reason, CreatedAt: clock.ISO(d.CreatedAt),
		EndedAt: clock.ISOOrNil(d.EndedAt),
	}
	if d.State == Pending {
		v.NextAttemptAt = clock.ISOOrNil(d.DueAt)
	}
	if n := len(d.Attempts); n > 0 {
		v.LastAttempt = &d.Attempts[n-1]
	}
	return v
}

func deliveryCursor(d Delivery) page.Cursor { return page.Cursor{CreatedAt: d.CreatedAt, ID: d.ID} }
