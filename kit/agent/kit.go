package agent

import (
	"github.com/railkit/railkit/kit/agent/skill"
	"github.com/railkit/railkit/kit/agent/tool"
)

// Stores are what the nouns need of a database. The database has one for each.
type Stores struct {
	Skills skill.Store
	Tools  tool.Store
}

// Tx is all that the kit writes in a transaction of the database. A noun gets its own part of it.
type Tx interface {
	skill.Tx
	tool.Tx
}
