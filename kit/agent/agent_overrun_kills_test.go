package agent_test

import (
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/internal/test/testwait"
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
	p := apptest.NewFragileProcesses(t)
	o := newOverrun(t, p.App, fits, "base")
	for _, table := range counted {
		p.Edit("CREATE TABLE yesterday_" + table + " AS SELECT * FROM " + table)
	}

	var callers sync.WaitGroup
	due := make(chan chan<- struct{})
	for range 8 {
		callers.Go(func() { o.payAll(due) })
	}
	go func() { callers.Wait(); close(due) }()
	killed := 0
	for done := range due {
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
		close(done)
	}
	if int64(killed) != fits/killEvery {
		t.Errorf("%d kills during %d payments", killed, o.paid.Load())
	}
	o.spentIs("kill -9 of server, signer, chain, partner and database")

	p.Edit("UPDATE agent_spending SET spent = 0, held = 0")
	p.Edit("UPDATE agent_holds SET infra = 0, state = 'void'")
	p.Edit("UPDATE transactions SET state = 'expired', amount = '0' WHERE type = 'agent_payment'")
	o.payAll(nil)
	o.spentIs("smaller numbers in the database")

	p.Kill(apptest.Server)
	for _, table := range counted {
		p.Edit("DELETE FROM " + table)
		p.Edit("INSERT INTO " + table + " SELECT * FROM yesterday_" + table)
	}
	o.payAll(nil)
	o.spentIs("yesterday's tables put back")
}

// killEvery is after how many payments the next process is killed.
const killEvery = 3

// payAll pays 0.01 USDC again and again until the budget refuses it. Who makes the first, the fourth, the seventh
// payment waits for its kill, which meets what the other callers have under way.
func (o *overrun) payAll(due chan<- chan<- struct{}) {
	pay := o.payer(0, railkit.Retry{Attempts: 1})
	for !o.t.Failed() {
		paid := o.untilKnown(pay)
		if paid == 0 {
			return
		}
		if due != nil && paid%killEvery == 1 {
			killed := make(chan struct{})
			due <- killed
			<-killed
		}
	}
}

// untilKnown asks for one payment until it is paid or refused: whatever dies, its key pays once. It gives which payment
// of all callers it was, 0 of none.
func (o *overrun) untilKnown(pay *railkit.AgentClient) int64 {
	key := railkit.WithIdempotencyKey(ctx, uuid.NewString())
	for deadline := time.Now().Add(testwait.Bound); ; time.Sleep(50 * time.Millisecond) { // between two tries
		_, err := pay.Pay(key, toAna("10000"))
		switch {
		case err == nil:
			return o.paid.Add(1)
		case code(err) == "budget_exhausted":
			o.denied.Add(1)
			return 0
		case time.Now().After(deadline) || !passes(err):
			o.t.Errorf("a payment that nothing was said about in the end: %v", err)
			return 0
		}
	}
}

// passes reports whether an error says that a process was away, or that an earlier try is under way.
func passes(err error) bool {
	var e *railkit.Error
	return !errors.As(err, &e) || e.Status >= http.StatusInternalServerError || e.Status == http.StatusConflict
}
