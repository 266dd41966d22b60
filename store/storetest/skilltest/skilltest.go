// Package skilltest is what every engine behind store must do with skills, with the lists of those that agents may
// call, and with calls that are paid for.
package skilltest

import (
	"context"
	"testing"

	"github.com/railkit/railkit/kit/agent/execution"
	"github.com/railkit/railkit/kit/agent/skill"
	"github.com/railkit/railkit/kit/agent/tool"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/store/storetest"
)

// bench is one database under test.
type bench struct {
	*storetest.Bench
	skill.Store
	tools      tool.Store
	executions execution.Store
}

// Run runs the suite.
func Run(t *testing.T, open storetest.Open) {
	for _, part := range []map[string]func(*testing.T, *bench){skillTests, toolTests, executionTests} {
		storetest.RunEach(t, open, part, func(b *storetest.Bench) *bench {
			return &bench{b, b.Agents().Skills(), b.Agents().Tools(), b.Agents().Executions()}
		})
	}
}

// try runs fn in a commit of a noun of the agent kit.
func try[Tx any](ctx context.Context, in record.Writer[Tx], fn func(context.Context, Tx) error) error {
	_, err := in.Commit(ctx, storetest.Called(storetest.Ours), func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{Status: 200, Audit: command.Audit{Action: "test.agent"}}, fn(ctx, tx)
	})
	return err
}

func write[Tx any](t *testing.T, in record.Writer[Tx], fn func(context.Context, Tx) error) {
	t.Helper()
	storetest.OK(t, try(t.Context(), in, fn))
}
