package decide

import (
	"fmt"
	"slices"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/policy"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// agentNetworks are those that the wallet of a new agent has to be for.
func (c *Constants) agentNetworks(slugs []string) (all []chain.Network, err error) {
	for _, slug := range slugs {
		n, known := chain.WithSlug(c.Networks, slug)
		if !known {
			return nil, refusal.ErrBody.Msg("networks has one that is none of this environment")
		}
		if why := n.WhyNoAgents(); why != "" {
			return nil, refusal.ErrBody.Msg("networks has one that " + why)
		}
		all = append(all, n)
	}
	return all, nil
}

// accountsFor are the accounts that a wallet for networks begins with: one for each family of theirs. Where there are
// no networks it is for EVM, as every agent's wallet was before there were others.
func accountsFor(networks []chain.Network) (all []wire.AccountParams) {
	if len(networks) == 0 {
		networks = []chain.Network{{Kind: chain.EVM}}
	}
	for _, f := range families.All() {
		if len(chain.OfKind(f.Kind(), networks)) == 0 {
			continue
		}
		form := f.Form()
		all = append(all, wire.AccountParams{
			Curve: form.Curve, PathFormat: form.PathFormat, Path: form.PathOf(0), AddressFormat: form.AddressFormat,
		})
	}
	return all
}

// makeAgentWallet makes a wallet on an agent's own word, as many as its limits allow. The wallet is the
// sub-organization's: the agent gets no right to pay from it.
func makeAgentWallet(c call, p *wire.AgentWalletParams) (Event, error) {
	a, err := c.org.activated(p.AgentID)
	if err != nil {
		return Event{}, err
	}
	asked := usedOnce(c.sub.Body.ActivityID, p.Claim(""))
	if err := c.as(actor{}).mayAsk(a, asked); err != nil {
		return Event{}, err
	}
	e, err := c.planAgentWallet(a, p)
	e.Asked = asked
	return e, err
}

// planAgentWallet is the wallet that an agent asks for.
func (c call) planAgentWallet(a *agent, p *wire.AgentWalletParams) (Event, error) {
	if p.Method != "POST" || p.Path != "/v1/agents/wallets" || p.HTTP != nil && p.HTTP.Query != "?" {
		return Event{}, refusal.ErrBody.Msg("the request is not POST /v1/agents/wallets, without a query")
	}
	var q wire.WalletRequest
	if p.Request != "" {
		if err := strict([]byte(p.Request), &q); err != nil {
			return Event{}, refusal.ErrBody.Msg("request is not strict JSON of the known members").Because(err)
		}
	}
	if a.Limits == nil || c.org.madeBy(a.ID) >= policy.Wallets(*a.Limits) {
		return Event{}, refusal.ErrAgentWallets
	}
	id := newID(c.sub.Fingerprint, "wallet")
	wanted := wire.CreateWalletParams{
		WalletName: q.WalletName, MnemonicLength: defaultMnemonic, Accounts: q.Accounts,
	}
	if q.WalletName == "" {
		wanted.WalletName = fmt.Sprintf("Wallet %s of an agent", id[:8])
	}
	if len(q.Accounts) == 0 {
		networks := slices.DeleteFunc(slices.Clone(c.Networks), func(n chain.Network) bool {
			return !slices.Contains(a.Limits.AllowedChains, n.Slug)
		})
		wanted.Accounts = accountsFor(networks)
	}
	e, err := makeWallet(c, &wanted)
	if err == nil {
		e.Wallet.AgentID = a.ID
	}
	return e, err
}

// madeBy is how many wallets an agent has made on its own word.
func (o *organization) madeBy(agentID string) (n int) {
	for _, w := range o.wallets {
		if w.agentID == agentID {
			n++
		}
	}
	return n
}

// showAgentWallet tells the host whether an agent's wallet would be made, before it writes anything down.
func showAgentWallet(c call, p *wire.AgentWalletParams) (*wire.Preview, error) {
	a, err := c.org.activated(p.AgentID)
	if err != nil {
		return nil, err
	}
	if err := c.org.halted(a, actor{}); err != nil {
		return nil, err
	}
	e, err := c.planAgentWallet(a, p)
	if err != nil {
		return nil, err
	}
	return &wire.Preview{
		WalletName: e.Wallet.Name, WalletID: e.Wallet.ID, Accounts: e.Accounts, AgentName: a.Name, AgentID: a.ID,
	}, nil
}
