package enclave

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// A request that was read in the last second of its timestamp, and then had to
// wait, comes when its signature is forgotten already.
func TestAgents_ReplayThatHadToWait(t *testing.T) {
	w := newTimed(t)
	b := w.bot(w.register("alice@example.com"), "Buyer")
	w.later()
	write := b.signed("POST", "/v1/agents", w.at(0), "{}")
	w.accepted("a write", write)
	w.advance(60 * time.Second)
	claim, err := decide.ReadClaim(write)
	if err != nil || w.checkMAC(&claim) != nil {
		t.Fatal(err)
	}
	w.advance(time.Second)
	if a, _, err := w.admit(claim); err == nil {
		t.Errorf("accepted again, of %s", a.AgentID)
	} else {
		refused(t, "a replay that had to wait", err, refusal.ErrAgentTime)
	}
}

func TestAgents_WriteIsAcceptedOnceAtOnce(t *testing.T) {
	w := newTimed(t)
	b := w.bot(w.register("alice@example.com"), "Buyer")
	w.later()
	write := b.signed("POST", "/v1/agents", w.at(0), "")
	var accepted atomic.Int64
	var all sync.WaitGroup
	for i := range 64 {
		q := write
		if i%2 == 0 { // the same signature, for a body that counts as none
			q.BodyHash = wire.Digest("{}")
		}
		all.Go(func() {
			if _, err := w.VerifyAgent(q); err == nil {
				accepted.Add(1)
			}
		})
	}
	all.Wait()
	if n := accepted.Load(); n != 1 {
		t.Errorf("accepted %d times", n)
	}
}

// Once an agent was heard of its secret is told no more, also where the machine's
// clock goes back behind the body's expiry with a restart.
func TestAgents_HeardAfterTheExpiry(t *testing.T) {
	w := newTimed(t)
	q, out := w.createAgent(w.register("alice@example.com"), "Buyer", "")
	b := bot{w.statement(out.Proof).Result.Agent.ID, out.AgentSecret}
	made := *w.now.Load()
	w.advance(14 * time.Minute)
	if err := w.tick(); err != nil { // the last time in the journal
		t.Fatal(err)
	}
	w.advance(time.Minute + time.Second)
	w.accepted("its first request", b.signed("GET", "/v1/agents", w.at(0), ""))
	w.set(made)
	w.reopen()
	if again, err := w.Submit(q); err != nil || again.AgentSecret != "" {
		t.Errorf("%v, or told again", err)
	}
}
