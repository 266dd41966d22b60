package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/quote"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// Execute makes the orders of all rows in one transaction, once. Later calls get the same orders as they are by then.
func (s *Service) Execute(
	ctx context.Context, cmd *command.Command, id string, in rest.BatchExecuteRequest,
) (a command.Answer, err error) {
	err = record.Retry(func() error {
		b, err := s.store.Batch(ctx, cmd.Principal.WorkspaceID, id)
		if err != nil {
			return err
		}
		a, err = s.execute(ctx, cmd, b, in.PayAgain)
		return err
	})
	return a, err
}

// execute is one attempt of Execute. It is record.ErrStale if another call has ended the batch meanwhile.
func (s *Service) execute(
	ctx context.Context, cmd *command.Command, b Batch, payAgain bool,
) (command.Answer, error) {
	switch b.Status {
	case Executed:
		return s.executeAgain(ctx, cmd, b)
	case Canceled:
		return command.Answer{}, errCanceled
	case Invalid:
		return command.Answer{}, errInvalid.With("errors", b.Content.Errors)
	}
	rows, err := s.store.PricedRows(ctx, b.WorkspaceID, b.ID)
	if err != nil {
		return command.Answer{}, err
	}
	if len(rows) != b.RowCount {
		return command.Answer{}, fmt.Errorf("a batch of %d rows has %d with a quote", b.RowCount, len(rows))
	}
	changed := changes(rows, s.clock.Now())
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		now, _, err := s.quotes.Life(ctx, tx)
		if err != nil {
			return command.Reply{}, err
		}
		if !now.Before(b.ExpiresAt) {
			return command.Reply{}, errExpired
		}
		if len(changed) > 0 {
			return command.Reply{}, errChanged.With("errors", changed)
		}
		if err := s.checkRepeats(ctx, tx, b, rows, now, payAgain); err != nil {
			return command.Reply{}, err
		}
		done, opened, err := s.open(ctx, tx, b, rows, now)
		return command.Reply{
			Status: 201, Message: "Batch executed", Data: detail(done, opened, now),
			Audit: command.Audit{
				Action: "batch.execute", Resource: b.ID, Detail: map[string]string{"orders": fmt.Sprint(len(opened))},
			},
		}, err
	})
}

// checkRepeats refuses a batch with rows that were paid before and are not meant to be paid again. It comes before all
// writes of the transaction, so that of two batches with the same rows one sees what the other one paid. A call that
// executes the same batch twice is no repeat: the lock on the batch's row keeps it from making orders.
func (s *Service) checkRepeats(
	ctx context.Context, tx Tx, b Batch, rows []Priced, now time.Time, payAgain bool,
) error {
	if err := tx.HoldBatches(ctx, b.WorkspaceID); err != nil {
		return err
	}
	if err := tx.EndBatch(ctx, b, Ready); err != nil { // another call has ended it: it is read anew
		return err
	}
	all := make([]candidate, len(rows))
	for i, r := range rows {
		all[i] = candidate{r.Shown, payment{r.Quote.RecipientID, r.Quote.Asked}}
	}
	paid, err := repeats(ctx, tx, b.WorkspaceID, all, now)
	if err != nil {
		return err
	}
	return mayRepeat(paid, b.Content.Warnings, payAgain)
}

// executeAgain answers with a batch that is executed already.
func (s *Service) executeAgain(ctx context.Context, cmd *command.Command, b Batch) (command.Answer, error) {
	rows, err := s.store.BatchRows(ctx, b.WorkspaceID, b.ID, 0, Most)
	if err != nil {
		return command.Answer{}, err
	}
	return record.Answer(ctx, s.store, cmd, command.Reply{
		Status: 200, Message: "Batch executed", Data: detail(b, rows, s.clock.Now()),
		Audit: command.Audit{Action: "batch.execute_again", Resource: b.ID},
	})
}

// changes are the reasons why rows that were right at the preview cannot be executed now.
func changes(rows []Priced, now time.Time) (all []rest.BatchIssue) {
	for _, r := range rows {
		switch err := r.Account.Usable(); {
		case r.Recipient.Status != recipient.Active:
			all = append(all, aboutFault(r.Shown, recipient.ErrArchived))
		case err != nil:
			if f, is := fault.As(err); is {
				all = append(all, aboutFault(r.Shown, f))
			}
		default:
			all = append(all, held(r.Shown, r.Account, now)...)
		}
	}
	return all
}

// open writes the end of the batch first: the lock on its row keeps other calls waiting that execute or cancel it. Then
// it writes the orders of all rows, as far as possible, so that all rows that lack money are told at once.
func (s *Service) open(
	ctx context.Context, tx Tx, b Batch, rows []Priced, now time.Time,
) (Batch, []Row, error) {
	b.Status, b.EndedAt = Executed, now
	waiting := newSums()
	var short []rest.BatchIssue
	opened := make([]Row, 0, len(rows))
	if err := tx.EndBatch(ctx, b, Ready); err != nil {
		return b, nil, err
	}
	for _, r := range rows {
		o, err := s.quotes.Open(ctx, tx, r.Quoted)
		if f, is := fault.As(err); is && errors.Is(err, quote.ErrInsufficient) {
			short = append(short, aboutFault(r.Shown, f))
			continue
		}
		if err != nil {
			return b, nil, err
		}
		r.Order = o
		opened = append(opened, r.Row)
		if o.Status == order.Awaiting {
			if err := waiting.await(r.Address, o.Expected); err != nil {
				return b, nil, err
			}
		}
	}
	if len(short) > 0 {
		return b, nil, errChanged.With("errors", short)
	}
	_, _, b.Content.Addresses = waiting.views()
	return b, opened, tx.EndBatch(ctx, b, Executed)
}
