package watch_test

import (
	"context"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain/solana/localnet"
	"github.com/railkit/railkit/chain/solana/rpc"
)

// twoNodes gives a bench two nodes of its chain: a is asked first.
func twoNodes(t *testing.T) *solanaBench {
	t.Helper()
	b := newSolana(t)
	both, err := rpc.DialAll(b.url+"/a "+b.url+"/b", b.client.Network())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(both.Close)
	b.nodes = both
	b.restart(t, 0)
	return b
}

// sees sets what a node says.
func (b *solanaBench) sees(t *testing.T, name string, v localnet.View) {
	t.Helper()
	chain := b.url
	b.url += "/" + name
	defer func() { b.url = chain }()
	b.control(t, nil, "dev_setView", v)
}

// A deposit counts once and as what it is, however its nodes tell it: twice, of another amount, or not at all. Where
// two that have read as far contradict each other, nothing is credited until an operator has found out which one lies.
func TestWatch_SolanaTwoNodes(t *testing.T) {
	t.Parallel()
	all := func(id string) []string { return []string{id} }
	for name, c := range map[string]struct {
		a, b  func(id string, slot int64) localnet.View
		stops bool // else it is credited while they lie
	}{
		"agree": {},
		"the first tells it again, and the second is asked instead": {
			a: func(id string, _ int64) localnet.View { return localnet.View{Again: all(id)} },
		},
		"the first tells more": {
			a: func(id string, _ int64) localnet.View { return localnet.View{More: all(id)} }, stops: true,
		},
		"the second tells more": {
			b: func(id string, _ int64) localnet.View { return localnet.View{More: all(id)} }, stops: true,
		},
		"the second does not tell it": {
			b: func(id string, _ int64) localnet.View { return localnet.View{Hides: all(id)} }, stops: true,
		},
		"the second has no such block": {
			b: func(_ string, slot int64) localnet.View { return localnet.View{Skips: []int64{slot}} }, stops: true,
		},
		"the second has lost the block, and its next one names it": {
			b: func(_ string, slot int64) localnet.View { return localnet.View{Omits: []int64{slot}} },
		},
		"the first is away, and the second tells it again": {
			a:     func(string, int64) localnet.View { return localnet.View{Fails: true} },
			b:     func(id string, _ int64) localnet.View { return localnet.View{Again: all(id)} },
			stops: true,
		},
		"the second is away":   {b: func(string, int64) localnet.View { return localnet.View{Fails: true} }},
		"the second is behind": {b: func(string, int64) localnet.View { return localnet.View{Behind: 8} }},
		"the second has thrown the block away": {
			b: func(string, int64) localnet.View { return localnet.View{Keeps: 2} },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := twoNodes(t)
			if err := b.catchUp(); err != nil {
				t.Fatal(err)
			}
			id, slot := b.gives(t, "3")
			b.control(t, nil, "dev_mine", 4)
			if c.a != nil {
				b.sees(t, "a", c.a(id, slot))
			}
			if c.b != nil {
				b.sees(t, "b", c.b(id, slot))
			}
			for range 3 {
				if err := b.catchUp(); c.stops != (err != nil) {
					t.Fatalf("stops: %v", err)
				}
			}
			if held := len(b.told.all) == 0; held != c.stops {
				t.Errorf("heard %q", b.told.all)
			}
			b.sees(t, "a", localnet.View{})
			b.sees(t, "b", localnet.View{})
			if err := b.catchUp(); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(b.told.all, ", "); got != id+"#0 seen, "+id+"#0 final" {
				t.Errorf("heard %q", got)
			}
			row, err := b.read.TransfersOfTx(t.Context(), ours, "solana", id)
			if err != nil || len(row) != 1 || row[0].Units() != "3" {
				t.Errorf("%+v %v", row, err)
			}
		})
	}
}

// Nodes that take turns, and put the same deposit into different blocks, have it credited once.
func TestWatch_SolanaNodesTakeTurns(t *testing.T) {
	t.Parallel()
	b := twoNodes(t)
	if err := b.catchUp(); err != nil {
		t.Fatal(err)
	}
	id, _ := b.gives(t, "3")
	if err := b.catchUp(); err != nil {
		t.Fatal(err)
	}
	b.control(t, nil, "dev_mine", 1)
	b.sees(t, "a", localnet.View{Fails: true})
	b.sees(t, "b", localnet.View{Again: []string{id}})
	_ = b.catchUp() // it is read of b, which tells it in the next block
	b.sees(t, "a", localnet.View{})
	for range 3 {
		_ = b.catchUp()
	}
	b.sees(t, "b", localnet.View{})
	b.control(t, nil, "dev_mine", 1)
	b.restart(t, 1)
	if err := b.catchUp(); err != nil {
		t.Fatal(err)
	}
	row, err := b.read.TransfersOfTx(context.Background(), ours, "solana", id)
	if err != nil || len(row) != 1 || row[0].State != "final" || row[0].Units() != "3" || row[0].Ordinal != 0 {
		t.Errorf("%+v %v", row, err)
	}
}
