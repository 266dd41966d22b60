package broadcast

import (
	"context"

	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/record"
)

// hasReplacements says that other transactions were signed for the nonce.
func hasReplacements(t transaction.Transaction) bool {
	return t.Nonce != nil && (t.Replaces != "" || t.ReplacedBy != "")
}

// replacements lists the transactions that were signed for the nonce of t, those before it and those after it. A chain
// mines one of them, and nobody knows which before it has. Example: a transfer with nonce 7 is sped up, and then made
// void. The transfer has two after it; the void has two before it.
func (s *Service) replacements(ctx context.Context,
	t transaction.Transaction,
) (before, after []transaction.Transaction, err error) {
	if !hasReplacements(t) {
		return nil, nil, nil
	}
	before, err = s.walkReplacements(ctx, t.WorkspaceID, t.Replaces,
		func(o transaction.Transaction) string { return o.Replaces })
	if err != nil {
		return nil, nil, err
	}
	after, err = s.walkReplacements(ctx, t.WorkspaceID, t.ReplacedBy,
		func(o transaction.Transaction) string { return o.ReplacedBy })
	return before, after, err
}

// walkReplacements reads a transaction, then the one that next names, and so on until there is none.
func (s *Service) walkReplacements(ctx context.Context, workspaceID, id string,
	next func(transaction.Transaction) string,
) (rows []transaction.Transaction, err error) {
	for id != "" {
		t, err := s.c.Store.Transaction(ctx, workspaceID, id)
		if err != nil {
			return nil, err
		}
		rows, id = append(rows, t), next(t)
	}
	return rows, nil
}

// failReplacements fails the other transactions for the nonce of a mined one.
func (s *Service) failReplacements(ctx context.Context, mined transaction.Transaction) error {
	before, after, err := s.replacements(ctx, mined)
	if err != nil {
		return err
	}
	if err := s.failAll(ctx, before, "replaced by another transaction"); err != nil {
		return err
	}
	return s.failAll(ctx, after, "the transaction it replaces was mined")
}

func (s *Service) failAll(ctx context.Context, rows []transaction.Transaction, why string) error {
	return record.Each(rows, func(t transaction.Transaction) error {
		if t.State != transaction.Pending && t.State != transaction.Broadcast {
			return nil
		}
		now, c := s.c.Clock.Now(), clearBlock()
		c.Now, c.FailedAt, c.Reason = now, &now, &why
		return s.c.Rows.Move(ctx, t, []transaction.State{t.State}, transaction.Failed, c, "transaction.failed")
	})
}

// followMinedReplacement finds the transaction that was mined in the place of t, among those for its nonce, and follows
// that one: perhaps no job does.
func (s *Service) followMinedReplacement(ctx context.Context, n nodes.Numbered,
	t transaction.Transaction,
) (bool, error) {
	if !hasReplacements(t) {
		return false, nil
	}
	mined, err := n.NextNonce(ctx, t.From)
	if err != nil || mined <= uint64(*t.Nonce) {
		return false, nil // an outage of the node is no news
	}
	before, after, err := s.replacements(ctx, t)
	if err != nil {
		return false, err
	}
	for _, o := range append(before, after...) {
		receipt, found, err := n.Receipt(ctx, o.TxHash)
		if err != nil || !found {
			continue
		}
		if o.State == transaction.Pending { // sent by somebody else
			return true, s.c.Rows.Move(ctx, o, []transaction.State{transaction.Pending}, transaction.Broadcast,
				sentChange(s.c.Clock.Now()), "transaction.broadcast")
		}
		_, err = s.followMined(ctx, n, o, receipt)
		return true, err
	}
	return false, nil
}

// lookForMinedReplacement is followMinedReplacement for a transaction that no node has taken.
func (s *Service) lookForMinedReplacement(ctx context.Context, t transaction.Transaction) (bool, error) {
	n, err := s.c.Nodes.Numbered(t.Chain)
	if err != nil {
		return false, err
	}
	return s.followMinedReplacement(ctx, n, t)
}

// resendNewest is for a reorg that takes the block of t away. The newest replacement of t was failed, because t was
// mined. Now either of them can be mined, and the newest is what the owner wants, so it is sent again.
func (s *Service) resendNewest(ctx context.Context, t transaction.Transaction) error {
	_, after, err := s.replacements(ctx, t)
	if err != nil || len(after) == 0 {
		return err
	}
	newest := after[len(after)-1]
	if newest.State != transaction.Failed || !newest.MinedAt.IsZero() {
		return nil
	}
	if err := s.c.Nodes.Send(ctx, newest.Chain, newest.From, newest.SignedTransaction); err != nil {
		s.c.Log.WarnContext(ctx, "sending a replacement again failed", "transaction", newest.ID, "error", err)
		return nil
	}
	return s.c.Rows.Move(ctx, newest, []transaction.State{transaction.Failed}, transaction.Broadcast,
		sentChange(s.c.Clock.Now()), "transaction.broadcast")
}
