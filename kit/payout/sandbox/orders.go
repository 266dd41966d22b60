package sandbox

import (
	"context"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
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

// SandboxReason is why a payment does not arrive.
type SandboxReason struct {
	Code   string `json:"code,omitempty" maxLength:"10" doc:"One of the rail's, such as 03 (SPEI) or R02 (ACH); without it, that of a closed account"`
	Reason string `json:"reason,omitempty" maxLength:"100" doc:"In words; without it, those of the code"`
}

// SandboxDelay is how much later something happens.
type SandboxDelay struct {
	Seconds int64 `json:"seconds" minimum:"1" maximum:"31536000"`
}

// SteeredOrder names what was steered. The order itself moves when the partner
// has told of it.
type SteeredOrder struct {
	OrderID           string `json:"orderId" format:"uuid"`
	Reference         string `json:"reference"`
	PartnerTransferID string `json:"partnerTransferId"`
}

// SteerOrder tells the sandbox's partner what becomes of an order's payment.
func (s *Service) SteerOrder(
	ctx context.Context, p auth.Principal, box Box, idOrReference string, how Steering,
) (SteeredOrder, error) {
	o, err := s.store.Order(ctx, p.WorkspaceID, idOrReference)
	if err != nil {
		return SteeredOrder{}, err
	}
	if o.Payout.TransferID == "" {
		return SteeredOrder{}, ErrWrongState
	}
	if err := box.Steer(ctx, o.Payout.TransferID, how); err != nil {
		return SteeredOrder{}, sandboxFault(err)
	}
	return SteeredOrder{OrderID: o.ID, Reference: o.Reference, PartnerTransferID: o.Payout.TransferID}, nil
}
