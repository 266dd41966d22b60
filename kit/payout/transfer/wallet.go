package transfer

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/match"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
)

// FundsAfter is how long the partner may take to see a deposit, before its order is held for an operator.
const FundsAfter = 10 * time.Minute

// Against is the reason not to make a new attempt after an operator gave up earlier ones: the partner continues one of
// them, or the wallet has less than our ledger says. The operator has checked both, but that may be days ago. Without
// this check, an earlier payout that is paid after all would be paid a second time.
func (s *Service) Against(ctx context.Context, o order.Order, amount money.Amount) (why string, err error) {
	if len(o.Earlier) == 0 {
		return "", nil
	}
	for _, e := range o.Earlier {
		t, _, err := s.Find(ctx, o, e.TransferID, e.Reference)
		switch {
		case errors.Is(err, fiat.ErrNotFound):
		case err != nil:
			return "", err
		case t.Reference != e.Reference || !order.Stalled(t.State) && t.State != fiat.TransferRefunded:
			s.log.ErrorContext(ctx, "a transfer that was given up goes on at the partner: nothing is made in its place",
				"workspace", o.WorkspaceID, "order", o.ID, "transfer", e.TransferID, "state", t.State)
			return order.HoldEarlier, nil
		}
	}
	booked, err := s.Booked(ctx, o)
	if err != nil {
		return "", err
	}
	return s.Covers(ctx, o, max(amount.Minor, booked))
}

// Booked is the balance of an order's wallet by our ledger.
func (s *Service) Booked(ctx context.Context, o order.Order) (posted int64, err error) {
	held, err := s.books(ctx, o)
	return max(0, held.Posted), err
}

// BookedFree is Booked without what is set aside for transfers under way, which may have left already.
func (s *Service) BookedFree(ctx context.Context, o order.Order) (free int64, err error) {
	held, err := s.books(ctx, o)
	return max(0, held.Posted-held.Reserved), err
}

// books are what our ledger has of the order's coin in its wallet.
func (s *Service) books(ctx context.Context, o order.Order) (held match.Held, err error) {
	a, err := s.store.WithdrawAddress(ctx, o.WorkspaceID, o.WithdrawAddressID)
	if err != nil {
		return held, err
	}
	books, err := s.store.BooksOfWallet(ctx, o.WorkspaceID, a.PartnerWalletID)
	for _, b := range books {
		if b.Currency == o.Source {
			held = b
		}
	}
	return held, err
}

// Covers tells whether the partner has this amount in an order's wallet. It is called before an attempt is reserved,
// so that a deposit which the partner has not seen yet does not fail the attempt.
func (s *Service) Covers(ctx context.Context, o order.Order, needs int64) (why string, err error) {
	a, err := s.store.WithdrawAddress(ctx, o.WorkspaceID, o.WithdrawAddressID)
	if err != nil {
		return "", err
	}
	balances, err := s.partner.WalletBalances(ctx, a.CustomerID, a.PartnerWalletID)
	if err != nil {
		return "", err
	}
	for _, b := range balances {
		if b.Currency == o.Source && b.Minor >= needs {
			return "", nil
		}
	}
	return order.HoldFunds, nil
}
