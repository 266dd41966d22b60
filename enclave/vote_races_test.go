package enclave

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// race is one payment that needs two of three users, and what came of everything
// that was tried with it at once.
type race struct {
	*world
	rand     *rand.Rand
	body     string
	mu       sync.Mutex
	agreed   map[int]bool // users whose vote was taken
	told     map[wire.OutcomeState]wire.Proof
	executed int // answers that say that it was executed
}

// answered takes an answer about the body: all that say the same state are one proof.
func (r *race) answered(out wire.OutcomeReply, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil || out.Proof == nil {
		return
	}
	if first, known := r.told[out.State]; known && first != *out.Proof {
		r.t.Errorf("two proofs that it is %s", out.State)
	}
	r.told[out.State] = *out.Proof
	if out.State == wire.Done {
		r.executed++
	}
}

func (r *race) vote(n int, ballot wire.SubmitRequest) {
	if out, err := r.Submit(ballot); err == nil && out.State == wire.Done {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.agreed[n] = true
	}
}

// begin draws what is tried, and starts it all at once. Everything is stamped
// before, so that the calls meet.
func (r *race) begin(users []owner, walletID string) {
	again := wire.SubmitRequest{Body: r.body, Volatile: volatile(0)}
	calls := []func(){func() { r.answered(r.Submit(again)) }}
	for range 3 + r.rand.IntN(5) {
		n := r.rand.IntN(len(users))
		ballot := r.ballot(r.body, users[n])
		q := wire.SubmitRequest{Body: ballot, Stamp: r.stamp(users[n], ballot)}
		calls = append(calls, func() { r.vote(n, q) }, func() { r.answered(r.Submit(again)) })
	}
	if r.rand.IntN(3) == 0 {
		calls = append(calls, func() {
			r.answered(r.Cancel(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(r.body)}))
		})
	}
	if r.rand.IntN(4) == 0 { // the rules change: votes for the old ones count no more
		tighter := r.world.body(r.fresh(users[0], wire.CreatePolicy, wire.CreatePolicyParams{
			WalletID: walletID, Rules: wire.Rules{AllowedChains: []string{"base"}},
		}))
		calls = append(calls, func() { _, _ = r.Submit(wire.SubmitRequest{Body: tighter}) })
	}
	r.rand.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
	var all sync.WaitGroup
	for _, call := range calls {
		all.Go(call)
	}
	all.Wait()
	r.answered(r.Submit(again)) // what has its votes by now is executed
}

// ended holds what was told against what is.
func (r *race) ended(nonce int) (state wire.OutcomeState) {
	r.t.Helper()
	out, err := r.Outcome(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(r.body)})
	if err != nil || out.State == wire.Denied || out.State == wire.Unknown {
		r.t.Fatalf("ended as %s, %v", out.State, err)
	}
	_, cancelled := r.told[wire.Cancelled]
	if first, known := r.told[out.State]; known && first != *out.Proof || cancelled != (out.State == wire.Cancelled) ||
		(r.executed > 0) != (out.State == wire.Done) {
		r.t.Errorf("it is %s, told were %v", out.State, r.told)
	}
	if out.State != wire.Done {
		return out.State
	}
	result, users := r.statement(out.Proof).Result, map[string]bool{}
	for _, v := range result.Approval.Votes {
		users[v.UserID] = true
	}
	if len(users) < 2 || len(r.agreed) < 2 || result.Transaction.Nonce != strconv.Itoa(nonce) {
		r.t.Errorf("%d users agreed, %d votes were taken, nonce %s, want %d", len(users), len(r.agreed),
			result.Transaction.Nonce, nonce)
	}
	return out.State
}

// Votes of three users, executions, rejections and new rules, all at once: a
// payment is executed once, by two users who agreed under the rules of then, or
// not at all, and everybody is told the same. The seed is fixed; what meets what
// is the scheduler's.
func TestSigning_A08_VotesRace(t *testing.T) {
	w := newWorldWith(t, Options{every: 1 << 40})
	alice := w.synced("alice@example.com")
	users := []owner{alice}
	for _, name := range []string{"bob@example.com", "carol@example.com"} {
		key := passkey.New(origin).Misbehaving(passkey.Tamper{SignCount: func(uint32) uint32 { return 0 }})
		w.done(w.another(alice, name, name, key), alice)
		users = append(users, alice.with(key))
	}
	account := w.wallet(alice, "Main")
	w.done(w.body(w.fresh(alice, wire.UpdateApprovalConfig, wire.ApprovalConfig{
		Enabled: true, ThresholdUSD: "0", RequiredApprovers: "2",
	})), alice)
	seen, random := map[wire.OutcomeState]int{}, rand.New(rand.NewPCG(12, 15))
	for range 60 {
		r := &race{world: w, rand: random, agreed: map[int]bool{}, told: map[wire.OutcomeState]wire.Proof{}}
		r.body = w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
		w.in(wire.Held, r.body, alice)
		r.begin(users, account.WalletID)
		state := r.ended(seen[wire.Done])
		if seen[state]++; state == wire.Held {
			_, _ = w.Cancel(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(r.body)})
		}
	}
	if seen[wire.Done] == 0 || seen[wire.Cancelled] == 0 || seen[wire.Held] == 0 {
		t.Errorf("ended as %v: the races show too little", seen)
	}
}
