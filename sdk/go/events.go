package railkit

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/railkit/railkit/rest"
)

// EventsService reads what happens in the workspace.
type EventsService struct{ c *Client }

const eventsPath = "/v1/events"

// What the calls answer: see package rest for the fields.
type (
	Event       = rest.Event
	EventObject = rest.EventObject
	EventList   = rest.EventList
)

// EventOptions select events. Zero fields do not filter.
type EventOptions struct {
	After  *int64   // Sequence of the last event that the caller has
	Types  []string // order.completed, or transaction.* for all about transactions
	Object string   // id of an order, a transaction, …
	Limit  int      // of List: 50 by default, 200 at most
}

func (o EventOptions) query() url.Values {
	q := url.Values{}
	if o.After != nil {
		q.Set("after", strconv.FormatInt(*o.After, 10))
	}
	if len(o.Types) > 0 {
		q.Set("types", strings.Join(o.Types, ","))
	}
	if o.Object != "" {
		q.Set("object", o.Object)
	}
	if o.Limit > 0 {
		q.Set("limit", strconv.Itoa(o.Limit))
	}
	return q
}

// List reads events, oldest first; without After, from the oldest that is kept. The next call goes on after
// EventList.After.
func (s *EventsService) List(ctx context.Context, o EventOptions) (*EventList, error) {
	r, err := send[EventList](ctx, s.c, request{method: http.MethodGet, path: eventsPath, query: o.query()})
	if err != nil {
		return nil, err
	}
	return &r.Data, nil
}

// Stream waits for events until the context ends or the server refuses; without After, for those that happen from the
// first connection on. It connects again after a broken connection, and goes on after the last event: nothing is
// missing, and nothing comes twice.
func (s *EventsService) Stream(ctx context.Context, o EventOptions) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		at := o.After
		if at == nil { // settled once: what happens while a connection is broken must not be left out
			end, err := s.end(ctx)
			if err != nil {
				yield(Event{}, err)
				return
			}
			at = &end
		}
		for wait := firstReconnect; ; wait = min(2*wait, s.c.retry.MaxWait) {
			stop := false
			err := s.connect(ctx, o, *at, func(e Event) bool {
				at, wait = &e.Sequence, firstReconnect
				stop = !yield(e, nil)
				return !stop
			})
			if stop {
				return
			}
			var lost *lostError
			if err != nil && !errors.As(err, &lost) {
				yield(Event{}, err)
				return
			}
			if err := s.c.retry.Sleep(ctx, wait); err != nil {
				yield(Event{}, err)
				return
			}
		}
	}
}

const firstReconnect = 250 * time.Millisecond

// end is the number of the last event.
func (s *EventsService) end(ctx context.Context) (int64, error) {
	for at, o := int64(0), (EventOptions{Limit: 200}); ; {
		page, err := s.List(ctx, o)
		if err != nil {
			return 0, err
		}
		if at = page.After; !page.HasMore {
			return at, nil
		}
		o.After = &at
	}
}

// connect reads one connection of a stream to its end.
func (s *EventsService) connect(ctx context.Context, o EventOptions, after int64, take func(Event) bool) error {
	patient := *s.c.http
	patient.Timeout = 0
	o.After = nil
	header := http.Header{
		"Accept": {"text/event-stream"}, "Last-Event-Id": {strconv.FormatInt(after, 10)},
	}
	r := request{method: http.MethodGet, path: eventsPath + "/stream", query: o.query(), header: header}
	var res *http.Response
	err := s.c.again(ctx, r, func() error {
		req, err := s.c.newRequest(ctx, r, "", nil)
		if err != nil {
			return err
		}
		if res, err = patient.Do(req); err != nil {
			return &lostError{fmt.Errorf("railkit: %w", err)}
		}
		if res.StatusCode != http.StatusOK {
			defer func() { _ = res.Body.Close() }()
			return s.c.refusal(res)
		}
		return nil
	})
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	return readEvents(res.Body, take)
}

// readEvents reads server-sent events until take is false, or the connection ends.
func readEvents(body io.Reader, take func(Event) bool) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxAnswer)
	for lines.Scan() {
		data, is := strings.CutPrefix(lines.Text(), "data: ")
		if !is {
			continue
		}
		var e Event
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			return fmt.Errorf("railkit: reading an event: %w", err)
		}
		if !take(e) {
			return nil
		}
	}
	return nil // by the server or on the way: the caller connects again
}

// WebhooksService keeps the endpoints to which the workspace's events are sent. Its calls need an API key with the
// scope webhooks, or a member who is a manager.
type WebhooksService struct{ c *Client }

const webhooksPath = "/v1/webhooks/endpoints"

// What the calls send and answer: see package rest for the fields.
type (
	WebhookEndpointRequest = rest.WebhookEndpointRequest
	WebhookEndpointUpdate  = rest.WebhookEndpointUpdate
	WebhookEndpoint        = rest.WebhookEndpoint
	WebhookEndpointCreated = rest.WebhookEndpointCreated
	WebhookRange           = rest.WebhookRange
	WebhookRotation        = rest.WebhookRotation
	WebhookPing            = rest.WebhookPing
	WebhookAttempt         = rest.WebhookAttempt
	WebhookDelivery        = rest.WebhookDelivery
	WebhookDeliveryDetail  = rest.WebhookDeliveryDetail
	WebhookReplay          = rest.WebhookReplay
)

func ofWebhook(id string) string { return webhooksPath + "/" + url.PathEscape(id) }

func ofDelivery(id, eventID string) string {
	return ofWebhook(id) + "/deliveries/" + url.PathEscape(eventID)
}

// Create makes an endpoint. It is disabled until it answers a ping: see Ping. Only this answer has its secret.
func (s *WebhooksService) Create(ctx context.Context, req WebhookEndpointRequest) (*WebhookEndpointCreated, error) {
	return data[WebhookEndpointCreated](ctx, s.c, http.MethodPost, webhooksPath, req)
}

// List reads one page of endpoints, newest first.
func (s *WebhooksService) List(ctx context.Context, o ListOptions) (*Page[WebhookEndpoint], error) {
	return list[WebhookEndpoint](ctx, s.c, webhooksPath, o.query(), nil)
}

// Get reads an endpoint.
func (s *WebhooksService) Get(ctx context.Context, id string) (*WebhookEndpoint, error) {
	return data[WebhookEndpoint](ctx, s.c, http.MethodGet, ofWebhook(id), nil)
}

// Update changes what is given. At another URL the endpoint is disabled until it answers a ping there.
func (s *WebhooksService) Update(ctx context.Context, id string, req WebhookEndpointUpdate) (*WebhookEndpoint, error) {
	return data[WebhookEndpoint](ctx, s.c, http.MethodPatch, ofWebhook(id), req)
}

// Delete deletes an endpoint: nothing more is sent to it.
func (s *WebhooksService) Delete(ctx context.Context, id string) (*WebhookEndpoint, error) {
	return data[WebhookEndpoint](ctx, s.c, http.MethodDelete, ofWebhook(id), nil)
}

// Disable stops what is sent to an endpoint, until it answers a ping again.
func (s *WebhooksService) Disable(ctx context.Context, id string) (*WebhookEndpoint, error) {
	return data[WebhookEndpoint](ctx, s.c, http.MethodPost, ofWebhook(id)+"/disable", nil)
}

// Ping sends a ping, and says what came of it. An endpoint that answers 2xx is active from then on.
func (s *WebhooksService) Ping(ctx context.Context, id string) (*WebhookPing, error) {
	return data[WebhookPing](ctx, s.c, http.MethodPost, ofWebhook(id)+"/ping", nil)
}

// RotateSecret makes a new secret, which only this answer has.
func (s *WebhooksService) RotateSecret(
	ctx context.Context, id string, req WebhookRotation,
) (*WebhookEndpointCreated, error) {
	return data[WebhookEndpointCreated](ctx, s.c, http.MethodPost, ofWebhook(id)+"/rotate-secret", req)
}

// WebhookDeliveryOptions select deliveries. Empty fields do not filter.
type WebhookDeliveryOptions struct {
	ListOptions
	Status string // waiting | pending | delivered | failed | canceled
	Type   string // of the event
	Object string // id of an order, a transaction, …
}

// ListDeliveries reads one page of what was sent to an endpoint and what is still to be sent, newest first.
func (s *WebhooksService) ListDeliveries(
	ctx context.Context, id string, o WebhookDeliveryOptions,
) (*Page[WebhookDelivery], error) {
	q := filtered(o.ListOptions.query(), map[string]string{"status": o.Status, "type": o.Type, "object": o.Object})
	return list[WebhookDelivery](ctx, s.c, ofWebhook(id)+"/deliveries", q, nil)
}

// GetDelivery reads what was sent of an event, and what the endpoint answered to each attempt.
func (s *WebhooksService) GetDelivery(ctx context.Context, id, eventID string) (*WebhookDeliveryDetail, error) {
	return data[WebhookDeliveryDetail](ctx, s.c, http.MethodGet, ofDelivery(id, eventID), nil)
}

// Resend sends an event again.
func (s *WebhooksService) Resend(ctx context.Context, id, eventID string) (*WebhookDelivery, error) {
	return data[WebhookDelivery](ctx, s.c, http.MethodPost, ofDelivery(id, eventID)+"/resend", nil)
}

// Replay sends a range of events again.
func (s *WebhooksService) Replay(ctx context.Context, id string, req WebhookReplay) (*WebhookEndpoint, error) {
	return data[WebhookEndpoint](ctx, s.c, http.MethodPost, ofWebhook(id)+"/replay", req)
}

// ErrWebhook says that a request is no webhook that was signed by one of the secrets within the last five minutes.
var ErrWebhook = errors.New("railkit: the request is not signed as a webhook")

// webhookTolerance is how far a webhook's time may be from the receiver's clock: longer, and whoever has seen one
// could send it again.
const webhookTolerance = 5 * time.Minute

// VerifyWebhook reads the event of a webhook, for the server that receives them. body has to be the bytes as they came.
// Several secrets are those of a rotation: one of them has to have signed. An event may come more than once: its ID
// says so, and its Sequence says which of two events about an object is the later one.
func VerifyWebhook(header http.Header, body []byte, secrets ...string) (*Event, error) {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || id == "" || time.Since(time.Unix(seconds, 0)).Abs() > webhookTolerance {
		return nil, ErrWebhook
	}
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) < 24 {
			return nil, errors.New("railkit: a webhook's secret is whsec_ and base64 of 24 bytes or more")
		}
		want := SignWebhook(key, id, timestamp, body)
		for given := range strings.SplitSeq(header.Get("webhook-signature"), " ") {
			if hmac.Equal([]byte(given), []byte(want)) {
				return webhookEvent(id, body)
			}
		}
	}
	return nil, ErrWebhook
}

func webhookEvent(id string, body []byte) (*Event, error) {
	var e Event
	if err := json.Unmarshal(body, &e); err != nil {
		return nil, fmt.Errorf("railkit: reading a webhook: %w", err)
	}
	if e.ID != id {
		return nil, ErrWebhook
	}
	return &e, nil
}

// SignWebhook signs a webhook as the server does, for tests of a receiver and for programs that pass events on.
func SignWebhook(key []byte, id, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
