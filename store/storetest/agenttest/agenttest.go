// Package agenttest is what every engine behind store must do with the rows of the agent kit.
package agenttest

import (
	"context"
	"testing"

	"github.com/railkit/railkit/kit/agent"
	"github.com/railkit/railkit/platform/command"
	rows "github.com/railkit/railkit/store/agent"
	"github.com/railkit/railkit/store/storetest"
)

// bench is one database under test.
type bench struct {
	*storetest.Bench
	rows.Store
}

// Run runs the suite.
func Run(t *testing.T, open storetest.Open) {
	for _, part := range []map[string]func(*testing.T, *bench){skillTests, toolTests} {
		storetest.RunEach(t, open, part, func(b *storetest.Bench) *bench { return &bench{b, b.Agent()} })
	}
}

// try runs fn in a commit of the agent kit's.
func (b *bench) try(ctx context.Context, fn func(context.Context, agent.Tx) error) error {
	_, err := b.Store.Commit(ctx, storetest.Called(storetest.Ours), func(
		ctx context.Context, tx agent.Tx,
	) (command.Reply, error) {
		return command.Reply{Status: 200, Audit: command.Audit{Action: "test.agent"}}, fn(ctx, tx)
	})
	return err
}

func (b *bench) write(t *testing.T, fn func(context.Context, agent.Tx) error) {
	t.Helper()
	storetest.OK(t, b.try(t.Context(), fn))
}
