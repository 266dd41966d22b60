package webhook

import (
	"context"
	"encoding/json"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// TypePing is the type of what Ping sends. It is no event of the workspace: its number is 0.
const TypePing = "webhook.ping"

// Ping sends a ping, and shows what came of it. An endpoint that answers 2xx is active from then on: a new one is told
// what happens next, another one goes on where it stopped.
func (s *Service) Ping(ctx context.Context, cmd *command.Command, id string) (command.Answer, error) {
	if a, found, err := record.Answered(ctx, s.c.Store, cmd); err != nil || found {
		return a, err
	}
	pinged, err := s.c.Store.WebhookEndpoint(ctx, Ref{cmd.Principal.WorkspaceID, id})
	if err != nil {
		return command.Answer{}, err
	}
	got, err := s.ping(ctx, pinged)
	if err != nil {
		return command.Answer{}, err
	}
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		e, err := tx.Hold(ctx, pinged.ref())
		if err != nil {
			return command.Reply{}, err
		}
		if got.outcome == good && e.Status == Disabled && e.URL == pinged.URL {
			err = s.activate(ctx, tx, &e)
		}
		return command.Reply{
			Status: 200, Message: "Webhook endpoint pinged",
			Data: rest.WebhookPing{Attempt: got.attempt, Endpoint: e.View(s.c.Clock.Now())},
			Audit: command.Audit{Action: "webhook.ping", Resource: e.ID, Detail: map[string]string{
				"status": string(e.Status), "reason": got.attempt.Reason,
			}},
		}, err
	})
}

func (s *Service) activate(ctx context.Context, tx Tx, e *Endpoint) error {
	now := s.c.Clock.Now()
	if e.Cursor == neverActive {
		last, err := tx.LastEvent(ctx, e.WorkspaceID)
		if err != nil {
			return err
		}
		e.Cursor = last
	}
	e.Status, e.Reason, e.UpdatedAt = Active, "", now
	e.forget()
	e.NextAt, e.Lease, e.LeasedUntil = now, "", time.Time{}
	if err := tx.Refresh(ctx, e.ref(), now); err != nil {
		return err
	}
	return tx.Update(ctx, *e)
}

func (s *Service) ping(ctx context.Context, e Endpoint) (result, error) {
	now := s.c.Clock.Now()
	keys, err := e.signers(s.c.Vault, now)
	if err != nil {
		return result{}, err
	}
	id := record.NewID()
	body, err := json.Marshal(rest.Event{
		ID: id, Type: TypePing, APIVersion: event.Version, Timestamp: clock.ISO(now),
		Object: rest.EventObject{Type: "webhook", ID: e.ID}, Data: json.RawMessage("{}"),
	})
	if err != nil {
		return result{}, err
	}
	sender := s.c.Sender()
	defer sender.Close()
	return s.send(ctx, sender, e.URL, keys, message{id, body}), nil
}
