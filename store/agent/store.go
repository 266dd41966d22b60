// Package agent keeps the rows of the agent kit: for each noun what it reads and what it writes, one file for each.
package agent

import (
	"github.com/railkit/railkit/kit/agent"
	"github.com/railkit/railkit/kit/agent/skill"
	"github.com/railkit/railkit/kit/agent/tool"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Store is the database as the agent kit sees it: what all nouns read, and the transactions of all.
type Store struct{ noun[agent.Tx] }

// New makes it.
func New(d *sqldb.DB) Store {
	return Store{nounOf(d, func(t tx) agent.Tx { return t })}
}

// noun is the store of one noun, which writes with Tx. It has the reads of all nouns; the noun's own interface says
// which of them are its.
type noun[Tx any] struct {
	reads
	sqldb.Writer[Tx]
}

func nounOf[Tx any](d *sqldb.DB, narrow func(tx) Tx) noun[Tx] {
	return noun[Tx]{reads{d}, sqldb.WriterOf(d, func(t *sqldb.Tx) Tx { return narrow(tx{t}) })}
}

// reads reads committed rows.
type reads struct{ db *sqldb.DB }

// tx is the writing half of a transaction.
type tx struct{ *sqldb.Tx }

// Stores are those of the nouns.
func (s Store) Stores() agent.Stores {
	return agent.Stores{
		Skills: nounOf(s.db, func(t tx) skill.Tx { return t }),
		Tools:  nounOf(s.db, func(t tx) tool.Tx { return t }),
	}
}
