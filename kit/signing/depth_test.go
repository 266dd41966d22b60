package signing_test

import (
	"context"
	"log/slog"
	"math/big"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/store"
)

// ledger is a node that tells what the test says.
type ledger struct {
	nodes.Numbered
	receipt node.Receipt
	found   bool
	head    int64
	sent    int
	block   string        // the hash that the node says every block has; else that of the receipt
	short   bool          // the node's chain does not reach so far
	second  *node.Receipt // what it says when it is asked for the receipt again
	asked   int
}

func (l *ledger) Receipt(context.Context, string) (node.Receipt, bool, error) {
	l.asked++
	if l.second != nil && l.asked > 1 {
		return *l.second, true, nil
	}
	return l.receipt, l.found, nil
}
func (l *ledger) Head(context.Context) (int64, error)         { return l.head, nil }
func (l *ledger) Known(context.Context, string) (bool, error) { return true, nil }
func (l *ledger) Fee(context.Context) (node.Fee, error) {
	return node.Fee{Base: new(big.Int)}, nil
}
func (l *ledger) Send(context.Context, []byte) error { l.sent++; return nil }

func (l *ledger) BlockHash(context.Context, int64) (string, bool, error) {
	if l.block != "" {
		return l.block, !l.short, nil
	}
	return l.receipt.BlockHash, !l.short, nil
}

// sentDeep is a kit with one sent transaction on a network of depth 3.
func sentDeep(t *testing.T) (*signing.Kit, *store.Store, *ledger) {
	t.Helper()
	s := embedded(t)
	now := time.Now().UTC()
	err := s.Signing().Work(ctx, "w", func(ctx context.Context, tx signing.Tx) (command.Audit, error) {
		return command.Audit{}, tx.InsertTransaction(ctx, transaction.Transaction{
			WorkspaceID: "w", ID: "tx", State: transaction.Broadcast, Chain: "deep", TxHash: "0xaa",
			SignedTransaction: "0x02",
			CreatedAt:         now, UpdatedAt: now, BroadcastAt: now,
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	fake := &ledger{}
	return signing.New(signing.Config{
		Stores: s.Signing().Stores(), Nodes: map[string]nodes.Node{"deep": fake}, Clock: clock.System{},
		Log:      slog.New(slog.DiscardHandler),
		Networks: []chain.Network{{Slug: "deep", Kind: chain.EVM, Confirmations: 3}},
	}), s, fake
}

// A transaction confirms at the depth of its network, and follows its block
// through reorgs without keeping anything of the block before.
func TestSigning_DepthAndReorg(t *testing.T) {
	t.Parallel()
	kit, s, fake := sentDeep(t)
	block := func(hash string, number int64, succeeded bool) node.Receipt {
		return node.Receipt{BlockHash: hash, BlockNumber: number, Succeeded: succeeded}
	}
	for _, step := range []struct {
		what    string
		node    ledger
		want    transaction.State
		depth   int64
		reason  string
		resends int
	}{
		{"not mined", ledger{head: 9}, transaction.Broadcast, 0, "", 0},
		{"one deep", ledger{receipt: block("0xb1", 10, true), found: true, head: 10}, transaction.Broadcast, 1, "", 0},
		{
			"a head behind its receipt", ledger{receipt: block("0xb1", 10, true), found: true, head: 9},
			transaction.Broadcast, 1, "", 0,
		},
		{
			"three deep", ledger{receipt: block("0xb1", 10, true), found: true, head: 12}, transaction.Confirmed, 3, "",
			0,
		},
		{
			"in another block", ledger{receipt: block("0xb2", 12, true), found: true, head: 12}, transaction.Broadcast,
			1, "", 0,
		},
		{
			"which is deep, and it reverts", ledger{receipt: block("0xb2", 12, false), found: true, head: 14},
			transaction.Failed, 3, "reverted on chain", 0,
		},
		{"in no block", ledger{head: 15}, transaction.Broadcast, 0, "a reorg took its block away", 1},
		{"and again", ledger{receipt: block("0xb3", 16, true), found: true, head: 18}, transaction.Confirmed, 3, "", 0},
	} {
		*fake = step.node
		if _, err := kit.Broadcasts.Follow(ctx, "w", "tx"); err != nil {
			t.Fatalf("%s: %v", step.what, err)
		}
		got, err := s.Signing().Transaction(ctx, "w", "tx")
		if err != nil {
			t.Fatal(err)
		}
		if got.State != step.want ||
			got.Confirmations != step.depth || got.Reason != step.reason || fake.sent != step.resends ||
			got.ConfirmedAt.IsZero() == (step.want == transaction.Confirmed) ||
			got.FailedAt.IsZero() == (step.want == transaction.Failed) ||
			got.MinedAt.IsZero() == (step.depth > 0) {
			t.Errorf("%s: %s, depth %d, reason %q, confirmed %v, failed %v, mined %v, sent again %d times", step.what,
				got.State, got.Confirmations, got.Reason, got.ConfirmedAt, got.FailedAt, got.MinedAt, fake.sent)
		}
	}
}

// What waits or is watched for long is looked at seldom: there may be many.
func TestSigning_LooksLessOften(t *testing.T) {
	t.Parallel()
	kit, s, fake := sentDeep(t)
	*fake = ledger{receipt: node.Receipt{BlockHash: "0xb1", BlockNumber: 1, Succeeded: true}, found: true, head: 9}
	if _, err := kit.Broadcasts.Follow(ctx, "w", "tx"); err != nil {
		t.Fatal(err)
	}
	for _, old := range []struct {
		change      string
		age         time.Duration
		found       bool
		least, most time.Duration
	}{
		{"mined_at = $1", time.Second, true, 10 * time.Second, 10 * time.Second},
		{"mined_at = $1", 8 * time.Minute, true, 4 * time.Minute, 5 * time.Minute},
		{"mined_at = $1", time.Hour, true, 0, 0},
		{
			"mined_at = 0, state = 'broadcast', broadcast_at = $1", time.Second, false, 500 * time.Millisecond,
			500 * time.Millisecond,
		},
		{"mined_at = 0, state = 'broadcast', broadcast_at = $1", time.Minute, false, 5 * time.Second, 7 * time.Second},
		{"mined_at = 0, state = 'broadcast', broadcast_at = $1", time.Hour, false, time.Minute, time.Minute},
	} {
		fake.found = old.found
		if _, err := s.Writer().ExecContext(
			ctx, "UPDATE transactions SET "+old.change, clock.Micros(time.Now().Add(-old.age)),
		); err != nil {
			t.Fatal(err)
		}
		if again, err := kit.Broadcasts.Follow(ctx, "w", "tx"); err != nil || again < old.least || again > old.most {
			t.Errorf("%s, %v ago: again in %v, %v", old.change, old.age, again, err)
		}
	}
}
