package broadcast

import (
	"context"
	"time"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/transaction"
)

// safeToApply says whether a receipt may be acted upon. One URL may lead to many nodes, of which one is behind, or
// lies. Before a row goes to a final state or leaves its block, the node's answers are held against each other: its own
// chain has to have the receipt's block at that height, and it has to say a second time that a transaction has failed.
//
// Example: three confirmations are wanted, and the receipt names block 100, hash 0xb1. At head 102 the transaction
// would be confirmed. The node is asked for the hash of block 100. If it says 0xb2, the receipt is of a block that a
// reorg has replaced: nothing is written, and the next look tells.
func (s *Service) safeToApply(ctx context.Context, n nodes.Node, t transaction.Transaction, r node.Receipt,
	head int64,
) bool {
	depth, final := s.depth(t, r, head)
	if depth < 1 || finalByReceipt(t, r) || !final && t.BlockHash == r.BlockHash {
		return true // decides nothing
	}
	hash, found, err := n.BlockHash(ctx, r.BlockNumber)
	if err != nil || !found || hash != r.BlockHash {
		return false
	}
	if r.Succeeded {
		return true
	}
	again, found, err := n.Receipt(ctx, t.TxHash)
	return err == nil && found && again == r
}

// depth is how many blocks lie on the transaction, its own included, and whether that is enough for its network. A
// transaction in block 100 has depth 3 at head 102.
func (s *Service) depth(t transaction.Transaction, r node.Receipt, head int64) (blocks int64, final bool) {
	network, _ := s.c.Nodes.BySlug(t.Chain)
	blocks = head - r.BlockNumber + 1
	return blocks, blocks >= int64(network.Confirmations)
}

// finalByReceipt says that the row came to its end by this very receipt.
func finalByReceipt(t transaction.Transaction, r node.Receipt) bool {
	if t.MinedAt.IsZero() || t.BlockHash != r.BlockHash {
		return false
	}
	return t.State == transaction.Confirmed && r.Succeeded || t.State == transaction.Failed && !r.Succeeded
}

// resendIfOrphaned says that another block has the place of the block in which the transaction was. Where no block has
// it, the chain has become shorter or the node is behind: the bytes are sent again, which does no harm, and the next
// look tells.
func (s *Service) resendIfOrphaned(ctx context.Context, n nodes.Node, t transaction.Transaction) bool {
	hash, found, err := n.BlockHash(ctx, t.BlockNumber)
	if err == nil && !found {
		s.sendAgain(ctx, t)
	}
	return err == nil && found && hash != t.BlockHash
}

// nextPoll says when to look again after an answer that decided nothing.
func (s *Service) nextPoll(t transaction.Transaction) time.Duration {
	now := s.c.Clock.Now()
	switch {
	case t.State == transaction.Broadcast:
		return pollAfter(now.Sub(t.BroadcastAt))
	case t.MinedAt.IsZero():
		return s.pollFinal(t.FailedAt, now)
	}
	return s.pollFinal(t.MinedAt, now)
}

// clearBlock forgets the block that a transaction was in.
func clearBlock() transaction.Change {
	var zero int64
	none, never, unset := "", time.Time{}, false
	return transaction.Change{BlockNumber: &zero, BlockHash: &none, Confirmations: &zero, MinedAt: &never,
		ConfirmedAt: &never, FailedAt: &never, Received: &none, ReceivedLess: &unset}
}
