package broadcast

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/transaction"
)

// believable says that a receipt may be acted upon: the node itself has its block
// in the chain, and says a second time that a transaction has failed. Whoever is
// told so wrongly pays twice.
func (s *Service) believable(ctx context.Context, node nodes.Node, t transaction.Transaction, r nodes.Receipt, head uint64) bool {
	depth, final := s.depth(t, r, head)
	if depth < 1 || endedBy(t, r) || !final && t.BlockHash == r.BlockHash {
		return true // decides nothing
	}
	hash, found, err := node.BlockHash(ctx, r.BlockNumber)
	if err != nil || !found || hash != r.BlockHash {
		return false
	}
	if r.Succeeded {
		return true
	}
	again, found, err := node.Receipt(ctx, t.TxHash)
	return err == nil && found && again == r
}

// depth is how many blocks lie on the transaction, its own included, and whether
// that is enough.
func (s *Service) depth(t transaction.Transaction, r nodes.Receipt, head uint64) (blocks int64, final bool) {
	network, _ := s.nodes.BySlug(t.Chain)
	blocks = int64(head) - int64(r.BlockNumber) + 1
	return blocks, blocks >= int64(network.Confirmations)
}

// endedBy says that the receipt is the one by which the row came to its end.
func endedBy(t transaction.Transaction, r nodes.Receipt) bool {
	if t.MinedAt.IsZero() || t.BlockHash != r.BlockHash {
		return false
	}
	return t.State == transaction.Confirmed && r.Succeeded || t.State == transaction.Failed && !r.Succeeded
}

// orphaned says that another block has the place of the one in which the
// transaction was. Where none has it, the chain got shorter or the node is
// behind: the same bytes again do no harm, and the next look tells.
func (s *Service) orphaned(ctx context.Context, node nodes.Node, t transaction.Transaction) bool {
	hash, found, err := node.BlockHash(ctx, uint64(t.BlockNumber))
	if err == nil && !found {
		s.sendAgain(ctx, t)
	}
	return err == nil && found && hash != t.BlockHash
}

// pollAgain is when to ask again where an answer decided nothing.
func (s *Service) pollAgain(t transaction.Transaction) time.Duration {
	now := s.clock.Now()
	switch {
	case t.State == transaction.Broadcast:
		return pollAfter(now.Sub(t.BroadcastAt))
	case t.MinedAt.IsZero():
		return s.watch(t.FailedAt, now)
	}
	return s.watch(t.MinedAt, now)
}

// noBlock forgets the block that a transaction was in.
func noBlock() transaction.Change {
	var zero int64
	none, never := "", time.Time{}
	return transaction.Change{BlockNumber: &zero, BlockHash: &none, Confirmations: &zero, MinedAt: &never, ConfirmedAt: &never, FailedAt: &never}
}
