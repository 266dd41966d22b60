package api

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/platform/command"
)

const sandboxTag = "Sandbox"

// control is an operation that only the sandbox has.
func control[T, I any](s *edge.Server, box payout.Sandbox, op edge.Op, do func(context.Context, *command.Command, payout.Sandbox, I) (command.Answer, error)) {
	op.Method, op.Tag = "POST", sandboxTag
	edge.Write[T](s, paying(op), func(ctx context.Context, cmd *command.Command, in *body[I]) (command.Answer, error) {
		return do(ctx, cmd, box, in.Body)
	})
}

func registerControls(s *edge.Server, kit *payout.Service, box payout.Sandbox) {
	control[payout.SimulatedDepositView](s, box, edge.Op{
		ID: "simulateDeposit", Path: "/v1/sandbox/simulate-deposit", Summary: "Send test tokens to a withdrawal address",
	}, kit.SimulateDeposit)
	control[payout.SandboxTime](s, box, edge.Op{
		ID: "advanceSandbox", Path: "/v1/sandbox/advance", Summary: "Let the partner's time pass",
		Description: "Of the partner alone: quotes, keys and sessions keep the server's own time.",
	}, kit.AdvanceSandbox)
	control[payout.SandboxBlocks](s, box, edge.Op{
		ID: "mineSandbox", Path: "/v1/sandbox/mine", Summary: "Make blocks",
	}, kit.MineSandbox)
	control[payout.SandboxReorg](s, box, edge.Op{
		ID: "reorgSandbox", Path: "/v1/sandbox/reorg", Summary: "Replace the newest blocks of a chain",
	}, kit.ReorgSandbox)
}
