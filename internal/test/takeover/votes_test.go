package takeover

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rlp"

	"github.com/railkit/railkit/enclave/wire"
)

// transferData is what moves an amount of a token.
func transferData(to string, amount int64) string {
	return "0xa9059cbb" + fmt.Sprintf("%064s", strings.ToLower(to[2:])) + fmt.Sprintf("%064x", amount)
}

// exact are the very bytes of a payment, which need no stamp to be asked for.
func (p *person) exact(to string, nonce uint64) string {
	p.h.t.Helper()
	receiver := common.HexToAddress(to)
	raw, err := rlp.EncodeToBytes([]any{
		nonce, uint64(1_000_000_000), uint64(21000), receiver, uint64(1_000_000_000_000_000), []byte{},
		uint64(84532), uint64(0), uint64(0),
	})
	if err != nil {
		p.h.t.Fatal(err)
	}
	return p.body(wire.SignTransaction, wire.SignTransactionParams{
		SignWith: p.address, Type: "TRANSACTION_TYPE_ETHEREUM", ChainID: "84532",
		UnsignedTransaction: hexutil.Encode(raw),
	})
}

// family are two users who decide together on what costs more than so many USD.
func (h *host) family(usd, approvers string) (p, q *person) {
	h.t.Helper()
	p = h.newcomer()
	q = p.companion()
	p.must(wire.UpdateApprovalConfig, wire.ApprovalConfig{
		Enabled: true, ThresholdUSD: usd, RequiredApprovers: approvers,
	})
	return p, q
}

// votes are the attacks on approvals: the rest of A.
var votes = []attack{
	{"A05", "votes from before a limit", "policySet", func(h *host) {
		p, q := h.family("0", "2")
		body := p.pays(shop)
		_, _, _ = h.submit(body, p.agree(body))
		p.vote(body)
		p.must(wire.CreatePolicy, wire.CreatePolicyParams{
			WalletID: p.wallet, Rules: wire.Rules{AllowedChains: []string{"base"}},
		})
		q.vote(body)
		_, _, _ = h.submit(body, nil)
	}},
	{"A05", "votes for what a later limit refuses", "reevaluation", func(h *host) {
		p, q := h.family("0", "2")
		body := p.pays(shop)
		_, _, _ = h.submit(body, p.agree(body))
		p.must(wire.CreatePolicy, wire.CreatePolicyParams{
			WalletID: p.wallet, Rules: wire.Rules{AllowedDestinations: []string{usdc}},
		})
		p.vote(body)
		q.vote(body)
		_, _, _ = h.submit(body, nil)
	}},
	{"A05", "the vote of a passkey that was removed", "voter", func(h *host) {
		p, q := h.family("0", "2")
		spare := q.spare()
		body := p.pays(shop)
		_, _, _ = h.submit(body, p.agree(body))
		spare.vote(body)
		h.ledger.gone(spare)
		removal := q.body(wire.DeleteAuthenticator, wire.DeleteAuthenticatorParams{CredentialID: spare.credential})
		_, _, _ = h.submit(removal, q.agree(removal))
		p.vote(body)
		_, _, _ = h.submit(body, nil)
	}},
	{"A06", "one user with two passkeys as two", "distinct", func(h *host) {
		p, _ := h.family("0", "2")
		spare := p.spare()
		body := p.pays(shop)
		_, _, _ = h.submit(body, p.agree(body))
		p.vote(body)
		spare.vote(body)
		_, _, _ = h.submit(body, nil)
	}},
	{"A06", "one user who votes twice", "distinct", func(h *host) {
		p, _ := h.family("0", "2")
		body := p.pays(shop)
		_, _, _ = h.submit(body, p.agree(body))
		p.vote(body)
		p.vote(body)
		_, _, _ = h.submit(body, nil)
	}},
	{"A06", "a second self whom nobody agreed to", "loosens", func(h *host) {
		p, _ := h.family("0", "2")
		self := *p
		self.key = synced()
		challenge, att := self.attest("self@" + p.org + ".example")
		addition := p.body(wire.CreateAuthenticator, wire.CreateAuthenticatorParams{
			Challenge: challenge, Email: "self@" + p.org + ".example", Attestation: att,
		})
		_, _, _ = h.submit(addition, p.agree(addition))
		self.credential = att.CredentialID
		body := p.pays(robber)
		_, _, _ = h.submit(body, p.agree(body))
		p.vote(body)
		self.vote(body)
		_, _, _ = h.submit(body, nil)
	}},
	{"A06", "the request's stamp as a vote", "votes", func(h *host) {
		p, q := h.family("0", "2")
		body := p.pays(shop)
		_, _, _ = h.submit(body, p.agree(body))
		q.vote(body)
		_, _, _ = h.submit(body, p.agree(body))
	}},
	{"A07", "what nobody has voted for yet", "votes", func(h *host) {
		p, _ := h.family("0", "1")
		body := p.pays(shop)
		_, _, _ = h.submit(body, p.agree(body))
		_, _, _ = h.submit(body, nil)
	}},
	{"A07", "a vote for another request", "votes", func(h *host) {
		p, q := h.family("0", "1")
		mine, other := p.pays(robber), p.pays(shop)
		_, _, _ = h.submit(mine, p.agree(mine))
		_, _, _ = h.submit(other, p.agree(other))
		q.vote(other)
		_, _, _ = h.submit(mine, nil)
	}},
	{"A07", "what was rejected after its votes", "cancelled", func(h *host) {
		p, q := h.family("0", "1")
		body := p.pays(shop)
		stamp := p.agree(body)
		_, _, _ = h.submit(body, stamp)
		q.vote(body)
		h.reject(body)
		_, _, _ = h.submit(body, stamp)
		q.vote(body)
		_, _, _ = h.submit(body, nil)
	}},
	{"A08", "what was voted for twice", "heldOnce", func(h *host) {
		p, q := h.family("0", "1")
		body := p.pays(shop)
		_, _, _ = h.submit(body, p.agree(body))
		q.vote(body)
		_, _, _ = h.submit(body, nil)
		_, _, _ = h.submit(body, nil)
	}},
	{"A08", "two last votes and fifty executions at once", "heldOnce", func(h *host) {
		p, q := h.family("0", "2")
		third := p.body(wire.UpdateApprovalConfig, wire.ApprovalConfig{
			Enabled: true, ThresholdUSD: "0", RequiredApprovers: "2",
		})
		_, _, _ = h.submit(third, nil)
		body := p.pays(shop)
		_, _, _ = h.submit(body, p.agree(body))
		h.atOnce(2, func(i int) { []*person{p, q}[i].vote(body) })
		h.atOnce(50, func(int) { _, _, _ = h.submit(body, nil) })
	}},
	{"A09", "approvals switched off by nobody", "loosens", func(h *host) {
		p, _ := h.family("0", "2")
		h.change(p.body(wire.UpdateApprovalConfig, wire.ApprovalConfig{ThresholdUSD: "0", RequiredApprovers: "1"}))
		body := p.pays(shop)
		_, _, _ = h.submit(body, p.agree(body))
	}},
	{"A09", "approvals switched off by one of two", "loosens", func(h *host) {
		p, _ := h.family("0", "2")
		off := p.body(wire.UpdateApprovalConfig, wire.ApprovalConfig{ThresholdUSD: "0", RequiredApprovers: "1"})
		_, _, _ = h.submit(off, p.agree(off))
		p.vote(off)
		h.change(off)
		body := p.pays(shop)
		_, _, _ = h.submit(body, p.agree(body))
	}},
	{"A09", "a higher threshold", "loosens", func(h *host) {
		p, _ := h.family("1", "2")
		for _, usd := range []string{"NaN", "1e400", "-1", "1000000"} {
			h.change(p.body(wire.UpdateApprovalConfig, wire.ApprovalConfig{
				Enabled: true, ThresholdUSD: usd, RequiredApprovers: "2",
			}))
		}
		body := p.pays(shop)
		_, _, _ = h.submit(body, p.agree(body))
	}},
	{"A09", "votes of nobody", "bounds", func(h *host) {
		p := h.newcomer()
		for _, n := range []string{"-1", "1e400", "", "0"} {
			_, _, _ = h.submit(p.body(wire.UpdateApprovalConfig, wire.ApprovalConfig{
				Enabled: true, ThresholdUSD: "0", RequiredApprovers: n,
			}), nil)
		}
		h.change(p.exact(robber, 0))
	}},
	{"A09", "a payment above the threshold", "threshold", func(h *host) {
		p, _ := h.family("1", "2")
		body := p.pays(shop)
		_, _, _ = h.submit(body, p.agree(body))
	}},
	{"A11", "a payment that nobody stamped", "noStamp", func(h *host) { h.change(h.newcomer().exact(robber, 0)) }},
	{"A11", "a vote that nobody stamped", "stamp", func(h *host) {
		p, _ := h.family("0", "1")
		body := p.exact(robber, 0)
		_, _, _ = h.submit(body, nil)
		fp := wire.Fingerprint(body)
		_, _, _ = h.submit(p.body(wire.ApproveActivity, wire.ApproveActivityParams{
			Fingerprint: fp, PolicySet: h.policySet(p.org, fp),
		}), nil)
		_, _, _ = h.submit(body, nil)
	}},
	{"A11", "a vote of another sub-organization's user", "votes", func(h *host) {
		p, _ := h.family("0", "1")
		m := h.mallory()
		body := p.exact(robber, 0)
		_, _, _ = h.submit(body, nil)
		fp := wire.Fingerprint(body)
		vote := p.body(wire.ApproveActivity, wire.ApproveActivityParams{
			Fingerprint: fp, PolicySet: h.policySet(p.org, fp),
		})
		_, _, _ = h.submit(vote, m.stamp(m.key, vote))
		_, _, _ = h.submit(body, nil)
	}},
}

// change hands in a body that nobody stamped, and once more what may be held.
func (h *host) change(body string) {
	_, _, _ = h.submit(body, nil)
	_, _, _ = h.submit(body, nil)
}
