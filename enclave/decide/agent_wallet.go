package decide

import (
	"fmt"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/policy"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// evmAccount is the account that an agent's wallet begins with.
func evmAccount() wire.AccountParams {
	f, _ := families.Of(chain.EVM)
	form := f.Form()
	return wire.AccountParams{
		Curve: form.Curve, PathFormat: form.PathFormat, Path: form.PathOf(0), AddressFormat: form.AddressFormat,
	}
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
		wanted.Accounts = []wire.AccountParams{evmAccount()}
	}
	for _, a := range wanted.Accounts {
		if a.AddressFormat != evmAccount().AddressFormat {
			return Event{}, refusal.ErrBody.Msg(
				"an account is not of an EVM network: others are added to a wallet with a passkey")
		}
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
