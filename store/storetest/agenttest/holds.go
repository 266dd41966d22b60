package agenttest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/kit/agent/event"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/storetest"
)

var holdTests = map[string]func(*testing.T, *Bench){
	"AdmissionRace":     testAdmissionRace,
	"TokensRace":        testTokensRace,
	"BothLayers":        testBothLayers,
	"SameCallRace":      testSameCallRace,
	"HeldWithItsCall":   testHeldWithItsCall,
	"CaptureOrVoidRace": testCaptureOrVoidRace,
	"AdmittedAgain":     testAdmittedAgain,
	"LimitLowered":      testLimitLowered,
	"WithoutLimits":     testWithoutLimits,
	"ForeignHolds":      testForeignHolds,
	"Sweep":             testSweep,
	"SweepOfMany":       testSweepOfMany,
	"Model":             testModel,
}

// Of many calls at once exactly those pass that fit, and what they took is there to the last nano-USD.
func testAdmissionRace(t *testing.T, b *Bench) {
	a := Agent("a", Limits("0.00075", "1")) // seven calls, and half of one
	errs := Together(24, func(i int) error {
		return b.Budgets.Hold(t.Context(), a, fmt.Sprint("call-", i), "sha256:f")
	})
	storetest.Equal(t, "passed", Passed(t, errs, "infra"), 7)
	infra, tokens := b.sums(t, "a", b.month(t))
	storetest.Equal(t, "infra", infra, budget.Sum{Held: 7 * Price})
	storetest.Equal(t, "tokens", tokens, budget.Sum{})
	storetest.Equal(t, "holds", b.Count(t, "agent_holds WHERE state = 'held'"), 7)
	storetest.Equal(t, "refusals", b.refusals(t, "a"), 17)
	lacks := refused(t, b.Budgets.Hold(t.Context(), a, "one-more", ""), "infra")
	want := wire.Shortfall{
		Layer: "infra", Rule: "infraMonthlyUsd", Requested: "0.0001", Limit: "0.00075", Spent: "0", Held: "0.0007",
		ResetsAt: lacks[0].ResetsAt,
	}
	if storetest.Equal(t, "shortfall", *lacks[0], want); want.ResetsAt == "" {
		t.Error("it says no time at which there is more")
	}
}

func (b *Bench) refusals(t *testing.T, agentID string) (n int) {
	t.Helper()
	err := b.Store.Writer().QueryRowContext(t.Context(),
		"SELECT CAST(COALESCE(SUM(refused), 0) AS BIGINT) FROM agent_refusals WHERE agent_id = $1", agentID).Scan(&n)
	storetest.OK(t, err)
	return n
}

// Calls and reports of tokens come at once: what is reported is counted whole, and no call passes once it is too much.
func testTokensRace(t *testing.T, b *Bench) {
	b.Signer.limits = Limits("1", "0.5")
	a := Agent("a", b.Signer.limits)
	Together(16, func(i int) error {
		if i%2 == 0 {
			b.report(t, "a", event.AgentEvent{ID: fmt.Sprint(i), Type: "llm_call", Amount: []byte("0.1")})
			return nil
		}
		return b.Budgets.Hold(t.Context(), a, fmt.Sprint("call-", i), "")
	})
	_, tokens := b.sums(t, "a", b.month(t))
	storetest.Equal(t, "tokens", tokens, budget.Sum{Spent: 800_000_000})
	lacks := refused(t, b.Budgets.Hold(t.Context(), a, "after", ""), "tokens")
	storetest.Equal(t, "spent", lacks[0].Spent, "0.8")
	storetest.Equal(t, "never", lacks[0].NeverFits, false)
}

// What is spent to the limit is not overdrawn. A call that two layers refuse names both, and leaves nothing in either.
func testBothLayers(t *testing.T, b *Bench) {
	b.report(t, "a", event.AgentEvent{ID: "1", Type: "token_usage", Amount: []byte(`"0.3"`)})
	storetest.OK(t, b.Budgets.Hold(t.Context(), Agent("a", Limits("1", "0.3")), "call", ""))
	low := Agent("a", Limits("0.00005", "0.2"))
	lacks := refused(t, b.Budgets.Hold(t.Context(), low, "next", ""), "infra", "tokens")
	if !lacks[0].NeverFits || lacks[0].ResetsAt != "" || lacks[1].NeverFits || lacks[1].ResetsAt == "" {
		t.Errorf("%+v, %+v", lacks[0], lacks[1])
	}
	refused(t, b.Budgets.Hold(t.Context(), Agent("a", Limits("1", "0.299999999")), "next", ""), "tokens")
	infra, tokens := b.sums(t, "a", b.month(t))
	storetest.Equal(t, "infra", infra, budget.Sum{Held: Price})
	storetest.Equal(t, "tokens", tokens, budget.Sum{Spent: 300_000_000})
	storetest.Equal(t, "holds", b.Count(t, "agent_holds"), 1)
}

// One call that comes many times is one call.
func testSameCallRace(t *testing.T, b *Bench) {
	a := Agent("a", Limits("1", "1"))
	for i, err := range Together(16, func(i int) error {
		return b.Budgets.Hold(t.Context(), a, "call", fmt.Sprint("sha256:", i))
	}) {
		if err != nil {
			t.Errorf("call %d: %v", i, err)
		}
	}
	infra, _ := b.sums(t, "a", b.month(t))
	storetest.Equal(t, "infra", infra, budget.Sum{Held: Price})
	storetest.OK(t, b.Budgets.Hold(t.Context(), a, "call", "sha256:last"))
	storetest.Equal(t, "fingerprint", b.hold(t, "call").Fingerprint, "sha256:last")
	storetest.OK(t, b.Budgets.Capture(t.Context(), storetest.Ours, "call"))
	storetest.OK(t, b.Budgets.Hold(t.Context(), a, "call", "sha256:later"))
	h := b.hold(t, "call")
	storetest.Equal(t, "after its end", []any{h.State, h.Fingerprint}, []any{budget.Captured, "sha256:last"})
}

// The hold of a new call is in the transaction that writes the call. Of many tries with one id one is admitted, and its
// hold stays for its own body; one that the budget refuses leaves nothing of either.
func testHeldWithItsCall(t *testing.T, b *Bench) {
	write := func(a wire.AgentReply, id, fingerprint string) error {
		both := func(ctx context.Context, tx budget.Tx) error {
			if err := tx.CountRefusal(ctx, a.WorkspaceID, a.AgentID, time.Now()); err != nil { // a row beside the hold
				return err
			}
			return b.Budgets.HoldNew(ctx, tx, a, id, fingerprint)
		}
		err := record.Do(t.Context(), b.Agents().Budgets(), storetest.Ours, both)
		return b.Budgets.Refused(t.Context(), a, err)
	}
	a := Agent("a", Limits("1", "1"))
	admitted := ""
	for i, err := range Together(8, func(i int) error { return write(a, "call", fmt.Sprint("sha256:", i)) }) {
		switch {
		case err == nil && admitted == "":
			admitted = fmt.Sprint("sha256:", i)
		case !errors.Is(err, record.ErrStale):
			t.Errorf("try %d: %v", i, err)
		}
	}
	infra, _ := b.sums(t, "a", b.month(t))
	storetest.Equal(t, "infra", infra, budget.Sum{Held: Price})
	storetest.Equal(t, "of the one that was admitted", b.hold(t, "call").Fingerprint, admitted)
	storetest.Equal(t, "written beside it", b.refusals(t, "a"), 1)
	if err := write(Agent("poor", Limits("0", "1")), "another", ""); !errors.Is(err, refusal.ErrAgentBudget) {
		t.Errorf("of an empty budget: %v", err)
	}
	storetest.Equal(t, "the refusal, and nothing that was written beside it", b.refusals(t, "poor"), 1)
}

func (b *Bench) hold(t *testing.T, id string) (h budget.Hold) {
	t.Helper()
	err := record.Do(t.Context(), b.Agents().Budgets(), storetest.Ours,
		func(ctx context.Context, tx budget.Tx) (err error) {
			h, err = tx.Hold(ctx, storetest.Ours, id)
			return err
		})
	storetest.OK(t, err)
	return h
}

// However many end a call at once, it ends once: what is held is nothing, and it is spent or it is not.
func testCaptureOrVoidRace(t *testing.T, b *Bench) {
	a := Agent("a", Limits("1", "1"))
	captured := budget.Nano(0)
	for n := range 6 {
		id := fmt.Sprint("call-", n)
		storetest.OK(t, b.Budgets.Hold(t.Context(), a, id, ""))
		for _, err := range Together(8, func(i int) error {
			if i%2 == 0 {
				return b.Budgets.Capture(t.Context(), storetest.Ours, id)
			}
			return b.Budgets.Void(t.Context(), storetest.Ours, id)
		}) {
			storetest.OK(t, err)
		}
		if b.hold(t, id).State == budget.Captured {
			captured += Price
		}
	}
	infra, _ := b.sums(t, "a", b.month(t))
	storetest.Equal(t, "infra", infra, budget.Sum{Spent: captured})
	storetest.OK(t, b.Budgets.Capture(t.Context(), storetest.Ours, "never-held"))
}

// A call that was void and is made again costs as the first time, and may be refused.
func testAdmittedAgain(t *testing.T, b *Bench) {
	a := Agent("a", Limits("0.0001", "1"))
	storetest.OK(t, b.Budgets.Hold(t.Context(), a, "call", "sha256:1"))
	storetest.OK(t, b.Budgets.Void(t.Context(), storetest.Ours, "call"))
	storetest.OK(t, b.Budgets.Hold(t.Context(), a, "other", "sha256:2"))
	refused(t, b.Budgets.Hold(t.Context(), a, "call", "sha256:3"), "infra")
	storetest.Equal(t, "state", b.hold(t, "call").State, budget.Void)
	storetest.OK(t, b.Budgets.Void(t.Context(), storetest.Ours, "other"))
	for range 2 {
		storetest.OK(t, b.Budgets.Hold(t.Context(), a, "call", "sha256:4"))
	}
	infra, _ := b.sums(t, "a", b.month(t))
	storetest.Equal(t, "infra", infra, budget.Sum{Held: Price})
	storetest.Equal(t, "fingerprint", b.hold(t, "call").Fingerprint, "sha256:4")
}

// A limit that is lowered below what is held refuses the next call, and touches none that was admitted.
func testLimitLowered(t *testing.T, b *Bench) {
	for i := range 3 {
		storetest.OK(t, b.Budgets.Hold(t.Context(), Agent("a", Limits("1", "1")), fmt.Sprint(i), ""))
	}
	low := Agent("a", Limits("0.0002", "1"))
	lacks := refused(t, b.Budgets.Hold(t.Context(), low, "next", ""), "infra")
	storetest.Equal(t, "never", lacks[0].NeverFits, false)
	for i := range 2 {
		storetest.OK(t, b.Budgets.Capture(t.Context(), storetest.Ours, fmt.Sprint(i)))
	}
	storetest.OK(t, b.Budgets.Void(t.Context(), storetest.Ours, "2"))
	refused(t, b.Budgets.Hold(t.Context(), low, "next", ""), "infra")
	v, err := b.Budgets.State(t.Context(), low)
	storetest.OK(t, err)
	storetest.Equal(t, "infra", v.Layers.Infra, rest.AgentBudgetLayer{
		Limit: "0.0002", Spent: "0.0002", Held: "0", Remaining: "0", Currency: "USD",
	})
	storetest.OK(t, b.Budgets.Hold(t.Context(), Agent("a", Limits("0.0003", "1")), "next", ""))
}

// An agent without limits may do nothing, and one whose limit cannot be read neither.
func testWithoutLimits(t *testing.T, b *Bench) {
	err := b.Budgets.Hold(t.Context(), Agent("a", nil), "call", "")
	storetest.Equal(t, "none", codeOf(err), "agent_policies_pending")
	lacks := refused(t, b.Budgets.Hold(t.Context(), Agent("a", Limits("", "1")), "call", ""), "infra")
	storetest.Equal(t, "never", lacks[0].NeverFits, true)
	v, err := b.Budgets.State(t.Context(), Agent("a", nil))
	storetest.OK(t, err)
	storetest.Equal(t, "tokens", v.Layers.Tokens, rest.AgentBudgetLayer{
		Limit: "0", Spent: "0", Held: "0", Remaining: "0", Currency: "USD",
	})
	storetest.Equal(t, "holds", b.Count(t, "agent_holds"), 0)
}

// An id is of one workspace and one agent.
func testForeignHolds(t *testing.T, b *Bench) {
	ours, theirs := Agent("a", Limits("1", "1")), Agent("a", Limits("1", "1"))
	theirs.WorkspaceID = storetest.Theirs
	storetest.OK(t, b.Budgets.Hold(t.Context(), ours, "call", ""))
	storetest.OK(t, b.Budgets.Void(t.Context(), storetest.Theirs, "call"))
	storetest.Equal(t, "state", b.hold(t, "call").State, budget.Held)
	storetest.OK(t, b.Budgets.Hold(t.Context(), theirs, "call", ""))
	storetest.Missing(t, "Call", b.Budgets.Hold(t.Context(), Agent("other", Limits("1", "1")), "call", ""))
	infra, _ := b.sums(t, "a", b.month(t))
	storetest.Equal(t, "infra", infra, budget.Sum{Held: Price})
	infra, _ = b.sums(t, "other", b.month(t))
	storetest.Equal(t, "the other's", infra, budget.Sum{})
}

// What a crash left behind ends as the signer says, and what is under way is left alone.
func testSweep(t *testing.T, b *Bench) {
	a := Agent("a", Limits("1", "1"))
	b.Signer.outcomes = map[string]wire.OutcomeState{}
	want := map[wire.OutcomeState]budget.State{
		wire.Done: budget.Captured, wire.Held: budget.Captured, wire.Cancelled: budget.Captured,
		wire.Denied: budget.Void, wire.Unknown: budget.Void,
	}
	b.clock.set(t, "2026-11-30T23:59:00Z")
	for state := range want {
		b.Signer.outcomes["sha256:"+string(state)] = state
		storetest.OK(t, b.Budgets.Hold(t.Context(), a, string(state), "sha256:"+string(state)))
	}
	storetest.OK(t, b.Budgets.Hold(t.Context(), a, "no signer", ""))
	b.clock.set(t, "2026-12-01T00:01:00Z")
	storetest.OK(t, b.Budgets.Hold(t.Context(), a, "young", "sha256:young"))
	storetest.OK(t, b.Budgets.Sweep(t.Context()))
	storetest.Equal(t, "after two minutes less nothing", b.hold(t, string(wire.Done)).State, budget.Held)
	b.clock.set(t, "2026-12-01T00:01:00.000001Z")
	b.Signer.away = true
	if err := b.Budgets.Sweep(t.Context()); err == nil {
		t.Error("the signer was away, and nothing says so")
	}
	b.Signer.away = false
	storetest.OK(t, b.Budgets.Sweep(t.Context()))
	for state, to := range want {
		storetest.Equal(t, string(state), b.hold(t, string(state)).State, to)
	}
	storetest.Equal(t, "no signer", b.hold(t, "no signer").State, budget.Captured)
	storetest.Equal(t, "young", b.hold(t, "young").State, budget.Held)
	infra, _ := b.sums(t, "a", "2026-11")
	storetest.Equal(t, "november", infra, budget.Sum{Spent: 4 * Price})
	infra, _ = b.sums(t, "a", "2026-12")
	storetest.Equal(t, "december", infra, budget.Sum{Held: Price})
}

// More than a batch of holds is swept in several, each once.
func testSweepOfMany(t *testing.T, b *Bench) {
	const many = record.SweepBatch + 3
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	err := record.Do(t.Context(), b.Agents().Budgets(), storetest.Ours, func(ctx context.Context, tx budget.Tx) error {
		for i := range many {
			if _, err := tx.InsertHold(ctx, budget.Hold{
				WorkspaceID: storetest.Ours, ID: fmt.Sprintf("call-%04d", i), AgentID: "a", Month: "2026-11",
				Fingerprint: "sha256:f", State: budget.Held, CreatedAt: at,
			}); err != nil {
				return err
			}
		}
		return nil
	})
	storetest.OK(t, err)
	first, err := b.Agents().Budgets().HoldsWaiting(t.Context(), at.Add(time.Hour), page.Cursor{}, record.SweepBatch)
	storetest.OK(t, err)
	storetest.Equal(t, "a batch", len(first), record.SweepBatch)
	storetest.OK(t, b.Budgets.Sweep(t.Context()))
	storetest.Equal(t, "void", b.Count(t, "agent_holds WHERE state = 'void'"), many)
}
