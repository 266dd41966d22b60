package takeover

import (
	"fmt"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/railkit/railkit/enclave/wire"
)

// bot is an honest agent. It signs what it means to pay, and says so to the ledger.
// The actor has all that it sends, and not its secret.
type bot struct {
	owner               *person
	id, wallet, address string
	onSolana            string // its account there, if it has one
	secret              string
}

// allowance lets an agent pay anybody on Base: 10 USDC a month, 5 at once, and nothing waits.
func allowance(change ...func(l *wire.AgentLimits)) wire.AgentLimits {
	l := wire.AgentLimits{
		InfraMonthlyUSD: "0", TokensMonthlyUSD: "0", PaymentsMonthlyUSDC: "10", PerTxUSDC: "5",
		ApprovalThresholdUSDC: "10", MaxFeeUSD: "1", AllowedChains: []string{"base"}, AnyRecipient: true,
	}
	for _, c := range change {
		c(&l)
	}
	return l
}

// drafts makes an agent that has no limits yet.
func (p *person) drafts() *bot {
	p.h.t.Helper()
	_, r := p.must(wire.CreateAgent, wire.CreateAgentParams{AgentName: fmt.Sprintf("Agent %d", arrivals.Add(1))})
	b := &bot{owner: p, id: r.Agent.ID, wallet: r.Wallet.ID, address: r.Accounts[0].Address}
	p.h.ledger.purse(common.HexToAddress(b.address), p.org, b.wallet)
	return b
}

// employs makes an agent with limits, whose secret nobody reads on its way.
func (p *person) employs(l wire.AgentLimits) *bot {
	p.h.t.Helper()
	b, key := p.drafts(), p.h.recipient()
	body, r := p.must(wire.ActivateAgent, wire.ActivateAgentParams{
		AgentID: b.id, Limits: l, RecipientPublicKey: key.public,
	})
	b.secret = key.secretOf(r, body)
	return b
}

// secretOf opens what a body made for this key, "" of a body that made nothing.
func (k recipient) secretOf(r wire.Result, body string) string {
	k.h.t.Helper()
	if r.Agent == nil || r.Agent.SealedSecret == nil {
		return ""
	}
	info := wire.AgentSecretInfo("sandbox", r.Agent.ID, wire.Fingerprint(body))
	return string(k.open(r.Agent.SealedSecret.Sealed, info))
}

// asking is a request of an agent, as it goes to the server.
type asking struct {
	wire.VerifyAgentRequest
	text string // its body
}

// paymentOf are the words of a payment of USDC on Base.
func paymentOf(micro int, to string) string { return paymentIn(micro, to, "USDC", "base") }

func paymentIn(micro int, to, token, network string) string {
	return fmt.Sprintf(`{"action_type":"payment","amount":"%d","destination":"%s","token_mint":"%s","cluster":"%s"}`,
		micro, to, token, network)
}

func seconds(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }

// draft is a request to pay that nobody has signed.
func (b *bot) draft(text string) asking {
	return asking{wire.VerifyAgentRequest{
		AgentID: b.id, Method: "POST", Path: "/v1/agents/" + b.id + "/sign-transaction",
		Timestamp: seconds(b.owner.h.now()), BodyHash: wire.Digest(text),
	}, text}
}

// means signs a request as it says the agent, and tells the ledger.
func (b *bot) means(a asking) asking {
	a.MAC = wire.AgentMAC(b.secret, a.Message())
	b.owner.h.ledger.asked(a)
	return a
}

// asks is a payment that the agent wants now.
func (b *bot) asks(micro int, to string) asking { return b.means(b.draft(paymentOf(micro, to))) }

// asksHTTP is one under an HTTP signature, from and until so many seconds from now.
func (b *bot) asksHTTP(micro int, to, query string, from, until int) asking {
	a, now := b.draft(paymentOf(micro, to)), b.owner.h.now()
	a.Timestamp, a.HTTP = "", &wire.HTTPSignature{
		Authority: "api.example", Query: "?" + query, Nonce: fmt.Sprintf("nonce-%010d", arrivals.Add(1)),
		Created: seconds(now.Add(time.Duration(from) * time.Second)),
		Expires: seconds(now.Add(time.Duration(until) * time.Second)),
	}
	return b.means(a)
}

// enclosed is the body that the host makes of a request, with the gas and the fee that it chooses.
func (b *bot) enclosed(a asking, change ...func(p *wire.AgentPaymentParams)) string {
	p := wire.AgentPaymentParams{
		AgentCall: wire.AgentCall{
			AgentID: a.AgentID, Method: a.Method, Path: a.Path, Timestamp: a.Timestamp, Request: a.text, HTTP: a.HTTP,
		},
		GasLimit: "65000", MaxTotalFee: "130000000000000",
	}
	for _, c := range change {
		c(&p)
	}
	return b.owner.body(wire.AgentPayment, p)
}

// handed is a request in a body of its own, as the signer gets it.
func (b *bot) handed(a asking, change ...func(p *wire.AgentPaymentParams)) (body string, state wire.OutcomeState) {
	body = b.enclosed(a, change...)
	state, _, _ = b.owner.h.submit(body, &wire.Stamp{HeaderName: wire.AgentStamp, HeaderValue: a.MAC})
	return body, state
}

// asksMuch is a payment that has to wait for its owner.
func (b *bot) asksMuch(micro int, to string) (body string) {
	b.owner.h.t.Helper()
	body, state := b.handed(b.asks(micro, to))
	if state != wire.Held {
		b.owner.h.t.Fatalf("a payment of %d: %q, and was to wait", micro, state)
	}
	return body
}

// becomes is a state that the owner wants the agent to be in.
func (b *bot) becomes(status wire.AgentStatus) {
	b.owner.h.t.Helper()
	b.owner.must(wire.SetAgentStatus, wire.SetAgentStatusParams{AgentID: b.id, Status: status})
}

// stolen is a payment under a secret that the actor got.
func (b *bot) stolen(secret string) {
	a := b.draft(paymentOf(5_000_000, robber))
	a.MAC = wire.AgentMAC(secret, a.Message())
	_, _ = b.handed(a)
}
