package payout

import (
	"context"
	"time"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/sandbox"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

const sandboxTag = "Sandbox"

// control is an operation that only the sandbox has.
func control[T, I any](
	s *edge.Server, box sandbox.Box, op edge.Op,
	do func(context.Context, *command.Command, sandbox.Box, I) (command.Answer, error),
) {
	op.Method, op.Tag = "POST", sandboxTag
	edge.Write[T](s, paying(op), func(
		ctx context.Context, cmd *command.Command, in *edge.Body[I],
	) (command.Answer, error) {
		return do(ctx, cmd, box, in.Body)
	})
}

// RegisterControls lists what the sandbox alone has.
func RegisterControls(s *edge.Server, kit *payout.Kit, box sandbox.Box) {
	control[rest.SimulatedDeposit](s, box, edge.Op{
		ID: "simulateDeposit", Path: "/v1/sandbox/simulate-deposit",
		Summary: "Send test tokens to a withdrawal address",
	}, kit.Sandbox.Deposit)
	control[rest.SimulatedBankDeposit](s, box, edge.Op{
		ID: "simulateBankDeposit", Path: "/v1/sandbox/simulate-bank-deposit",
		Summary:     "Have a bank transfer arrive at an account number",
		Description: "It answers when the partner has the money. The order follows when the partner has told of it.",
	}, kit.Sandbox.BankDeposit)
	control[rest.SandboxTime](s, box, edge.Op{
		ID: "advanceSandbox", Path: "/v1/sandbox/advance", Summary: "Move the sandbox bank's clock forward",
		Description: "Of the partner alone: quotes, keys and sessions keep the server's own time.",
	}, kit.Sandbox.Advance)
	control[rest.SandboxBlocks](s, box, edge.Op{
		ID: "mineSandbox", Path: "/v1/sandbox/mine", Summary: "Mine blocks on a test chain",
	}, kit.Sandbox.Mine)
	control[rest.SandboxReorg](s, box, edge.Op{
		ID: "reorgSandbox", Path: "/v1/sandbox/reorg", Summary: "Replace the newest blocks of a chain",
	}, kit.Sandbox.Reorg)
	registerSteering(s, kit, box)
}

// reasoned is a call about an order that may say why.
type reasoned struct {
	ID   string `path:"id" maxLength:"128" doc:"As of getOrder"`
	Body *rest.SandboxFailure
}

func (in *reasoned) steering(act sandbox.SteeringAct) sandbox.Steering {
	how := sandbox.Steering{Act: act}
	if in.Body != nil {
		how.Code, how.Reason = in.Body.Code, in.Body.Reason
	}
	return how
}

// registerSteering lists what the sandbox's partner does with a payment on
// demand. The server keeps nothing of it, so that no Idempotency-Key counts.
func registerSteering(s *edge.Server, kit *payout.Kit, box sandbox.Box) {
	steer := func(act sandbox.SteeringAct, summary string) edge.Op {
		return paying(edge.Op{
			ID: string(act) + "Order", Method: "POST", Path: "/v1/sandbox/orders/{id}/" + string(act), Tag: sandboxTag,
			Summary:     summary,
			Description: "The partner does it at once; the order follows when it has told of it.",
		})
	}
	edge.Call(s, steer(sandbox.SteerFail, "Have a payment fail before it arrives"),
		func(ctx context.Context, p auth.Principal, in *reasoned) (rest.SandboxOrder, error) {
			return kit.Sandbox.SteerOrder(ctx, p, box, in.ID, in.steering(sandbox.SteerFail))
		})
	edge.Call(s, steer(sandbox.SteerReturn, "Have a bank send a payment or a deposit back, now or once it has arrived"),
		func(ctx context.Context, p auth.Principal, in *reasoned) (rest.SandboxOrder, error) {
			return kit.Sandbox.SteerOrder(ctx, p, box, in.ID, in.steering(sandbox.SteerReturn))
		})
	edge.Call(s, steer(sandbox.SteerDelay, "Have a payment take longer"),
		func(ctx context.Context, p auth.Principal, in *struct {
			ID   string `path:"id" maxLength:"128" doc:"As of getOrder"`
			Body rest.SandboxDelay
		}) (rest.SandboxOrder, error) {
			return kit.Sandbox.SteerOrder(
				ctx, p, box, in.ID,
				sandbox.Steering{Act: sandbox.SteerDelay, Delay: time.Duration(in.Body.Seconds) * time.Second},
			)
		})
	edge.Call(s, steer(sandbox.SteerClear, "Have the sandbox bank end its review of a payment or a deposit"),
		func(ctx context.Context, p auth.Principal, in *ofOrder) (rest.SandboxOrder, error) {
			return kit.Sandbox.SteerOrder(ctx, p, box, in.ID, sandbox.Steering{Act: sandbox.SteerClear})
		})
}
