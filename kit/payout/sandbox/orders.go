package sandbox

import (
	"context"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
)

// ErrWrongState is a payment that is not where it can be steered.
var ErrWrongState = fault.Define(fault.Conflict, "sandbox_wrong_state",
	"The order's payment is not in a state in which this can happen",
	"Only below `/v1/sandbox/orders/`: the partner has no payment of the order yet, or one that is past this ([partner.md](partner.md))")

// Steering is what the sandbox's partner is to do with a payment.
type Steering struct {
	Act    SteeringAct
	Code   string // the rail's reason; empty: a closed account
	Reason string
	Delay  time.Duration
}

// SteeringAct is one of what can be done.
type SteeringAct string

// What can be done.
const (
	SteerFail   SteeringAct = "fail"
	SteerReturn SteeringAct = "return"
	SteerDelay  SteeringAct = "delay"
	SteerClear  SteeringAct = "clear"
)

// SteerOrder tells the sandbox's partner what becomes of an order's payment.
func (s *Service) SteerOrder(
	ctx context.Context, p auth.Principal, box Box, idOrReference string, how Steering,
) (rest.SandboxOrder, error) {
	o, err := s.store.Order(ctx, p.WorkspaceID, idOrReference)
	if err != nil {
		return rest.SandboxOrder{}, err
	}
	if o.Payout.TransferID == "" {
		return rest.SandboxOrder{}, ErrWrongState
	}
	if err := box.Steer(ctx, o.Payout.TransferID, how); err != nil {
		return rest.SandboxOrder{}, sandboxFault(err)
	}
	return rest.SandboxOrder{OrderID: o.ID, Reference: o.Reference, PartnerTransferID: o.Payout.TransferID}, nil
}
