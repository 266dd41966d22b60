package signing

import (
	"context"
	"time"
)

// Transactions that were signed for one nonce are siblings: a chain mines one of
// them, and nobody knows before which.

// related says that there are siblings to look for.
func (t Transaction) related() bool {
	return t.Nonce != nil && (t.Replaces != "" || t.ReplacedBy != "")
}

// siblings lists those that were signed for the nonce before t, and after it.
func (s *Service) siblings(ctx context.Context, t Transaction) (before, after []Transaction, err error) {
	if !t.related() {
		return nil, nil, nil
	}
	before, err = s.chainOf(ctx, t.WorkspaceID, t.Replaces, func(o Transaction) string { return o.Replaces })
	if err != nil {
		return nil, nil, err
	}
	after, err = s.chainOf(ctx, t.WorkspaceID, t.ReplacedBy, func(o Transaction) string { return o.ReplacedBy })
	return before, after, err
}

// chainOf reads a row, and then the next of it until there is none.
func (s *Service) chainOf(ctx context.Context, workspaceID, id string, next func(Transaction) string) (rows []Transaction, err error) {
	for id != "" {
		t, err := s.store.Transaction(ctx, workspaceID, id)
		if err != nil {
			return nil, err
		}
		rows, id = append(rows, t), next(t)
	}
	return rows, nil
}

// endOthers ends what a mined transaction has made worthless.
func (s *Service) endOthers(ctx context.Context, mined Transaction) error {
	before, after, err := s.siblings(ctx, mined)
	if err != nil {
		return err
	}
	if err := s.endAll(ctx, before, "replaced by another transaction"); err != nil {
		return err
	}
	return s.endAll(ctx, after, "the transaction it replaces was mined")
}

func (s *Service) endAll(ctx context.Context, rows []Transaction, why string) error {
	return each(rows, func(t Transaction) error {
		if t.State != Pending && t.State != Broadcast {
			return nil
		}
		now, c := s.clock.Now(), notMined()
		c.Now, c.FailedAt, c.Reason = now, &now, &why
		return s.move(ctx, t, []State{t.State}, Failed, c, "transaction.failed")
	})
}

// notMined forgets the block that a transaction was in.
func notMined() TransactionChange {
	var zero int64
	none, never := "", time.Time{}
	return TransactionChange{BlockNumber: &zero, BlockHash: &none, Confirmations: &zero, MinedAt: &never, ConfirmedAt: &never, FailedAt: &never}
}

// outlived finds the sibling that is mined in the place of one that is not, and
// follows that one: perhaps nobody else does.
func (s *Service) outlived(ctx context.Context, node Node, t Transaction) (bool, error) {
	if !t.related() {
		return false, nil
	}
	mined, err := node.MinedNonce(ctx, t.From)
	if err != nil || mined <= uint64(*t.Nonce) {
		return false, nil // an outage of the node is no news
	}
	before, after, err := s.siblings(ctx, t)
	if err != nil {
		return false, err
	}
	for _, o := range append(before, after...) {
		receipt, found, err := node.Receipt(ctx, o.TxHash)
		if err != nil || !found {
			continue
		}
		if o.State == Pending { // sent by somebody else
			return true, s.move(ctx, o, []State{Pending}, Broadcast, s.sentChange(), "transaction.broadcast")
		}
		_, err = s.follow(ctx, node, o, receipt)
		return true, err
	}
	return false, nil
}

// outlivedAt is outlived for a transaction that no node has taken.
func (s *Service) outlivedAt(ctx context.Context, t Transaction) (bool, error) {
	node, err := s.node(t.Chain)
	if err != nil {
		return false, err
	}
	return s.outlived(ctx, node, t)
}

// revive sends the newest sibling again, whose end was that an older one was
// mined, which a reorg has undone.
func (s *Service) revive(ctx context.Context, t Transaction) error {
	_, after, err := s.siblings(ctx, t)
	if err != nil || len(after) == 0 {
		return err
	}
	newest := after[len(after)-1]
	if newest.State != Failed || !newest.MinedAt.IsZero() {
		return nil
	}
	if err := s.send(ctx, newest.Chain, newest.SignedTransaction); err != nil {
		s.log.Warn("sending a replacement again failed", "transaction", newest.ID, "error", err)
		return nil
	}
	return s.move(ctx, newest, []State{Failed}, Broadcast, s.sentChange(), "transaction.broadcast")
}
