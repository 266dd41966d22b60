package app

import (
	"context"
	"errors"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/agent/skill"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/fetch"
)

// newStrangers makes the client by which servers of strangers are asked, and the vault for what they are asked with.
func (a *App) newStrangers() (err error) {
	if a.vault, err = newVault(a.config); err != nil {
		return err
	}
	policy, err := fetch.NewPolicy(strings.Fields(a.config.FetchPorts), strings.Fields(a.config.FetchLocal))
	a.strangers = fetch.New(fetch.Config{Policy: policy})
	return err
}

// newSkills makes the agent kit's skills.
func (a *App) newSkills() *skill.Service {
	return skill.New(skill.Config{
		Store: a.Store.Agents().Skills(), Wallets: skillWallets{a.Signing.Wallets}, Vault: a.vault, Client: a.strangers,
		Networks: chain.Networks(chain.Environment(a.config.Environment)), Clock: a.config.Clock,
	})
}

// skillWallets are the signing kit's, in the words of skills.
type skillWallets struct{ *wallet.Service }

func (w skillWallets) Holds(ctx context.Context, workspaceID, address string) (string, bool, error) {
	from, err := w.Sender(ctx, workspaceID, address)
	if errors.Is(err, fault.ErrNotFound) {
		return "", false, nil
	}
	return from.From, err == nil && !from.External, err
}
