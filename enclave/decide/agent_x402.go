package decide

import (
	"crypto/sha256"
	"math/big"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
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
	t, err := c.offered(&x, p, terms)
	if err != nil {
		return x, err
	}
	seconds, ok := number(p.Seconds)
	if !ok || seconds == 0 || seconds > maxX402Seconds {
		return x, refusal.ErrBody.Msg("seconds is not a whole number from 1 to 120")
	}
	t.Ends = c.now.Unix() + int64(seconds)
	x.resource, x.seconds = terms.URL, p.Seconds
	return x, c.signs(&x, t)
}

// offered is the transfer that a seller's offer asks for. It refuses an offer of more, to somebody else or on another
// network than the agent named.
func (c call) offered(x *payment, p *wire.AgentX402Params, terms wire.X402Terms) (t chain.SignedTransfer, err error) {
	if err := c.paysFrom(x, p.Chain, "chain"); err != nil {
		return t, err
	}
	family := x.account.family
	amount, ok := number(p.Amount)
	switch {
	case terms.Chain != "" && terms.Chain != p.Chain:
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
	if p.Facilitator != "" {
		if t.Facilitator, err = payable(family, p.Facilitator); err != nil || p.Transfer != chain.Permit2 {
			return t, refusal.ErrBody.Msg("facilitator is not an address, or transfer is not permit2")
		}
	}
	nonce, ok := bytesOf(p.Nonce)
	if !ok || len(nonce) != len(t.Nonce) {
		return t, refusal.ErrBody.Msg("nonce is not 0x-prefixed hex of 32 bytes")
	}
	t.Nonce = [32]byte(nonce)
	return t, nil
}

// signs makes the transfer the payment's signing. What is signed is read back as any typed data is: whatever it allows
// beyond the transfer would show as another effect, and be refused.
func (c call) signs(x *payment, t chain.SignedTransfer) error {
	family := x.account.family
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
