package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/quote"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/store"
	"github.com/railkit/railkit/store/storetest/payouttest"
)

// Orders of several callers in one transaction are counted together, each has its own timeline and names, and one that
// is taken back leaves none of them.
func TestTogetherOrders(t *testing.T) {
	broken := errors.New("broken")
	eachEngine(t, func(t *testing.T, s *store.Store) {
		c := newCrowd(t, s, "first")
		for i := range 4 {
			c.joins(func() {
				o, detected := payouttest.Deposited("ws-1", fmt.Sprint("o", i), fmt.Sprint("w", i), time.Now())
				err := s.Payout().Work(t.Context(), "ws-1", func(ctx context.Context, tx payout.Tx) (
					command.Audit, error,
				) {
					o, err := payouttest.Walk(ctx, tx, o, detected)
					if err == nil && i == 2 {
						return command.Audit{}, broken
					}
					if err == nil && i == 3 {
						seen := *o.Deposit
						seen.Confirmations = 1
						_, err = payouttest.Walk(ctx, tx, o, order.Event{
							Kind: order.DepositConfirmed, By: order.OnChain, At: time.Now(), Deposit: &seen,
						})
					}
					return command.Audit{}, err
				})
				if i == 2 && !errors.Is(err, broken) || i != 2 && err != nil {
					t.Errorf("order %d: %v", i, err)
				}
			})
		}
		before := s.Commits().Transactions
		c.goes()
		if n := s.Commits().Transactions - before; n != 2 {
			t.Errorf("%d transactions, want that of the first caller and one of all others", n)
		}
		for what, want := range map[string]int{
			"SELECT COUNT(*) FROM orders": 3, "SELECT COUNT(*) FROM order_events": 4,
			"SELECT COUNT(*) FROM order_events WHERE order_id = 'o3'": 2,
			"SELECT COUNT(DISTINCT order_id) FROM order_references":   3,
			"SELECT COUNT(*) FROM order_counts":                       1, // written by one row
			"SELECT SUM(orders) FROM order_counts":                    3,
		} {
			if got := count(t, s.Writer(), what); got != want {
				t.Errorf("%s: %d, want %d", what, got, want)
			}
		}
	})
}

// A change that leaves many rows for what is written last is committed alone, too.
func TestTogetherManyQuotes(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *store.Store) {
		c := newCrowd(t, s, "first")
		c.joins(func() {
			err := s.Payout().Work(t.Context(), "ws-1", func(ctx context.Context, tx payout.Tx) (
				_ command.Audit, err error,
			) {
				for i := range 150 { // more than one statement inserts
					q := quote.Quote{WorkspaceID: "ws-1", ID: fmt.Sprint("q", i)}
					err = errors.Join(err, tx.InsertQuote(ctx, q))
				}
				return command.Audit{}, err
			})
			if err != nil {
				t.Error(err)
			}
		})
		c.inserts("a")
		c.goes()
		c.holds("first", "a")
		if n := s.Commits().Alone; n != 1 {
			t.Errorf("%d changes were committed alone, want that of the quotes", n)
		}
		if n := count(t, s.Writer(), "SELECT COUNT(*) FROM quotes"); n != 150 {
			t.Errorf("%d quotes", n)
		}
	})
}
