// Package agent keeps the rows of the agent kit: what SQL counts of agents' budgets, what agents report, skills and the
// lists of those that agents may call, and the operator's switch. One file for each noun.
package agent

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/agent"
	"github.com/railkit/railkit/kit/agent/analytics"
	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/kit/agent/event"
	"github.com/railkit/railkit/kit/agent/execution"
	"github.com/railkit/railkit/kit/agent/killswitch"
	"github.com/railkit/railkit/kit/agent/skill"
	"github.com/railkit/railkit/kit/agent/tool"
	"github.com/railkit/railkit/store/internal/sqldb"
	"github.com/railkit/railkit/store/signing"
)

// Store is the database as the agent kit sees it.
type Store struct{ reads }

// New makes it.
func New(d *sqldb.DB) Store { return Store{reads{d}} }

// reads reads committed rows.
type reads struct{ db *sqldb.DB }

// tx is the writing half of a transaction.
type tx struct {
	*sqldb.Tx
	signing.HoldTx
}

// noun is the store of one noun, which writes with Tx. It has the reads of all nouns; the noun's own interface says
// which of them are its.
type noun[Tx any] struct {
	reads
	sqldb.Writer[Tx]
}

func nounOf[Tx any](r reads, narrow func(tx) Tx) noun[Tx] {
	return noun[Tx]{r, sqldb.WriterOf(r.db, func(t *sqldb.Tx) Tx { return narrow(tx{t, signing.HoldsIn(t)}) })}
}

// Stores are those of the nouns. What is written beside rows of the signing kit is that kit's store's.
func (s Store) Stores() agent.Stores {
	beside := signing.New(s.reads.db).Others()
	return agent.Stores{
		Payments: beside.Payments, X402Payments: beside.X402Payments, Agents: beside.Agents, Events: s.Events(),
		Analytics: s.Analytics(), Skills: s.Skills(), Tools: s.Tools(), Executions: s.Executions(),
	}
}

// Budgets is that of budgets.
func (s Store) Budgets() budget.Store { return nounOf(s.reads, func(t tx) budget.Tx { return t }) }

// Events is that of events.
func (s Store) Events() event.Store { return nounOf(s.reads, func(t tx) event.Tx { return t }) }

// Analytics is that of what was counted, day by day.
func (s Store) Analytics() analytics.Store { return s.reads }

// Skills is that of skills.
func (s Store) Skills() skill.Store { return nounOf(s.reads, func(t tx) skill.Tx { return t }) }

// Tools is that of the lists of skills that agents may call.
func (s Store) Tools() tool.Store { return nounOf(s.reads, func(t tx) tool.Tx { return t }) }

// Executions is that of calls of skills that are paid for.
func (s Store) Executions() execution.Store {
	return nounOf(s.reads, func(t tx) execution.Tx { return t })
}

// Switch is that of the operator's kill switch.
func (s Store) Switch() killswitch.Store {
	return nounOf(s.reads, func(t tx) killswitch.Tx { return t })
}

// Now is the time by the database's clock.
func (r reads) Now(ctx context.Context) (time.Time, error) {
	var now int64
	err := r.db.Reader.QueryRowContext(ctx, r.db.Time).Scan(&now)
	return sqldb.Instant(now), sqldb.Reading("asking the database for the time", err)
}
