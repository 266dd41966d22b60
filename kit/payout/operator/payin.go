package operator

import (
	"context"

	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/command"
)

// ReturnDeposit has the partner send the fiat of an order back that it has not converted: a running server asks it.
func (s *Service) ReturnDeposit(
	ctx context.Context, cmd *command.Command, idOrReference string,
) (command.Answer, error) {
	return s.decide(ctx, cmd, idOrReference, "order.return_deposit", always(order.ReturnRequested))
}

// NameCoins says by which transaction the coins of an order came, where the partner told another one or none. The
// watcher still has to find it, with the order's coin at the order's address.
func (s *Service) NameCoins(
	ctx context.Context, cmd *command.Command, idOrReference, tx string,
) (command.Answer, error) {
	return s.decide(ctx, cmd, idOrReference, "order.name_coins", func(o order.Order) order.Event {
		e := order.Event{Kind: order.CoinsSubmitted}
		if o.PayIn != nil {
			e.PayIn = &order.PayIn{Coins: o.PayIn.Coins, Hash: tx}
		}
		return e
	})
}

// AcceptCoins ends an order with the coins that came, though the partner told another amount. The difference stays in
// suspense until it is settled with the partner.
func (s *Service) AcceptCoins(ctx context.Context, cmd *command.Command, idOrReference string) (command.Answer, error) {
	return s.decide(ctx, cmd, idOrReference, "order.accept_coins", always(order.CoinsAccepted))
}

// WriteOffCoins ends an order whose coins never came. They stay in suspense until they are settled with the partner;
// should they come after all, the order goes on.
func (s *Service) WriteOffCoins(
	ctx context.Context, cmd *command.Command, idOrReference string,
) (command.Answer, error) {
	return s.decide(ctx, cmd, idOrReference, "order.write_off_coins", always(order.CoinsWrittenOff))
}

// SettleReceivable notes that somebody paid what a bank took back after the coins had been sent, or that it is given
// up.
func (s *Service) SettleReceivable(
	ctx context.Context, cmd *command.Command, idOrReference string,
) (command.Answer, error) {
	return s.decide(ctx, cmd, idOrReference, "order.settle_receivable", always(order.ReceivableSettled))
}
