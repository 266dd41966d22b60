package orderview

import (
	"context"
	"errors"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

var errSettled = fault.Define(fault.Unprocessable, "order_settled", "Order already settled",
	"Only an order that still waits for its deposit can be canceled")

// cancels is how often Cancel tries again after the order changed while it was being canceled.
const cancels = 5

// Cancel ends an order that still waits for its deposit. If a deposit arrives at the same time,
// the transaction that commits first wins: the order is canceled, or Cancel is refused.
func (s *Service) Cancel(ctx context.Context, cmd *command.Command, idOrReference string) (command.Answer, error) {
	for range cancels {
		o, err := s.FindOne(ctx, cmd.Principal.WorkspaceID, idOrReference)
		if err != nil {
			return command.Answer{}, err
		}
		a, err := s.cancel(ctx, cmd, o)
		if !errors.Is(err, record.ErrStale) {
			return a, err
		}
	}
	return command.Answer{}, fault.ErrUnavailable
}

// cancel is one attempt of Cancel.
func (s *Service) cancel(ctx context.Context, cmd *command.Command, o order.Order) (command.Answer, error) {
	reply := command.Reply{
		Status: 200, Message: "Order canceled", Audit: command.Audit{Action: "order.cancel", Resource: o.ID},
	}
	switch o.Status {
	case order.Canceled: // canceled before: nothing to write, and the same answer
		reply.Data = ViewOf(o)
		return record.Answer(ctx, s.store, cmd, reply)
	case order.Awaiting:
	default:
		return command.Answer{}, errSettled
	}
	c, err := order.Apply(o, order.Event{Kind: order.OrderCanceled, By: order.User, At: s.clock.Now()})
	if errors.Is(err, order.ErrIllegal) { // a bank transfer that is on its way cannot be called back here
		return command.Answer{}, errSettled
	}
	if err != nil {
		return command.Answer{}, err
	}
	reply.Data = ViewOf(c.Order)
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return reply, tx.Apply(ctx, c)
	})
}
