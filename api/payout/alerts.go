package payout

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/alert"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/ratelimit"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/rest"
)

// alerts are the operations of whoever holds the link of a mail about a changed
// bank account.
type alerts struct {
	kit        *payout.Kit
	workspaces *workspace.Service
	links      edge.Limiter // of calls with one link
}

func registerAlerts(s *edge.Server, at alerts) {
	const tag = "Alerts"
	edge.PublicCall(s, edge.Op{
		ID: "openAlert", Path: "/v1/payout/alerts/open", Tag: tag,
		Summary:     "What a mail about changed bank accounts is about",
		Description: "For the page that the mail's link leads to. Asking changes nothing.",
	}, at.open)
	edge.PublicWrite[rest.AccountFrozen](s, edge.Op{
		ID: "freezeBankAccount", Path: "/v1/payout/alerts/freeze", Tag: tag,
		Summary: "Freeze a bank account that a mail is about",
		Description: "For the page that the mail's link leads to. Nothing is paid to the account until a member unfreezes it; changes of where its refunds go are dropped. " +
			"A link freezes each account once.",
	}, at.freeze)
}

// find finds the mail that a token is of. Only known ones are counted.
func (at alerts) find(ctx context.Context, token string) (alert.Mail, error) {
	m, err := at.kit.Alerts.Find(ctx, token)
	if err != nil {
		return m, err
	}
	// Counted as a standard call: while Redis is away those pass, and a freeze must not wait for it.
	return m, countLink(ctx, at.links, ratelimit.Standard, "alert:"+m.TokenHash)
}

func (at alerts) open(ctx context.Context, in *edge.Body[inviteLink]) (rest.AlertOpened, error) {
	m, err := at.find(ctx, in.Body.Token)
	if err != nil {
		return rest.AlertOpened{}, err
	}
	w, err := at.workspaces.Workspace(ctx, m.WorkspaceID)
	if err != nil {
		return rest.AlertOpened{}, err
	}
	return at.kit.Alerts.Open(ctx, m, w.Name)
}

// freezeInput is the bank account that the holder of a mail's link freezes.
type freezeInput struct {
	Token     string `json:"token" minLength:"1" maxLength:"100"`
	AccountID string `json:"accountId" minLength:"1" maxLength:"64"`
}

func (at alerts) freeze(ctx context.Context, cmd *command.Command, in *edge.Body[freezeInput]) (command.Answer, error) {
	m, err := at.find(ctx, in.Body.Token)
	if err != nil {
		return command.Answer{}, err
	}
	return at.kit.Accounts.Freeze(ctx, cmd, m, in.Body.AccountID)
}
