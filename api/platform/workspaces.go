package platform

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/kyb"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/rest"
)

// The paths of workspaces. The spec calls them integrators.
const (
	integratorsPath = "/v1/integrators"
	integratorPath  = integratorsPath + "/{integratorId}"
	apiKeysPath     = integratorPath + "/api-keys"
	apiKeyPath      = apiKeysPath + "/{keyId}"
)

// OfIntegrator names a workspace. The guard of the edge has read it: what an
// operation works on is the principal's. It has a capital for huma, which leaves
// what is embedded without one out of the document.
type OfIntegrator struct {
	IntegratorID string `path:"integratorId" format:"uuid"`
}

// onIntegrator is OfIntegrator with a body.
type onIntegrator[T any] struct {
	OfIntegrator
	Body T
}

// ofKey names a key of a workspace.
type ofKey struct {
	OfIntegrator
	KeyID string `path:"keyId" maxLength:"64"`
}

func registerWorkspaces(s *edge.Server, kit *workspace.Service, checks *kyb.Service) {
	registerIntegrators(s, kit)
	registerSettings(s, kit, checks)
	registerKeys(s, kit)
}

func registerIntegrators(s *edge.Server, kit *workspace.Service) {
	const tag = "Integrators"
	edge.Write[workspace.CreatedIntegrator](s, edge.Op{
		ID: "createIntegrator", Path: integratorsPath, Tag: tag, Status: 201, Across: true, Access: auth.AccessOperate,
		Summary: "Create a workspace and its first API key, which is shown once",
		Aliases: edge.Aliases{"active_modules": "modules"},
	}, func(
		ctx context.Context, cmd *command.Command, in *edge.Body[workspace.IntegratorInput],
	) (command.Answer, error) {
		return kit.Create(ctx, cmd, in.Body, false)
	})
	edge.List(s, edge.Op{
		ID: "listIntegrators", Path: integratorsPath, Tag: tag, Across: true, Access: auth.AccessOperate,
		Summary: "List workspaces, newest first",
	}, listIntegrators(kit))
	edge.Get(s, edge.Op{
		ID: "getIntegrator", Path: integratorPath, Tag: tag, Access: auth.AccessManage, Summary: "Get a workspace",
	}, func(ctx context.Context, p auth.Principal, _ *OfIntegrator) (workspace.IntegratorView, error) {
		return kit.Get(ctx, p)
	})
}

type integratorsQuery struct {
	edge.Paging
	Email  string `query:"email" maxLength:"254" doc:"The whole e-mail address, in any case"`
	Search string `query:"search" maxLength:"100" doc:"Part of the name or the e-mail address"`
}

func listIntegrators(
	kit *workspace.Service,
) func(context.Context, auth.Principal, *integratorsQuery) (edge.Page[workspace.IntegratorView], error) {
	return func(
		ctx context.Context, p auth.Principal, in *integratorsQuery,
	) (edge.Page[workspace.IntegratorView], error) {
		return edge.PageFrom(in.Paging, func(at page.Page) ([]workspace.IntegratorView, *page.Cursor, int, error) {
			return kit.List(ctx, p, workspace.Filter{Email: in.Email, Search: in.Search, Page: at})
		})
	}
}

// registerSettings lists what is set to a value.
func registerSettings(s *edge.Server, kit *workspace.Service, checks *kyb.Service) {
	const tag = "Integrators"
	set[workspace.IntegratorChange](s, edge.Op{
		ID: "updateIntegrator", Path: integratorPath, Tag: tag, Access: auth.AccessManage,
		Summary: "Change a workspace's name or e-mail address",
	}, kit.Rename)
	set[rest.KybRequest](s, edge.Op{
		ID: "setIntegratorKyb", Path: integratorPath + "/kyb", Tag: tag, Access: auth.AccessOperate,
		Summary: "Decide about a workspace's business (KYB); operator keys only",
		Description: "Decides the form that its members submitted, where there is one, and mails its admins. The payout kit " +
			"opens when the status is `approved`. Name the submission that you have read, so that no other one is decided.",
	}, checks.Decide)
	set[workspace.AgentLimitsInput](s, edge.Op{
		ID: "setIntegratorAgentLimits", Path: integratorPath + "/agent-limits", Tag: tag, Access: auth.AccessOperate,
		Summary: "Set how many calls a minute each of a workspace's agents may make; operator keys only",
	}, kit.SetAgentLimits)
	set[workspace.ModulesInput](s, edge.Op{
		ID: "setIntegratorModules", Path: integratorPath + "/modules", Tag: tag, Access: auth.AccessManage,
		Summary:     "Replace a workspace's list of active modules",
		Description: "The list is the whole of what shall be on, from the next call on. `agents` brings `signing`, also where the list leaves it out.",
		Aliases:     edge.Aliases{"active_modules": "modules"},
	}, kit.SetModules)
}

func set[I any](s *edge.Server, op edge.Op, do func(context.Context, *command.Command, I) (command.Answer, error)) {
	op.Method = "PATCH"
	edge.Write[workspace.IntegratorView](s, op, func(
		ctx context.Context, cmd *command.Command, in *onIntegrator[I],
	) (command.Answer, error) {
		return do(ctx, cmd, in.Body)
	})
}

func registerKeys(s *edge.Server, kit *workspace.Service) {
	const tag = "API keys"
	edge.Write[workspace.CreatedAPIKey](s, edge.Op{
		ID: "createApiKey", Path: apiKeysPath, Tag: tag, Status: 201, Access: auth.AccessManage,
		Summary:     "Create an API key, which is shown once",
		Description: "A key never has a right that its maker lacks. `rateLimits` takes an ADMIN key.",
	}, func(
		ctx context.Context, cmd *command.Command, in *onIntegrator[workspace.APIKeyInput],
	) (command.Answer, error) {
		return kit.CreateKey(ctx, cmd, in.Body)
	})
	edge.List(s, edge.Op{
		ID: "listApiKeys", Path: apiKeysPath, Tag: tag, Access: auth.AccessManage,
		Summary: "List API keys, newest first, including revoked ones",
	}, listOf(kit.Keys))
	edge.Get(s, edge.Op{
		ID: "getApiKey", Path: apiKeyPath, Tag: tag, Access: auth.AccessManage,
		Summary: "Get an API key's settings, without the key itself",
	}, func(ctx context.Context, p auth.Principal, in *ofKey) (workspace.APIKeyView, error) {
		return kit.Key(ctx, p, in.KeyID)
	})
	edge.Write[workspace.RevokedAPIKey](s, edge.Op{
		ID: "revokeApiKey", Method: "DELETE", Path: apiKeyPath, Tag: tag, Access: auth.AccessManage,
		Summary:     "Revoke an API key, at once and for good",
		Description: "Also the key that makes the call. A key of scope `internal` or `admin` takes an operator's key. A key that is revoked already answers since when.",
	}, func(ctx context.Context, cmd *command.Command, in *ofKey) (command.Answer, error) {
		return kit.RevokeKey(ctx, cmd, in.KeyID)
	})
}

type integratorQuery struct {
	OfIntegrator
	edge.Paging
}

// listOf makes an operation of a list of a workspace's.
func listOf[T any](read func(context.Context, auth.Principal, page.Page) ([]T, *page.Cursor, int, error),
) func(context.Context, auth.Principal, *integratorQuery) (edge.Page[T], error) {
	return func(ctx context.Context, p auth.Principal, in *integratorQuery) (edge.Page[T], error) {
		return edge.PageFrom(in.Paging, func(at page.Page) ([]T, *page.Cursor, int, error) { return read(ctx, p, at) })
	}
}
