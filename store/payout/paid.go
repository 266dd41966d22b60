package payout

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// completedAt is when an order's money was at the bank, and still is.
func completedAt(o order.Order) time.Time {
	if o.Status != order.Completed {
		return time.Time{}
	}
	return o.CompletedAt
}

// PaidTo sums up what recipients were paid since an instant, and finds what each was paid last.
func (s paidReads) PaidTo(
	ctx context.Context, workspaceID string, recipientIDs []string, since time.Time,
) (map[string]account.Paid, error) {
	of := map[string]account.Paid{}
	if len(recipientIDs) == 0 {
		return of, nil
	}
	last, err := db.New(s.db.Query(1).In("r.id", recipientIDs)).LastPaidTo(ctx, workspaceID)
	if err != nil {
		return nil, sqldb.Reading("reading what was paid last", err)
	}
	for _, row := range last {
		of[row.RecipientID] = account.Paid{LastAt: sqldb.Instant(row.CompletedAt), Last: row.Gross}
	}
	sums, err := db.New(s.db.Query(2).In("recipient_id", recipientIDs).Add(" GROUP BY recipient_id")).PaidTo(
		ctx, workspaceID, sqldb.Micros(since),
	)
	for _, row := range sums {
		p := of[row.RecipientID]
		p.Payments, p.Total = int(row.Payments), row.Gross
		of[row.RecipientID] = p
	}
	return of, sqldb.Reading("summing up what was paid", err)
}
