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
	"github.com/railkit/railkit/x402"
)

// ledger is a store of one payment.
type ledger struct {
	Store
	Tx
	row    Payment
	record []string
}

func (l *ledger) X402Payment(context.Context, string, string) (Payment, error) { return l.row, nil }

func (l *ledger) Work(
	ctx context.Context, _ string, fn func(context.Context, Tx) (command.Audit, error),
) error {
	a, err := fn(ctx, l)
	if a.Action != "" {
		l.record = append(l.record, a.Action)
	}
	return err
}

func (l *ledger) NoteX402Answer(_ context.Context, p Payment, _ Delivery) (Payment, error) {
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
	if again, err := s.Follow(t.Context(), "", "p"); err != nil || again != oneSend || len(l.record) != 0 {
		t.Fatalf("within its time: again in %v, %v, %v", again, l.record, err)
	}
	now = now.Add(oneSend)
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
		if got, err := s.noted(t.Context(), noted); err != nil || got.Delivery != c.want {
			t.Fatalf("%s: %+v, %v", c.answer, got, err)
		}
	}
	if want := []string{"agent.x402.undelivered", "agent.x402.undelivered"}; !slices.Equal(l.record, want) {
		t.Errorf("told %v", l.record)
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
