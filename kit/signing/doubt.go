package signing

import (
	"context"
	"time"
)

// A URL may lead to many nodes, of which one is behind, or lies. What follows
// holds one answer against another before a row goes to a final state or back.

// believable says that a receipt may be acted upon: the node itself has its block
// in the chain, and says a second time that a transaction has failed. Whoever is
// told so wrongly pays twice.
func (s *Service) believable(ctx context.Context, node Node, t Transaction, r Receipt, head uint64) bool {
	depth, final := s.depth(t, r, head)
	if depth < 1 || t.settledBy(r) || !final && t.BlockHash == r.BlockHash {
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
func (s *Service) depth(t Transaction, r Receipt, head uint64) (blocks int64, final bool) {
	network, _ := s.networkBySlug(t.Chain)
	blocks = int64(head) - int64(r.BlockNumber) + 1
	return blocks, blocks >= int64(network.Confirmations)
}

// settledBy says that the receipt is the one by which the row came to its end.
func (t Transaction) settledBy(r Receipt) bool {
	if t.MinedAt.IsZero() || t.BlockHash != r.BlockHash {
		return false
	}
	return t.State == Confirmed && r.Succeeded || t.State == Failed && !r.Succeeded
}

// orphaned says that another block has the place of the one in which the
// transaction was. Where none has it, the chain got shorter or the node is
// behind: the same bytes again do no harm, and the next look tells.
func (s *Service) orphaned(ctx context.Context, node Node, t Transaction) bool {
	hash, found, err := node.BlockHash(ctx, uint64(t.BlockNumber))
	if err == nil && !found {
		s.sendAgain(ctx, t)
	}
	return err == nil && found && hash != t.BlockHash
}

// lookAgain is when to ask again where an answer decided nothing.
func (s *Service) lookAgain(t Transaction) time.Duration {
	now := s.clock.Now()
	switch {
	case t.State == Broadcast:
		return patience(now.Sub(t.BroadcastAt))
	case t.MinedAt.IsZero():
		return s.watch(t.FailedAt, now)
	}
	return s.watch(t.MinedAt, now)
}

// nonceMined says that the chain has a transaction with the nonce. A node that
// calls a nonce used and does not count it as mined is behind, or lies.
func (s *Service) nonceMined(ctx context.Context, t Transaction) bool {
	node, err := s.node(t.Chain)
	if err != nil || t.Nonce == nil {
		return false
	}
	mined, err := node.MinedNonce(ctx, t.From)
	return err == nil && mined > uint64(*t.Nonce)
}
