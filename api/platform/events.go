package platform

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/rest"
)

const eventsTag = "Events"

type eventsQuery struct {
	After  string   `query:"after" pattern:"^[0-9]{1,18}$" patternDescription:"a number" doc:"sequence of the last event that you have; without it, the list begins with the oldest event that is kept"`
	Types  []string `query:"types" maxItems:"50" doc:"As order.completed,transaction.*; without it, all that you may read"`
	Object string   `query:"object" maxLength:"128" doc:"Id of an order, a transaction, …: events about it alone"`
	Limit  int      `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"Events at most"`
}

type streamQuery struct {
	After  string   `query:"after" pattern:"^[0-9]{1,18}$" patternDescription:"a number" doc:"sequence of the last event that you have; without it, the stream begins with what happens next"`
	Types  []string `query:"types" maxItems:"50" doc:"As order.completed,transaction.*; without it, all that you may read"`
	Object string   `query:"object" maxLength:"128" doc:"Id of an order, a transaction, …: events about it alone"`
	Last   string   `header:"Last-Event-ID" pattern:"^[0-9]{0,18}$" patternDescription:"a number" doc:"The id of the last event of an earlier stream; it counts more than after"`
	Accept string   `header:"Accept" hidden:"true"`
}

func registerEvents(s *edge.Server, events *event.Service) {
	for _, d := range event.Catalogue {
		edge.Sent(s, string(d.Type), d.Says, rest.Event{}, d.Data)
	}
	edge.Get(s, edge.Op{
		ID: "listEvents", Path: "/v1/events", Tag: eventsTag, Summary: "List what happened, oldest first",
		Access: auth.AccessOwnAgentRead, Callers: edge.AlsoAgents,
		Description: "Each change writes its event in its own transaction, and events are numbered in the order of the " +
			"commits: whoever has read up to a number has missed nothing before it. The next call goes on after the " +
			"answer's after. You get events about objects that you may read, an agent those about itself. Events are kept " +
			"for 30 days.",
	}, func(ctx context.Context, p auth.Principal, in *eventsQuery) (rest.EventList, error) {
		views, next, err := events.List(ctx, p, event.Asked{
			After: number(in.After), Types: in.Types, Object: in.Object, Limit: in.Limit,
		})
		return rest.EventList{Events: views, After: next, HasMore: len(views) == in.Limit}, err
	})
	edge.Stream(s, edge.Op{
		ID: "streamEvents", Path: "/v1/events/stream", Tag: eventsTag, Summary: "Be told what happens",
		Access: auth.AccessOwnAgentRead,
		Description: "Events as server-sent events (text/event-stream), whose ids are their numbers. Send the " +
			"Authorization header as with any other call: browsers do so with fetch, not with EventSource. After a broken " +
			"connection, send the last id as Last-Event-ID: nothing is missing and nothing comes twice, also from another " +
			"server. A comment comes every 10 seconds. The stream ends with its key, session or access token, and when a right " +
			"to read that it began with is taken away.",
	}, []edge.Form{{Media: eventStream, Example: "id: 42\nevent: order.completed\ndata: {…}\n\n"}},
		func(ctx context.Context, p auth.Principal, in *streamQuery) (*edge.File, error) {
			if !strings.Contains(in.Accept, eventStream) {
				return nil, fault.Field("Accept", "must be "+eventStream)
			}
			asked := event.Asked{After: number(in.After), Types: in.Types, Object: in.Object}
			if in.Last != "" {
				asked.After = number(in.Last)
			}
			return &edge.File{Media: eventStream, Parts: followed(ctx, events, p, asked)}, nil
		})
}

const eventStream = "text/event-stream"

// number reads what the edge has found to be one, or nothing.
func number(text string) *int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

// followed are the parts of a stream.
func followed(
	ctx context.Context, events *event.Service, p auth.Principal, asked event.Asked,
) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		err := events.Follow(ctx, p, asked, event.Stream{Again: edge.Again, Send: func(e *rest.Event) error {
			part, err := framed(e)
			if err == nil && !yield(part, nil) {
				err = event.ErrStop
			}
			return err
		}})
		if err != nil {
			yield(nil, err)
		}
	}
}

// framed is an event in the form of a stream; nil is a comment, a sign of life.
func framed(e *rest.Event) ([]byte, error) {
	if e == nil {
		return []byte(":\n\n"), nil
	}
	body, err := json.Marshal(e)
	return fmt.Appendf(nil, "id: %d\nevent: %s\ndata: %s\n\n", e.Sequence, e.Type, body), err
}
