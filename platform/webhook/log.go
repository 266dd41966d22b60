package webhook

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// Deliveries lists what was sent to an endpoint and what is still to be sent, newest first.
func (s *Service) Deliveries(
	ctx context.Context, p auth.Principal, f Filter,
) ([]rest.WebhookDelivery, *page.Cursor, int, error) {
	f.WorkspaceID = p.WorkspaceID
	if _, err := s.c.Store.WebhookEndpoint(ctx, f.Ref); err != nil {
		return nil, nil, 0, err
	}
	rows, total, err := s.c.Store.WebhookDeliveries(ctx, f)
	if err != nil {
		return nil, nil, 0, err
	}
	views := make([]rest.WebhookDelivery, len(rows))
	for i, d := range rows {
		views[i] = d.View()
	}
	return views, page.Next(f.Page, rows, total, deliveryCursor), total, nil
}

// Delivery shows the delivery of an event: the body that is sent, and what the endpoint answered to each attempt.
func (s *Service) Delivery(
	ctx context.Context, p auth.Principal, endpointID, eventID string,
) (rest.WebhookDeliveryDetail, error) {
	r := Ref{p.WorkspaceID, endpointID}
	if _, err := s.c.Store.WebhookEndpoint(ctx, r); err != nil {
		return rest.WebhookDeliveryDetail{}, err
	}
	d, err := s.c.Store.WebhookDelivery(ctx, r, eventID)
	if err != nil {
		return rest.WebhookDeliveryDetail{}, err
	}
	v := rest.WebhookDeliveryDetail{WebhookDelivery: d.View(), Attempts: d.Attempts}
	if d.Event.ID != "" {
		v.Body, err = bodyOf(d.Event)
	}
	return v, err
}

// bodyOf is what is sent for an event: the same bytes at each attempt and to each endpoint.
func bodyOf(e event.Event) (json.RawMessage, error) { return json.Marshal(e.View()) }

// Resend sends an event again, at once, and with its schedule from the beginning. Where an earlier one about its object
// waits, it waits for that.
func (s *Service) Resend(
	ctx context.Context, cmd *command.Command, endpointID, eventID string,
) (command.Answer, error) {
	d, err := s.c.Store.WebhookDelivery(ctx, Ref{cmd.Principal.WorkspaceID, endpointID}, eventID)
	if err != nil {
		return command.Answer{}, err
	}
	return s.again(ctx, cmd, endpointID, func(ctx context.Context, tx Tx, e *Endpoint) (command.Reply, error) {
		now := s.c.Clock.Now()
		e.NextAt = now
		err := tx.Reopen(ctx, e.ref(), d.Seq, now)
		if err == nil {
			err = tx.Promote(ctx, e.ref(), d.ObjectID, now)
		}
		again := d
		again.State, again.Reason, again.EndedAt, again.DueAt = Pending, "", time.Time{}, now
		return command.Reply{Message: "Webhook resent", Data: again.View(), Audit: command.Audit{
			Action: "webhook.resend", Resource: e.ID, Detail: map[string]string{"event": d.ID},
		}}, err
	})
}

// Replay sends a range of events again: those that were not delivered, also such as were never sent because the
// endpoint was disabled or did not ask for them; where it is asked for, also those that were delivered.
func (s *Service) Replay(
	ctx context.Context, cmd *command.Command, endpointID string, in rest.WebhookReplay,
) (command.Answer, error) {
	ends, err := s.c.Store.EventEnds(ctx, cmd.Principal.WorkspaceID)
	if err != nil {
		return command.Answer{}, err
	}
	if in.After < ends.Removed {
		return command.Answer{}, event.ErrRemoved.Msg(strconv.FormatInt(ends.Last, 10))
	}
	return s.again(ctx, cmd, endpointID, func(_ context.Context, _ Tx, e *Endpoint) (command.Reply, error) {
		upTo := e.Cursor // what comes after that is sent anyway
		if in.UpTo != nil {
			upTo = min(upTo, *in.UpTo)
		}
		switch {
		case e.replays():
			return command.Reply{}, errReplaying
		case upTo <= in.After:
			return command.Reply{}, fault.Field("upTo", "must be the sequence of an event after the one in after")
		}
		e.ReplayAfter, e.ReplayTo, e.ReplayAll = in.After, upTo, in.IncludeDelivered
		return command.Reply{Message: "Webhook replay begun", Data: e.View(s.c.Clock.Now()), Audit: command.Audit{
			Action: "webhook.replay", Resource: e.ID, Detail: map[string]string{
				"after": strconv.FormatInt(in.After, 10), "upTo": strconv.FormatInt(upTo, 10),
			},
		}}, nil
	})
}

// again changes an active endpoint so that something is sent once more.
func (s *Service) again(
	ctx context.Context, cmd *command.Command, endpointID string,
	do func(context.Context, Tx, *Endpoint) (command.Reply, error),
) (command.Answer, error) {
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		e, err := tx.Hold(ctx, Ref{cmd.Principal.WorkspaceID, endpointID})
		if err == nil && e.Status != Active {
			err = errDisabled
		}
		if err != nil {
			return command.Reply{}, err
		}
		reply, err := do(ctx, tx, &e)
		if err == nil {
			e.PausedUntil = s.c.Clock.Now()
			err = tx.Update(ctx, e)
		}
		reply.Status = 200
		return reply, err
	})
}
