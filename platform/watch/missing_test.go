package watch_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/railkit/railkit/platform/watch"
)

// What was final and is not on the chain today is found: taken away by a reorg, in
// another block, or with another amount. A node that is behind is not believed.
func TestPayout_ChainGone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.steps(t)
	b.chain.mine(tx{"0xd1", []pay{{usdc, alice, 25}, {usdc, alice, 26}}})
	for range 3 {
		b.chain.mine()
	}
	b.chain.mine(tx{"0xd2", []pay{{usdt, alice, 7}}})
	b.steps(t)
	known, err := b.store.Standing(t.Context(), "deep", 0, 100)
	if err != nil || len(known) != 3 {
		t.Fatalf("%v %v", known, err)
	}
	gone := func(some []watch.Transfer) (places []string) {
		t.Helper()
		ids, err := watch.MissingTransfers(t.Context(), b.chain, some)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range some {
			for _, id := range ids {
				if id == k.ID {
					places = append(places, k.Tx+"#"+k.Amount)
				}
			}
		}
		return places
	}
	if got := gone(known); got != nil {
		t.Errorf("gone from a chain that nobody changed: %q", got)
	}
	other := append([]watch.Transfer(nil), known...)
	other[0].Amount = "24"
	if got := gone(other); !reflect.DeepEqual(got, []string{"0xd1#24"}) {
		t.Errorf("another amount: %q", got)
	}
	b.chain.fork(1)
	if _, err := watch.MissingTransfers(context.Background(), b.chain, known); err == nil {
		t.Error("a node that is behind was believed")
	}
	b.chain.mine()
	if got := gone(known); !reflect.DeepEqual(got, []string{"0xd2#7"}) {
		t.Errorf("after a reorg: %q", got)
	}
}
