package payout_test

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/arrival"
	"github.com/railkit/railkit/kit/payout/batch"
	"github.com/railkit/railkit/kit/payout/payment"
	"github.com/railkit/railkit/kit/payout/quote"
	"github.com/railkit/railkit/platform/command"
)

// timed are the stores of the rig's database, with a clock that the test moves too: the nouns that ask for the
// database's time get the test's.
func timed(all payout.Stores, now func() time.Time) payout.Stores {
	all.Quotes = timedQuotes{all.Quotes, now}
	all.Batches = timedBatches{all.Batches, now}
	all.Arrivals = timedArrivals{all.Arrivals, now}
	all.Payments = timedPayments{all.Payments, now}
	return all
}

type timedQuotes struct {
	quote.Store
	now func() time.Time
}

func (s timedQuotes) Commit(
	ctx context.Context, cmd *command.Command, fn func(context.Context, quote.Tx) (command.Reply, error),
) (command.Answer, error) {
	return s.Store.Commit(ctx, cmd, func(ctx context.Context, tx quote.Tx) (command.Reply, error) {
		return fn(ctx, timedQuotesTx{tx, s.now})
	})
}

func (s timedQuotes) Work(
	ctx context.Context, workspaceID string, fn func(context.Context, quote.Tx) (command.Audit, error),
) error {
	return s.Store.Work(ctx, workspaceID, func(ctx context.Context, tx quote.Tx) (command.Audit, error) {
		return fn(ctx, timedQuotesTx{tx, s.now})
	})
}

type timedQuotesTx struct {
	quote.Tx
	now func() time.Time
}

func (t timedQuotesTx) Now(context.Context) (time.Time, error) { return t.now(), nil }

type timedArrivals struct {
	arrival.Store
	now func() time.Time
}

func (s timedArrivals) Commit(
	ctx context.Context, cmd *command.Command, fn func(context.Context, arrival.Tx) (command.Reply, error),
) (command.Answer, error) {
	return s.Store.Commit(ctx, cmd, func(ctx context.Context, tx arrival.Tx) (command.Reply, error) {
		return fn(ctx, timedArrivalsTx{tx, s.now})
	})
}

func (s timedArrivals) Work(
	ctx context.Context, workspaceID string, fn func(context.Context, arrival.Tx) (command.Audit, error),
) error {
	return s.Store.Work(ctx, workspaceID, func(ctx context.Context, tx arrival.Tx) (command.Audit, error) {
		return fn(ctx, timedArrivalsTx{tx, s.now})
	})
}

type timedArrivalsTx struct {
	arrival.Tx
	now func() time.Time
}

func (t timedArrivalsTx) Now(context.Context) (time.Time, error) { return t.now(), nil }

type timedPayments struct {
	payment.Store
	now func() time.Time
}

func (s timedPayments) Commit(
	ctx context.Context, cmd *command.Command, fn func(context.Context, payment.Tx) (command.Reply, error),
) (command.Answer, error) {
	return s.Store.Commit(ctx, cmd, func(ctx context.Context, tx payment.Tx) (command.Reply, error) {
		return fn(ctx, timedPaymentsTx{tx, s.now})
	})
}

func (s timedPayments) Work(
	ctx context.Context, workspaceID string, fn func(context.Context, payment.Tx) (command.Audit, error),
) error {
	return s.Store.Work(ctx, workspaceID, func(ctx context.Context, tx payment.Tx) (command.Audit, error) {
		return fn(ctx, timedPaymentsTx{tx, s.now})
	})
}

type timedPaymentsTx struct {
	payment.Tx
	now func() time.Time
}

func (t timedPaymentsTx) Now(context.Context) (time.Time, error) { return t.now(), nil }

type timedBatches struct {
	batch.Store
	now func() time.Time
}

func (s timedBatches) Commit(
	ctx context.Context, cmd *command.Command, fn func(context.Context, batch.Tx) (command.Reply, error),
) (command.Answer, error) {
	return s.Store.Commit(ctx, cmd, func(ctx context.Context, tx batch.Tx) (command.Reply, error) {
		return fn(ctx, timedBatchesTx{tx, s.now})
	})
}

type timedBatchesTx struct {
	batch.Tx
	now func() time.Time
}

func (t timedBatchesTx) Now(context.Context) (time.Time, error) { return t.now(), nil }
