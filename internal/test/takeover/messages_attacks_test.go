package takeover

import (
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/railkit/railkit/enclave/wire"
)

// says is the body of a message.
func (p *person) says(kind, payload string) string {
	p.h.t.Helper()
	return p.body(wire.SignMessage, wire.SignMessageParams{SignWith: p.address, Type: kind, Payload: payload})
}

// bytesOfPayment are the bytes that a key signs to pay the robber.
func (p *person) bytesOfPayment() string {
	p.h.t.Helper()
	b, _ := decode[wire.Body]([]byte(p.exact(robber, 0)))
	x, _ := decode[wire.SignTransactionParams](b.Parameters)
	return x.UnsignedTransaction
}

// permit lets somebody take a million USDC by a signature alone.
func (p *person) permit(spender string) string {
	return p.says(wire.MessageTypedData,
		fmt.Sprintf(`{"types":{"EIP712Domain":[{"name":"name","type":"string"},{"name":"chainId","type":"uint256"},`+
			`{"name":"verifyingContract","type":"address"}],`+
			`"Permit":[{"name":"owner","type":"address"},{"name":"spender","type":"address"},{"name":"value",`+
			`"type":"uint256"},{"name":"nonce","type":"uint256"},{"name":"deadline","type":"uint256"}]},`+
			`"primaryType":"Permit","domain":{"name":"USDC","chainId":84532,"verifyingContract":"%s"},`+
			`"message":{"owner":"%s","spender":"%s","value":"1000000000000","nonce":"0","deadline":"99999999999"}}`,
			usdc, p.address, spender))
}

// authorization pays somebody by a signature alone, until a second since 1970.
func (p *person) authorization(to, micro string, until int64) string {
	return p.says(wire.MessageTypedData,
		fmt.Sprintf(`{"types":{"EIP712Domain":[{"name":"name","type":"string"},{"name":"chainId","type":"uint256"},`+
			`{"name":"verifyingContract","type":"address"}],`+
			`"TransferWithAuthorization":[{"name":"from","type":"address"},{"name":"to","type":"address"},`+
			`{"name":"value","type":"uint256"},`+
			`{"name":"validAfter","type":"uint256"},{"name":"validBefore","type":"uint256"},{"name":"nonce",`+
			`"type":"bytes32"}]},`+
			`"primaryType":"TransferWithAuthorization","domain":{"name":"USDC","chainId":84532,`+
			`"verifyingContract":"%s"},`+
			`"message":{"from":"%s","to":"%s","value":"%s","validAfter":"0","validBefore":"%d","nonce":"0x%064x"}}`,
			usdc, p.address, to, micro, until, until))
}

// messages are the attacks by signatures over what is no transaction: X.
var messages = []attack{
	{"X01", "the digest of a payment", "rawDigest", func(h *host) {
		p := h.newcomer()
		body := p.says(wire.MessageRawDigest, crypto.Keccak256Hash(common.FromHex(p.bytesOfPayment())).Hex())
		_, _, _ = h.submit(body, p.agree(body))
	}},
	{"X01", "the digest of an EIP-7702 authorization", "rawDigest", func(h *host) {
		p := h.newcomer()
		body := p.says(wire.MessageRawDigest, crypto.Keccak256Hash([]byte{5}, common.FromHex(robber)).Hex())
		_, _, _ = h.submit(body, p.agree(body))
	}},
	{"X02", "the bytes of a payment as a message", "prefix", func(h *host) {
		p := h.newcomer()
		body := p.says(wire.MessageHex, p.bytesOfPayment())
		_, _, _ = h.submit(body, p.agree(body))
	}},
	{"X03", "a permit for nobody on the list", "typed", func(h *host) {
		p := h.newcomer()
		p.must(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: p.wallet, Rules: onlyShop})
		body := p.permit(robber)
		_, _, _ = h.submit(body, p.agree(body))
	}},
	{"X03", "a permit above the threshold", "threshold", func(h *host) {
		p, _ := h.family("10", "2")
		body := p.permit(shop)
		_, _, _ = h.submit(body, p.agree(body))
	}},
	{"X04", "a text on one stamp where messages need votes", "messages", func(h *host) {
		p, _ := h.family("0", "2")
		p.must(wire.UpdateApprovalConfig, wire.ApprovalConfig{
			Enabled: true, ThresholdUSD: "0", RequiredApprovers: "2", IncludeMessages: true,
		})
		body := p.says(wire.MessageText, "I agree to everything.")
		_, _, _ = h.submit(body, p.agree(body))
	}},
	{"X04", "messages left out again by nobody", "loosens", func(h *host) {
		p, _ := h.family("0", "2")
		p.must(wire.UpdateApprovalConfig, wire.ApprovalConfig{
			Enabled: true, ThresholdUSD: "0", RequiredApprovers: "2", IncludeMessages: true,
		})
		h.change(p.body(wire.UpdateApprovalConfig, wire.ApprovalConfig{
			Enabled: true, ThresholdUSD: "0", RequiredApprovers: "2",
		}))
		body := p.says(wire.MessageText, "I agree to everything.")
		_, _, _ = h.submit(body, p.agree(body))
	}},
	{"X04", "a text that nobody stamped", "noStamp", func(h *host) {
		h.change(h.newcomer().says(wire.MessageText, "I agree to everything."))
	}},
	{"X04", "an authorization for nobody on a delegation's list", "delegationTo", delegated(asAgreed, func(p *person) {
		_, _, _ = p.h.submit(p.authorization(robber, "2000000", time.Now().Add(time.Minute).Unix()), nil)
	})},
	{"X04", "a text for the address of another sub-organization", "account", func(h *host) {
		m := h.mallory()
		p := h.newcomer()
		body := h.body(m.org, wire.SignMessage, wire.SignMessageParams{
			SignWith: p.address, Type: wire.MessageText, Payload: "I agree to everything.",
		})
		_, _, _ = h.submit(body, m.stamp(m.key, body))
	}},
}

// retries are the attacks of a host that tries again: H.
var retries = []attack{
	{"H05", "a second transaction by a retry with another fee", "once", func(h *host) {
		p := h.newcomer()
		body := p.pays(shop)
		stamp := p.agree(body)
		h.atOnce(10, func(i int) {
			v := fitting
			v.MaxFeePerGas = fmt.Sprint(1_000_000_000 + i)
			_, _, _ = h.outcome(wire.MSubmit, wire.SubmitRequest{Body: body, Stamp: stamp, Volatile: &v})
		})
		_, _, _ = h.outcome(wire.MOutcome, wire.FingerprintRequest{Fingerprint: wire.Fingerprint(body)})
	}},
	{"H05", "a second transaction after the node has seen the first", "once", func(h *host) {
		p := h.newcomer()
		body := p.pays(shop)
		stamp := p.agree(body)
		_, _, _ = h.submit(body, stamp)
		v := fitting
		v.NonceFloor = "1"
		_, _, _ = h.outcome(wire.MSubmit, wire.SubmitRequest{Body: body, Stamp: stamp, Volatile: &v})
	}},
}
