package enclave

import (
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
)

// What the agent signed is what is signed for it, with the address of its own wallet.
func TestAgents_Pays(t *testing.T) {
	p := newPaying(t)
	q := p.asks("10000", receiver)
	out := p.did(q)
	tx := p.statement(out.Proof).Result.Transaction
	a := p.agentIs(p.bot, wire.AgentActive)
	if out.State != wire.Done || tx.SignWith != a.Address || tx.Chain != "base" || a.Payments.Spent != "0.01" {
		t.Fatalf("%s: %+v, spent %s", out.State, tx, a.Payments.Spent)
	}
	signed, err := hex.DecodeString(strings.TrimPrefix(tx.SignedTransaction, "0x"))
	if err != nil {
		t.Fatal(err)
	}
	if read, _, err := (evm.Family{}).DecodeSigned(signed); err != nil || read.To != usdc {
		t.Errorf("it calls %s, %v", read.To, err)
	}
	if again := p.did(q); *again.Proof != *out.Proof {
		t.Error("the same body has another result")
	}
	p.checkpointNow()
	p.reopen()
	if got := p.agentIs(p.bot, wire.AgentActive).Payments.Spent; got != "0.01" {
		t.Errorf("spent %s after a restart", got)
	}
}

// What is signed for an agent is listed while it may land, also after the kill, until the host says that it is mined.
func TestAgents_OpenExposure(t *testing.T) {
	p := newPaying(t)
	p.pays("10000")
	p.pays("20000")
	p.did(p.stamped(p.alice, wire.SetAgentStatus, wire.SetAgentStatusParams{AgentID: p.id, Status: wire.AgentKilled}))
	p.checkpointNow()
	p.reopen()
	address := p.agentIs(p.bot, wire.AgentKilled).Address
	for mined, want := range map[string]int{"0": 2, "1": 1, "2": 0} {
		proof, err := p.State(wire.StateRequest{OrganizationID: p.alice.org, Lent: &wire.LentRequest{
			AgentID: p.id, Mined: []wire.MinedNonce{{Chain: "base", Address: address, Nonce: mined}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.statement(&proof).State.Lent; len(got.Signed) != want || got.AgentID != p.id {
			t.Errorf("with %s mined: %+v", mined, got)
		}
	}
	for what, q := range map[string]wire.LentRequest{"neither": {}, "both": {AgentID: p.id, PolicyID: p.id}} {
		_, err := p.State(wire.StateRequest{OrganizationID: p.alice.org, Lent: &q})
		refused(t, what, err, refusal.ErrBody)
	}
}

// What is not the agent's own word is refused, whatever the host makes of it.
func TestAgents_ForgedPayments(t *testing.T) {
	p := newPaying(t)
	good := p.asks("10000", receiver)
	other := p.world.bot(p.register("bob@example.com"), "Buyer")
	for name, change := range map[string]func(q *wire.SubmitRequest){
		"no stamp":            func(q *wire.SubmitRequest) { q.Stamp = nil },
		"the owner's passkey": func(q *wire.SubmitRequest) { q.Stamp = p.stamp(p.alice, q.Body) },
		"another amount": func(q *wire.SubmitRequest) {
			q.Body = strings.Replace(q.Body, `\"10000\"`, `\"90000\"`, 1)
		},
		"another destination": func(q *wire.SubmitRequest) { q.Body = strings.Replace(q.Body, receiver, usdc, 1) },
		"another path": func(q *wire.SubmitRequest) {
			q.Body = strings.Replace(q.Body, "/v1/agents/", "/v1//agents/", 1)
		},
		"another agent": func(q *wire.SubmitRequest) {
			q.Body = strings.ReplaceAll(q.Body, `"agentId":"`+p.id, `"agentId":"`+other.id)
		},
		"another signature": func(q *wire.SubmitRequest) {
			q.Stamp = &wire.Stamp{HeaderName: wire.AgentStamp, HeaderValue: strings.Repeat("0", 64)}
		},
	} {
		q := good
		if change(&q); q.Body == good.Body && q.Stamp == good.Stamp {
			t.Fatalf("%s changes nothing", name)
		}
		if out, err := p.Submit(q); err == nil {
			t.Errorf("%s: %s", name, out.State)
		}
	}
	if got := p.agentIs(p.bot, wire.AgentActive).Payments; got.Spent != "0" || got.Held != "0" {
		t.Errorf("%+v", got)
	}
	if out := p.did(good); out.State != wire.Done {
		t.Errorf("the good one: %s", out.State)
	}
}

// One request pays once: also under another body of the host's, under another timestamp with its operation, and after a
// restart with the agent's signature still fresh.
func TestAgents_RequestPaysOnce(t *testing.T) {
	p := newPaying(t)
	first := p.asks("10000", receiver)
	p.did(first)
	again := first // the same signature, under another body
	again.Body = strings.Replace(first.Body, `"gasLimit":"65000"`, `"gasLimit":"65001"`, 1)
	p.reopen()
	_, err := p.Submit(again)
	refused(t, "the same signature under another body", err, refusal.ErrAgentOnce)
	r, err := decide.Parse(first.Body)
	if err != nil {
		t.Fatal(err)
	}
	later := p.asks("10000", receiver) // signed again, with the operation of the first
	s, _ := decide.Parse(later.Body)
	later.Body = strings.Replace(later.Body, s.Body.ActivityID, r.Body.ActivityID, 1)
	_, err = p.Submit(later)
	refused(t, "the same operation, signed again", err, refusal.ErrAgentOnce)
	stale := p.asks("10000", receiver)
	p.advance(61 * time.Second)
	_, err = p.Submit(stale)
	refused(t, "a request of a minute ago", err, refusal.ErrAgentTime)
	if got := p.agentIs(p.bot, wire.AgentActive).Payments.Spent; got != "0.01" {
		t.Errorf("spent %s", got)
	}
}

// requestFortyCents gives the agent another monthly limit, and signs 40 requests of 0.01 USDC each.
func (p *paying) requestFortyCents(monthly string) (requests []wire.SubmitRequest) {
	l := limits()
	l.PaymentsMonthlyUSDC = monthly
	p.did(p.stamped(p.alice, wire.SetAgentLimits, newLimits(p.bot, l)))
	for range 40 {
		requests = append(requests, p.asks("10000", receiver))
	}
	return requests
}

// Nobody gets a cent more than the month's limit by asking at once.
func TestAgents_BudgetHoldsAtOnce(t *testing.T) {
	p := newPaying(t)
	requests := p.requestFortyCents("0.05")
	var paid, refusals atomic.Int64
	var all sync.WaitGroup
	start := make(chan struct{})
	for _, q := range requests {
		all.Go(func() {
			<-start
			if _, err := p.Submit(q); err == nil {
				paid.Add(1)
			} else if errors.Is(err, refusal.ErrAgentBudget) {
				refusals.Add(1)
			}
		})
	}
	close(start)
	all.Wait()
	if paid.Load() != 5 || refusals.Load() != 35 {
		t.Errorf("%d of 40 were paid and %d refused for the budget, want 5 and 35", paid.Load(), refusals.Load())
	}
	f := p.refuses("one more", "1", refusal.ErrAgentBudget)
	s := f.Details["layers"].([]*wire.Shortfall)[0]
	if s.Limit != "0.05" || s.Spent != "0.05" || s.Held != "0" || s.NeverFits || s.ResetsAt == "" {
		t.Errorf("%+v", s)
	}
	f = p.refuses("more than a month has", "60000", refusal.ErrAgentBudget)
	if s := f.Details["layers"].([]*wire.Shortfall)[0]; !s.NeverFits || s.ResetsAt != "" {
		t.Errorf("%+v", s)
	}
}

// What is above the threshold waits for the owner, keeps its place in the budget meanwhile, and is gone after five
// minutes, when it is rejected, or when the agent is killed.
func TestAgents_ApprovalHoldsBudget(t *testing.T) {
	p := newPaying(t)
	held := func(want string) {
		t.Helper()
		if got := p.agentIs(p.bot, wire.AgentActive).Payments.Held; got != want {
			t.Errorf("held %s, want %s", got, want)
		}
	}
	wait := func() string {
		t.Helper()
		q := p.asks("600000", receiver)
		out := p.did(q)
		if out.State != wire.Held {
			t.Fatalf("%s", out.State)
		}
		return q.Body
	}
	p.pays("500000") // the threshold itself does not wait
	approved := wait()
	held("0.6")
	if out := p.did(wire.SubmitRequest{Body: approved, Volatile: volatile(0)}); out.State != wire.Held {
		t.Fatalf("without a vote: %s", out.State)
	}
	if _, err := p.vote(approved, p.alice); err != nil {
		t.Fatal(err)
	}
	if out := p.did(wire.SubmitRequest{Body: approved, Volatile: volatile(0)}); out.State != wire.Done {
		t.Fatalf("with the vote: %s", out.State)
	}
	held("0")
	if out := p.did(wire.SubmitRequest{Body: approved, Volatile: volatile(0)}); out.State != wire.Done {
		t.Errorf("again: %s", out.State)
	}
	if got := p.agentIs(p.bot, wire.AgentActive).Payments.Spent; got != "1.1" {
		t.Errorf("spent %s", got)
	}
	late := wait()
	p.advance(5*time.Minute + time.Second)
	held("0")
	_, err := p.vote(late, p.alice)
	refused(t, "a vote after five minutes", err, refusal.ErrApprovalOver)
	rejected := wait()
	if _, err := p.Cancel(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(rejected)}); err != nil {
		t.Fatal(err)
	}
	held("0")
	for n := 15; n > 0; n-- { // 1.1 of 10 is spent: 14 of 0.6 fit
		if _, err := p.Submit(p.asks("600000", receiver)); (err == nil) != (n > 1) {
			t.Errorf("with room for %d: %v", n-1, err)
		}
	}
	held("8.4")
	if _, err := p.bare(p.alice, wire.SetAgentStatus,
		wire.SetAgentStatusParams{AgentID: p.id, Status: wire.AgentKilled}); err != nil {
		t.Fatal(err)
	}
	if got := p.agentIs(p.bot, wire.AgentKilled).Payments; got.Held != "0" || got.Spent != "1.1" {
		t.Errorf("after the kill: %+v", got)
	}
}

// A payment that waits over the end of a month counts in the month that admitted it.
func TestAgents_HoldKeepsItsMonth(t *testing.T) {
	p := newPaying(t)
	now := p.now.Load().UTC()
	p.set(time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC).Add(-time.Minute))
	p.clock.accept()
	p.prices(*p.now.Load(), market)
	p.later()
	q := p.asks("600000", receiver)
	if out := p.did(q); out.State != wire.Held {
		t.Fatalf("%s", out.State)
	}
	before := p.agentIs(p.bot, wire.AgentActive).Payments
	p.advance(2 * time.Minute)
	if _, err := p.vote(q.Body, p.alice); err != nil {
		t.Fatal(err)
	}
	if out := p.did(wire.SubmitRequest{Body: q.Body, Volatile: volatile(0)}); out.State != wire.Done {
		t.Fatalf("%s", out.State)
	}
	after := p.agentIs(p.bot, wire.AgentActive).Payments
	if before.Month == after.Month || before.Held != "0.6" || after.Spent != "0" || after.Held != "0" {
		t.Errorf("%+v, then %+v", before, after)
	}
}

// Kill, halt and kill switch stand in front of everything; draining lets finish what waits.
func TestAgents_NothingAfterAHalt(t *testing.T) {
	p := newPaying(t)
	waits := p.asks("600000", receiver)
	p.did(waits)
	set := func(to wire.AgentStatus) {
		t.Helper()
		p.did(p.stamped(p.alice, wire.SetAgentStatus, wire.SetAgentStatusParams{AgentID: p.id, Status: to}))
	}
	if _, err := p.vote(waits.Body, p.alice); err != nil {
		t.Fatal(err)
	}
	again := wire.SubmitRequest{Body: waits.Body, Volatile: volatile(0)}
	set(wire.AgentSuspended)
	p.refuses("a payment of a suspended agent", "1", refusal.ErrAgentInactive)
	_, err := p.Submit(again)
	refused(t, "an approved payment of a suspended agent", err, refusal.ErrAgentInactive)
	set(wire.AgentActive)
	got, err := p.bare(p.alice, wire.SetKillSwitch, wire.SetKillSwitchParams{On: true})
	if err != nil || got != wire.Done {
		t.Fatalf("the kill switch: %s, %v", got, err)
	}
	p.refuses("a payment under the kill switch", "1", refusal.ErrKillSwitch)
	_, err = p.Submit(again)
	refused(t, "an approved payment under the kill switch", err, refusal.ErrKillSwitch)
	if got, err := p.bare(p.alice, wire.SetKillSwitch, wire.SetKillSwitchParams{}); err != nil || got != wire.Held {
		t.Fatalf("the kill switch off, without a stamp: %s, %v", got, err)
	}
	p.did(p.stamped(p.alice, wire.SetKillSwitch, wire.SetKillSwitchParams{}))
	set(wire.AgentDraining)
	p.refuses("a payment of a draining agent", "1", refusal.ErrAgentInactive)
	if out := p.did(again); out.State != wire.Done {
		t.Errorf("an approved payment of a draining agent: %s", out.State)
	}
	set(wire.AgentKilled)
	_, err = p.Submit(p.asks("1", receiver))
	refused(t, "a payment of a killed agent", err, refusal.ErrAgentKilled)
}

func TestAgents_RefusedPayments(t *testing.T) {
	p := newPaying(t)
	l := limits()
	l.AnyRecipient, l.AllowedRecipients = false, []string{receiver}
	l.MaxFeeUSD = "0.5"
	p.did(p.stamped(p.alice, wire.SetAgentLimits, newLimits(p.bot, l)))
	request := func(changes ...string) string {
		return strings.NewReplacer(changes...).Replace(`{"action_type":"payment","amount":"10000","destination":"` +
			receiver + `","token_mint":"USDC","cluster":"base"}`)
	}
	for name, c := range map[string]struct {
		request string
		want    *fault.Error
	}{
		"a stranger":           {request(receiver, usdc), refusal.ErrAgentRule},
		"another chain":        {request(`"base"`, `"polygon"`), refusal.ErrAgentRule},
		"an unknown chain":     {request(`"base"`, `"devnet"`), refusal.ErrBody},
		"another token":        {request(`"USDC"`, `"USDT"`), refusal.ErrBody},
		"the coin":             {request(`"USDC"`, `"ETH"`), refusal.ErrBody},
		"a token of that name": {request(`"USDC"`, `"`+receiver+`"`), refusal.ErrBody},
		"too much at once":     {request("10000", "1000001"), refusal.ErrAgentBudget},
		"nothing":              {request("10000", "0"), refusal.ErrBody},
		"less than nothing":    {request("10000", "-1"), refusal.ErrBody},
		"a fraction":           {request("10000", "0.5"), refusal.ErrBody},
		"an exponent":          {request("10000", "1e3"), refusal.ErrBody},
		"zeros in front":       {request("10000", "0010000"), refusal.ErrBody},
		"a number":             {request(`"10000"`, `10000`), refusal.ErrBody},
		"amount twice":         {request(`"amount"`, `"amount":"1","amount"`), refusal.ErrBody},
		"more words":           {request(`"amount"`, `"memo":"x","amount"`), refusal.ErrBody},
		"another action":       {request(`"payment"`, `"approve"`), refusal.ErrBody},
		"a checksum":           {request(receiver, strings.Replace(receiver, "C5", "c5", 1)), refusal.ErrBody},
	} {
		_, err := p.Submit(p.request(c.request))
		refused(t, name, err, c.want)
	}
	dear := p.request(request()) // 130000000000000 wei are 0.39 USD, ten times that is above 0.5
	dear.Body = strings.Replace(dear.Body, "130000000000000", "1300000000000000", 1)
	_, err := p.Submit(dear)
	refused(t, "a fee above the limit", err, refusal.ErrAgentRule)
	p.pays("10000")
	if got := p.agentIs(p.bot, wire.AgentActive).Payments; got.Spent != "0.01" || got.Held != "0" {
		t.Errorf("%+v", got)
	}
}

// The policies of its wallet hold for an agent as for everybody.
func TestAgents_PoliciesOfTheWallet(t *testing.T) {
	p := newPaying(t)
	p.policy(p.alice, p.agentIs(p.bot, wire.AgentActive).WalletID, wire.Rules{MaxValueUSD: "0.4"})
	p.refuses("above the policy", "400000", refusal.ErrAgentRule)
	p.pays("5000")
}

// After the entry of a kill there is no signature of the agent's, however many ask at that moment.
func TestAgents_KillAmongPayments(t *testing.T) {
	p := newPaying(t)
	var requests []wire.SubmitRequest
	for range 50 {
		requests = append(requests, p.asks("1000", receiver))
	}
	kill := p.body(p.fresh(p.alice, wire.SetAgentStatus,
		wire.SetAgentStatusParams{AgentID: p.id, Status: wire.AgentKilled}))
	var mu sync.Mutex
	var last uint64
	var all sync.WaitGroup
	for i, q := range requests {
		all.Go(func() {
			if i == 25 {
				_, _ = p.Submit(wire.SubmitRequest{Body: kill})
			}
			out, err := p.Submit(q)
			if err != nil {
				return
			}
			seq, _ := strconv.ParseUint(p.statement(out.Proof).Seq, 10, 64)
			mu.Lock()
			defer mu.Unlock()
			last = max(last, seq)
		})
	}
	all.Wait()
	out := p.did(wire.SubmitRequest{Body: kill})
	if killed, _ := strconv.ParseUint(p.statement(out.Proof).Seq, 10, 64); last > killed {
		t.Errorf("a payment is entry %d, the kill entry %d", last, killed)
	}
	p.agentIs(p.bot, wire.AgentKilled)
}
