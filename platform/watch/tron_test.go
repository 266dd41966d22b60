package watch_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/tron"
	"github.com/railkit/railkit/chain/tron/rpc"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/trontest"
	"github.com/railkit/railkit/platform/watch"
)

// tronOwner is whose withdrawal address is watched.
const tronOwner = "TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC"

// tronBench is a watcher on a chain of Tron, by the client of two of its nodes.
type tronBench struct {
	*bench
	*trontest.Chain
	client *rpc.Network
}

func newTron(t *testing.T) *tronBench {
	t.Helper()
	x := trontest.New(t)
	n, _ := chain.BySlug(chain.Sandbox, "tron")
	client, err := rpc.DialAll(x.URL+"/node/a "+x.URL+"/node/b", n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	db, _ := apptest.OpenStore(t, clock.System{})
	b := &tronBench{&bench{db: db, store: db.Watch(), read: db.Watch(), told: &told{}}, x, client}
	b.Watcher = watch.New(watch.Config{
		Store: b.store, Sink: b.told, Clock: clock.System{}, Nodes: map[string]watch.Node{"tron": client},
		Networks: []watch.Network{{
			Slug: "tron", Confirmations: 1, Others: client,
			Tokens: []watch.Token{{"USDT", x.USDT, 6}, {"TRX", node.Coin, 6}},
			Has:    func(address string) bool { _, err := tron.ParseAddress(address); return err == nil },
		}},
	})
	b.address(t, tronOwner, "withdraw-tron")
	if err := b.catchUp(); err != nil {
		t.Fatal(err)
	}
	return b
}

// catchUp steps until nothing is left to read.
func (b *tronBench) catchUp() error {
	for {
		if more, err := b.Step(context.Background(), "tron"); err != nil || !more {
			return err
		}
	}
}

// came is how many transfers were told as final, and how much was told in all.
func (b *tronBench) came() (final, all int) {
	for _, line := range b.told.all {
		if strings.HasSuffix(line, " final") {
			final++
		}
	}
	return final, len(b.told.all)
}

// A watcher reads deposits on Tron from solid blocks: USDT by its contract's event and TRX, each once, however far it
// fell behind, and nothing of a block that is not solid.
func TestWatch_Tron(t *testing.T) {
	t.Parallel()
	b := newTron(t)
	heard := func(want int) {
		t.Helper()
		for range 2 { // the second time nothing is new
			if err := b.catchUp(); err != nil {
				t.Fatal(err)
			}
		}
		if final, all := b.came(); final != want || all != 2*want {
			t.Fatalf("heard %q, and %d came", b.told.all, want)
		}
	}
	b.Gives(tronOwner, "USDT", "1.5")
	b.Gives(tronOwner, "native", "2")
	heard(0)
	b.Settle()
	heard(2)
	b.Mine(300)
	b.Gives(tronOwner, "USDT", "3")
	b.Gives(tronOwner, "USDT", "3")
	b.Mine(300)
	heard(4)
	if ids := slices.Clone(b.told.all); len(slices.Compact(slices.Sorted(slices.Values(ids)))) != len(ids) {
		t.Errorf("something is told twice: %q", ids)
	}
}

// While the nodes disagree about a deposit nobody is credited with it, and once they agree it is found.
func TestWatch_TronNodesDisagree(t *testing.T) {
	t.Parallel()
	b := newTron(t)
	b.Gives(tronOwner, "USDT", "1.5")
	b.Settle()
	head, err := b.client.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all, err := b.client.Transfers(t.Context(), node.Query{
		From: max(head-5, 0), To: head, Tokens: []string{b.USDT}, Receivers: []string{tronOwner},
	})
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	for _, worse := range []string{"a", "b"} {
		b.Control(worse, "view", map[string]any{"hides": []string{all[0].Tx}})
		if err := b.catchUp(); !errors.Is(err, node.ErrDisagree) || len(b.told.all) != 0 {
			t.Fatalf("%s hides it: %v, and %q", worse, err, b.told.all)
		}
		b.Control(worse, "view", map[string]any{})
	}
	if err := b.catchUp(); err != nil || len(b.told.all) != 2 {
		t.Errorf("%v, and %q", err, b.told.all)
	}
}
