package signing_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/command"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/store"
)

// Whoever has the bytes can send them to a node past the API: what its owner
// held back, what the node had refused for good, and what was signed outside.
func TestSigning_SentByAnotherIsFound(t *testing.T) {
	t.Parallel()
	late := &laterClock{}
	l := onBase(t, apptest.WithClock(clock.Func(late.now)), apptest.WithoutSweeper())
	held := l.hold(l.alice.Payment(receiver, "1"))
	l.node.Break("eth_sendRawTransaction", apptest.Says("invalid sender"))
	refused, err := l.c.Transactions.Send(ctx, l.alice.Passkey, l.alice.Payment(receiver, "2"))
	l.ok(err)
	l.becomes(refused.TransactionID, "failed", "the node refuses")
	l.node.Break("eth_sendRawTransaction", nil)
	o := newOutsider(t, l.App)
	p := o.prepared(o.payment("0.001"))
	outside, err := l.c.Transactions.ConfirmSigned(ctx, railkit.ConfirmSignedRequest{
		TransactionID: p.TransactionID, SignedTransaction: o.sign(p.Tx), Broadcast: new(false),
	})
	l.ok(err)

	late.forward(3 * time.Hour)
	l.StopServer() // what is to be looked for stands in the rows
	l.StartServer()
	l.c = l.Client()
	l.ok(l.Signing.Sweep(ctx))
	if now := status(t, l.c, held.TransactionID); now.Status != "pending" {
		t.Errorf("nobody has sent it, and it is %+v", now)
	}
	for _, x := range []*railkit.Transaction{held, refused, outside} {
		l.sendAround(x)
	}
	late.forward(time.Hour)
	l.ok(l.Signing.Sweep(ctx))
	for _, x := range []*railkit.Transaction{held, refused, outside} {
		confirmed(t, l.App, l.c, x.TransactionID)
	}
}

// chainView is a node as seen at one moment: how many transactions of the
// address are mined, and whether its own is among them.
type chainView struct {
	nodes.Numbered
	mined   uint64
	head    int64
	receipt *node.Receipt
	block   string // the hash of every block; "": that of the receipt
	down    bool
	counted int
}

func (c *chainView) NextNonce(context.Context, string) (uint64, error) {
	c.counted++
	if c.down {
		return 0, errors.New("down")
	}
	return c.mined, nil
}

func (c *chainView) Receipt(context.Context, string) (node.Receipt, bool, error) {
	if c.receipt == nil {
		return node.Receipt{}, false, nil
	}
	return *c.receipt, true, nil
}

func (c *chainView) Head(context.Context) (int64, error) { return c.head, nil }

func (c *chainView) BlockHash(context.Context, int64) (string, bool, error) {
	if c.block != "" || c.receipt == nil {
		return c.block, true, nil
	}
	return c.receipt.BlockHash, true, nil
}

// unsentRows is a kit with n signed transactions of one address, nonces 7 on,
// on a network of depth 3. Nobody has sent them.
func unsentRows(t *testing.T, n int) (*signing.Kit, *store.Store, *chainView, *laterClock) {
	t.Helper()
	s, fake, late := embedded(t), &chainView{head: 100}, &laterClock{}
	now := late.now()
	err := s.Signing().Work(ctx, "w", func(ctx context.Context, tx signing.Tx) (command.Audit, error) {
		for i := range n {
			if err := tx.InsertTransaction(ctx, transaction.Transaction{
				WorkspaceID: "w", ID: fmt.Sprintf("tx-%02d", i), State: transaction.Pending, Held: true, Chain: "deep",
				From:  receiver,
				Nonce: new(int64(7 + i)), TxHash: fmt.Sprintf("0x%02d", i), SignedTransaction: "0x02",
				CreatedAt: now, UpdatedAt: now, LookAt: now,
			}); err != nil {
				return command.Audit{}, err
			}
		}
		return command.Audit{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return signing.New(signing.Config{
		Stores: s.Signing().Stores(), Nodes: map[string]nodes.Node{"deep": fake}, Clock: clock.Func(late.now),
		Log:      slog.New(slog.DiscardHandler),
		Networks: []chain.Network{{Slug: "deep", Kind: chain.EVM, Confirmations: 3}},
	}), s, fake, late
}

// That another transaction has the nonce is believed once the node has said so
// for as many blocks as the network wants, and never against the receipt.
func TestSigning_NonceOfTheUnsentIsUsed(t *testing.T) {
	t.Parallel()
	own := &node.Receipt{BlockHash: "0xb1", BlockNumber: 99, Succeeded: true}
	for name, looks := range map[string][]struct {
		node chainView
		want transaction.State
	}{
		"another has it": {
			{chainView{mined: 8, head: 100}, transaction.Pending},
			{chainView{mined: 8, head: 101}, transaction.Pending},
			{chainView{mined: 8, head: 102}, transaction.Failed},
		},
		"a reorg gives it back": {
			{chainView{mined: 8, head: 100}, transaction.Pending},
			{chainView{mined: 7, head: 101}, transaction.Pending},
			{chainView{mined: 8, head: 103}, transaction.Pending},
			{chainView{mined: 8, head: 105}, transaction.Failed},
		},
		"another node is behind": {
			{chainView{mined: 8, head: 100}, transaction.Pending},
			{chainView{mined: 8, head: 90}, transaction.Pending},
			{chainView{mined: 8, head: 91}, transaction.Pending},
			{chainView{mined: 8, head: 92}, transaction.Failed},
		},
		"its receipt comes late": {
			{chainView{mined: 8, head: 100}, transaction.Pending},
			{chainView{mined: 8, head: 101}, transaction.Pending},
			{chainView{mined: 8, head: 200, receipt: own}, transaction.Broadcast},
		},
		"a receipt of a block that the node does not have": {
			{chainView{mined: 8, head: 100, receipt: own, block: "0xb2"}, transaction.Pending},
			{chainView{mined: 8, head: 200, receipt: own, block: "0xb2"}, transaction.Pending},
		},
		"an outage is no news": {
			{chainView{mined: 8, head: 100}, transaction.Pending},
			{chainView{down: true, head: 200}, transaction.Pending},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kit, s, fake, late := unsentRows(t, 1)
			for i, look := range looks {
				*fake = look.node
				late.forward(time.Hour)
				if err := kit.Sweep(ctx); err != nil {
					t.Fatal(err)
				}
				got, err := s.Signing().Transaction(ctx, "w", "tx-00")
				if err != nil || got.State != look.want {
					t.Fatalf("look %d: %s %q, %v", i+1, got.State, got.Reason, err)
				}
				if look.want == transaction.Failed && got.Reason != "another transaction used the nonce" {
					t.Errorf("reason %q", got.Reason)
				}
			}
		})
	}
}

// Rows are looked at less and less often, an address once for all of its rows,
// and not at all once the nonce is settled.
func TestSigning_UnsentIsLookedAtLessOften(t *testing.T) {
	t.Parallel()
	kit, _, fake, late := unsentRows(t, 20)
	sweeps := func(n int, every time.Duration) int {
		fake.counted = 0
		for range n {
			late.forward(every)
			if err := kit.Sweep(ctx); err != nil {
				t.Fatal(err)
			}
		}
		return fake.counted
	}
	if n := sweeps(12, 5*time.Second); n < 3 || n > 8 {
		t.Errorf("in the first minute the address was asked for %d times", n)
	}
	sweeps(1, 24*time.Hour)
	if n := sweeps(60, time.Minute); n < 4 || n > 8 {
		t.Errorf("in an hour of the second day the address was asked for %d times", n)
	}
	fake.down = true
	if n := sweeps(60, time.Minute); n > 8 {
		t.Errorf("a node that is down was asked %d times in an hour", n)
	}
	fake.down, fake.mined = false, 100
	for range 4 {
		fake.head += 10
		sweeps(1, time.Hour)
	}
	if n := sweeps(3, 24*time.Hour); n != 0 {
		t.Errorf("after the end it was asked for %d times", n)
	}
}
