package screen_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/screen"
)

// answers is a list that answers what it is told to, and counts questions.
type answers struct {
	hits  func([]screen.Subject) []screen.Hit
	err   error
	asked []int
}

func (a *answers) Screen(_ context.Context, subjects []screen.Subject) ([]screen.Hit, error) {
	a.asked = append(a.asked, len(subjects))
	if a.err != nil {
		return nil, a.err
	}
	return a.hits(subjects), nil
}

func ask(lists ...screen.Screener) *screen.Service {
	return screen.New(slog.New(slog.DiscardHandler), lists...)
}

func name(value string) screen.Subject {
	return screen.Subject{Kind: screen.Name, Role: screen.Recipient, Value: value}
}

// A hit is cleared by its key, which is of one role, entry and name. Capitals and spaces do not make another one.
func TestCheck_Cleared(t *testing.T) {
	d := load(t, list)
	hits, err := ask(d).Check(t.Context(), []screen.Subject{name("Denied Person")}, nil)
	if err != nil || len(hits) != 2 || hits[0].Key() != "recipient:name:sdn-1:"+hits[0].Of || len(hits[0].Of) != 16 {
		t.Fatalf("%+v, %v", hits, err)
	}
	cleared := []string{hits[0].Key()}
	for value, want := range map[string]int{"Denied Person": 1, " denied  PERSON": 1, "Deniéd Person": 2, "Ana": 0} {
		left, err := ask(d).Check(t.Context(), []screen.Subject{name(value)}, cleared)
		if err != nil || len(left) != want {
			t.Errorf("%q: %v, %v, want %d", value, left, err, want)
		}
	}
	owner := name("Denied Person")
	owner.Role = screen.AccountOwner
	if left, err := ask(d).Check(t.Context(), []screen.Subject{owner}, cleared); err != nil || len(left) != 2 {
		t.Errorf("in another role: %v, %v", left, err)
	}
	address := screen.Subject{
		Kind: screen.Address, Role: screen.Sender, Value: "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720",
	}
	hits, err = ask(d).Check(t.Context(), []screen.Subject{address}, nil)
	if err != nil || len(hits) != 1 {
		t.Fatal(hits, err)
	}
	address.Value = "0xa0ee7a142d267c1f36714e4a8f75612f20a79720"
	left, err := ask(d).Check(t.Context(), []screen.Subject{address}, []string{hits[0].Key()})
	if err != nil || left != nil {
		t.Errorf("the same address: %v, %v", left, err)
	}
}

// All lists are asked, about each value once, and in parts. One without an answer is no answer of all.
func TestCheck_AsksAllLists(t *testing.T) {
	none := &answers{hits: func([]screen.Subject) []screen.Hit { return nil }}
	var many []screen.Subject
	for i := range 120 {
		many = append(many, name(fmt.Sprint("Person ", i/2)), name("  "))
	}
	hits, err := ask(none, load(t, list)).Check(t.Context(), append(many, name("Denied Person ")), nil)
	if err != nil || len(hits) != 2 || fmt.Sprint(none.asked) != "[50 11]" {
		t.Errorf("%v, %v, asked %v", hits, err, none.asked)
	}
	down := &answers{err: screen.ErrUnavailable}
	if _, err := ask(load(t, list), down).Check(t.Context(), many, nil); !errors.Is(err, screen.ErrUnavailable) {
		t.Errorf("one is down: %v", err)
	}
	for what, h := range map[string]screen.Hit{
		"of another subject": {Subject: name("Bo"), Entry: "x"}, "without an entry": {Subject: name("Ana")},
		"an entry that is a text": {Subject: name("Ana"), Entry: "see: Ana"},
	} {
		odd := &answers{hits: func([]screen.Subject) []screen.Hit { return []screen.Hit{h} }}
		_, err := ask(odd).Check(t.Context(), []screen.Subject{name("Ana")}, nil)
		if !errors.Is(err, screen.ErrUnavailable) {
			t.Errorf("a hit %s: %v", what, err)
		}
	}
	for _, nobody := range []*screen.Service{nil, ask()} {
		if hits, err := nobody.Check(t.Context(), many, nil); hits != nil || err != nil {
			t.Errorf("there is no list: %v, %v", hits, err)
		}
	}
}

// An order keeps the first hits. Those beyond them hold it once the first are released.
func TestCheck_ManyHits(t *testing.T) {
	all := &answers{hits: func(of []screen.Subject) (hits []screen.Hit) {
		for i := range 30 {
			hits = append(hits, screen.Hit{Subject: of[0], Entry: fmt.Sprint("e-", i)})
		}
		return hits
	}}
	var cleared []string
	for _, want := range []int{20, 10, 0} {
		hits, err := ask(all).Check(t.Context(), []screen.Subject{name("Ana")}, cleared)
		if err != nil || len(hits) != want {
			t.Fatalf("%d hits, want %d: %v", len(hits), want, err)
		}
		for _, h := range hits {
			cleared = append(cleared, h.Key())
		}
	}
}

// Gate holds an order with hits that nobody decided about, and does not ask again.
func TestGate_UndecidedHits(t *testing.T) {
	none := &answers{hits: func([]screen.Subject) []screen.Hit { return nil }}
	o := order.Order{Screening: &order.Screening{Hits: []order.Hit{{Entry: "sdn-1"}}}}
	e, err := ask(none).Gate(t.Context(), o, []screen.Subject{name("Ana")})
	if err != nil || e.Kind != order.ReviewOpened || e.Reason != order.HoldScreening || len(none.asked) != 0 {
		t.Errorf("%+v, %v", e, err)
	}
	if e, err := ask(none).Gate(t.Context(), order.Order{}, []screen.Subject{name("Ana")}); err != nil || e.Kind != "" {
		t.Errorf("%+v, %v", e, err)
	}
}
