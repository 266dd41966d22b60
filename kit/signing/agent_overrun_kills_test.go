package signing_test

import (
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testenv"
	railkit "github.com/railkit/railkit/sdk/go"
)

// counted are the tables of what an agent spent and asked for.
var counted = []string{
	"agent_spending", "agent_holds", "agent_refusals", "agent_events", "transactions", "idempotency",
}

// TestAgents_OverrunIsZeroUnderKills has callers pay until the month is used up, each payment asked for until its
// outcome is known, while every process is killed (SIGKILL) and starts again. Then whoever owns the database makes the
// counts smaller, and puts the tables of before the first payment back.
func TestAgents_OverrunIsZeroUnderKills(t *testing.T) {
	t.Parallel()
	fits := int64(12)
	if testenv.Nightly() {
		fits = 600
	}
	p := apptest.NewOrdinaryProcesses(t)
	o := newOverrun(t, p.App, fits, "base")
	for _, table := range counted {
		p.Edit("CREATE TABLE yesterday_" + table + " AS SELECT * FROM " + table)
	}

	var callers sync.WaitGroup
	for range 8 {
		callers.Go(o.payAll)
	}
	ended := make(chan struct{})
	go func() { callers.Wait(); close(ended) }()
	killed := 0
	for !o.done(ended, int64(3*killed)) { // each time three more payments are through
		switch killed++; killed % 5 {
		case 1:
			p.Kill(apptest.Server)
		case 2:
			p.Kill(apptest.Chain)
		case 3:
			for _, part := range []string{apptest.Server, apptest.Enclave, apptest.Chain, apptest.Partner} {
				p.Kill(part)
			}
		case 4:
			p.CrashDatabase()
		case 0:
			p.Kill(apptest.Enclave)
		}
	}
	if killed < 4 {
		t.Errorf("only %d kills before the month was used up", killed)
	}
	o.spentIs("kill -9 of server, signer, chain, partner and database")

	p.Edit("UPDATE agent_spending SET spent = 0, held = 0")
	p.Edit("UPDATE agent_holds SET infra = 0, state = 'void'")
	p.Edit("UPDATE transactions SET state = 'expired', amount = '0' WHERE type = 'agent_payment'")
	o.payAll()
	o.spentIs("smaller numbers in the database")

	p.Kill(apptest.Server)
	for _, table := range counted {
		p.Edit("DELETE FROM " + table)
		p.Edit("INSERT INTO " + table + " SELECT * FROM yesterday_" + table)
	}
	o.payAll()
	o.spentIs("yesterday's tables put back")
}

// done waits until so many payments are through, or the callers have ended, which it reports.
func (o *overrun) done(ended <-chan struct{}, paid int64) bool {
	for o.paid.Load() <= paid {
		select {
		case <-ended:
			return true
		case <-time.After(time.Millisecond):
		}
	}
	return false
}

// payAll pays 0.01 USDC again and again until the budget refuses it.
func (o *overrun) payAll() {
	pay := o.payer(0, railkit.Retry{Attempts: 1})
	before := o.denied.Load()
	for o.denied.Load() == before && !o.t.Failed() {
		o.untilKnown(pay)
	}
}

// untilKnown asks for one payment until it is paid or refused: whatever dies, its key pays once.
func (o *overrun) untilKnown(pay *railkit.AgentClient) {
	key := railkit.WithIdempotencyKey(ctx, uuid.NewString())
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) { // between two tries
		_, err := pay.Pay(key, toAna("10000"))
		switch {
		case err == nil:
			o.paid.Add(1)
			return
		case code(err) == "budget_exhausted":
			o.denied.Add(1)
			return
		case time.Now().After(deadline) || !passes(err):
			o.t.Errorf("a payment that nothing was said about in the end: %v", err)
			return
		}
	}
}

// passes reports whether an error says that a process was away, or that an earlier try is under way.
func passes(err error) bool {
	var e *railkit.Error
	return !errors.As(err, &e) || e.Status >= http.StatusInternalServerError || e.Status == http.StatusConflict
}
