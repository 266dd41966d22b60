package statement

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"iter"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/payout/orderview"
)

// columns are the columns of a CSV, in their order. docs/statements.md explains each.
var columns = []string{
	"date", "at", "kind", "reference", "orderId", "currency", "moneyIn", "moneyOut", "fees", "balance",
}

// partOfCSV is how large a part of a file becomes before it is sent.
const partOfCSV = 32 << 10

// CSV yields a statement in parts of a file. Each span has a line for the opening balance of each currency, one for
// each move, and one for each closing balance.
func (s *Service) CSV(ctx context.Context, of Scope, in Span, daily bool) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if err := s.check(ctx, of); err != nil {
			yield(nil, err)
			return
		}
		var part bytes.Buffer
		to := csv.NewWriter(&part)
		to.UseCRLF = true
		_ = to.Write(columns) // Error, below, has what went wrong
		for step, err := range s.walk(ctx, of, in, daily) {
			if err == nil {
				err = write(to, step)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if part.Len() >= partOfCSV {
				if !yield(part.Bytes(), nil) {
					return
				}
				part.Reset()
			}
		}
		yield(part.Bytes(), nil)
	}
}

func write(to *csv.Writer, s step) error {
	switch {
	case s.opened:
		for _, sums := range s.sums {
			_ = to.Write([]string{
				s.span.first(), "", "opening", "", "", string(sums.Opening.Currency), "", "", "",
				sums.Opening.String(),
			})
		}
	case s.closed:
		for _, sums := range s.sums {
			_ = to.Write([]string{
				s.span.last(), "", "closing", "", "", string(sums.Closing.Currency), "", "", "",
				sums.Closing.String(),
			})
		}
	default:
		l := s.line
		_ = to.Write([]string{
			l.At.UTC().Format("2006-01-02"), clock.ISO(l.At), string(l.Kind), orderview.Cell(l.Reference),
			orderview.Cell(l.OrderID), string(l.Balance.Currency), l.In.String(), l.Out.String(), l.Fees.String(),
			l.Balance.String(),
		})
	}
	to.Flush()
	if err := to.Error(); err != nil {
		return fmt.Errorf("writing a statement: %w", err)
	}
	return nil
}
