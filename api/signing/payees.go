package signing

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/api/edge/stamp"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/payee"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
)

const (
	payeesTag  = "Payees"
	payeesPath = "/v1/signing/payees"
)

func registerPayees(s *edge.Server, kit *signing.Kit) {
	edge.List(s, edge.Op{
		ID: "listPayees", Path: payeesPath, Tag: payeesTag, Summary: "List payees, newest first", Module: auth.Signing,
	}, listPayees(kit))
	edge.Get(s, edge.Op{
		ID: "getPayee", Path: payeesPath + "/{id}", Tag: payeesTag, Summary: "Get a payee, also a removed one",
		Module: auth.Signing,
	}, func(ctx context.Context, p auth.Principal, in *struct {
		ID    string `path:"id" maxLength:"64"`
		Proof string `query:"proof" enum:"stored,fresh" default:"stored" doc:"fresh: the enclave states anew whom the book has, and the payee is mended by that"`
	}) (payee.PayeeView, error) {
		return kit.Payees.Get(ctx, p, in.ID, in.Proof == "fresh")
	})
	edge.Write[payee.PayeeView](s, stamp.ThreeForms(edge.Op{
		ID: "addPayee", Path: payeesPath, Tag: payeesTag, Status: 201,
		Summary: "Add a payee: bind a name to an address on a network",
		Aliases: edge.Aliases{"stampedActivity": "signedActivity", "chain": "network"},
	}), func(ctx context.Context, cmd *command.Command, in *struct {
		stamp.Query
		Body payee.PayeeInput
	}) (command.Answer, error) {
		return kit.Payees.Add(ctx, cmd, in.Body, in.Prepare)
	})
	edge.Write[payee.PayeeView](s, stamp.ThreeForms(edge.Op{
		ID: "removePayee", Method: "DELETE", Path: payeesPath + "/{id}", Tag: payeesTag,
		Summary: "Remove a payee; what waits for votes to pay it is void then",
	}), func(ctx context.Context, cmd *command.Command, in *deletion) (command.Answer, error) {
		return kit.Payees.Remove(ctx, cmd, in.ID, in.stamp(), in.Prepare)
	})
}

type payeesQuery struct {
	edge.Paging
	SubOrganizationID string `query:"subOrganizationId" maxLength:"64"`
	Network           string `query:"network" maxLength:"32" doc:"Slug of the network, such as base"`
	Address           string `query:"address" maxLength:"64"`
	Search            string `query:"search" maxLength:"100" doc:"Part of the name"`
	Proof             string `query:"proof" enum:"stored,fresh" default:"stored" doc:"fresh: the enclave states anew whom the book of the sub-organization has, and the list is mended by that"`
}

func listPayees(
	kit *signing.Kit,
) func(context.Context, auth.Principal, *payeesQuery) (edge.Page[payee.PayeeView], error) {
	return func(ctx context.Context, p auth.Principal, in *payeesQuery) (edge.Page[payee.PayeeView], error) {
		at, err := edge.PageAt(in.Paging)
		if err != nil {
			return edge.Page[payee.PayeeView]{}, err
		}
		list, next, total, err := kit.Payees.List(ctx, p, payee.Filter{
			SubOrganizationID: in.SubOrganizationID, Chain: in.Network, Address: in.Address, Search: in.Search,
			Page: at,
		}, in.Proof == "fresh")
		found := edge.PageOf(in.Paging, list.Items, total, edge.Cursor(next))
		found.Proof = list.Proof
		return found, err
	}
}
