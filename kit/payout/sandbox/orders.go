package sandbox

import (
	"context"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
)

// ErrWrongState refuses an act on a payment whose state does not allow it.
var ErrWrongState = fault.Define(fault.Conflict, "sandbox_wrong_state",
	"The order's payment is not in a state in which this can happen",
	"Only below `/v1/sandbox/orders/`: the partner has no payment of the order yet, or one that is past this. A bank transfer that came in can only return, or be cleared ([partner.md](partner.md))")

// Steering tells the sandbox's partner how a payment is to end.
type Steering struct {
	Act    SteeringAct
	Code   string // the rail's return code; empty: the code of a closed account
	Reason string
	Delay  time.Duration
}

// SteeringAct is an act of the sandbox's partner on a payment.
type SteeringAct string

// The acts: the payment fails, is returned by the bank, takes longer, or is released from a review.
const (
	SteerFail   SteeringAct = "fail"
	SteerReturn SteeringAct = "return"
	SteerDelay  SteeringAct = "delay"
	SteerClear  SteeringAct = "clear"
)

// SteerOrder has the sandbox's partner carry out an act on an order's payment to a bank. An order without one may have
// its money from a bank: the act is then on that bank transfer, which can come back and can be released from a review.
func (s *Service) SteerOrder(
	ctx context.Context, p auth.Principal, box Box, idOrReference string, how Steering,
) (rest.SandboxOrder, error) {
	o, err := s.store.Order(ctx, p.WorkspaceID, idOrReference)
	if err != nil {
		return rest.SandboxOrder{}, err
	}
	view := rest.SandboxOrder{OrderID: o.ID, Reference: o.Reference, PartnerTransferID: o.Payout.TransferID}
	switch {
	case o.Payout.TransferID != "":
		err = box.Steer(ctx, o.Payout.TransferID, how)
	case o.PayIn != nil && (how.Act == SteerReturn || how.Act == SteerClear):
		view.PartnerDepositID = o.PayIn.DepositID
		err = box.SteerDeposit(ctx, o.PayIn.DepositID, how)
	default:
		err = ErrWrongState
	}
	if err != nil {
		return rest.SandboxOrder{}, sandboxFault(err)
	}
	return view, nil
}
