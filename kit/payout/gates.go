package payout

import (
	"context"

	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/page"
)

// atGate lists the orders that wait in review for who a filter names.
func (s *Service) atGate(ctx context.Context, f OrderFilter) ([]order.Order, error) {
	f.Statuses, f.Page = []order.Status{order.InReview}, page.Page{Limit: mostOpen}
	rows, _, err := s.store.Orders(ctx, f)
	return rows, err
}

// ofAccount names a bank account's orders.
func ofAccount(a BankAccount) OrderFilter {
	return OrderFilter{WorkspaceID: a.WorkspaceID, BankAccountID: a.ID}
}

// reopen has orders looked at as soon as the transaction commits that may have
// opened their gate. One that came to the gate meanwhile looks by itself.
func reopen(ctx context.Context, tx Tx, all []order.Order) error {
	for _, o := range all {
		if err := tx.Enqueue(ctx, Job{Kind: JobOrder, WorkspaceID: o.WorkspaceID, ID: o.ID, Anew: true}); err != nil {
			return err
		}
	}
	return nil
}

// openAccount writes an account, and has what waits for it looked at.
func openAccount(ctx context.Context, tx Tx, a BankAccount, waiting []order.Order) error {
	if err := tx.UpdateBankAccount(ctx, a); err != nil {
		return err
	}
	return reopen(ctx, tx, waiting)
}
