package reward_test

import (
	"context"
	"math/big"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/widget/action"
	"github.com/railkit/railkit/kit/widget/miniapp"
	"github.com/railkit/railkit/kit/widget/reward"
	"github.com/railkit/railkit/platform/command"
)

// shallow is a node, a mini app and the row of one execution, on a network that asks for several confirmations. The
// networks of the sandbox ask for one.
type shallow struct {
	reward.Store
	reward.Node
	row   reward.Execution
	head  int64
	block string // hash of block 100, as the chain has it now
}

func (s *shallow) Execution(context.Context, string) (reward.Execution, error) { return s.row, nil }

func (s *shallow) Work(
	ctx context.Context, _ string, do func(context.Context, reward.Tx) (command.Audit, error),
) error {
	_, err := do(ctx, judging{s: s})
	return err
}

func (s *shallow) Find(context.Context, string) (miniapp.MiniApp, error) {
	return miniapp.MiniApp{Active: true, Metadata: action.Metadata{Actions: []action.Action{{
		Type: action.Transfer, To: ana, Chains: &action.Chains{Source: "ethereum"},
	}}}}, nil
}

// nodesOf finds the one node.
type nodesOf struct{ s *shallow }

func (n nodesOf) Node(string) (reward.Node, bool) { return n.s, true }

func (s *shallow) Receipt(context.Context, string) (node.Receipt, bool, error) {
	return node.Receipt{Succeeded: true, BlockNumber: 100, BlockHash: "0xaa"}, true, nil
}

func (s *shallow) Head(context.Context) (int64, error) { return s.head, nil }

func (s *shallow) Headers(context.Context, []int64) ([]node.Header, error) {
	return []node.Header{{Number: 100, Hash: s.block, Time: time.Now().Unix()}}, nil
}

func (s *shallow) Transaction(context.Context, string) (node.Transaction, bool, error) {
	return node.Transaction{From: carl, To: ana, Value: big.NewInt(5)}, true, nil
}

func (s *shallow) Transfers(context.Context, node.Query) ([]node.Transfer, error) { return nil, nil }

// judging is the transaction of the database that writes the row.
type judging struct {
	reward.Tx
	s *shallow
}

func (j judging) JudgeExecution(_ context.Context, e reward.Execution) error {
	j.s.row = e
	return nil
}

// An execution counts when its block is as deep as the network asks for, and is the one that has its number now.
func TestWidget_ExecutionWaitsForConfirmations(t *testing.T) {
	t.Parallel()
	n, _ := chain.BySlug(chain.Production, "ethereum")
	if n.Confirmations < 2 {
		t.Fatal("the network asks for one confirmation")
	}
	final := 100 + int64(n.Confirmations) - 1
	for _, c := range []struct {
		head  int64
		block string
		want  reward.State
	}{
		{final - 1, "0xaa", reward.Pending}, {final, "0xbb", reward.Pending}, {final, "0xaa", reward.Counted},
	} {
		s := &shallow{head: c.head, block: c.block, row: reward.Execution{
			State: reward.Pending, ChainID: n.ChainID, User: carl, CreatedAt: time.Now(),
		}}
		kit := reward.New(s, s, nodesOf{s}, chain.Production, clock.System{})
		again, err := kit.Verify(ctx, "", "")
		if err != nil || s.row.State != c.want || (again > 0) != (c.want == reward.Pending) {
			t.Errorf("%+v: %s, %s, %v", c, s.row.State, again, err)
		}
	}
}
