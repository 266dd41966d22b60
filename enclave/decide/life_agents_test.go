package decide

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/wire"
)

// agentLimits let an agent pay anybody on Base: 10 USDC a month, 1 USDC at once, and above 0.5 USDC with approval.
func agentLimits() wire.AgentLimits {
	return wire.AgentLimits{
		InfraMonthlyUSD: "50", TokensMonthlyUSD: "200", PaymentsMonthlyUSDC: "10", PerTxUSDC: "1",
		ApprovalThresholdUSDC: "0.5", MaxFeeUSD: "1", AllowedChains: []string{"base"}, AnyRecipient: true,
		AllowedHosts: []string{"shop.example"},
	}
}

// agent makes one, or does something to one that there is.
func (l *life) agent(n int) Submission {
	all := l.states[0].organizations[l.orgs[n]].agents
	if len(all) == 0 || l.rand.IntN(5) == 0 {
		return l.stamped(n, wire.CreateAgent, wire.CreateAgentParams{AgentName: strconv.Itoa(l.rand.IntN(9))})
	}
	a := all[l.rand.IntN(len(all))]
	limits := agentLimits()
	limits.PaymentsMonthlyUSDC = strconv.Itoa(2 + l.rand.IntN(9))
	to := []string{"", recipient}[l.rand.IntN(2)]
	var sub Submission
	switch kind := l.rand.IntN(16); {
	case a.Status == wire.AgentPending && kind > 2:
		return l.stamped(n, wire.ActivateAgent, wire.ActivateAgentParams{
			AgentID: a.ID, Limits: limits, RecipientPublicKey: to,
		})
	case kind < 3:
		sub = l.stamped(n, wire.DeleteAgent, wire.DeleteAgentParams{AgentID: a.ID})
	case kind < 4:
		sub = l.stamped(n, wire.SetAgentLimits, wire.SetAgentLimitsParams{AgentID: a.ID, Limits: limits})
	case kind < 6:
		sub = l.stamped(n, wire.RotateAgentSecret, wire.RotateAgentSecretParams{AgentID: a.ID, RecipientPublicKey: to})
	case kind < 8:
		states := []wire.AgentStatus{wire.AgentActive, wire.AgentActive, wire.AgentActive, wire.AgentSuspended,
			wire.AgentDraining, wire.AgentKilled}
		sub = l.stamped(n, wire.SetAgentStatus, wire.SetAgentStatusParams{
			AgentID: a.ID, Status: states[l.rand.IntN(len(states))],
		})
	case kind < 9:
		sub = l.stamped(n, wire.SetKillSwitch, wire.SetKillSwitchParams{On: l.rand.IntN(3) == 0})
	default:
		return l.asks(n, a)
	}
	if l.rand.IntN(3) == 0 {
		sub.Signer = nil // it tightens, or waits
	}
	return sub
}

// asks is a payment that an agent asks for.
func (l *life) asks(n int, a *agent) Submission {
	l.places++
	q := wire.AgentPaymentParams{
		AgentCall: wire.AgentCall{
			AgentID: a.ID, Method: "POST", Path: "/v1/agents/" + a.ID + "/sign-transaction",
			Timestamp: strconv.FormatInt(l.now.Unix(), 10), Request: fmt.Sprintf(
				`{"action_type":"payment","amount":"%d","destination":%q,"token_mint":"USDC","cluster":"base"}`,
				1+l.rand.IntN(900_000), evm.Address(l.bytes(20)).String()),
		},
		GasLimit: "65000", MaxTotalFee: "1000",
	}
	sub := l.stamped(n, wire.AgentPayment, q)
	if l.rand.IntN(4) == 0 {
		q.Path, q.Request = "/v1/agents/"+a.ID+"/x402-pay", `{"url":"https://shop.example/","maxAmount":"900000"}`
		sub = l.stamped(n, wire.AgentX402, wire.AgentX402Params{
			AgentCall: q.AgentCall, Chain: "base", Transfer: "eip3009", To: evm.Address(l.bytes(20)).String(),
			Amount: strconv.Itoa(1 + l.rand.IntN(900_000)), Nonce: fmt.Sprintf("0x%064x", l.rand.IntN(9)),
			Seconds: "60",
		})
	}
	sub.Signer = nil
	sub.Claim = &Claim{AgentID: a.ID, At: l.now.Unix(), Write: true, Sealed: a.Sealed}
	sub.Volatile = wire.Volatile{MaxFeePerGas: "0", MaxPriorityFeePerGas: "0", NonceFloor: "0"}
	return sub
}

// request is a write of an agent, perhaps its first one.
func (l *life) request(agent string) {
	l.t.Helper()
	at := l.now.Unix() + l.rand.Int64N(120) - 60
	first, wanted := l.states[0].Mark(agent, at, l.now)
	known, _ := l.states[0].Agent(agent, l.now)
	for _, s := range l.states[1:] {
		e, w := s.Mark(agent, at, l.now)
		k, _ := s.Agent(agent, l.now)
		if !reflect.DeepEqual(first, e) || wanted != w || !reflect.DeepEqual(known, k) {
			l.t.Fatalf("entry %d: %+v, %+v and %+v, %+v", l.seq, first, known, e, k)
		}
	}
	if wanted {
		l.marks++
		l.apply(first)
	}
	if known.Unheard && l.rand.IntN(3) == 0 {
		l.apply(Event{Kind: EventHeard, AgentID: agent, TimeMs: l.now.UnixMilli()})
	}
}
