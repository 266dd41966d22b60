package operator

import (
	"context"
	"strings"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/command"
)

// The decisions here are about a payout or refund of which the partner's answers do not say what became of it: they
// contradict our request, or name a state that nothing leads out of. Whoever decides has asked the partner by another
// way.

// AcceptTransfer says that the open payout or refund was made. The order ends as if the partner had said so.
func (s *Service) AcceptTransfer(
	ctx context.Context, cmd *command.Command, idOrReference string, d Decision,
) (command.Answer, error) {
	return s.settle(ctx, cmd, idOrReference, "order.accept_transfer", order.Event{Kind: order.TransferAccepted}, d)
}

// WriteOffTransfer says that the open payout or refund is settled with the partner outside this system. The order ends
// in error, with its amount in suspense.
func (s *Service) WriteOffTransfer(
	ctx context.Context, cmd *command.Command, idOrReference string, d Decision,
) (command.Answer, error) {
	return s.settle(ctx, cmd, idOrReference, "order.write_off_transfer", order.Event{Kind: order.TransferWrittenOff}, d)
}

// DisownTransfer says that a transfer of the partner's that no order here has is not this order's, by the partner's id:
// the order is paid, or refunded, besides.
func (s *Service) DisownTransfer(
	ctx context.Context, cmd *command.Command, idOrReference, transferID string, d Decision,
) (command.Answer, error) {
	if strings.TrimSpace(transferID) == "" {
		return command.Answer{}, fault.Field("transfer", "must be given")
	}
	return s.settle(ctx, cmd, idOrReference, "order.disown_transfer", order.Event{
		Kind: order.TransferDisowned, Payout: &order.Payout{TransferID: transferID},
	}, d)
}

func (s *Service) settle(
	ctx context.Context, cmd *command.Command, idOrReference, action string, e order.Event, d Decision,
) (command.Answer, error) {
	if err := d.check(); err != nil {
		return command.Answer{}, err
	}
	return s.decideFor(ctx, cmd, idOrReference, action, func(order.Order) order.Event { return e }, d)
}
