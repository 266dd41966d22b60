package sqldb

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
)

// A row that several changes of a batch use is touched once, with the latest time, and rows come in the order of their
// names.
func TestTouchOnce(t *testing.T) {
	var sent []postgres.Statement
	b := &batch{tx: Begun{Send: func(_ context.Context, all []postgres.Statement) error { sent = all; return nil }}}
	touching := func(touches ...touch) *change { return &change{tx: &Tx{touched: touches}} }
	wallet := func(id string, at int64) touch {
		return touch{"touching", id, at, func(ctx context.Context, q *db.Queries) error {
			return q.TouchWallet(ctx, "w", id, at)
		}}
	}
	done := []*change{touching(wallet("b", 3), wallet("a", 9)), touching(), touching(wallet("b", 5))}
	if err := b.touch(t.Context(), done); err != nil {
		t.Fatal(err)
	}
	var got [][]any
	for _, s := range sent {
		got = append(got, s.Args)
	}
	want := [][]any{{"w", "a", int64(9)}, {"w", "b", int64(5)}}
	if !slices.EqualFunc(got, want, slices.Equal[[]any]) {
		t.Errorf("sent %v, want %v", got, want)
	}
}

// What asks for an answer cannot be sent with others, and nothing is sent where there is nothing.
func TestSendWithoutAnswers(t *testing.T) {
	sends := 0
	b := &batch{tx: Begun{Send: func(context.Context, []postgres.Statement) error { sends++; return nil }}}
	err := b.send(t.Context(), step{"asking", func(b *batch) error {
		_, err := db.New(b.q).SubOrganizations(t.Context(), "w")
		return err
	}})
	if !errors.Is(err, errAnswer) {
		t.Errorf("a query with rows: %v", err)
	}
	if err := b.touch(t.Context(), nil); err != nil || sends > 0 {
		t.Errorf("%d sends, %v", sends, err)
	}
}
