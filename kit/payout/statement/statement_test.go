package statement

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/depositaccount"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/money"
)

// shelf is a ledger in memory.
type shelf struct {
	opening []money.Amount
	moves   []Move
	fails   int // the page that cannot be read; 0: none
	pages   int
}

var errShelf = errors.New("disk on fire")

func (s *shelf) Recipient(_ context.Context, _, id string) (recipient.Recipient, error) {
	if id != "r-1" {
		return recipient.Recipient{}, fault.Missing("Recipient")
	}
	return recipient.Recipient{ID: id}, nil
}

func (s *shelf) DepositAccount(_ context.Context, _, id string) (depositaccount.Account, error) {
	if id != "d-1" {
		return depositaccount.Account{}, fault.Missing("Deposit account")
	}
	return depositaccount.Account{ID: id}, nil
}

func (s *shelf) StatementOpening(context.Context, Scope, time.Time) ([]money.Amount, error) {
	return s.opening, nil
}

func (s *shelf) StatementMoves(_ context.Context, _ Scope, _ Span, after *Cursor, limit int) ([]Move, error) {
	if s.pages++; s.pages == s.fails {
		return nil, errShelf
	}
	from := 0
	if after != nil {
		from = slices.IndexFunc(s.moves, func(m Move) bool { return m.Ref == after.Ref }) + 1
	}
	return s.moves[from:min(from+limit, len(s.moves))], nil
}

// busy is a ledger with so many deposits of 2 USDC, one an hour from a day on, each half paid out at a fee.
func busy(n int, from time.Time) *shelf {
	s := &shelf{opening: []money.Amount{money.Of(5_000_000, money.USDC)}}
	for i := range n {
		m := Move{
			Cursor: Cursor{from.Add(time.Duration(i) * time.Hour), fmt.Sprint("t", i)}, Kind: "deposit",
			OrderID: fmt.Sprint("o", i), Reference: fmt.Sprint("OFR-", i), Change: money.Of(2_000_000, money.USDC),
			Fees: money.Of(0, money.USDC),
		}
		if i%2 == 1 {
			m.Kind, m.Change, m.Fees = "payout", money.Of(-1_000_000, money.USDC), money.Of(10_000, money.USDC)
		}
		claim := m
		claim.Ref, claim.Change = m.Ref+"-claim", money.Of(0, money.USDC)
		s.moves = append(s.moves, m, claim)
	}
	return s
}

// All lines are summed up over several pages, also those that are not shown.
func TestStatement_Long(t *testing.T) {
	in, err := Days("2026-10-01", "2026-11-30")
	if err != nil {
		t.Fatal(err)
	}
	const n = 1201
	got, err := New(busy(n, in.From)).Get(t.Context(), Scope{}, in, true)
	if err != nil {
		t.Fatal(err)
	}
	b := got.Balances[0]
	if got.LinesTotal != n || len(got.Lines) != mostLines || b.Opening != "5.000000" || b.MoneyIn != "1202.000000" ||
		b.MoneyOut != "594.000000" || b.Fees != "6.000000" || b.Closing != "607.000000" {
		t.Errorf("%d of %d lines, %+v", len(got.Lines), got.LinesTotal, b)
	}
	if len(got.Days) != 61 || got.Days[60].Date != "2026-11-30" || got.Days[60].Balances[0].Closing != b.Closing {
		t.Errorf("%d days, the last is %+v", len(got.Days), got.Days[len(got.Days)-1])
	}
	for i, d := range got.Days[1:] {
		if before := got.Days[i].Balances[0].Closing; d.Balances[0].Opening != before {
			t.Errorf("%s opens with %+v, the day before closed with %s", d.Date, d.Balances[0], before)
		}
	}
	var text strings.Builder
	for part, err := range New(busy(n, in.From)).CSV(t.Context(), Scope{}, in, true) {
		if err != nil {
			t.Fatal(err)
		}
		text.Write(part)
	}
	rows, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	if err != nil || len(rows) != 1+n+2*61 || rows[len(rows)-1][9] != "607.000000" {
		t.Errorf("%d lines, %v, %v", len(rows), rows[len(rows)-1], err)
	}
}

// Lines of a CSV: a balance of each day, and what moved it.
func TestStatement_CSV(t *testing.T) {
	in, err := Days("2026-11-22", "2026-11-23")
	if err != nil {
		t.Fatal(err)
	}
	s := busy(3, in.From.Add(23*time.Hour))
	s.moves[4].Reference = "=1+1"
	for daily, want := range map[bool]string{
		true: `date,at,kind,reference,orderId,currency,moneyIn,moneyOut,fees,balance
2026-11-22,,opening,,,usdc,,,,5.000000
2026-11-22,2026-11-22T23:00:00.000Z,deposit,OFR-0,o0,usdc,2.000000,0.000000,0.000000,7.000000
2026-11-22,,closing,,,usdc,,,,7.000000
2026-11-23,,opening,,,usdc,,,,7.000000
2026-11-23,2026-11-23T00:00:00.000Z,payout,OFR-1,o1,usdc,0.000000,0.990000,0.010000,6.000000
2026-11-23,2026-11-23T01:00:00.000Z,deposit,'=1+1,o2,usdc,2.000000,0.000000,0.000000,8.000000
2026-11-23,,closing,,,usdc,,,,8.000000
`,
		false: `date,at,kind,reference,orderId,currency,moneyIn,moneyOut,fees,balance
2026-11-22,,opening,,,usdc,,,,5.000000
2026-11-22,2026-11-22T23:00:00.000Z,deposit,OFR-0,o0,usdc,2.000000,0.000000,0.000000,7.000000
2026-11-23,2026-11-23T00:00:00.000Z,payout,OFR-1,o1,usdc,0.000000,0.990000,0.010000,6.000000
2026-11-23,2026-11-23T01:00:00.000Z,deposit,'=1+1,o2,usdc,2.000000,0.000000,0.000000,8.000000
2026-11-23,,closing,,,usdc,,,,8.000000
`,
	} {
		var text strings.Builder
		for part, err := range New(s).CSV(t.Context(), Scope{RecipientID: "r-1"}, in, daily) {
			if err != nil {
				t.Fatal(err)
			}
			text.Write(part)
		}
		if got := strings.ReplaceAll(text.String(), "\r\n", "\n"); got != want {
			t.Errorf("daily %v:\n%s\nwant\n%s", daily, got, want)
		}
	}
}

// What cannot be read ends the statement, and so does a reader who stops.
func TestStatement_Ends(t *testing.T) {
	in, err := Days("2026-10-01", "2026-11-30")
	if err != nil {
		t.Fatal(err)
	}
	s := busy(1201, in.From)
	s.fails = 2
	if _, err := New(s).Get(t.Context(), Scope{}, in, false); !errors.Is(err, errShelf) {
		t.Errorf("as JSON: %v", err)
	}
	s.pages = 0
	var last error
	for _, err := range New(s).CSV(t.Context(), Scope{}, in, false) {
		last = err
	}
	if !errors.Is(last, errShelf) {
		t.Errorf("as CSV: %v", last)
	}
	for range New(busy(1201, in.From)).CSV(t.Context(), Scope{}, in, true) {
		break
	}
	for step := range New(busy(30, in.From)).walk(t.Context(), Scope{}, in, true) {
		if step.closed {
			break
		}
	}
	for _, of := range []Scope{{RecipientID: "r-2"}, {DepositAccountID: "d-2"}} {
		if _, err := New(s).Get(t.Context(), of, in, false); !errors.Is(err, fault.ErrNotFound) {
			t.Errorf("%+v, nobody's: %v", of, err)
		}
	}
}

// A period in which nothing happened has the balance, and zeros.
func TestStatement_Empty(t *testing.T) {
	in, err := Days("2026-11-22", "2026-11-23")
	if err != nil {
		t.Fatal(err)
	}
	got, err := New(busy(0, in.From)).Get(t.Context(), Scope{}, in, true)
	if err != nil || got.Lines == nil || got.LinesTotal != 0 || len(got.Days) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, b := range append(got.Balances, got.Days[1].Balances...) {
		moved := b.MoneyIn + b.MoneyOut + b.Fees + b.ReturnedIn + b.ReturnedOut
		if b.Opening != "5.000000" || b.Closing != "5.000000" || moved != strings.Repeat("0.000000", 5) {
			t.Errorf("%+v", b)
		}
	}
	if got, err := New(&shelf{}).Get(t.Context(), Scope{}, in, false); err != nil || got.Balances == nil ||
		len(got.Balances) != 0 || got.Days != nil {
		t.Errorf("a workspace that never held anything: %+v, %v", got, err)
	}
}
