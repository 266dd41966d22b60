package signing

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

// ofIntegrator names a workspace. The guard of the edge has read it.
type ofIntegrator struct {
	IntegratorID string `path:"integratorId" format:"uuid"`
}

func registerReturnOrigins(s *edge.Server, links *link.Links) {
	const tag, path = "Passkey page", "/v1/integrators/{integratorId}/return-origins"
	edge.Write[rest.ReturnOrigin](s, edge.Op{
		ID: "addReturnOrigin", Path: path, Tag: tag, Status: 201, Module: auth.Signing, Access: auth.AccessTeam,
		Callers: []auth.Kind{auth.BySession},
		Summary: "Register an origin that the passkey page may lead back to; admins only, who have just logged in",
		Description: "A `returnUrl` has to be on such an origin, or on that of the operator's dashboard. All admins of the workspace are mailed. " +
			"No API key can do it, and no session whose login is older than 5 minutes: `login_not_fresh`. An origin that is registered already is answered as it is.",
	}, func(ctx context.Context, cmd *command.Command, in *struct {
		IntegratorID string `path:"integratorId" format:"uuid"`
		Body         rest.ReturnOriginRequest
	}) (command.Answer, error) {
		return links.AddOrigin(ctx, cmd, in.Body)
	})
	edge.Get(s, edge.Op{
		ID: "listReturnOrigins", Path: path, Tag: tag, Module: auth.Signing, Access: auth.AccessManage,
		Summary:     "List the origins that the passkey page may lead back to, oldest first",
		Description: "There are at most 20, so that one answer has them all. The operator's dashboard counts as registered and is not listed.",
	}, func(ctx context.Context, p auth.Principal, _ *ofIntegrator) ([]rest.ReturnOrigin, error) {
		return links.Origins(ctx, p)
	})
	edge.Write[rest.RemovedReturnOrigin](s, edge.Op{
		ID: "removeReturnOrigin", Method: "DELETE", Path: path + "/{id}", Tag: tag, Module: auth.Signing,
		Access:      auth.AccessManage,
		Summary:     "Remove an origin: the passkey page leads back to it no more",
		Description: "This counts for links that are open, too: they end without the button. Removed already, it is answered the same.",
	}, func(ctx context.Context, cmd *command.Command, in *struct {
		IntegratorID string `path:"integratorId" format:"uuid"`
		ID           string `path:"id" maxLength:"64"`
	}) (command.Answer, error) {
		return links.RemoveOrigin(ctx, cmd, in.ID)
	})
}
