package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/internal/keyfile"
	"github.com/railkit/railkit/kit/agent/execution"
	"github.com/railkit/railkit/kit/agent/skill"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/fetch"
	"github.com/railkit/railkit/x402/shop"
)

// newStrangers makes the client by which servers of strangers are asked, and the vault for what they are asked with.
func (a *App) newStrangers() (err error) {
	if a.vault, err = newVault(a.config); err != nil {
		return err
	}
	policy, err := fetch.NewPolicy(strings.Fields(a.config.FetchPorts), strings.Fields(a.config.FetchLocal))
	if a.config.Environment == "sandbox" {
		policy = policy.InSandbox()
	}
	a.strangers = fetch.New(fetch.Config{Policy: policy})
	return err
}

// newSkills makes the agent kit's skills.
func (a *App) newSkills() *skill.Service {
	return skill.New(skill.Config{
		Store: a.Store.Agents().Skills(), Wallets: skillWallets{a.Signing.Wallets}, Vault: a.vault, Client: a.strangers,
		Networks: chain.Networks(chain.Environment(a.config.Environment)), Origin: a.config.APIOrigin,
		Clock: a.config.Clock,
	})
}

// How long the facilitator is waited for within a call. It waits for a block itself, and tells what has none by then as
// pending: docs/x402.md.
const (
	verifyPatience = 8 * time.Second
	settlePatience = 45 * time.Second
)

// newExecutions makes the agent kit's calls of skills. Without a facilitator only free ones are called.
func (a *App) newExecutions() (*execution.Service, error) {
	c := execution.Config{
		Store: a.Store.Agents().Executions(), Skills: a.Skills, Tools: a.tools, Agents: a.agents, Switches: a.Budgets,
		Vault: a.vault, Networks: chain.Networks(chain.Environment(a.config.Environment)),
		Origin: a.config.APIOrigin, Clock: a.config.Clock, Log: a.config.Log,
	}
	if a.config.FacilitatorURL == "" {
		return execution.New(c), nil
	}
	f, err := shop.NewClient(a.config.FacilitatorURL, shop.Timeouts{Verify: verifyPatience, Settle: settlePatience})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", config.Called("facilitator-url"), err)
	}
	if file := a.config.FacilitatorTokenFile; file != "" {
		token, err := keyfile.Text(file, "the facilitator's token")
		if err != nil {
			return nil, err
		}
		f = f.WithToken(token)
	}
	c.Facilitator = f
	return execution.New(c), nil
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
