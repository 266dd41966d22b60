package block_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/block"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/rest"
)

// numbered is a node of a network whose transactions have numbers. What is nil in it nobody may ask.
type numbered struct {
	nodes.Node
	head    node.Header
	receipt *node.Receipt
	err     error
	asked   int
}

func (n *numbered) Latest(context.Context) (node.Header, error) {
	n.asked++
	time.Sleep(100 * time.Millisecond) // of a bubble's clock
	return n.head, n.err
}

func (n *numbered) Receipt(context.Context, string) (r node.Receipt, found bool, err error) {
	if n.receipt == nil {
		return r, false, n.err
	}
	return *n.receipt, true, nil
}

// expiring is one of a network whose transactions expire.
type expiring struct {
	*numbered
	node.Expiring
	height int64
	away   error
	looked int64 // for a transaction
}

func (n expiring) Recent(context.Context) (string, node.Window, error) {
	n.asked++
	return n.head.Hash, node.Window{Since: 1, LastHeight: 150}, n.err
}

func (n expiring) Finalized(context.Context) (int64, error) {
	return n.height, n.away
}

func (n expiring) LookFor(ctx context.Context, id string) (r node.Receipt, found bool, height int64, err error) {
	r, found, err = n.numbered.Receipt(ctx, id)
	return r, found, n.looked, err
}

// Ids as the networks have them.
var (
	solanaID = chain.Base58(bytes.Repeat([]byte{7}, 64))
	evmID    = "0x" + strings.Repeat("2", 64)
)

func service(slug string, n nodes.Node) *block.Service {
	return block.New(nodes.NewSet(chain.Networks(chain.Production), map[string]nodes.Node{slug: n}), clock.System{})
}

// A transaction that is in a block, and deep enough, is confirmed or failed; all others are pending.
func TestBlock_Fates(t *testing.T) {
	deep, shallow := node.Receipt{Succeeded: true, BlockNumber: 41}, node.Receipt{Succeeded: true, BlockNumber: 42}
	failed := node.Receipt{BlockNumber: 41}
	for name, c := range map[string]struct {
		receipt *node.Receipt
		want    string
	}{
		"deep": {&deep, "confirmed"}, "shallow": {&shallow, "pending"}, "unknown": {nil, "pending"},
		"failed": {&failed, "failed"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := service("base", &numbered{head: node.Header{Hash: "0x1", Number: 100}, receipt: c.receipt})
			b, err := s.Recent(t.Context(), "8453", evmID)
			if err != nil || b.Chain != "base" || b.Height != 100 || b.LastHeight != 0 || b.Transaction == nil ||
				*b.Transaction != (rest.SeenTransaction{ID: evmID, Status: c.want}) {
				t.Errorf("%s: %+v %+v, %v", name, b, b.Transaction, err)
			}
		})
	}
}

// Where transactions expire, the height beside a transaction is one up to which all nodes have looked for it, and is
// left out where one has not: a page would take for expired what may still land.
func TestBlock_Expiring(t *testing.T) {
	n := expiring{numbered: &numbered{head: node.Header{Hash: "hash"}}, height: 151, looked: 149}
	s := service("solana", n)
	b, err := s.Recent(t.Context(), "solana", "")
	if err != nil || b.Height != 151 || b.LastHeight != 150 || b.Blockhash != "hash" || b.Transaction != nil {
		t.Errorf("%+v, %v", b, err)
	}
	if b, err = s.Recent(t.Context(), "solana", solanaID); err != nil || b.Height != 149 ||
		b.Transaction.Status != "pending" {
		t.Errorf("%+v %+v, %v", b, b.Transaction, err)
	}
	n.receipt = &node.Receipt{Succeeded: true, BlockNumber: 9}
	if b, err = s.Recent(t.Context(), "solana", solanaID); err != nil || b.Transaction.Status != "confirmed" {
		t.Errorf("%+v %+v, %v", b, b.Transaction, err)
	}
	n = expiring{numbered: &numbered{head: node.Header{Hash: "hash"}}, height: 151, away: errors.New("one is away")}
	if b, err = service("solana", n).Recent(t.Context(), "solana", solanaID); err != nil || b.Height != 0 ||
		b.Transaction.Status != "pending" {
		t.Errorf("%+v %+v, %v", b, b.Transaction, err)
	}
}

// An id of another family names no transaction of the network: the node would refuse the question.
func TestBlock_IDOfAnotherFamily(t *testing.T) {
	for network, id := range map[string]string{"solana": evmID, "base": solanaID} {
		n := expiring{numbered: &numbered{err: errors.New("asked")}}
		_, err := service(network, n).Recent(t.Context(), network, id)
		if f, ok := fault.As(err); !ok || f.Code != "validation_failed" || f.Details["field"] != "transaction" {
			t.Errorf("%s: %v", network, err)
		}
	}
}

// Callers at once have a node asked once, and so do those within a second, also where it does not answer.
func TestBlock_AsksOnceASecond(t *testing.T) {
	for _, down := range []error{nil, errors.New("away")} {
		synctest.Test(t, func(t *testing.T) {
			n := &numbered{head: node.Header{Hash: "0x1", Number: 1}, err: down}
			s := service("base", n)
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() {
					if _, err := s.Recent(t.Context(), "base", ""); (err != nil) != (down != nil) {
						t.Error(err)
					}
				})
			}
			all.Wait()
			if n.asked != 1 {
				t.Errorf("20 callers asked the node %d times", n.asked)
			}
			time.Sleep(2 * time.Second)
			_, err := s.Recent(t.Context(), "base", "")
			if f, ok := fault.As(err); n.asked != 2 || down != nil && (!ok || f.Code != "node_unreachable") {
				t.Errorf("asked %d times, %v", n.asked, err)
			}
		})
	}
}

func TestBlock_Refuses(t *testing.T) {
	s := service("base", &numbered{})
	for network, code := range map[string]string{
		"mars": "validation_failed", "solana": "no_node", "": "validation_failed",
	} {
		if f, ok := fault.As(second(s.Recent(t.Context(), network, ""))); !ok || f.Code != code {
			t.Errorf("%q: %v", network, f)
		}
	}
}

func second(_ rest.RecentBlock, err error) error { return err }
