package agent

import (
	"context"
	"errors"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/agent/life"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
)

// directory is the list of agents, in the words of analytics.
type directory struct{ agents *life.Service }

func (d directory) AgentsOf(
	ctx context.Context, p auth.Principal, at page.Page,
) ([]wire.AgentReply, *page.Cursor, int, error) {
	views, next, total, err := d.agents.List(ctx, p, life.Filter{Page: at})
	all := make([]wire.AgentReply, len(views))
	for i, v := range views {
		all[i] = wire.AgentReply{
			WorkspaceID: p.WorkspaceID, AgentID: v.ID, Name: v.Name, Status: v.Status, WalletID: v.WalletID,
		}
	}
	return all, next, total, err
}

// wallets are the signing kit's, in the words of skills.
type wallets struct{ *wallet.Service }

func (w wallets) Holds(ctx context.Context, workspaceID, address string) (string, bool, error) {
	from, err := w.Sender(ctx, workspaceID, address)
	if errors.Is(err, fault.ErrNotFound) {
		return "", false, nil
	}
	return from.From, err == nil && !from.External, err
}
