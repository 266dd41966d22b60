package enclave

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/testbin"
)

// tries counts how often the signer accepted each request.
type tries struct {
	mu       sync.Mutex
	accepted map[string]int // by signature
	all      []wire.VerifyAgentRequest
}

// send hands requests in from several callers at once until the signer is gone.
// After so many accepted ones it is killed; 0: never.
func (a *tries) send(t *testing.T, r *running, requests []wire.VerifyAgentRequest, killAfter int) (accepted int) {
	var callers sync.WaitGroup
	for first := range 8 {
		callers.Go(func() {
			for i := first; i < len(requests); i += 8 {
				_, err := r.VerifyAgent(t.Context(), requests[i])
				a.mu.Lock()
				if err == nil {
					a.accepted[requests[i].MAC]++
					if accepted++; accepted == killAfter {
						_ = r.cmd.Process.Kill()
					}
				}
				a.mu.Unlock()
			}
		})
	}
	callers.Wait()
	return accepted
}

// sendPayments hands payments in from several callers at once until the signer is gone, which is killed after so many;
// 0: never. It gives the fingerprints of those that were signed.
func sendPayments(t *testing.T, r *running, requests []wire.SubmitRequest, killAfter int64) (signed []string) {
	t.Helper()
	var mu sync.Mutex
	var callers sync.WaitGroup
	var answers atomic.Int64
	for first := range 8 {
		callers.Go(func() {
			for i := first; i < len(requests); i += 8 {
				fingerprint := wire.Fingerprint(requests[i].Body)
				out, err := r.Submit(t.Context(), requests[i], fingerprint)
				if answers.Add(1) == killAfter {
					_ = r.cmd.Process.Kill()
				}
				if err != nil || out.State != wire.Done {
					continue
				}
				mu.Lock()
				signed = append(signed, fingerprint)
				mu.Unlock()
			}
		})
	}
	callers.Wait()
	return signed
}

// An agent asks for far more than its month has, in the face of a signer that is killed over and over: what was signed
// in all processes together is the limit to the last cent, and never more.
func TestAgents_BudgetHoldsOverKills(t *testing.T) {
	if _, err := testbin.Path("railkit-enclave"); err != nil { // building takes longer than a signature is fresh
		t.Fatal(err)
	}
	p := newPaying(t)
	requests := p.requestFortyCents("0.07")
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	signed := map[string]bool{}
	for range 4 {
		r := p.run()
		for _, fingerprint := range sendPayments(t, r, requests, 3) {
			signed[fingerprint] = true
		}
		<-r.ended
	}
	r := p.run()
	for _, fingerprint := range sendPayments(t, r, requests, 0) {
		signed[fingerprint] = true
	}
	a, err := r.Agent(t.Context(), p.id)
	r.stop(t)
	t.Logf("limit 0.07 USDC, asked for 0.40, signed 0.%02d, counted %s: overrun 0.%02d USD",
		len(signed), a.Payments.Spent, max(0, len(signed)-7))
	if err != nil || len(signed) != 7 || a.Payments.Spent != "0.07" {
		t.Errorf("%d were signed, and %s counted, %v", len(signed), a.Payments.Spent, err)
	}
}

// Agents write while the signer is killed over and over. Everything is sent again
// to each new process: no write is ever accepted twice.
func TestAgents_WriteIsAcceptedOnceOverKills(t *testing.T) {
	w := newWorld(t)
	b := w.bot(w.register("alice@example.com"), "Buyer")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a := &tries{accepted: map[string]int{}}
	const rounds, writes, killAfter = 4, 120, 40
	for round := range rounds {
		r := w.run()
		again := a.send(t, r, a.all, 0)
		// A timestamp is at most 60 seconds ahead. Each round's are later than what the
		// round before had the signer remember as used up.
		at := strconv.FormatInt(time.Now().Unix()+int64(12*(round+1)), 10)
		var fresh []wire.VerifyAgentRequest
		for n := range writes {
			fresh = append(fresh, b.signed("POST", "/v1/agents/events/batch", at,
				fmt.Sprintf(`{"round":%d,"n":%d}`, round, n)))
		}
		a.all = append(a.all, fresh...)
		if n := a.send(t, r, fresh, killAfter); n < killAfter {
			t.Errorf("round %d: %d of %d writes were accepted", round, n, writes)
		}
		<-r.ended
		t.Logf("round %d: %d that had no answer were accepted later", round, again)
	}
	r := w.run()
	a.send(t, r, a.all, 0)
	r.stop(t)
	for mac, n := range a.accepted {
		if n > 1 {
			t.Errorf("a write was accepted %d times: %s", n, mac[:8])
		}
	}
	if len(a.accepted) < rounds*killAfter {
		t.Errorf("%d writes were accepted", len(a.accepted))
	}
}
