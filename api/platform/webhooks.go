package platform

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/webhook"
	"github.com/railkit/railkit/rest"
)

const (
	webhooksTag  = "Webhooks"
	webhooksPath = "/v1/webhooks/endpoints"
	webhookPath  = webhooksPath + "/{endpointId}"
	deliveryPath = webhookPath + "/deliveries/{eventId}"
)

// OfWebhook names an endpoint.
type OfWebhook struct {
	EndpointID string `path:"endpointId" maxLength:"64"`
}

// OfDelivery names the delivery of an event to an endpoint.
type OfDelivery struct {
	OfWebhook
	EventID string `path:"eventId" maxLength:"64"`
}

// onWebhook is a call about an endpoint with a body.
type onWebhook[T any] struct {
	OfWebhook
	Body T
}

// webhookOp completes an operation of the webhooks.
func webhookOp(op edge.Op) edge.Op {
	op.Tag, op.Access = webhooksTag, auth.AccessWebhooks
	return op
}

func registerWebhooks(s *edge.Server, kit *webhook.Service) {
	edge.Sent(s, webhook.TypePing, "A ping: an endpoint that answers it with 2xx is active", rest.Event{},
		rest.EventPing{})
	registerWebhookReads(s, kit)
	registerWebhookChanges(s, kit)
	registerWebhookDeliveries(s, kit)
}

func registerWebhookReads(s *edge.Server, kit *webhook.Service) {
	edge.List(s, webhookOp(edge.Op{
		ID: "listWebhookEndpoints", Path: webhooksPath, Summary: "List webhook endpoints, newest first",
	}), func(
		ctx context.Context, p auth.Principal, in *struct{ edge.Paging },
	) (edge.Page[rest.WebhookEndpoint], error) {
		return edge.PageFrom(in.Paging, func(at page.Page) ([]rest.WebhookEndpoint, *page.Cursor, int, error) {
			return kit.List(ctx, p, at)
		})
	})
	edge.Get(s, webhookOp(edge.Op{
		ID: "getWebhookEndpoint", Path: webhookPath, Summary: "Get a webhook endpoint, without its secret",
	}), func(ctx context.Context, p auth.Principal, in *OfWebhook) (rest.WebhookEndpoint, error) {
		return kit.Get(ctx, p, in.EndpointID)
	})
}

func registerWebhookChanges(s *edge.Server, kit *webhook.Service) {
	edge.Write[rest.WebhookEndpointCreated](s, webhookOp(edge.Op{
		ID: "createWebhookEndpoint", Path: webhooksPath, Status: 201,
		Summary: "Create a webhook endpoint, whose secret is shown once",
		Description: "The endpoint is disabled. Configure the secret at your server, then ping the endpoint: once it answers " +
			"2xx it is sent what happens from then on. It is told all that a manager of the workspace may read, whoever made " +
			"it, of the types that it names. The workspace's admins are mailed. A workspace has at most 20 endpoints.",
	}), func(ctx context.Context, cmd *command.Command, in *struct {
		Body rest.WebhookEndpointRequest
	}) (command.Answer, error) {
		return kit.Create(ctx, cmd, in.Body)
	})
	edge.Write[rest.WebhookEndpoint](s, webhookOp(edge.Op{
		ID: "updateWebhookEndpoint", Method: "PATCH", Path: webhookPath,
		Summary: "Change a webhook endpoint; what is not named stays",
		Description: "With another url the endpoint is disabled until a ping is answered there, and then goes on where it " +
			"stopped. The workspace's admins are mailed.",
	}), func(
		ctx context.Context, cmd *command.Command, in *onWebhook[rest.WebhookEndpointUpdate],
	) (command.Answer, error) {
		return kit.Update(ctx, cmd, in.EndpointID, in.Body)
	})
	edge.Write[rest.WebhookEndpoint](s, webhookOp(edge.Op{
		ID: "deleteWebhookEndpoint", Method: "DELETE", Path: webhookPath,
		Summary: "Delete a webhook endpoint; nothing more is sent to it",
	}), func(ctx context.Context, cmd *command.Command, in *OfWebhook) (command.Answer, error) {
		return kit.Delete(ctx, cmd, in.EndpointID)
	})
	edge.Write[rest.WebhookEndpoint](s, webhookOp(edge.Op{
		ID: "disableWebhookEndpoint", Path: webhookPath + "/disable", Summary: "Stop sending to a webhook endpoint",
		Description: "Its events wait, for as long as events are kept. A ping that is answered has it go on.",
	}), func(ctx context.Context, cmd *command.Command, in *OfWebhook) (command.Answer, error) {
		return kit.Disable(ctx, cmd, in.EndpointID)
	})
	edge.Write[rest.WebhookPing](s, webhookOp(edge.Op{
		ID: "pingWebhookEndpoint", Path: webhookPath + "/ping",
		Summary: "Send a ping to a webhook endpoint, and activate it if it answers 2xx",
		Description: "The answer says what the endpoint answered, also where that was nothing. The ping is signed as any event " +
			"is, and has the type webhook.ping.",
	}), func(ctx context.Context, cmd *command.Command, in *OfWebhook) (command.Answer, error) {
		return kit.Ping(ctx, cmd, in.EndpointID)
	})
	edge.Write[rest.WebhookEndpointCreated](s, webhookOp(edge.Op{
		ID: "rotateWebhookSecret", Path: webhookPath + "/rotate-secret",
		Summary: "Make a new secret of a webhook endpoint, which is shown once",
		Description: "The secret until now signs too for 24 hours, or for as long as oldSecretHours says; one that was made " +
			"before that signs no more. The workspace's admins are mailed.",
	}), func(ctx context.Context, cmd *command.Command, in *struct {
		OfWebhook
		Body *rest.WebhookRotation
	}) (command.Answer, error) {
		body := rest.WebhookRotation{}
		if in.Body != nil {
			body = *in.Body
		}
		return kit.Rotate(ctx, cmd, in.EndpointID, body)
	})
}

type deliveriesQuery struct {
	OfWebhook
	edge.Paging
	Status string `query:"status" enum:"waiting,pending,delivered,failed,canceled" doc:"Deliveries that have this status"`
	Type   string `query:"type" maxLength:"64" doc:"Deliveries of events of this type, such as order.completed"`
	Object string `query:"object" maxLength:"128" doc:"Deliveries of events about the object with this id"`
}

func registerWebhookDeliveries(s *edge.Server, kit *webhook.Service) {
	edge.List(s, webhookOp(edge.Op{
		ID: "listWebhookDeliveries", Path: webhookPath + "/deliveries",
		Summary:     "List what was sent to a webhook endpoint and what is still to be sent, newest first",
		Description: "A delivery is kept as long as its event, 30 days.",
	}), func(ctx context.Context, p auth.Principal, in *deliveriesQuery) (edge.Page[rest.WebhookDelivery], error) {
		return edge.PageFrom(in.Paging, func(at page.Page) ([]rest.WebhookDelivery, *page.Cursor, int, error) {
			return kit.Deliveries(ctx, p, webhook.Filter{
				Ref: webhook.Ref{ID: in.EndpointID}, State: webhook.State(in.Status), Type: in.Type, Object: in.Object,
				Page: at,
			})
		})
	})
	edge.Get(s, webhookOp(edge.Op{
		ID: "getWebhookDelivery", Path: deliveryPath,
		Summary: "Get the delivery of an event: what is sent, and what was answered to each attempt",
	}), func(ctx context.Context, p auth.Principal, in *OfDelivery) (rest.WebhookDeliveryDetail, error) {
		return kit.Delivery(ctx, p, in.EndpointID, in.EventID)
	})
	edge.Write[rest.WebhookDelivery](s, webhookOp(edge.Op{
		ID: "resendWebhook", Path: deliveryPath + "/resend", Summary: "Send an event to a webhook endpoint again",
		Description: "It is sent at once, under the same webhook-id, and tried again as a new one is. Where an earlier event " +
			"about its object is still tried, it waits for that.",
	}), func(ctx context.Context, cmd *command.Command, in *OfDelivery) (command.Answer, error) {
		return kit.Resend(ctx, cmd, in.EndpointID, in.EventID)
	})
	edge.Write[rest.WebhookEndpoint](s, webhookOp(edge.Op{
		ID: "replayWebhooks", Path: webhookPath + "/replay",
		Summary: "Send a range of events to a webhook endpoint again",
		Description: "Those of the endpoint's types that it has not answered with 2xx: they failed, or were never sent. With " +
			"includeDelivered also those that it has. New events go first.",
	}), func(ctx context.Context, cmd *command.Command, in *onWebhook[rest.WebhookReplay]) (command.Answer, error) {
		return kit.Replay(ctx, cmd, in.EndpointID, in.Body)
	})
}
