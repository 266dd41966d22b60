package railkit

import (
	"bufio"
	"context"
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
