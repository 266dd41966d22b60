package payout

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/invite"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/ratelimit"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/rest"
)

// invites are the operations of recipients' links, of which two are their holders'.
type invites struct {
	kit        *payout.Kit
	workspaces *workspace.Service
	links      edge.Limiter // of calls with one link
}

// perInvite is how many calls a minute one link is good for.
const perInvite = 30

func registerInvites(s *edge.Server, at invites) {
	const tag = "Invites"
	edge.Write[rest.RecipientInvite](s, paying(edge.Op{
		ID: "createRecipientInvite", Path: recipientPath + "/invite", Method: "POST", Tag: tag, Status: 201,
		Summary:     "Create the link by which a recipient enters its bank account itself",
		Description: "It works for one account, for 7 days. An earlier link of the recipient stops working. With an `email` it is mailed there.",
	}), func(
		ctx context.Context, cmd *command.Command, in *onRecipient[*rest.RecipientInviteRequest],
	) (command.Answer, error) {
		if in.Body == nil {
			in.Body = &rest.RecipientInviteRequest{}
		}
		return at.kit.Invites.Create(ctx, cmd, in.ID, *in.Body)
	})
	edge.Get(s, paying(edge.Op{
		ID: "getRecipientInvite", Path: recipientPath + "/invite", Tag: tag, Access: auth.AccessPayoutWrite,
		Summary:     "Get a recipient's invite link while it can be used",
		Description: "Asks for the right to change payouts: whoever has the link can say where the recipient's money goes.",
	}), func(ctx context.Context, p auth.Principal, in *ofRecipient) (rest.RecipientInvite, error) {
		return at.kit.Invites.Get(ctx, p, in.ID)
	})
	edge.PublicCall(s, edge.Op{
		ID: "openInvite", Path: "/v1/payout/invites/open", Tag: tag,
		Summary:     "Read what a recipient's invite link is for",
		Description: "For the page that the link leads to. Asking uses nothing up.",
	}, at.open)
	edge.PublicWrite[rest.InviteAccount](s, edge.Op{
		ID: "submitInvite", Path: "/v1/payout/invites/submit", Tag: tag, Status: 201,
		Summary:     "Enter the bank account that a recipient's link asks for",
		Description: "For the page that the link leads to. The same account again answers with what became of it; another one is refused once the first was taken.",
	}, at.submit)
}

// inviteLink authenticates by possession: whoever presents the token of the mailed link is the recipient.
type inviteLink struct {
	Token string `json:"token" minLength:"1" maxLength:"100"`
}

// countLink refuses a mailed link that is used too often. The class says what holds while nobody can count.
func countLink(ctx context.Context, links edge.Limiter, class ratelimit.Class, link string) error {
	limit := ratelimit.LimitOf(auth.Limits{Standard: perInvite, Financial: perInvite}, class)
	v, err := links.Take(ctx, link, class, limit)
	if err != nil {
		return err
	}
	return v.Err()
}

// find finds what a token is for, where its workspace may still pay. Only known
// ones are counted, so that nobody can crowd them out.
func (at invites) find(ctx context.Context, token string) (invite.Invite, workspace.Workspace, error) {
	i, err := at.kit.Invites.Find(ctx, token)
	if err != nil {
		return i, workspace.Workspace{}, err
	}
	if err := countLink(ctx, at.links, ratelimit.Financial, "invite:"+i.TokenHash); err != nil {
		return i, workspace.Workspace{}, err
	}
	w, err := at.workspaces.Workspace(ctx, i.WorkspaceID)
	switch {
	case err != nil:
	case !w.Tenant().HasModule(auth.Payout):
		err = auth.ErrModule.Msg(auth.Payout)
	case !w.Tenant().Verified:
		err = auth.ErrVerification
	}
	return i, w, err
}

func (at invites) open(ctx context.Context, in *edge.Body[inviteLink]) (rest.InviteOpened, error) {
	i, w, err := at.find(ctx, in.Body.Token)
	if err != nil {
		return rest.InviteOpened{}, err
	}
	return at.kit.Invites.Open(ctx, i, w.Name)
}

// invitedAccount is the bank account that the holder of an invite's link enters.
type invitedAccount struct {
	Token   string                  `json:"token" minLength:"1" maxLength:"100"`
	Account rest.BankAccountRequest `json:"account"`
}

func (at invites) submit(
	ctx context.Context, cmd *command.Command, in *edge.Body[invitedAccount],
) (command.Answer, error) {
	i, _, err := at.find(ctx, in.Body.Token)
	if err != nil {
		return command.Answer{}, err
	}
	return at.kit.Invites.Submit(ctx, cmd, i, in.Body.Account)
}
