package balance

import (
	"context"
	"errors"
	"log/slog"
	"math/big"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/rest"
)

// slow is a node that takes its time, and then answers or fails.
type slow struct {
	nodes.Node
	takes time.Duration
	fails error
	asked *int
	mu    *sync.Mutex
}

func (n slow) Balances(ctx context.Context, addresses, tokens []string) (all []node.Balance, _ error) {
	n.mu.Lock()
	*n.asked++
	n.mu.Unlock()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(n.takes):
	}
	for i := range addresses {
		all = append(all, node.Balance{Coin: big.NewInt(int64(i)), Tokens: make([]*big.Int, len(tokens))})
		for j := range tokens {
			all[i].Tokens[j] = big.NewInt(int64(1_500_000 + i))
		}
	}
	return all, n.fails
}

type bench struct {
	*Service
	asked int
}

var (
	coin = chain.Token{Symbol: "ETH", Decimals: 18}
	usdc = chain.Token{Symbol: "USDC", Address: "0xusdc", Decimals: 6}
	weth = chain.Token{Symbol: "WETH", Address: "0xweth", Decimals: 18, Wraps: "ETH"}
)

// setup makes a network for each node, of which the operator runs no third.
func setup(all ...slow) *bench {
	b, mu := &bench{}, new(sync.Mutex)
	var networks []chain.Network
	running := map[string]nodes.Node{}
	for i, n := range all {
		slug := "n" + strconv.Itoa(i)
		n.asked, n.mu = &b.asked, mu
		networks = append(networks, chain.Network{Slug: slug, Kind: chain.EVM, ChainID: uint64(i + 1), Native: coin,
			Tokens: []chain.Token{usdc, weth}})
		running[slug] = n
	}
	networks = append(networks, chain.Network{Slug: "away", Kind: chain.EVM, Native: coin})
	b.Service = New(Config{
		Nodes: nodes.NewSet(networks, running), Clock: clock.System{}, Log: slog.New(slog.DiscardHandler),
	})
	return b
}

func (b *bench) ask(addresses ...string) []rest.NetworkBalances {
	return b.onNetworks(context.Background(), map[chain.Kind][]string{chain.EVM: addresses, chain.Solana: {"a"}})
}

// Nodes are asked at the same time. One that fails, is silent or answers about less leaves an error at its own network.
func TestWallet_OneNodeAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(
			slow{takes: time.Second}, slow{takes: time.Hour}, slow{fails: errors.New("refused")},
			slow{takes: time.Second},
		)
		began := time.Now()
		all := b.ask("0xa", "0xb")
		if took := time.Since(began); took != patience {
			t.Errorf("took %v", took)
		}
		if len(all) != 4 || all[0].Error != nil || all[3].Error != nil {
			t.Fatalf("%+v", all)
		}
		for _, away := range all[1:3] {
			if away.Error == nil || away.Error.Code != "node_unreachable" || away.Balances == nil ||
				len(away.Balances) != 0 {
				t.Errorf("%+v", away)
			}
		}
		has := all[0].Balances
		if len(has) != 4 || has[0].Symbol != "ETH" || has[1].Formatted != "1.5" || has[3].Address != "0xb" ||
			has[3].Balance != "1500001" || has[3].TokenAddress != usdc.Address {
			t.Errorf("%+v", has)
		}
	})
}

// Many pages cost a node one question in some seconds, whether it answers or not.
func TestWallet_ManyPages(t *testing.T) {
	t.Parallel()
	for _, fails := range []error{nil, errors.New("refused")} {
		synctest.Test(t, func(t *testing.T) {
			b := setup(slow{takes: time.Second, fails: fails})
			var pages sync.WaitGroup
			for range 20 {
				pages.Go(func() { b.ask("0xa") })
			}
			pages.Wait()
			time.Sleep(fresh - time.Millisecond)
			first := b.ask("0xa")[0].AsOf
			if b.asked != 1 {
				t.Errorf("asked %d times", b.asked)
			}
			time.Sleep(time.Millisecond)
			if second := b.ask("0xa")[0].AsOf; b.asked != 2 || second == first {
				t.Errorf("asked %d times, as of %s and %s", b.asked, first, second)
			}
			if b.ask("0xb"); b.asked != 3 {
				t.Error("another address got the answer of the first")
			}
		})
	}
}

// A node is asked about so many addresses at once, and no more.
func TestWallet_ManyAddresses(t *testing.T) {
	t.Parallel()
	b := setup(slow{})
	var addresses []string
	for i := range 2*node.MostBalances + 1 {
		addresses = append(addresses, strconv.Itoa(i))
	}
	all := b.ask(addresses...)
	has := all[0].Balances
	if b.asked != 3 || len(has) != 2*len(addresses) || has[len(has)-1].Address != addresses[len(addresses)-1] {
		t.Errorf("asked %d times: %+v", b.asked, has)
	}
}
