package payment

import (
	"context"

	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
)

// Orders lists orders.
type Orders interface {
	Orders(ctx context.Context, f orderview.Filter) ([]order.Order, error)
}

// WaitingForRecipient finds the orders that wait in review for a recipient. Package
// recipient wakes them when the recipient is active again.
func WaitingForRecipient(s Orders) recipient.Waiting {
	return func(ctx context.Context, workspaceID, id string) (func(context.Context, record.Queue) error, error) {
		return inReview(ctx, s, orderview.Filter{WorkspaceID: workspaceID, RecipientID: id})
	}
}

// WaitingForAccount finds the orders that wait in review for a bank account. Package
// account wakes them when the account has changed.
func WaitingForAccount(s Orders) recipient.Waiting {
	return func(ctx context.Context, workspaceID, id string) (func(context.Context, record.Queue) error, error) {
		return inReview(ctx, s, orderview.Filter{WorkspaceID: workspaceID, BankAccountID: id})
	}
}

func inReview(
	ctx context.Context, s Orders, f orderview.Filter,
) (wake func(context.Context, record.Queue) error, err error) {
	f.Statuses, f.Page = []order.Status{order.InReview}, page.Page{Limit: orderview.Most}
	rows, err := s.Orders(ctx, f)
	return func(ctx context.Context, tx record.Queue) error {
		for _, o := range rows { // an order that comes into review meanwhile looks by itself
			j := job.Job{Kind: Job, WorkspaceID: o.WorkspaceID, ID: o.ID, Anew: true}
			if err := tx.Enqueue(ctx, j); err != nil {
				return err
			}
		}
		return nil
	}, err
}
