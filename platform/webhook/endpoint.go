package webhook

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/fetch"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/vault"
	"github.com/railkit/railkit/rest"
)

// mostEndpoints is how many endpoints a workspace may have.
const mostEndpoints = 20

// Tenants tells what a workspace may do now.
type Tenants interface {
	Tenant(ctx context.Context, workspaceID string) (auth.Tenant, error)
}

// Config wires a Service.
type Config struct {
	Store   Store
	Tenants Tenants
	Vault   *vault.Vault // seals the secrets
	Policy  fetch.Policy // which addresses may be endpoints
	Sender  func() Sender
	Post    *mail.Post // nil: mail waits until there is one
	Clock   clock.Clock
	Log     *slog.Logger
	Done    func(State)   // is told what came of each delivery: pending where it is tried again; nil: nobody is
	Every   time.Duration // how often the database is asked for endpoints with something to do; 0: four times a second
}

// Service is the webhooks of every workspace.
type Service struct{ c Config }

// New makes it.
func New(c Config) *Service {
	c.Every = cmp.Or(c.Every, lookEvery)
	return &Service{c}
}

// Create makes an endpoint and shows its secret once.
func (s *Service) Create(
	ctx context.Context, cmd *command.Command, in rest.WebhookEndpointRequest,
) (command.Answer, error) {
	now, secret := s.c.Clock.Now(), newSecret()
	e := Endpoint{
		WorkspaceID: cmd.Principal.WorkspaceID, ID: record.NewID(), Description: in.Description, Status: Disabled,
		Reason: ReasonNew, SecretVersion: 1, CreatedAt: now, UpdatedAt: now, Work: Work{Cursor: neverActive},
	}
	if err := e.set(s.c.Policy, rest.WebhookEndpointUpdate{URL: &in.URL, Types: in.Types}); err != nil {
		return command.Answer{}, err
	}
	e.Sealed = s.c.Vault.Seal(e.place(e.SecretVersion), []byte(secret))
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		have, err := tx.HoldOwner(ctx, e.WorkspaceID)
		if err == nil && have >= mostEndpoints {
			err = errTooMany
		}
		if err == nil {
			err = tx.Insert(ctx, e)
		}
		if err == nil {
			err = announce(ctx, tx, e, noticeBy(cmd, e, changeCreated, now))
		}
		made := rest.WebhookEndpointCreated{WebhookEndpoint: e.View(now), Secret: secret}
		return command.Reply{
			Status: 201, Message: "Webhook endpoint created", Data: made,
			Audit: command.Audit{Action: "webhook.create", Resource: e.ID, After: e.settings()},
		}, err
	})
}

// set changes what a caller may choose of an endpoint.
func (e *Endpoint) set(policy fetch.Policy, in rest.WebhookEndpointUpdate) error {
	if in.URL != nil {
		if _, err := policy.Check(*in.URL); err != nil {
			return fault.Field("url", err.Error())
		}
		e.URL = *in.URL
	}
	if in.Description != nil {
		e.Description = *in.Description
	}
	if in.Types != nil {
		if _, err := event.Readable(auth.Principal{}, in.Types); err != nil {
			return err
		}
		e.Types = in.Types
	}
	return nil
}

// settings are what the record says of an endpoint.
func (e Endpoint) settings() map[string]any {
	return map[string]any{
		"url": e.URL, "description": e.Description, "types": strings.Join(e.Types, ","), "status": string(e.Status),
	}
}

// List lists a workspace's endpoints, newest first.
func (s *Service) List(
	ctx context.Context, p auth.Principal, at page.Page,
) ([]rest.WebhookEndpoint, *page.Cursor, int, error) {
	rows, total, err := s.c.Store.WebhookEndpoints(ctx, p.WorkspaceID, at)
	if err != nil {
		return nil, nil, 0, err
	}
	views, now := make([]rest.WebhookEndpoint, len(rows)), s.c.Clock.Now()
	for i, e := range rows {
		views[i] = e.View(now)
	}
	return views, page.Next(at, rows, total, cursorOf), total, nil
}

// Get shows an endpoint.
func (s *Service) Get(ctx context.Context, p auth.Principal, id string) (rest.WebhookEndpoint, error) {
	e, err := s.c.Store.WebhookEndpoint(ctx, Ref{p.WorkspaceID, id})
	if err != nil {
		return rest.WebhookEndpoint{}, err
	}
	return e.View(s.c.Clock.Now()), nil
}

// change does something to an endpoint that is held, and answers with what it is then.
func (s *Service) change(
	ctx context.Context, cmd *command.Command, id, message, action string,
	do func(ctx context.Context, tx Tx, e *Endpoint, now time.Time) error,
) (command.Answer, error) {
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		e, err := tx.Hold(ctx, Ref{cmd.Principal.WorkspaceID, id})
		if err != nil {
			return command.Reply{}, err
		}
		before, now := e.settings(), s.c.Clock.Now()
		e.UpdatedAt = now
		if err = do(ctx, tx, &e, now); err == nil {
			err = tx.Update(ctx, e)
		}
		return command.Reply{Status: 200, Message: message, Data: e.View(now), Audit: command.Audit{
			Action: action, Resource: e.ID, Before: before, After: e.settings(),
		}}, err
	})
}

// Update changes what is named. At another URL the endpoint is disabled until a ping is answered there.
func (s *Service) Update(
	ctx context.Context, cmd *command.Command, id string, in rest.WebhookEndpointUpdate,
) (command.Answer, error) {
	if in.URL == nil && in.Description == nil && in.Types == nil {
		return command.Answer{}, fault.Field("body", "must name what to change")
	}
	return s.change(ctx, cmd, id, "Webhook endpoint changed", "webhook.update",
		func(ctx context.Context, tx Tx, e *Endpoint, now time.Time) error {
			url := e.URL
			if err := e.set(s.c.Policy, in); err != nil || e.URL == url {
				return err
			}
			e.Status, e.Reason = Disabled, ReasonNew
			e.forget()
			return announce(ctx, tx, *e, noticeBy(cmd, *e, changeMoved, now))
		})
}

// Disable stops what is sent to an endpoint. It goes on where it stopped when a ping is answered.
func (s *Service) Disable(ctx context.Context, cmd *command.Command, id string) (command.Answer, error) {
	return s.change(ctx, cmd, id, "Webhook endpoint disabled", "webhook.disable",
		func(_ context.Context, _ Tx, e *Endpoint, _ time.Time) error {
			if e.Status == Active {
				e.Status, e.Reason = Disabled, ReasonOwner
			}
			return nil
		})
}

// Delete ends an endpoint for good. Its secrets are wiped, and its deliveries are kept as long as their events.
func (s *Service) Delete(ctx context.Context, cmd *command.Command, id string) (command.Answer, error) {
	return s.change(ctx, cmd, id, "Webhook endpoint deleted", "webhook.delete",
		func(ctx context.Context, tx Tx, e *Endpoint, now time.Time) error {
			e.Status, e.Reason, e.Sealed, e.OldSealed, e.OldUntil = Deleted, "", "", "", time.Time{}
			return tx.Cancel(ctx, e.ref(), reasonDeleted, now)
		})
}

func (e Endpoint) ref() Ref { return Ref{e.WorkspaceID, e.ID} }

const stockOldSecret = 24 // hours

// Rotate makes a new secret and shows it once. The one before signs too for some time; the one before that no more.
func (s *Service) Rotate(
	ctx context.Context, cmd *command.Command, id string, in rest.WebhookRotation,
) (command.Answer, error) {
	hours := stockOldSecret
	if in.OldSecretHours != nil {
		hours = *in.OldSecretHours
	}
	secret := newSecret()
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		e, err := tx.Hold(ctx, Ref{cmd.Principal.WorkspaceID, id})
		if err != nil {
			return command.Reply{}, err
		}
		now := s.c.Clock.Now()
		e.UpdatedAt, e.OldSealed, e.OldUntil = now, e.Sealed, now.Add(time.Duration(hours)*time.Hour)
		e.SecretVersion++
		e.Sealed = s.c.Vault.Seal(e.place(e.SecretVersion), []byte(secret))
		if err = tx.Update(ctx, e); err == nil {
			err = announce(ctx, tx, e, noticeBy(cmd, e, changeRotated, now))
		}
		return command.Reply{
			Status: 200, Message: "Webhook secret rotated",
			Data: rest.WebhookEndpointCreated{WebhookEndpoint: e.View(now), Secret: secret},
			Audit: command.Audit{Action: "webhook.rotate_secret", Resource: e.ID, Detail: map[string]string{
				"oldSecretHours": fmt.Sprint(hours),
			}},
		}, err
	})
}

// readable are the types that an endpoint is told of now: those that it asked for, of the objects that a manager of the
// workspace may read. Endpoints are the workspace's: who made one does not matter.
func (s *Service) readable(ctx context.Context, e Endpoint) ([]event.Type, error) {
	t, err := s.c.Tenants.Tenant(ctx, e.WorkspaceID)
	if err != nil {
		return nil, err
	}
	known := slices.DeleteFunc(slices.Clone(e.Types), func(name string) bool { // of a newer server
		_, err := event.Readable(auth.Principal{}, []string{name})
		return err != nil
	})
	if len(e.Types) > 0 && len(known) == 0 {
		return nil, nil
	}
	return event.Readable(auth.Principal{Tenant: t, Scopes: auth.RoleManager.Scopes()}, known)
}
