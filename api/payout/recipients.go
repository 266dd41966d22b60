package payout

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

const (
	recipientsPath = "/v1/payout/recipients"
	recipientPath  = recipientsPath + "/{id}"
	recipientsTag  = "Recipients"
)

var recipientAliases = edge.Aliases{
	"account_owner_type": "ownerType", "owner_type": "ownerType", "is_self": "isSelf",
	"address.street_line_1": "address.street", "address.postal_code": "address.postalCode",
}

// ofRecipient names a recipient.
type ofRecipient struct {
	ID string `path:"id" maxLength:"64"`
}

// onRecipient is ofRecipient with a body.
type onRecipient[T any] struct {
	ID   string `path:"id" maxLength:"64"`
	Body T
}

func registerRecipients(s *edge.Server, kit *payout.Kit) {
	edge.Write[rest.Recipient](s, paying(edge.Op{
		ID: "createRecipient", Method: "POST", Path: recipientsPath, Tag: recipientsTag, Status: 201,
		Summary: "Create a recipient", Aliases: recipientAliases,
	}), func(ctx context.Context, cmd *command.Command, in *edge.Body[rest.RecipientRequest]) (command.Answer, error) {
		return kit.Recipients.Create(ctx, cmd, in.Body)
	})
	edge.List(s, paying(edge.Op{
		ID: "listRecipients", Path: recipientsPath, Tag: recipientsTag,
		Summary: "List recipients, newest first; archived ones only with a filter",
	}), listRecipients(kit))
	edge.Write[rest.Recipient](s, paying(edge.Op{
		ID: "updateRecipient", Method: "PATCH", Path: recipientPath, Tag: recipientsTag,
		Summary: "Change a recipient's name or e-mail address",
	}), func(ctx context.Context, cmd *command.Command, in *onRecipient[rest.RecipientChange]) (command.Answer, error) {
		return kit.Recipients.Update(ctx, cmd, in.ID, in.Body)
	})
	edge.Write[rest.Recipient](s, paying(edge.Op{
		ID: "setRecipientStatus", Method: "PATCH", Path: recipientPath + "/status", Tag: recipientsTag,
		Summary: "Archive a recipient or restore it", Aliases: edge.Aliases{"pending_reason": "pendingReason"},
		Description: "Nothing is paid to an archived recipient: what arrives for it waits until it is active again.",
	}), func(
		ctx context.Context, cmd *command.Command, in *onRecipient[rest.RecipientStatusRequest],
	) (command.Answer, error) {
		return kit.Recipients.SetStatus(ctx, cmd, in.ID, in.Body)
	})
}

type recipientsQuery struct {
	edge.Paging
	Status string `query:"status" enum:"active,archived,all" default:"active"`
	Search string `query:"search" maxLength:"100" doc:"Part of the name"`
}

func (q recipientsQuery) filter(at page.Page) recipient.Filter {
	f := recipient.Filter{Status: recipient.Status(q.Status), Search: q.Search, Page: at}
	if q.Status == "all" {
		f.Status = ""
	}
	return f
}

func listRecipients(
	kit *payout.Kit,
) func(context.Context, auth.Principal, *recipientsQuery) (edge.Page[rest.Recipient], error) {
	return func(ctx context.Context, p auth.Principal, in *recipientsQuery) (edge.Page[rest.Recipient], error) {
		return edge.PageFrom(in.Paging, func(at page.Page) ([]rest.Recipient, *page.Cursor, int, error) {
			return kit.Recipients.List(ctx, p, in.filter(at))
		})
	}
}
