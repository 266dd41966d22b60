package ceremony_test

import (
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/webtest"
)

func TestAgents_PageShowsWhoseTheSecretIs(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	passkey := b.givePasskey()
	h.asks("agent", newBody(wire.ActivateAgent, wire.ActivateAgentParams{AgentID: "a", Limits: buyerLimits}), passkey)
	b.Go(h.link())
	webtest.Contains(t, b.Wait("ready"), "Let agent “Buyer” spend: up to 10 USDC a month", "signs with a secret",
		"in clear", "Above 0.50 USDC")
	h = newHost(t)
	recipient := h.signer.key()
	h.asks("agent", newBody(wire.ActivateAgent, wire.ActivateAgentParams{
		AgentID: "a", Limits: buyerLimits, RecipientPublicKey: recipient,
	}), passkey)
	b.Go(h.link())
	webtest.Contains(t, b.Wait("ready"), "Let agent “Buyer” spend", "Only the holder of this key",
		recipient[:4]+"\n"+recipient[4:8])
}

// Whoever changes limits sees each as it would be and as it is.
func TestAgents_PageShowsChangedLimits(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	more := buyerLimits
	more.PaymentsMonthlyUSDC, more.PerTxUSDC, more.TokensMonthlyUSD = "2500", "20", "30"
	more.AllowedChains, more.AllowedRecipients, more.AnyRecipient = []string{"base", "polygon"}, nil, true
	body := newBody(wire.SetAgentLimits, wire.SetAgentLimitsParams{AgentID: "a", Limits: more})
	stamp := h.asks("agent", body, b.givePasskey())
	b.Go(h.link())
	text := flat(b.Wait("ready"))
	webtest.Contains(t, text, "Change the limits of agent “Buyer”", "Read this first The agent may pay anybody",
		"Payments a month, at most 2,500 USDC Until now: 10 USDC", "One payment, at most 20 USDC Until now: 1 USDC",
		"Asks you first Above 0.50 USDC Who is paid Anybody, at any address Until now: These addresses only",
		"base, polygon Until now: base", "LLM tokens a month, at most $30 Until now: nothing")
	if got := b.Eval("document.querySelector('.actions button').className"); got != "danger" {
		t.Errorf("the button is %q", got)
	}
	p := shown(body)
	p.Agent.Limits = &buyerLimits
	h.set(func() { stamp["preview"] = h.signer.previewAs(body, p) })
	b.Go(h.link())
	webtest.Contains(t, b.Wait("unverified"), "the agent’s limits")
}

// Who votes on a payment of an agent sees which agent asks, and what would be paid.
func TestAgents_PageShowsAPayment(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	body, p, stamp := h.waiting(b.givePasskey())
	limits := buyerLimits
	p.Held.Effects[0].Amount, p.Held.AgentName, p.Held.AgentID = "600000", "Buyer", "a"
	p.Held.Agent = &wire.Agent{
		ID: "a", Name: "Buyer", WalletID: "w", Status: wire.AgentActive, Limits: &limits,
		CreatedAt: clock.ISO(time.Now()),
	}
	p.Approves.Activity, p.Approves.RequesterUserID, p.Approves.Votes = wire.AgentPayment, "", nil
	h.set(func() { stamp["preview"] = h.signer.previewOf(body, p) })
	b.Go(h.link())
	text := flat(b.Wait("ready"))
	webtest.Contains(t, text, "Approve: send 0.60 USDC", "Asked by agent Buyer",
		"Agent Buyer A program that has asked for this with its secret",
		"From, the agent’s wallet", "Limits of the agent Payments a month, at most: 10 USDC",
		"Network Base Sepolia (base)")
}

// Who votes on a payment of an agent on Solana sees the rent apart from what is sent.
func TestAgents_PageShowsAPaymentOnSolana(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	body, p, stamp := h.waiting(b.givePasskey())
	own, to := named("0"), named("3")
	limits := buyerLimits
	limits.AllowedChains, limits.AllowedRecipients = []string{"solana"}, []string{to.String()}
	*p.Held = wire.Preview{
		ExpiresAt: p.Held.ExpiresAt, SignWith: own.String(), Chain: "solana", ChainName: "Solana Devnet",
		ChainID:     "devnet",
		MaxTotalFee: "10000", FeeDisplay: "0.00001 SOL", MaxRent: "2100000", RentDisplay: "0.0021 SOL",
		AgentName: "Buyer", AgentID: "a", Agent: &wire.Agent{
			ID: "a", Name: "Buyer", WalletID: "w", Status: wire.AgentActive, Limits: &limits,
			CreatedAt: clock.ISO(time.Now()),
		},
		Effects: []chain.Effect{
			{Kind: chain.Transfer, Asset: "native", Symbol: "SOL", Decimals: 9, From: own.String(), To: to.String(),
				Amount: "2100000", Display: "0.0021 SOL"},
			{Kind: chain.Transfer, Asset: solanaUSDC, Symbol: "USDC", Decimals: 6, From: own.String(), To: to.String(),
				Amount: "600000", Display: "0.6 USDC"},
		},
	}
	p.Approves.Activity, p.Approves.RequesterUserID, p.Approves.Votes = wire.AgentPayment, "", nil
	h.set(func() { stamp["preview"] = h.signer.previewOf(body, p) })
	b.Go(h.link())
	webtest.Contains(t, flat(b.Wait("ready")), "rent for a token account and send 0.60 USDC",
		"Pay up to 0.0021 SOL of rent",
		"Rent, at most 0.0021 SOL", "Network Solana Devnet (solana), cluster devnet", "Fee, at most 0.00001 SOL",
		"These addresses only "+to.String()[:4])
	p.Held.MaxRent = "2100001"
	h.set(func() { stamp["preview"] = h.signer.previewOf(body, p) })
	b.Go(h.link())
	webtest.Contains(t, b.Wait("unverified"), "another rent")
}

// solanaUSDC is the mint of Solana's devnet.
const solanaUSDC = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"

// Whoever makes an agent sees for which networks its wallet gets an address.
func TestAgents_PageShowsAddressesOfANewWallet(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	body := newBody(wire.CreateAgent, wire.CreateAgentParams{AgentName: "Buyer", Networks: []string{"base", "solana"}})
	stamp := h.asks("agent", body, b.givePasskey())
	p := shown(body)
	for _, f := range families.All() {
		form := f.Form()
		p.Accounts = append(p.Accounts, wire.Account{
			WalletID: "w", Path: form.PathOf(0), Curve: form.Curve, AddressFormat: form.AddressFormat,
		})
	}
	h.set(func() { stamp["preview"] = h.signer.previewAs(body, p) })
	b.Go(h.link())
	webtest.Contains(t, flat(b.Wait("ready")), "Create agent “Buyer”",
		"Its address comes with its wallet m/44'/60'/0'/0/0 · an address of Ethereum and networks like it",
		"Its address comes with its wallet m/44'/501'/0'/0' · an address of Solana")
}
