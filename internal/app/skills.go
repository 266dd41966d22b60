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
	"github.com/railkit/railkit/store"
)

// newSkills makes the agent kit's skills, and the client by which strangers' servers are asked.
func newSkills(c Config, s *store.Store, wallets *wallet.Service) (*skill.Service, error) {
	sealer, err := newVault(c)
	if err != nil {
		return nil, err
	}
	policy, err := fetch.NewPolicy(strings.Fields(c.FetchPorts), strings.Fields(c.FetchLocal))
	if err != nil {
		return nil, err
	}
	return skill.New(skill.Config{
		Store: s.Agents().Skills(), Wallets: skillWallets{wallets}, Vault: sealer,
		Client: fetch.New(fetch.Config{Policy: policy}), Networks: chain.Networks(chain.Environment(c.Environment)),
		Clock: c.Clock,
	}), nil
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
