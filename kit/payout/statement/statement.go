// Package statement tells what money the platform held for a workspace, a recipient or a deposit account, and what
// moved it, in a period of whole days. A day is a day of UTC.
//
// The balance is the sum of the posted ledger entries on the accounts held:<withdrawal address> and order:<order>:
// money that has come and is neither paid out, converted nor sent back yet. All numbers come from the ledger, none
// from the rows of orders. For each currency and period
//
//	opening + money in - money out - fees = closing
//
// and the closing balance of a period is the opening balance of the next one.
//
// Read statement.go (periods and the walk through one), sums.go (the arithmetic, pure), view.go (JSON), csv.go.
package statement

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/depositaccount"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/money"
)

// Scope is whose money a statement is about: all of a workspace's, or that of one recipient, or what came to one
// deposit account.
type Scope struct{ WorkspaceID, RecipientID, DepositAccountID string }

// Store reads the ledger.
type Store interface {
	Recipient(ctx context.Context, workspaceID, id string) (recipient.Recipient, error)
	DepositAccount(ctx context.Context, workspaceID, id string) (depositaccount.Account, error)
	// StatementOpening is the balance of every currency that the scope has used, by what was posted before an instant.
	StatementOpening(ctx context.Context, of Scope, before time.Time) ([]money.Amount, error)
	// StatementMoves are the moves of so many ledger transactions that were posted within a span, oldest first, after a
	// cursor. Those that leave the balance as it is are among them. After the last transaction there are none.
	StatementMoves(ctx context.Context, of Scope, in Span, after *Cursor, transactions int) ([]Move, error)
}

// Service makes statements.
type Service struct{ store Store }

// New makes it.
func New(store Store) *Service { return &Service{store} }

const (
	day = 24 * time.Hour
	// mostDays is how long a period may be.
	mostDays = 366
	// pageOfMoves is how many ledger transactions are read at once.
	pageOfMoves = 1000
)

// Span is a time from an instant on, and before another one.
type Span struct{ From, To time.Time }

// Days reads a period from its first to its last day.
func Days(from, to string) (Span, error) {
	first, err := readDay("from", from)
	if err != nil {
		return Span{}, err
	}
	last, err := readDay("to", to)
	switch {
	case err != nil:
		return Span{}, err
	case last.Before(first):
		return Span{}, fault.Field("to", "must not be before from")
	case last.Sub(first) >= mostDays*day:
		return Span{}, fault.Field("to", "must be at most 366 days of from on")
	}
	return Span{first, last.Add(day)}, nil
}

func readDay(field, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, fault.Field(field, "is required")
	}
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}, fault.Field(field, "must be a date such as 2026-11-23")
	}
	return at, nil
}

// last is the last day of a span, as a date.
func (s Span) last() string { return s.To.Add(-day).Format(time.DateOnly) }

func (s Span) first() string { return s.From.Format(time.DateOnly) }

// spans are a span's days, or the span as a whole.
func (s Span) spans(daily bool) []Span {
	if !daily {
		return []Span{s}
	}
	var all []Span
	for at := s.From; at.Before(s.To); at = at.Add(day) {
		all = append(all, Span{at, at.Add(day)})
	}
	return all
}

// step is one step through a statement: a span is opened, a move of it happened, or it is closed.
type step struct {
	span   Span
	opened bool
	closed bool
	sums   []Sums // of the span: at its opening without moves
	line   Line
}

// walk goes through a statement: through each day of it, or through all of it at once.
func (s *Service) walk(ctx context.Context, of Scope, in Span, daily bool) iter.Seq2[step, error] {
	return func(yield func(step, error) bool) {
		opening, err := s.store.StatementOpening(ctx, of, in.From)
		if err != nil {
			yield(step{}, err)
			return
		}
		b, spans := open(opening), in.spans(daily)
		if !yield(step{span: spans[0], opened: true, sums: b.all()}, nil) {
			return
		}
		for m, err := range s.moves(ctx, of, in) {
			if err == nil && len(spans) > 1 && !m.At.Before(spans[0].To) {
				if spans, err = b.turnTo(m.At, spans, yield); errors.Is(err, errStopped) {
					return
				}
			}
			var line Line
			if err == nil {
				line, err = b.add(m)
			}
			if !yield(step{span: spans[0], line: line}, err) || err != nil {
				return
			}
		}
		if spans, err = b.turnTo(in.To, spans, yield); err == nil {
			yield(step{span: spans[0], closed: true, sums: b.all()}, nil)
		}
	}
}

var errStopped = errors.New("statement: the reader has stopped")

// turnTo closes spans and opens the next ones, until one has the instant, or is the last.
func (b *book) turnTo(at time.Time, spans []Span, yield func(step, error) bool) ([]Span, error) {
	for ; len(spans) > 1 && !at.Before(spans[0].To); spans = spans[1:] {
		if !yield(step{span: spans[0], closed: true, sums: b.all()}, nil) {
			return spans, errStopped
		}
		b.turn()
		if !yield(step{span: spans[1], opened: true, sums: b.all()}, nil) {
			return spans, errStopped
		}
	}
	return spans, nil
}

// moves reads all moves of a span that change the balance, page by page.
func (s *Service) moves(ctx context.Context, of Scope, in Span) iter.Seq2[Move, error] {
	return func(yield func(Move, error) bool) {
		var after *Cursor
		for {
			page, err := s.store.StatementMoves(ctx, of, in, after, pageOfMoves)
			if err != nil {
				yield(Move{}, err)
				return
			}
			for _, m := range page {
				if !m.Change.IsZero() && !yield(m, nil) {
					return
				}
			}
			if len(page) == 0 {
				return
			}
			after = &page[len(page)-1].Cursor
		}
	}
}

// check finds whose statement is asked for.
func (s *Service) check(ctx context.Context, of Scope) error {
	var err error
	switch {
	case of.RecipientID != "":
		_, err = s.store.Recipient(ctx, of.WorkspaceID, of.RecipientID)
	case of.DepositAccountID != "":
		_, err = s.store.DepositAccount(ctx, of.WorkspaceID, of.DepositAccountID)
	}
	return err
}
