package statement

import (
	"context"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/rest"
)

// mostLines is how many lines a statement has in JSON. A CSV has all of them.
const mostLines = 1000

// Get is a statement, with the sums of each day if it is daily.
func (s *Service) Get(ctx context.Context, of Scope, in Span, daily bool) (rest.AccountStatement, error) {
	view := rest.AccountStatement{
		From: in.first(), To: in.last(), Balances: []rest.StatementBalance{}, Lines: []rest.StatementLine{},
	}
	if err := s.check(ctx, of); err != nil {
		return view, err
	}
	var whole *book // of all days together
	for step, err := range s.walk(ctx, of, in, daily) {
		switch {
		case err != nil:
			return view, err
		case step.opened && whole == nil:
			whole = open(nil)
			for _, sums := range step.sums {
				*whole.of(sums.Opening.Currency) = sums
			}
		case step.opened:
		case step.closed && daily:
			view.Days = append(view.Days, rest.StatementDay{
				Date: step.span.first(), Balances: balancesOf(step.sums),
			})
		case !step.closed:
			if _, err := whole.add(step.line.Move); err != nil {
				return view, err
			}
			if view.LinesTotal++; view.LinesTotal <= mostLines {
				view.Lines = append(view.Lines, lineOf(step.line))
			}
		}
	}
	view.Balances = balancesOf(whole.all())
	return view, nil
}

func balancesOf(all []Sums) []rest.StatementBalance {
	views := make([]rest.StatementBalance, len(all))
	for i, s := range all {
		views[i] = rest.StatementBalance{
			Currency: string(s.Opening.Currency), Opening: s.Opening.String(), MoneyIn: s.In.String(),
			MoneyOut: s.Out.String(), Fees: s.Fees.String(), ReturnedIn: s.ReturnedIn.String(),
			ReturnedOut: s.ReturnedOut.String(), Closing: s.Closing.String(),
		}
	}
	return views
}

func lineOf(l Line) rest.StatementLine {
	return rest.StatementLine{
		At: clock.ISO(l.At), Kind: string(l.Kind), Reference: l.Reference, OrderID: l.OrderID,
		Currency: string(l.Balance.Currency), MoneyIn: l.In.String(), MoneyOut: l.Out.String(), Fees: l.Fees.String(),
		Balance: l.Balance.String(),
	}
}
