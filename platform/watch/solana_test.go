package watch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/follow"
	"github.com/railkit/railkit/chain/solana/localnet"
	"github.com/railkit/railkit/chain/solana/rpc"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/platform/watch"
)

const (
	solanaUSDC = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
	owner      = "4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM"
)

// solanaBench is a watcher on a chain of Solana, by its client.
type solanaBench struct {
	*bench
	url    string
	client *rpc.Client
	nodes  solanaNodes // that the watcher asks
}

type solanaNodes interface {
	watch.Node
	node.BlockLister
}

func newSolana(t *testing.T) *solanaBench {
	t.Helper()
	n := chain.Network{
		Slug: "solana", Kind: chain.Solana, Cluster: "devnet",
		Tokens: []chain.Token{{Symbol: "USDC", Address: solanaUSDC, Decimals: 6}},
	}
	c, err := localnet.Open(t.TempDir(), n)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(c.Handler(""))
	t.Cleanup(func() {
		server.Close()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	client, err := rpc.Dial(server.URL, n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	db, _ := apptest.OpenStore(t, clock.System{})
	b := &solanaBench{&bench{db: db, store: db.Watch(), read: db.Watch(), told: &told{}}, server.URL, client, client}
	b.restart(t, 0)
	b.address(t, owner, "withdraw-solana")
	return b
}

// restart gives the bench another watcher, which reads again from a block on where one is named.
func (b *solanaBench) restart(t *testing.T, from int64) {
	t.Helper()
	others, _ := b.nodes.(node.Corroborating)
	b.Watcher = watch.New(watch.Config{
		Store: b.store, Sink: b.told, Clock: clock.System{}, Nodes: map[string]watch.Node{"solana": b.nodes},
		From: map[string]int64{"solana": from},
		Networks: []watch.Network{{
			Slug: "solana", Confirmations: 1, Gaps: b.nodes, Others: others,
			Tokens: []watch.Token{{"USDC", solanaUSDC, 6}, {"SOL", node.Coin, 9}},
			Has:    func(address string) bool { _, err := solana.ParseAddress(address); return err == nil },
		}},
	})
}

// control changes the chain, or what its node says of it.
func (b *solanaBench) control(t *testing.T, to any, method string, params ...any) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Post(b.url, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var a struct {
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	if err := json.NewDecoder(res.Body).Decode(&a); err != nil || a.Error != nil {
		t.Fatalf("%s: %v %v", method, err, a.Error)
	}
	if to != nil {
		if err := json.Unmarshal(a.Result, to); err != nil {
			t.Fatal(err)
		}
	}
}

// catchUp steps until nothing is left to read.
func (b *solanaBench) catchUp() error {
	for {
		if more, err := b.Step(context.Background(), "solana"); err != nil || !more {
			return err
		}
	}
}

func (b *solanaBench) gives(t *testing.T, amount string) (id string, slot int64) {
	t.Helper()
	b.control(t, &id, "dev_faucet", owner, "USDC", amount)
	b.control(t, &slot, "getSlot")
	return id, slot
}

// A watcher reads deposits on Solana by the client of its nodes: by owner, each once, past slots without blocks and
// after a long absence. A block that the node leaves out, or that nobody can read, stops it, and nothing is lost.
func TestWatch_Solana(t *testing.T) {
	t.Parallel()
	b := newSolana(t)
	if err := b.catchUp(); err != nil {
		t.Fatal(err)
	}
	var want []string
	heard := func(ids ...string) {
		t.Helper()
		if err := b.catchUp(); err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			want = append(want, id+"#0 seen", id+"#0 final")
		}
		got := slices.Clone(b.told.all)
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Fatalf("heard %q, want %q", got, want)
		}
	}
	first, _ := b.gives(t, "1.5")
	b.control(t, nil, "dev_skip", 40)
	second, _ := b.gives(t, "2")
	heard(first, second)
	heard()

	b.control(t, nil, "dev_mine", 700)
	third, _ := b.gives(t, "3")
	b.control(t, nil, "dev_mine", 700)
	heard(third)

	hidden, slot := b.gives(t, "4")
	b.control(t, nil, "dev_mine", 20)
	b.control(t, nil, "dev_setView", localnet.View{Omits: []int64{slot}})
	for range 3 {
		if err := b.catchUp(); err == nil {
			t.Fatal("a block is left out, and nobody notices")
		}
	}
	before := len(b.told.all)
	b.control(t, nil, "dev_setView", localnet.View{Newer: []string{hidden}})
	if err := b.catchUp(); !errors.Is(err, follow.ErrVersion) || len(b.told.all) != before {
		t.Errorf("%v, and %q", err, b.told.all)
	}
	b.control(t, nil, "dev_setView", localnet.View{Behind: 10})
	_ = b.catchUp() // it waits, or reads what is there
	b.control(t, nil, "dev_setView", localnet.View{})
	heard(hidden)
}

// Who was away for a day, 216,000 blocks, finds what came in its middle.
func TestWatch_SolanaAfterADay(t *testing.T) {
	t.Parallel()
	thousands := 2
	if testenv.Nightly() {
		thousands = 108
	}
	b := newSolana(t)
	if err := b.catchUp(); err != nil {
		t.Fatal(err)
	}
	half := func() {
		for range thousands {
			b.control(t, nil, "dev_mine", 1_000)
		}
	}
	half()
	id, _ := b.gives(t, "1")
	half()
	if err := b.catchUp(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(b.told.all, []string{id + "#0 seen", id + "#0 final"}) {
		t.Errorf("%q", b.told.all)
	}
}
