package decide

import (
	"crypto/sha256"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/policy"
	"github.com/railkit/railkit/enclave/wire"
)

// agentApprovalLife is how long a payment above an agent's threshold waits for a passkey.
const agentApprovalLife = 5 * time.Minute

// budgetToken is what agents pay with, and what their limits are counted in.
const (
	budgetToken    = "USDC"
	budgetDecimals = 6
)

// AgentSpend is what a payment takes from its agent's budget: in the month that admitted it, also where it waited for
// approval over the end of that month. What was signed stays counted whatever becomes of the transaction: only the host
// could tell that it failed, and the host may lie.
type AgentSpend struct {
	AgentID string `json:"agentId"`
	Month   int32  `json:"month"` // months since year 0
	Micro   int64  `json:"micro"` // of USDC
}

// payment is an AgentPayment's parameters, understood.
type payment struct {
	intent
	agent *agent
	micro int64
	asked []string // what may never be accepted again, see asked
}

// Claim is the request that an agent signed, where the body carries one.
func (r Request) Claim(mac string) (wire.VerifyAgentRequest, bool) {
	switch p := r.params.(type) {
	case *wire.AgentPaymentParams:
		return p.Claim(mac), true
	case *wire.AgentWalletParams:
		return p.Claim(mac), true
	}
	return wire.VerifyAgentRequest{}, false
}

// actions are the kinds of payment that a request may name; they mean the same.
var actions = []string{"payment", "transfer"}

// readPayment reads the request as the agent signed it. The host adds nothing to it but gas and fee.
func (s *State) readPayment(org *organization, r Request, p *wire.AgentPaymentParams) (x payment, err error) {
	if x.agent, err = org.activated(p.AgentID); err != nil {
		return x, err
	}
	if x.agent.Limits == nil { // of before agents had limits
		return x, ErrAgentPending
	}
	if p.Method != "POST" || p.Path != "/v1/agents/"+p.AgentID+"/sign-transaction" {
		return x, ErrBody.Msg("the request is not the agent's own POST /v1/agents/{id}/sign-transaction")
	}
	if p.HTTP != nil && p.HTTP.Query != "?" {
		return x, ErrBody.Msg("the request has a query, which means nothing here")
	}
	var q wire.PaymentRequest
	if err := strict([]byte(p.Request), &q); err != nil {
		return x, ErrBody.Msg("request is not strict JSON of the known members").Because(err)
	}
	amount, ok := number(q.Amount)
	switch {
	case !slices.Contains(actions, q.ActionType):
		return x, ErrBody.Msg("action_type is not " + strings.Join(actions, " or "))
	case !ok || amount == 0 || amount > 1<<53:
		return x, ErrBody.Msg("amount is not a whole number of the token's smallest unit, above 0")
	}
	x.micro = int64(amount)
	if err := s.readTransfer(org, &x, q); err != nil {
		return x, err
	}
	if x.Gas, ok = number(p.GasLimit); !ok || x.Gas == 0 || x.Gas > x.account.family.MaxGas() {
		return x, ErrBody.Msg("gasLimit is not a sensible amount of gas")
	}
	if x.maxFee, ok = wei(p.MaxTotalFee); !ok {
		return x, ErrBody.Msg("maxTotalFee is not a decimal amount of wei")
	}
	x.asked = asked(r.Body.ActivityID, p.Claim(""))
	return x, nil
}

// readTransfer makes the transfer out of the request's words.
func (s *State) readTransfer(org *organization, x *payment, q wire.PaymentRequest) (err error) {
	if x.account, err = org.account(s.addressOf(x.agent)); err != nil {
		return err
	}
	n, known := chain.WithSlug(s.Networks, q.Cluster)
	if x.network, err = s.networkOf(x.account, q.Cluster, n.ID()); err != nil || !known {
		return ErrBody.Msg("cluster is none of the networks of this environment that the agent's wallet is for")
	}
	token, ok := tokenOf(x.network, q.TokenMint)
	if !ok {
		return ErrBody.Msg("token_mint is not " + budgetToken + " of the network: nothing else counts against a budget")
	}
	x.From = x.account.Address
	to, err := x.account.family.ParseAddress(q.Destination)
	if err == nil {
		err = x.account.family.CheckPayee(to)
	}
	if err != nil {
		return ErrBody.Msg("destination is not an address that can be paid")
	}
	if x.Call, err = x.account.family.Transfer(token, to, big.NewInt(x.micro)); err != nil {
		return ErrBody.Msg("destination cannot be paid").Because(err)
	}
	return nil
}

// tokenOf finds the token of agents' budgets by its symbol or its contract.
func tokenOf(n chain.Network, text string) (chain.Token, bool) {
	i := slices.IndexFunc(n.Tokens, func(t chain.Token) bool {
		return t.Symbol == budgetToken && t.Decimals == budgetDecimals &&
			(text == t.Symbol || families.Lookup(text) == families.Lookup(t.Address))
	})
	if i < 0 {
		return chain.Token{}, false
	}
	return n.Tokens[i], true
}

// asked names what a request of an agent uses up: its signature, and the operation that it is. A host that hands one
// request in under two bodies pays once, and so does an agent that signs one operation again because no answer came.
func asked(operation string, p wire.VerifyAgentRequest) []string {
	if p.HTTP == nil && p.BodyHash == emptyBody { // one signature is good for both, see ReadClaim
		p.BodyHash = noBody
	}
	name := func(what, text string) string {
		sum := digest(sha256.Sum256([]byte("railkit agent " + what + "|" + p.AgentID + "|" + text)))
		return sum.String()
	}
	return []string{name("request", p.Message()), name("operation", operation)}
}

// decidePayment holds an agent's payment against its limits, the policies of its wallet and the owner's approvals, in
// this order. No refusal is recorded: an agent in a loop must not fill the journal.
func (s *State) decidePayment(
	org *organization, sub Submission, p *wire.AgentPaymentParams, by actor, now time.Time,
) (Event, error) {
	x, err := s.readPayment(org, sub.Request, p)
	if err != nil {
		return Event{}, err
	}
	if err := s.mayAsk(org, x.agent, x.asked, sub, by, now); err != nil {
		return Event{}, err
	}
	spend := &AgentSpend{AgentID: p.AgentID, Month: monthOf(now), Micro: x.micro}
	if h := org.held[sub.Fingerprint]; h != nil && h.Agent != nil {
		spend.Month = h.Agent.Month
	}
	todo := s.informed(org, x.signing(), now)
	cost, err := s.affords(org, x, todo, spend, sub.Fingerprint, now)
	if err != nil {
		return Event{}, err
	}
	if reason := x.waits(org, todo, cost, by); reason != "" {
		return s.holdPayment(org, sub, x, todo, cost, spend, reason, now)
	}
	e, err := s.orderIntent(x.intent, sub.Volatile)
	e.Asked, e.Spend = x.asked, &Spend{WalletID: x.account.WalletID, MicroUSD: cost.Micro, Agent: spend}
	return e, err
}

// mayAsk refuses a request whatever it is: nobody asks while the kill switch is on, and only an active agent begins.
func (s *State) mayAsk(
	org *organization, a *agent, asked []string, sub Submission, by actor, now time.Time,
) error {
	if err := org.halted(a, by); err != nil || by.voted {
		return err
	}
	if sub.Claim == nil || !sub.Claim.Fresh(now) {
		return ErrAgentTime
	}
	for _, name := range asked {
		if d, ok := digestOf(name); !ok || s.asked[d] {
			return ErrAgentOnce
		}
	}
	return nil
}

// halted refuses what an agent asks for while it, or all agents, are stopped. A draining one may finish what waited.
func (o *organization) halted(a *agent, by actor) error {
	switch {
	case o.killSwitch:
		return ErrKillSwitch
	case a.Status == wire.AgentSuspended, a.Status == wire.AgentDraining && !by.voted:
		return ErrAgentInactive
	}
	return nil
}

// affords holds a payment against the agent's budget and the wallet's policies, and tells what it costs at most.
func (s *State) affords(
	org *organization, x payment, todo signing, spend *AgentSpend, fingerprint string, now time.Time,
) (policy.Cost, error) {
	prices := s.prices(org, now)
	cost := policy.Value(todo.Signing, prices)
	fee := todo.Signing
	fee.Effects = nil
	denial, lacks := policy.CheckAgent(*x.agent.Limits, policy.AgentPayment{
		Signing: todo.Signing, Micro: x.micro, Fee: policy.Value(fee, prices),
		Spent: s.paid[x.agent.ID][spend.Month], Held: org.heldFor(x.agent.ID, spend.Month, fingerprint, now),
		ResetsAt: resetsAt(spend.Month),
	})
	if denial == nil && lacks == nil {
		denial = s.denial(org, todo, cost, now)
	}
	switch {
	case denial != nil:
		return cost, ErrAgentRule.Msg(denial.Rule).With("denial", denial)
	case lacks != nil:
		return cost, ErrAgentBudget.Msg(lacks.Rule).
			With("failedLayers", []string{lacks.Layer}).With("layers", []*wire.Shortfall{lacks})
	}
	return cost, nil
}

// waits says why a payment has to wait for a passkey, if it has to. More than the threshold waits; the threshold itself
// does not.
func (x payment) waits(org *organization, todo signing, cost policy.Cost, by actor) string {
	if by.voted {
		return ""
	}
	if threshold, err := policy.ParseUSD(x.agent.Limits.ApprovalThresholdUSDC); err != nil || x.micro > threshold {
		return wire.ReasonThreshold
	}
	return org.waits(todo, cost, actor{credential: &credential{}}, "")
}

// holdPayment keeps a payment for votes, and its amount in the budget meanwhile.
func (s *State) holdPayment(
	org *organization, sub Submission, x payment, todo signing, cost policy.Cost, spend *AgentSpend, reason string,
	now time.Time,
) (Event, error) {
	e, err := org.hold(sub, reason, actor{}, now)
	if err != nil {
		return e, err
	}
	e.Asked = x.asked
	e.Held.ExpiresAt = clock.ISO(now.Add(agentApprovalLife))
	e.Held.WalletID, e.Held.CostUSD, e.Held.Agent = x.account.WalletID, cost.String(), spend
	e.Held.Chain, e.Held.Pays = x.network.Slug, todo.counterparties()
	return e, nil
}

// previewPayment shows a payment that waits to whoever is about to approve it.
func (s *State) previewPayment(
	org *organization, r Request, p *wire.AgentPaymentParams, now time.Time,
) (*wire.Preview, error) {
	x, err := s.readPayment(org, r, p)
	if err != nil {
		return nil, err
	}
	todo := x.signing()
	shown, err := s.judged(org, r, todo, preview(x.account, x.network, todo.Effects, x.maxFee), now)
	if err != nil {
		return nil, err
	}
	view := x.agent.Agent
	shown.Agent, shown.AgentName, shown.AgentID = &view, x.agent.Name, x.agent.ID
	return shown, nil
}

// heldFor is what payments of an agent that wait take from a month, but for one of them.
func (o *organization) heldFor(agentID string, month int32, except string, now time.Time) (micro int64) {
	for fingerprint, h := range o.held {
		if h.Agent == nil || h.Agent.AgentID != agentID || h.Agent.Month != month || fingerprint == except ||
			h.void || h.over(now) {
			continue
		}
		micro = policy.Add(micro, h.Agent.Micro)
	}
	return micro
}

// spending is what an agent has spent in the month of now.
func (s *State) spending(org *organization, a *agent, now time.Time) wire.AgentSpending {
	month := monthOf(now)
	return wire.AgentSpending{
		Month: now.UTC().Format("2006-01"), ResetsAt: resetsAt(month),
		Spent: policy.FormatUSD(s.paid[a.ID][month]), Held: policy.FormatUSD(org.heldFor(a.ID, month, "", now)),
	}
}

// resetsAt is the end of a month.
func resetsAt(month int32) string {
	return clock.ISO(time.Date(int(month/12), time.Month(month%12)+2, 1, 0, 0, 0, 0, time.UTC))
}

// applyPaid counts a payment, and notes what can never be asked again.
func (s *State) applyPaid(e Event) {
	for _, name := range e.Asked {
		if d, ok := digestOf(name); ok {
			s.asked[d] = true
		}
	}
	if e.Spend == nil || e.Spend.Agent == nil {
		return
	}
	p := e.Spend.Agent
	if s.paid[p.AgentID] == nil {
		s.paid[p.AgentID] = map[int32]int64{}
	}
	s.paid[p.AgentID][p.Month] = policy.Add(s.paid[p.AgentID][p.Month], p.Micro)
}
