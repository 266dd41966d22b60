package signing_test

import (
	"testing"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/kit/signing/transaction"
)

// A single answer of one node that is behind or lies moves no transaction to a final state. A transaction in a wrong
// final state is corrected.
func TestSigning_H06_OneAnswerIsNotEnough(t *testing.T) {
	t.Parallel()
	kit, s, fake := sentDeep(t)
	block := func(hash string, number int64, succeeded bool) node.Receipt {
		return node.Receipt{BlockHash: hash, BlockNumber: number, Succeeded: succeeded}
	}
	good, bad := block("0xb1", 10, true), block("0xb1", 10, false)
	for _, step := range []struct {
		what    string
		node    ledger
		want    transaction.State
		depth   int64
		resends int
	}{
		{
			"a receipt of a block that the node does not have",
			ledger{receipt: good, found: true, head: 15, short: true}, transaction.Broadcast, 0, 0,
		},
		{
			"a receipt of a block that is not in the node's chain",
			ledger{receipt: good, found: true, head: 15, block: "0xff"}, transaction.Broadcast, 0, 0,
		},
		{
			"failed at first, succeeded when asked again", ledger{receipt: bad, found: true, head: 15, second: &good},
			transaction.Broadcast, 0, 0,
		},
		{"two deep", ledger{receipt: good, found: true, head: 11}, transaction.Broadcast, 2, 0},
		{"a head that goes back", ledger{receipt: good, found: true, head: 10}, transaction.Broadcast, 2, 0},
		{"no receipt, and its block is in the chain", ledger{head: 11, block: "0xb1"}, transaction.Broadcast, 2, 0},
		{"no receipt, and no such block", ledger{head: 5, short: true}, transaction.Broadcast, 2, 1},
		{"deep enough", ledger{receipt: good, found: true, head: 12}, transaction.Confirmed, 3, 0},
		{"the head behind", ledger{receipt: good, found: true, head: 10}, transaction.Confirmed, 3, 0},
		{"the head far behind", ledger{receipt: good, found: true, head: 3}, transaction.Confirmed, 3, 0},
		{"the receipt gone, its block there", ledger{head: 12, block: "0xb1"}, transaction.Confirmed, 3, 0},
		{"the receipt gone, on a node far behind", ledger{head: 3, short: true}, transaction.Confirmed, 3, 1},
		{
			"failed, says one answer of two", ledger{receipt: bad, found: true, head: 13, second: &good},
			transaction.Confirmed, 3, 0,
		},
		{
			"another block, which is not in the chain",
			ledger{receipt: block("0xb2", 11, true), found: true, head: 13, block: "0xb3"}, transaction.Confirmed, 3, 0,
		},
		{
			"failed, say both: to be seen as sent first", ledger{receipt: bad, found: true, head: 13},
			transaction.Broadcast, 4, 0,
		},
		{"failed, still", ledger{receipt: bad, found: true, head: 13}, transaction.Failed, 4, 0},
		{"succeeded after all", ledger{receipt: good, found: true, head: 13}, transaction.Confirmed, 4, 0},
		{
			"a reorg deeper than what was final", ledger{receipt: block("0xc1", 9, false), found: true, head: 20},
			transaction.Broadcast, 12, 0,
		},
		{
			"and there it failed", ledger{receipt: block("0xc1", 9, false), found: true, head: 20}, transaction.Failed,
			12, 0,
		},
		{"dropped by the next", ledger{head: 21, block: "0xd1"}, transaction.Broadcast, 0, 1},
		{
			"and mined again", ledger{receipt: block("0xd2", 22, true), found: true, head: 30}, transaction.Confirmed,
			9, 0,
		},
	} {
		*fake = step.node
		again, err := kit.Broadcasts.Follow(ctx, "w", "tx")
		if err != nil || again <= 0 {
			t.Fatalf("%s: again in %v, %v", step.what, again, err)
		}
		got, err := s.Signing().Transaction(ctx, "w", "tx")
		if err != nil {
			t.Fatal(err)
		}
		if got.State != step.want || got.Confirmations != step.depth || fake.sent != step.resends ||
			got.ConfirmedAt.IsZero() == (step.want == transaction.Confirmed) ||
			got.FailedAt.IsZero() == (step.want == transaction.Failed) {
			t.Errorf("%s: %s, depth %d, reason %q, confirmed %v, failed %v, sent again %d times", step.what,
				got.State, got.Confirmations, got.Reason, got.ConfirmedAt, got.FailedAt, fake.sent)
		}
	}
}
