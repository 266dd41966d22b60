package x402pay

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/fetch"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/x402"
)

// ledger is a store of one payment.
type ledger struct {
	Store
	Tx
	row    Payment
	record []string
	first  func() // of another writer, once
}

func (l *ledger) X402Payment(context.Context, string, string) (Payment, error) { return l.row, nil }

func (l *ledger) Work(
	ctx context.Context, _ string, fn func(context.Context, Tx) (command.Audit, error),
) error {
	if l.first != nil {
		l.first()
		l.first = nil
	}
	before := l.row
	a, err := fn(ctx, l)
	if err != nil {
		l.row = before
		return err
	}
	if a.Action != "" {
		l.record = append(l.record, a.Action)
	}
	return nil
}

func (l *ledger) EndX402Payment(_ context.Context, p Payment) (Payment, error) {
	if l.row.State != Signed {
		return Payment{}, record.ErrStale
	}
	l.row.State, l.row.Tx = p.State, p.Tx
	return l.row, nil
}

func (l *ledger) NoteX402Answer(_ context.Context, p Payment, was Delivery) (Payment, error) {
	if l.row.Delivery != was {
		return Payment{}, record.ErrStale
	}
	l.row.HTTPStatus, l.row.Delivery, l.row.Reason = p.HTTPStatus, p.Delivery, p.Reason
	return l.row, nil
}

// A payment that was made is told as undelivered once: by an answer that is none, or when the last try of its seller is
// over, and never before. An answer that comes later than the chain's word is the last word.
func TestAgents_X402UndeliveredIsToldOnce(t *testing.T) {
	const ends = 1_800_000_000
	made := Payment{ID: "p", State: Settled, Delivery: Pending, Request: "sealed", ValidBefore: ends}
	now := time.Unix(ends, 0)
	l := &ledger{row: made}
	s := &Service{c: Config{Store: l, Clock: clock.Func(func() time.Time { return now })}}
	if again, err := s.Follow(t.Context(), "", "p"); err != nil || again != lastWord || len(l.record) != 0 {
		t.Fatalf("within its time: again in %v, %v, %v", again, l.record, err)
	}
	now = now.Add(lastWord)
	for range 2 {
		if again, err := s.Follow(t.Context(), "", "p"); err != nil || again != 0 || l.row.Delivery != Undelivered {
			t.Fatalf("after its time: again in %v, %+v, %v", again, l.row, err)
		}
	}
	l.row.Delivery = Pending
	for _, c := range []struct {
		answer, want Delivery
	}{
		{Pending, Pending}, {Undelivered, Undelivered}, {Undelivered, Undelivered}, {Pending, Undelivered},
		{Delivered, Delivered}, {Undelivered, Delivered},
	} {
		noted := l.row
		noted.Delivery = c.answer
		if got, err := s.noted(t.Context(), noted, l.row); err != nil || got.Delivery != c.want {
			t.Fatalf("%s: %+v, %v", c.answer, got, err)
		}
	}
	if want := []string{"agent.x402.undelivered", "agent.x402.undelivered"}; !slices.Equal(l.record, want) {
		t.Errorf("told %v", l.record)
	}
}

// What the seller answered and what the chain told are one change. Where a job has written the chain's word meanwhile,
// the seller's is written all the same, and each is told once.
func TestAgents_X402AnswerAndEndAreOneChange(t *testing.T) {
	signed := Payment{ID: "p", State: Signed, Delivery: Pending, Request: "sealed"}
	ended, delivered := signed, signed
	ended.State, ended.Tx, delivered.Delivery = Settled, "0x1", Delivered
	for name, c := range map[string]struct {
		answer, goods Delivery
		first         Payment // as another writer leaves it
		want          []string
	}{
		"nobody else":           {Delivered, Delivered, signed, []string{"agent.x402.settled"}},
		"nobody else, no goods": {Undelivered, Undelivered, signed, []string{"agent.x402.undelivered"}},
		"the job":               {Delivered, Delivered, ended, nil},
		"the job, no goods":     {Undelivered, Undelivered, ended, []string{"agent.x402.undelivered"}},
		"another request":       {Undelivered, Delivered, delivered, []string{"agent.x402.settled"}},
	} {
		l := &ledger{row: signed}
		l.first = func() { l.row = c.first }
		s := &Service{c: Config{Store: l, Clock: clock.System{}}}
		heard, told := signed, signed
		heard.Delivery, told.State, told.Tx = c.answer, Settled, "0x1"
		got, err := s.noted(t.Context(), heard, told)
		if err != nil || got.State != Settled || got.Tx != "0x1" || got.Delivery != c.goods ||
			!slices.Equal(l.record, c.want) {
			t.Errorf("%s: %+v, %v, told %v", name, got, err, l.record)
		}
	}
}

// A seller that answers a second try with "duplicate", or is busy with the first one, may still deliver for it: the
// same payment is sent again, and what became of it stays open until its end.
func TestAgents_X402DuplicateIsAskedAgain(t *testing.T) {
	refused, err := x402.EncodeHeader(x402.Receipt{ErrorReason: x402.ReasonDuplicateSettlement, Network: "eip155:8453"})
	if err != nil {
		t.Fatal(err)
	}
	for name, res := range map[string]fetch.Response{
		"duplicate": {Status: 402, Header: http.Header{x402.HeaderReceipt: {refused}}},
		"busy":      {Status: 409, Body: []byte(`{"success":false,"code":"x402_payment_busy"}`)},
	} {
		p := Payment{Delivery: Pending}
		if again := note(&p, res, nil); !again || p.Delivery != Pending || p.Reason == "" {
			t.Errorf("%s: again %v, %+v", name, again, p)
		}
	}
	p := Payment{Delivery: Pending}
	if again := note(&p, fetch.Response{Status: 409, Body: []byte(`{}`)}, nil); again || p.Delivery != Undelivered {
		t.Errorf("another conflict: again %v, %+v", again, p)
	}
}
