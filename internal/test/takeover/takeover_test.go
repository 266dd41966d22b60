package takeover

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/railkit/railkit/internal/test/testbin"
	"github.com/railkit/railkit/internal/test/testenv"
)

// attack is one thing that the actor tries.
type attack struct {
	id     string
	tries  string
	mutant string // of mutants/*.txt, under which it succeeds
	run    func(h *host)
}

func (a attack) name() string { return a.id + "_" + strings.ReplaceAll(a.tries, " ", "_") }

// waits reports whether it waits for the delay of a recovery, five seconds or more.
func (a attack) waits() bool { return strings.HasPrefix(a.id, "R") }

// attacks are all, in the groups of what they are after. Those that wait begin first.
var attacks = slices.Concat(recoveries, stamps, requests, votes, rulesOfWallets, dataFees, messages, retries,
	amendments, payees, agentSignatures, agentOnce, agentBudgets, agentApprovals, agentHalts, agentRules, staleAgents,
	agentWallets, x402Offers, x402Nonces, x402Halts, swapAttacks, lendingAttacks, strandings, clocks, solanaAttacks,
	tronAttacks)

// attempt runs attacks on one signer, one after the other. Those that wait do so
// meanwhile. Each has people and a ledger of its own.
func (h *host) attempt(t *testing.T, all []attack, judge func(t *testing.T, a attack, l *ledger)) {
	t.Helper()
	var waiting sync.WaitGroup
	defer waiting.Wait()
	for _, a := range all {
		try := func() {
			t.Run(a.name(), func(t *testing.T) {
				own := *h
				own.t, own.ledger = t, newLedger()
				a.run(&own)
				judge(t, a, own.ledger)
			})
		}
		if a.waits() {
			waiting.Go(try)
		} else {
			try()
		}
	}
}

// TestTakeover runs every attack against the program that is shipped.
func TestTakeover(t *testing.T) {
	t.Parallel()
	program, err := testbin.Path("railkit-enclave")
	if err != nil {
		t.Fatal(err)
	}
	var ran, signatures, unwanted atomic.Int64
	takeOver(t, program, "").attempt(t, attacks, func(t *testing.T, a attack, l *ledger) {
		found, all := l.found()
		if found > 0 {
			t.Errorf("%s: %d signatures that nobody agreed to: %s", a.tries, found, l.why())
		}
		ran.Add(1)
		signatures.Add(int64(all))
		unwanted.Add(int64(found))
	})
	fmt.Printf("takeover: %d attacks ran, %d signatures came out, %d of them nobody had agreed to\n",
		ran.Load(), signatures.Load(), unwanted.Load())
}

// sampled is how many mutants an ordinary run tries; make nightly tries all.
const sampled = 6

// TestTakeoverMutants takes one check away at a time. The attacks that it stops have
// to succeed then: else they prove nothing.
func TestTakeoverMutants(t *testing.T) {
	t.Parallel()
	program, err := mutatedSigner()
	if err != nil {
		t.Fatal(err)
	}
	mutants, _, err := readMutants()
	if err != nil {
		t.Fatal(err)
	}
	if !testenv.Nightly() {
		seed := testenv.Seed(t)
		var chosen []string
		for _, i := range rand.New(rand.NewPCG(seed, 0)).Perm(len(mutants))[:sampled] {
			chosen = append(chosen, mutants[i])
		}
		mutants = chosen
		fmt.Printf("takeover: RAILKIT_SEED=%d chose the mutants %s\n", seed, strings.Join(mutants, ", "))
	}
	for _, mutant := range mutants {
		t.Run(mutant, func(t *testing.T) {
			t.Parallel()
			stopped := slices.DeleteFunc(slices.Clone(attacks), func(a attack) bool { return a.mutant != mutant })
			takeOver(t, program, mutant).attempt(t, stopped, func(t *testing.T, a attack, l *ledger) {
				if found, _ := l.found(); found == 0 {
					t.Errorf("without the check it has to succeed, and does not: %s", a.tries)
				}
			})
		})
	}
}
