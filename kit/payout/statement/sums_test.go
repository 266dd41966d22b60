package statement

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/money"
)

// Of any moves: opening + in - out - fees = closing, each span opens with what the last one closed with, and a line is
// either money in or money out.
func TestPayout_StatementSums(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.Int64Range(-1e12, 1e12)
		c := rapid.SampledFrom([]money.Currency{money.USDC, money.MXN, money.USD})
		b, closing := open([]money.Amount{money.Of(amount.Draw(t, "opening"), money.USDC)}), map[money.Currency]int64{}
		closing[money.USDC] = b.sums[money.USDC].Opening.Minor
		for range rapid.IntRange(0, 20).Draw(t, "moves") {
			if rapid.IntRange(0, 4).Draw(t, "turn") == 0 {
				b.turn()
			}
			of := c.Draw(t, "currency")
			m := Move{
				Kind:   rapid.SampledFrom([]string{"deposit", "payout", "refund", "return", "new"}).Draw(t, "kind"),
				Change: money.Of(amount.Draw(t, "change"), of), Fees: money.Of(amount.Draw(t, "fees"), of),
			}
			line, err := b.add(m)
			if err != nil {
				t.Fatal(err)
			}
			closing[of] += m.Change.Minor
			if line.In.Minor < 0 || line.Out.Minor < 0 || line.In.Minor > 0 && line.Out.Minor > 0 ||
				line.In.Minor-line.Out.Minor-line.Fees.Minor != m.Change.Minor || line.Balance.Minor != closing[of] {
				t.Fatalf("%+v of %+v", line, m)
			}
		}
		for _, s := range b.all() {
			if s.Opening.Minor+s.In.Minor-s.Out.Minor-s.Fees.Minor != s.Closing.Minor ||
				s.ReturnedIn.Minor > s.In.Minor || s.ReturnedOut.Minor > s.Out.Minor ||
				s.Closing.Minor != closing[s.Closing.Currency] {
				t.Fatalf("%+v, want %v", s, closing)
			}
		}
		b.turn()
		for _, s := range b.all() {
			if s != opened(money.Of(closing[s.Opening.Currency], s.Opening.Currency)) {
				t.Fatalf("the next one opens with %+v", s)
			}
		}
	})
}

// Every kind of a ledger transaction that changes a balance is told under a name of its own.
func TestMove_Kind(t *testing.T) {
	for kind, want := range map[string]Kind{
		"deposit": Deposit, "drain": Deposit, "payin": Deposit, "convert": Conversion, "payout": Payout,
		"return": Return, "release": Return, "cancel": Return, "refund": Refund, "payin_return": Refund,
		"gone": Reversal, "something new": Other,
	} {
		if got := (Move{Kind: kind}).kind(); got != want {
			t.Errorf("%s is %s, want %s", kind, got, want)
		}
	}
}

func TestDays(t *testing.T) {
	in, err := Days("2024-01-01", "2024-12-31")
	if err != nil || len(in.spans(true)) != 366 || in.first() != "2024-01-01" || in.last() != "2024-12-31" {
		t.Errorf("a leap year: %+v, %v", in, err)
	}
	if in, err = Days("2026-11-23", "2026-11-23"); err != nil || in.To.Sub(in.From) != 24*time.Hour {
		t.Errorf("one day: %+v, %v", in, err)
	}
	for _, c := range [][3]string{
		{"", "2026-11-23", "from is required"}, {"2026-11-23", "", "to is required"},
		{"23.11.2026", "2026-11-23", "from must be a date"}, {"2026-11-23", "2026-11-31", "to must be a date"},
		{"2026-11-24", "2026-11-23", "to must not be before from"},
		{"2024-01-01", "2025-01-01", "to must be at most 366 days of from on"},
	} {
		_, err := Days(c[0], c[1])
		if f, ok := fault.As(err); !ok || f.Code != "validation_failed" || !strings.Contains(f.Message, c[2]) {
			t.Errorf("%q to %q: %v, want %s", c[0], c[1], err, c[2])
		}
	}
}
