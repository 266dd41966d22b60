package payout

import (
	"context"

	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// MeasureOrders counts the orders of all workspaces by status.
func (s orderReads) MeasureOrders(ctx context.Context) ([]orderview.Measure, error) {
	rows, err := s.db.Read.MeasureOrders(ctx)
	return sqldb.Many(rows, err, func(r db.MeasureOrdersRow) (orderview.Measure, error) {
		return orderview.Measure{
			Status: order.Status(r.Status), Orders: r.Orders, Oldest: sqldb.Instant(r.Oldest),
		}, nil
	})
}

// MeasureHolds lists orders in review of all workspaces, the oldest first.
func (s orderReads) MeasureHolds(ctx context.Context, most int) ([]order.Order, error) {
	bodies, err := s.db.Read.MeasureHolds(ctx, int32(most))
	return sqldb.Many(bodies, err, orderRow)
}
