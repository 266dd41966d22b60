package widget

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/kit/widget/reward"
	"github.com/railkit/railkit/kit/widget/token"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

const rewardsPath = "/v1/action/rewards"

// RewardsQuery also names a page of executions.
type RewardsQuery struct {
	reward.MetricsQuery
	Page  int `query:"page" minimum:"1" maximum:"1000000" default:"1" doc:"Of events, counted from 1"`
	Limit int `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"Events per page"`
}

func registerRewards(s *edge.Server, kit *reward.Service, environment chain.Environment) {
	edge.Write[rest.IndexedExecutions](s, edge.Op{
		ID: "reportExecutions", Path: "/v1/action/indexing/events", Tag: widgetsTag, Module: auth.Widget,
		Natural: true, Many: "events",
		Summary: "Report transactions as executions of mini apps, with who referred their users",
		Description: "The body is one report, an array of at most 100, or an object with that array as `events`. All are taken in or " +
			"none. A transaction counts once for a mini app, whoever reports it, after the network's node has shown that it is " +
			"deep enough, succeeded, came from the user, and is what one of the mini app's actions makes. The first report stays; " +
			"a refused one may be reported anew, for another user at once, for the same after an hour. Send the same again to learn what became of it.",
	}, func(
		ctx context.Context, cmd *command.Command, in *struct{ Body reward.ExecutionReports },
	) (command.Answer, error) {
		return kit.Report(ctx, cmd, in.Body)
	})
	edge.Get(s, edge.Op{
		ID: "getRewardMetrics", Path: rewardsPath + "/metrics", Tag: widgetsTag, Module: auth.Widget,
		Summary: "Get what a referrer has brought: executions that count, and what moved by them",
		Description: "Whoever reported them: executions are public on their networks. No number is without a transaction behind it, and " +
			"nothing is valued in another currency.",
	}, func(ctx context.Context, _ auth.Principal, in *RewardsQuery) (rest.RewardMetrics, error) {
		return kit.Metrics(ctx, in.MetricsQuery, page.Page{Limit: in.Limit, Offset: (in.Page - 1) * in.Limit})
	})
	edge.Get(s, edge.Op{
		ID: "listMiniAppMetrics", Path: rewardsPath + "/mini-apps-with-onchain-metrics", Tag: widgetsTag,
		Module: auth.Widget, Summary: "List mini apps with what is known of them from the chain",
		Description: "Those with an execution that counts, of all referrers or of one. What no transaction tells is empty.",
	}, func(ctx context.Context, _ auth.Principal, in *reward.MetricsQuery) (reward.MiniAppMetrics, error) {
		return kit.MiniApps(ctx, *in)
	})
	edge.Get(s, edge.Op{
		ID: "listRewardTokens", Path: rewardsPath + "/get-token-list", Tag: widgetsTag, Module: auth.Widget,
		Summary: "List the tokens of a protocol on a network: the same list as `GET /v1/action/tokens/{chain}/{protocol}`",
	}, func(_ context.Context, _ auth.Principal, in *struct {
		ChainID  string `query:"chainId" required:"true" maxLength:"32" doc:"Chain id, slug or name, or all" example:"43113"`
		Protocol string `query:"protocol" maxLength:"32" default:"usdc"`
	}) ([]rest.Token, error) {
		return token.List(chain.Networks(environment), in.ChainID, in.Protocol)
	})
}
