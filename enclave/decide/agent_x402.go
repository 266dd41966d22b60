package decide

import (
	"crypto/sha256"
	"math/big"
	"slices"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/policy"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// maxX402Seconds is the longest for which a seller can hand a transfer in: a signature in the wrong hands is worth
// nothing after that.
const maxX402Seconds = 120

// readX402 reads what an agent wants to buy, and holds the seller's offer, which the host chose, against it: the payee
// and the amount that the agent names, or the host of the web that its owner allows.
//
// Example: the agent signed {"url":"https://shop.example/report","maxAmount":"10000"}. The host may have 0.01 USDC at
// most signed for whoever its owner lets it pay, if shop.example is among allowedHosts; it may not raise the amount.
func (c call) readX402(p *wire.AgentX402Params) (x payment, err error) {
	if x, err = c.org.payer(c.sub.Request, p.AgentCall, "x402-pay"); err != nil {
		return x, err
	}
	var q wire.X402Request
	if err := strict([]byte(p.Request), &q); err != nil {
		return x, refusal.ErrBody.Msg("request is not strict JSON of the known members").Because(err)
	}
	terms, err := q.Terms()
	if err != nil {
		return x, refusal.ErrBody.Msg("the request is wrong: " + err.Error())
	}
	if terms.URL != "" {
		if err := x.agent.Limits.AllowsURL(terms.URL); err != nil {
			denial := x.agent.Limits.HostDenial(terms.URL)
			return x, refusal.ErrAgentRule.Msg("allowedHosts").With("denial", denial).Because(err)
		}
	}
	x.resource = terms.URL
	t, err := c.offered(&x, p, terms)
	if err != nil {
		return x, err
	}
	if p.Transfer == chain.Sponsored {
		return x, c.sponsors(&x, t, p, terms)
	}
	return x, c.consents(&x, t, p)
}

// offered is the transfer that a seller's offer asks for. It refuses an offer of more, to somebody else or on another
// network than the agent named.
func (c call) offered(x *payment, p *wire.AgentX402Params, terms wire.X402Terms) (t chain.SignedTransfer, err error) {
	if err := c.paysFrom(x, p.Chain, "chain"); err != nil {
		return t, err
	}
	family := x.account.family
	named, _ := chain.OfCluster(c.Networks, terms.Chain)
	also, _ := chain.OfCluster(c.Networks, terms.Cluster)
	amount, ok := number(p.Amount)
	switch {
	case terms.Chain != "" && named.Slug != p.Chain, terms.Cluster != "" && also.Slug != p.Chain:
		return t, refusal.ErrBody.Msg("chain is not the network that the agent names")
	case !ok || amount == 0 || amount > uint64(terms.Micro):
		return t, refusal.ErrBody.Msg("amount is not a whole number above 0, or is more than the agent's request allows")
	}
	x.micro = int64(amount)
	t = chain.SignedTransfer{Method: p.Transfer, From: x.account.Address, Amount: big.NewInt(x.micro)}
	if t.Token, ok = tokenOf(x.network, budgetToken); !ok {
		return t, refusal.ErrBody.Msg("the network has no " + budgetToken)
	}
	if t.To, err = payable(family, p.To); err != nil {
		return t, refusal.ErrBody.Msg("to is not an address that can be paid")
	}
	if named, err := payable(family, terms.Recipient); terms.Recipient != "" && (err != nil || named != t.To) {
		return t, refusal.ErrBody.Msg("to is not the recipient that the agent names")
	}
	return t, nil
}

// consents makes the payment a signing of typed data, which a contract takes. What is signed is read back as any typed
// data is: whatever it allows beyond the transfer would show as another effect, and be refused.
func (c call) consents(x *payment, t chain.SignedTransfer, p *wire.AgentX402Params) (err error) {
	family := x.account.family
	if p.Facilitator != "" {
		if t.Facilitator, err = payable(family, p.Facilitator); err != nil || p.Transfer != chain.Permit2 {
			return refusal.ErrBody.Msg("facilitator is not an address, or transfer is not permit2")
		}
	}
	nonce, ok := bytesOf(p.Nonce)
	if !ok || len(nonce) != len(t.Nonce) {
		return refusal.ErrBody.Msg("nonce is not 0x-prefixed hex of 32 bytes")
	}
	seconds, ok := number(p.Seconds)
	if !ok || seconds == 0 || seconds > maxX402Seconds || p.Memo != "" {
		return refusal.ErrBody.Msg("seconds is not a whole number from 1 to 120, or there is a memo")
	}
	t.Nonce, t.Ends, x.seconds = [32]byte(nonce), c.now.Unix()+int64(seconds), p.Seconds
	payload, err := family.SignedTransfer(x.network, t)
	if err != nil {
		return refusal.ErrBody.Msg("transfer is none that the token has").Because(err)
	}
	m, err := c.readAs(x.account, wire.MessageTypedData, payload)
	if err != nil {
		return err
	}
	if len(m.Effects) != 1 || m.consent == nil || m.Ends != t.Ends || !pays(m.Effects[0], t) {
		return refusal.ErrBody.Msg("the transfer is not understood")
	}
	x.signing = m.signing()
	x.nonce = nonceName(*m.consent)
	x.sign = func(wire.Volatile) (Event, error) { return m.order(), nil }
	return nil
}

// sponsors makes the payment a transaction of which somebody else pays the fee. The host adds a blockhash when it is
// signed, after the last vote, since no vote is faster than a blockhash grows old.
//
// The sponsor signs what we have signed, so that he must not be somebody who signs for us: with an account of the same
// owner in his place, the agent would have its owner pay a fee that no limit of the agent's counts.
func (c call) sponsors(
	x *payment, offer chain.SignedTransfer, p *wire.AgentX402Params, terms wire.X402Terms,
) (err error) {
	t := chain.SponsoredTransfer{From: offer.From, To: offer.To, Token: offer.Token, Amount: offer.Amount, Memo: p.Memo}
	t.Sponsor, err = payable(x.account.family, p.Facilitator)
	switch {
	case err != nil || c.org.owns(t.Sponsor):
		return refusal.ErrBody.Msg("facilitator is not an address that can pay a fee, or is the owner's own")
	case terms.Sponsor != "" && t.Sponsor != terms.Sponsor, terms.Memo != "" && p.Memo != terms.Memo:
		return refusal.ErrBody.Msg("facilitator or memo is not the one that the agent names")
	case p.Nonce != "" || p.Seconds != "":
		return refusal.ErrBody.Msg("there are nonce or seconds, which a transaction has not")
	}
	t.Blockhash = t.Sponsor // stands for the one that the host adds: it is in no effect
	_, effects, err := x.sponsored(t)
	if err != nil {
		return err
	}
	x.signing = signing{account: x.account, Signing: policy.Signing{Network: x.network, Effects: effects}}
	from := *x
	x.sign = func(v wire.Volatile) (Event, error) {
		t.Blockhash = v.Blockhash
		tx, effects, err := from.sponsored(t)
		if err != nil {
			return Event{}, err
		}
		e, err := c.order(from.account, from.network, tx, effects, v)
		if err == nil {
			e.Transaction.Payee = t.To
		}
		return e, err
	}
	return nil
}

// sponsored makes the transaction, and reads its very bytes back: they do the transfer and nothing else, cost who pays
// nothing, and take the sponsor's signature and ours.
func (x payment) sponsored(t chain.SponsoredTransfer) (tx chain.Tx, effects []chain.Effect, err error) {
	family := x.account.family
	if tx, err = family.Sponsored(x.network, t); err != nil {
		return tx, nil, refusal.ErrBody.Msg("transfer is none that somebody else can pay the fee of").Because(err)
	}
	effects = family.Effects(x.network, t.From, tx.Call)
	wanted := chain.SignedTransfer{From: t.From, To: t.To, Token: t.Token, Amount: t.Amount}
	if len(effects) != 1 || !pays(effects[0], wanted) || !slices.Equal(tx.Signers, []string{t.Sponsor, t.From}) ||
		tx.FeeOf(t.From).Sign() != 0 || tx.Durable != "" {
		return tx, nil, refusal.ErrBody.Msg("the transfer is not understood")
	}
	return tx, effects, nil
}

// pays reports whether an effect is the transfer, and nothing else.
func pays(e chain.Effect, t chain.SignedTransfer) bool {
	return e.Kind == chain.Transfer && e.From == t.From && e.To == t.To && e.Amount == t.Amount.String() &&
		families.Lookup(e.Asset) == families.Lookup(t.Token.Address)
}

// nonceName names what a signed transfer uses up: a nonce of its owner at the contract that takes it. Of all transfers
// under one at most one ever moves money.
func nonceName(c wire.Authorization) string {
	text := strings.Join(append([]string{"railkit agent nonce", c.Chain, c.Contract, c.SignWith}, c.Nonces...), "|")
	return digest(sha256.Sum256([]byte(text))).String()
}
