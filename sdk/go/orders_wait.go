package railkit

import (
	"context"
	"fmt"
	"time"
)

// What a status of an order says, where somebody waits for it.
const (
	OrderAwaiting  = "awaiting"
	OrderCompleted = "completed"
	OrderCanceled  = "canceled"
	OrderExpired   = "expired"
	OrderReturned  = "returned"
	OrderError     = "error" // a person has to look
)

// The ends of a refund.
const (
	RefundCompleted = "completed"
	RefundFailed    = "failed" // a person has to look
)

// Ended says that nothing moves by itself any more. What is returned has ended
// with its refund. What is completed can still be sent back, days later.
func (o Order) Ended() bool {
	switch o.Status {
	case OrderCompleted, OrderCanceled, OrderExpired, OrderError:
		return true
	case OrderReturned:
		return o.Refund.Ended()
	}
	return false
}

// Ended says that the money is back, or that it could not be sent.
func (r *Refund) Ended() bool {
	return r != nil && (r.Status == RefundCompleted || r.Status == RefundFailed)
}

// WaitOrder polls until an order has ended, in whichever way: its status says.
// The context bounds it.
func (c *Client) WaitOrder(ctx context.Context, idOrReference string, every time.Duration) (*OrderDetail, error) {
	return c.waitOrder(ctx, idOrReference, every, func(o *OrderDetail, err error) (bool, error) {
		return err == nil && o.Ended(), err
	})
}

// WaitDeposit polls until a transfer on chain has an order: until its transaction
// is in a block, and the server has seen it there.
func (c *Client) WaitDeposit(ctx context.Context, txHash string, every time.Duration) (*OrderDetail, error) {
	return c.waitOrder(ctx, txHash, every, func(_ *OrderDetail, err error) (bool, error) {
		if IsNotFound(err) {
			return false, nil
		}
		return err == nil, err
	})
}

// WaitRefund polls until what the bank sent back is refunded, or could not be. An
// order that ends in another way is an error; one that is completed is waited for.
func (c *Client) WaitRefund(ctx context.Context, idOrReference string, every time.Duration) (*OrderDetail, error) {
	return c.waitOrder(ctx, idOrReference, every, func(o *OrderDetail, err error) (bool, error) {
		if err != nil || o.Refund.Ended() {
			return err == nil, err
		}
		if o.Ended() && o.Status != OrderCompleted {
			return false, fmt.Errorf("railkit: the order is %s, and nothing is refunded", o.Status)
		}
		return false, nil
	})
}

func (c *Client) waitOrder(ctx context.Context, id string, every time.Duration, look func(*OrderDetail, error) (bool, error)) (*OrderDetail, error) {
	for {
		o, err := c.GetOrder(ctx, id)
		done, err := look(o, err)
		if err != nil || done {
			return o, err
		}
		if err := c.retry.Sleep(ctx, every); err != nil {
			status := "not known yet"
			if o != nil {
				status = o.Status
			}
			return o, fmt.Errorf("railkit: waiting for an order that is %s: %w", status, err)
		}
	}
}
