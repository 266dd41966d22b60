package decide

import (
	"cmp"
	"crypto/sha256"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/policy"
	"github.com/railkit/railkit/enclave/refusal"
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
// approval over the end of that month. What was signed stays counted whatever becomes of it: only the host could tell
// that it failed, and the host may lie.
//
// The nonce of a signed transfer moves money once, whatever is signed under it. So a nonce that was signed for before,
// in the same month, takes only what the new transfer moves more. Example: 0.02 USDC were signed under a nonce, the
// seller never handed them in, and they have expired. Now 0.03 are signed under the same nonce: 0.01 more are counted.
// Had the host lied, and the 0.02 had moved, the token would refuse the 0.03.
//
// A transaction without a nonce has nothing that is used up for another one: each that is signed counts in full.
// Example: 0.02 USDC were signed on Solana, and the host says that a final block is above the last height of their
// blockhash. Now 0.03 are signed with another blockhash: 0.05 are counted. Had the host lied, the chain took both.
type AgentSpend struct {
	AgentID string `json:"agentId"`
	Month   int32  `json:"month"` // months since year 0
	Micro   int64  `json:"micro"` // of USDC, beyond what the nonce has taken before
	// Of a signed transfer: names its nonce, see nonceName.
	Nonce string `json:"nonce,omitempty"`
}

// payment is what an agent wants to pay, understood: by a transaction, or by what its seller hands in.
type payment struct {
	agent   *agent
	account account
	network chain.Network
	micro   int64
	signing signing
	sign    func(wire.Volatile) (Event, error)
	// What may never be accepted again, see usedOnce.
	requestDigests []string
	// Of what its seller hands in:
	resource string // URL, "" where the agent names a recipient only
	nonce    string // of typed data
	seconds  string // likewise
}

// Claim is the request that an agent signed, where the body carries one.
func (r Request) Claim(mac string) (wire.VerifyAgentRequest, bool) {
	if c, ok := r.params.(interface {
		Claim(mac string) wire.VerifyAgentRequest
	}); ok {
		return c.Claim(mac), true
	}
	return wire.VerifyAgentRequest{}, false
}

// actions are the kinds of payment that a request may name; they mean the same.
var actions = []string{"payment", "transfer"}

// payer is the agent that a call comes from, if it may pay at all and the call is what it claims to be.
func (o *organization) payer(r Request, c wire.AgentCall, action string) (x payment, err error) {
	if x.agent, err = o.activated(c.AgentID); err != nil {
		return x, err
	}
	if x.agent.Limits == nil { // of before agents had limits
		return x, refusal.ErrAgentPending
	}
	if c.Method != "POST" || c.Path != "/v1/agents/"+c.AgentID+"/"+action {
		return x, refusal.ErrBody.Msg("the request is not the agent's own POST /v1/agents/{id}/" + action)
	}
	if c.HTTP != nil && c.HTTP.Query != "?" {
		return x, refusal.ErrBody.Msg("the request has a query, which means nothing here")
	}
	x.requestDigests = usedOnce(r.Body.ActivityID, c.Claim(""))
	return x, nil
}

// readPayment reads the request as the agent signed it. The host adds nothing to it but gas and fee.
func (c call) readPayment(p *wire.AgentPaymentParams) (x payment, err error) {
	if x, err = c.org.payer(c.sub.Request, p.AgentCall, "sign-transaction"); err != nil {
		return x, err
	}
	var q wire.PaymentRequest
	if err := strict([]byte(p.Request), &q); err != nil {
		return x, refusal.ErrBody.Msg("request is not strict JSON of the known members").Because(err)
	}
	amount, ok := number(q.Amount)
	switch {
	case !slices.Contains(actions, q.ActionType):
		return x, refusal.ErrBody.Msg("action_type is not " + strings.Join(actions, " or "))
	case !ok || amount == 0 || amount > 1<<53:
		return x, refusal.ErrBody.Msg("amount is not a whole number of the token's smallest unit, above 0")
	}
	x.micro = int64(amount)
	i, err := c.readTransfer(&x, q)
	if err != nil {
		return x, err
	}
	if i.Gas, ok = number(p.GasLimit); !ok || i.Gas == 0 || i.Gas > x.account.family.MaxGas() {
		return x, refusal.ErrBody.Msg("gasLimit is not a sensible amount of gas")
	}
	if i.maxFee, ok = wei(p.MaxTotalFee); !ok {
		return x, refusal.ErrBody.Msg("maxTotalFee is not a decimal amount of wei")
	}
	if i.Rent, err = i.rent(p.MaxRent); err != nil {
		return x, err
	}
	x.signing = i.signing()
	x.sign = func(v wire.Volatile) (Event, error) { return c.orderIntent(i, v) }
	return x, nil
}

// paysFrom finds the network that is named, and the first account of the agent's wallet that is for it.
func (c call) paysFrom(x *payment, name, member string) (err error) {
	n, known := chain.OfCluster(c.Networks, name)
	address := c.addresses(x.agent)[n.Kind]
	if !known || address == "" {
		return refusal.ErrBody.Msg(member +
			" is none of the networks of this environment that the agent's wallet is for")
	}
	if x.account, err = c.org.account(address); err != nil {
		return err
	}
	x.network, err = c.networkOf(x.account, n.Slug, n.ID())
	return err
}

// readTransfer makes the transfer out of the request's words.
func (c call) readTransfer(x *payment, q wire.PaymentRequest) (i intent, err error) {
	if err := c.paysFrom(x, q.Cluster, "cluster"); err != nil {
		return i, err
	}
	i.account, i.network, i.From = x.account, x.network, x.account.Address
	token, ok := tokenOf(x.network, q.TokenMint)
	if !ok {
		return i, refusal.ErrBody.Msg("token_mint is not " + budgetToken +
			" of the network: nothing else counts against a budget")
	}
	to, err := payable(x.account.family, q.Destination)
	if err != nil {
		return i, refusal.ErrBody.Msg("destination is not an address that can be paid")
	}
	if i.Call, err = x.account.family.Transfer(token, to, big.NewInt(x.micro)); err != nil {
		return i, refusal.ErrBody.Msg("destination cannot be paid").Because(err)
	}
	if err := x.account.family.CheckIntent(x.network, i.Intent); err != nil {
		return i, refusal.ErrBody.Msg("destination cannot be paid").Because(err)
	}
	return i, nil
}

// payable reads an address that somebody can have the key of.
func payable(f chain.Family, text string) (string, error) {
	to, err := f.ParseAddress(text)
	if err == nil {
		err = f.CheckPayee(to)
	}
	return to, err
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

// usedOnce names what a request of an agent uses up: its signature, and the operation that it is. A host that hands one
// request in under two bodies pays once, and so does an agent that signs one operation again because no answer came.
func usedOnce(operation string, p wire.VerifyAgentRequest) []string {
	if p.HTTP == nil && p.BodyHash == emptyBody { // one signature is good for both, see ReadClaim
		p.BodyHash = noBody
	}
	name := func(what, text string) string {
		sum := digest(sha256.Sum256([]byte("railkit agent " + what + "|" + p.AgentID + "|" + text)))
		return sum.String()
	}
	return []string{name("request", p.Message()), name("operation", operation)}
}

// paying judges and shows a body that asks for a payment, which read understands.
func paying[P any](read func(call, *P) (payment, error)) (
	judge func(call, *P) (Event, error), show func(call, *P) (*wire.Preview, error),
) {
	judge = func(c call, p *P) (Event, error) {
		x, err := read(c, p)
		if err != nil {
			return Event{}, err
		}
		return c.pay(x)
	}
	show = func(c call, p *P) (*wire.Preview, error) {
		x, err := read(c, p)
		if err != nil {
			return nil, err
		}
		return c.showPayment(x)
	}
	return judge, show
}

// pay holds an agent's payment against its limits, the policies of its wallet and the owner's approvals, in
// this order. No refusal is recorded: an agent in a loop must not fill the journal.
func (c call) pay(x payment) (Event, error) {
	if err := c.mayAsk(x.agent, x.requestDigests); err != nil {
		return Event{}, err
	}
	spend := &AgentSpend{AgentID: x.agent.ID, Month: monthOf(c.now), Nonce: x.nonce}
	if h := c.org.held[c.sub.Fingerprint]; h != nil && h.Agent != nil {
		spend.Month = h.Agent.Month
	}
	spend.Micro = max(0, x.micro-c.underNonce(*spend))
	todo := c.informed(x.signing)
	cost, err := c.checkLimits(x, todo, spend)
	if err != nil {
		return Event{}, err
	}
	if reason := x.waits(c.org, todo, cost, c.by); reason != "" {
		return c.holdPayment(x, todo, cost, spend, reason)
	}
	e, err := x.sign(c.sub.Volatile)
	e.Asked, e.Spend = x.requestDigests, &Spend{WalletID: x.account.WalletID, MicroUSD: cost.Micro, Agent: spend}
	return e, err
}

// mayAsk refuses a request whatever it is: nobody asks while the kill switch is on, and only an active agent begins.
func (c call) mayAsk(a *agent, asked []string) error {
	if err := c.org.halted(a, c.by); err != nil || c.by.voted {
		return err
	}
	if c.sub.Claim == nil || !c.sub.Claim.Fresh(c.now) {
		return refusal.ErrAgentTime
	}
	for _, name := range asked {
		if d, ok := digestOf(name); !ok || c.requestDigests[d] {
			return refusal.ErrAgentOnce
		}
	}
	return nil
}

// halted refuses what an agent asks for while it, or all agents, are stopped. A draining one may finish what waited.
func (o *organization) halted(a *agent, by actor) error {
	switch {
	case o.killSwitch:
		return refusal.ErrKillSwitch
	case a.Status == wire.AgentSuspended, a.Status == wire.AgentDraining && !by.voted:
		return refusal.ErrAgentInactive
	}
	return nil
}

// checkLimits holds a payment against the agent's budget and the wallet's policies, and tells what it costs at most.
func (c call) checkLimits(x payment, todo signing, spend *AgentSpend) (policy.Cost, error) {
	prices := c.prices(c.org, c.now)
	cost := policy.Value(todo.Signing, prices)
	fee := todo.Signing
	fee.Effects = slices.DeleteFunc(slices.Clone(todo.Effects), isPayment) // what is left the host chose, like the fee
	denial, lacks := policy.CheckAgent(*x.agent.Limits, policy.AgentPayment{
		Signing: todo.Signing, Micro: x.micro, Counted: x.micro - spend.Micro, Fee: policy.Value(fee, prices),
		Spent: c.paid[x.agent.ID][spend.Month], Held: c.org.heldFor(x.agent.ID, spend.Month, c.sub.Fingerprint, c.now),
		ResetsAt: resetsAt(spend.Month),
	})
	if denial == nil && lacks == nil {
		denial = c.denial(todo, cost)
	}
	switch {
	case denial != nil:
		return cost, refusal.ErrAgentRule.Msg(denial.Rule).With("denial", denial)
	case lacks != nil:
		return cost, refusal.ErrAgentBudget.
			With("failedLayers", []string{lacks.Layer}).With("layers", []*wire.Shortfall{lacks})
	}
	return cost, nil
}

// isPayment tells what an agent asked for from an account that is opened for whom it pays.
func isPayment(e chain.Effect) bool { return !e.ByCall }

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
func (c call) holdPayment(x payment, todo signing, cost policy.Cost, spend *AgentSpend, reason string) (Event, error) {
	e, err := c.as(actor{}).hold(reason)
	if err != nil {
		return e, err
	}
	e.Asked = x.requestDigests
	e.Held.ExpiresAt = clock.ISO(c.now.Add(agentApprovalLife))
	e.Held.WalletID, e.Held.CostUSD, e.Held.Agent = x.account.WalletID, cost.String(), spend
	e.Held.Chain, e.Held.Pays = x.network.Slug, todo.counterparties()
	return e, nil
}

// showPayment shows a payment that waits to whoever is about to approve it.
func (c call) showPayment(x payment) (*wire.Preview, error) {
	shown := preview(x.account, x.network, x.signing.Effects, cmp.Or(x.signing.MaxFee, new(big.Int)))
	if x.signing.MaxFee == nil { // who hands it in pays the fee
		shown.MaxTotalFee, shown.FeeDisplay = "", ""
	}
	shown.Resource, shown.Seconds = x.resource, x.seconds
	shown, err := c.judged(x.signing, shown)
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
func (b *agentBook) spending(org *organization, a *agent, now time.Time) wire.AgentSpending {
	month := monthOf(now)
	return wire.AgentSpending{
		Month: now.UTC().Format("2006-01"), ResetsAt: resetsAt(month),
		Spent: policy.FormatUSD(b.paid[a.ID][month]), Held: policy.FormatUSD(org.heldFor(a.ID, month, "", now)),
	}
}

// resetsAt is the end of a month.
func resetsAt(month int32) string {
	return clock.ISO(time.Date(int(month/12), time.Month(month%12)+2, 1, 0, 0, 0, 0, time.UTC))
}

// nonceTotals are what was signed for under nonces in one month of an agent. Those of months before it are forgotten:
// to take them up again counts in full.
type nonceTotals struct {
	Month int32            `json:"month"`
	Micro map[string]int64 `json:"micro"` // by nonceName
}

// underNonce is what was counted before, in the spend's month, for transfers under its nonce.
func (b *agentBook) underNonce(p AgentSpend) int64 {
	if t := b.underNonces[p.AgentID]; t != nil && t.Month == p.Month {
		return t.Micro[p.Nonce]
	}
	return 0
}

// pay counts a payment, and notes what can never be asked again.
func (b *agentBook) pay(e Event) {
	for _, name := range e.Asked {
		if d, ok := digestOf(name); ok {
			b.requestDigests[d] = true
		}
	}
	if e.Spend == nil || e.Spend.Agent == nil {
		return
	}
	p := *e.Spend.Agent
	if b.paid[p.AgentID] == nil {
		b.paid[p.AgentID] = map[int32]int64{}
	}
	b.paid[p.AgentID][p.Month] = policy.Add(b.paid[p.AgentID][p.Month], p.Micro)
	if p.Nonce == "" {
		return
	}
	t := b.underNonces[p.AgentID]
	if t == nil || t.Month < p.Month {
		t = &nonceTotals{p.Month, map[string]int64{}}
		b.underNonces[p.AgentID] = t
	}
	if t.Month == p.Month {
		t.Micro[p.Nonce] = policy.Add(t.Micro[p.Nonce], p.Micro)
	}
}
