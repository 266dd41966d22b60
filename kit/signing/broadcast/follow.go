package broadcast

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/transaction"
)

// How often a sent transaction is looked at, and for how long after it is
// confirmed: a reorg may take its block away again.
const (
	pollSent      = 500 * time.Millisecond
	pollSlow      = 5 * time.Second
	pollSlowest   = time.Minute
	pollConfirmed = 10 * time.Second
	watchFor      = 10 * time.Minute
	resendAfter   = 20 * time.Second
	pollFastFor   = 30 * time.Second // how long the short interval lasts
)

// Follow is the job of a sent transaction: it looks for its block, follows it to the depth that the network wants, and
// for ten minutes beyond, since a reorg may take the block away. It says when to look again; 0 ends it.
func (s *Service) Follow(ctx context.Context, workspaceID, id string) (again time.Duration, err error) {
	t, err := s.c.Store.Transaction(ctx, workspaceID, id)
	if err != nil || (t.State != transaction.Broadcast && t.State != transaction.Confirmed &&
		t.State != transaction.Failed) || t.TxHash == "" {
		return 0, err
	}
	if x, ok := s.expires(t); ok {
		return x.follow(ctx)
	}
	n, err := s.c.Nodes.Numbered(t.Chain)
	if err != nil {
		return 0, err
	}
	receipt, found, err := n.Receipt(ctx, t.TxHash)
	if err != nil {
		return pollSlow, nil // an outage of the node is no news about the transaction
	}
	if !found {
		return s.followUnmined(ctx, n, t)
	}
	return s.followMined(ctx, n, t, receipt)
}

// followMined notes how deep a mined transaction is. Once that is enough, the other transactions for its nonce can
// never be mined, and are failed.
func (s *Service) followMined(ctx context.Context, n nodes.Node, t transaction.Transaction,
	r node.Receipt,
) (time.Duration, error) {
	head, err := n.Head(ctx)
	if err != nil {
		return pollSlow, nil
	}
	if !s.safeToApply(ctx, n, t, r, head) {
		return s.nextPoll(t), nil
	}
	again, err := s.noteBlock(ctx, n, t, r, head)
	if _, final := s.depth(t, r, head); err != nil || !final {
		return again, err
	}
	return again, s.failReplacements(ctx, t)
}

func (s *Service) noteBlock(ctx context.Context, n nodes.Node, t transaction.Transaction, r node.Receipt,
	head int64,
) (time.Duration, error) {
	now := s.c.Clock.Now()
	depth, final := s.depth(t, r, head)
	if depth < 1 {
		return pollSent, nil // the node's answers are of two moments
	}
	if finalByReceipt(t, r) {
		// at every depth: a head that goes back is that of a node that is behind
		return s.pollFinal(t.MinedAt, now), nil
	}
	if !final && t.BlockHash == r.BlockHash && t.Confirmations >= depth {
		return pollSlow, nil
	}
	c, reverted := minedChange(now, r, depth), "reverted on chain"
	to, action, again := transaction.Broadcast, "", pollSent
	switch {
	case final && r.Succeeded:
		to, action, again = transaction.Confirmed, "transaction.confirmed", pollConfirmed
		c.ConfirmedAt = &now
		if err := s.noteReceived(ctx, n, t, r, &c); err != nil && now.Sub(t.BroadcastAt) < watchFor {
			return pollSlow, nil // an outage of the node, which is asked again
		}
	// a confirmed one has to be seen as sent first: nobody is told the contrary at once
	case final && t.State != transaction.Confirmed:
		to, action, again = transaction.Failed, "transaction.failed", pollConfirmed
		c.FailedAt, c.Reason = &now, &reverted
	case t.State != transaction.Broadcast:
		action = "transaction.reorg" // into another block, which is not deep enough yet
	}
	return again, s.c.Rows.Move(ctx, t, []transaction.State{t.State}, to, c, action)
}

// minedChange is what a block says of a transaction. What an earlier block said, which a reorg took away, is cleared.
func minedChange(now time.Time, r node.Receipt, depth int64) transaction.Change {
	number, never, none, unset := int64(r.BlockNumber), time.Time{}, "", false
	return transaction.Change{
		Now: now, BlockNumber: &number, BlockHash: &r.BlockHash, Confirmations: &depth, MinedAt: &now,
		ConfirmedAt: &never, FailedAt: &never, Reason: &none, Stuck: &unset, Received: &none, ReceivedLess: &unset,
	}
}

// noteReceived notes what a swap brought, which may be less than was stamped where the token keeps a part.
func (s *Service) noteReceived(ctx context.Context, n nodes.Node, t transaction.Transaction, r node.Receipt,
	c *transaction.Change,
) error {
	network, _ := s.c.Nodes.BySlug(t.Chain)
	received, less, err := t.Brought(ctx, network, n, r)
	if err == nil && received != "" {
		c.Received, c.ReceivedLess = &received, &less
	}
	return err
}

// followUnmined handles a sent transaction that is in no block. Either a reorg took its block away: then it is
// broadcast again, and the bytes are sent once more. Or it still waits: then another transaction for its nonce may have
// been mined, a node may have lost it, or it pays too little.
func (s *Service) followUnmined(ctx context.Context, n nodes.Numbered,
	t transaction.Transaction,
) (time.Duration, error) {
	now := s.c.Clock.Now()
	if !t.MinedAt.IsZero() {
		if !s.resendIfOrphaned(ctx, n, t) {
			return s.nextPoll(t), nil
		}
		why, change := "a reorg took its block away", clearBlock()
		change.Now, change.Reason = now, &why
		err := s.c.Rows.Move(ctx, t, []transaction.State{t.State}, transaction.Broadcast, change, "transaction.reorg")
		s.sendAgain(ctx, t)
		return pollSent, errors.Join(err, s.resendNewest(ctx, t))
	}
	outlived, err := s.followMinedReplacement(ctx, n, t)
	if t.State != transaction.Broadcast {
		return s.pollFinal(t.FailedAt, now), err // signed bytes stay good: somebody may still send them
	}
	if outlived || err != nil {
		return pollSlow, err
	}
	if outrun, err := s.trackForeignNonce(ctx, t); outrun || err != nil {
		return pollSent, err
	}
	age := now.Sub(t.BroadcastAt)
	if age > stuckAfter && t.ReplacedBy == "" {
		return pollAfter(age), s.checkStuck(ctx, n, t)
	}
	if now.Sub(t.UpdatedAt) > resendAfter {
		s.sendAgain(ctx, t)
		return pollAfter(age), s.c.Rows.Move(ctx, t, []transaction.State{transaction.Broadcast}, transaction.Broadcast,
			transaction.Change{Now: now}, "")
	}
	return pollAfter(age), nil
}

// trackForeignNonce finds out that another transaction took the nonce of one that was sent, and whose key is outside.
// The enclave signs no nonce twice unless it is asked to replace; the owner of a key may. The node has to say so at six
// looks, five seconds apart: by then it has indexed its last block, and the receipt of this transaction would be there.
func (s *Service) trackForeignNonce(ctx context.Context, t transaction.Transaction) (bool, error) {
	if !t.External() || t.Nonce == nil {
		return false, nil
	}
	n, err := s.c.Nodes.Numbered(t.Chain)
	if err != nil {
		return false, err
	}
	mined, err := n.NextNonce(ctx, t.From)
	if err != nil || mined <= uint64(*t.Nonce) {
		return false, nil // an outage of the node is no news
	}
	now, attempts := s.c.Clock.Now(), t.Attempts+1
	if now.Sub(t.UpdatedAt) < pollSlow {
		return true, nil // since the last look
	}
	change := transaction.Change{Now: now, Attempts: &attempts}
	if attempts < nonceTries {
		from := []transaction.State{transaction.Broadcast}
		return true, s.c.Rows.Move(ctx, t, from, transaction.Broadcast, change, "")
	}
	why := nodes.Reason(node.ErrNonceUsed)
	change.Reason, change.FailedAt = &why, &now
	return true, s.c.Rows.Move(ctx, t, []transaction.State{transaction.Broadcast}, transaction.Failed, change,
		"transaction.failed")
}

// pollFinal says when to look again at a transaction that has come to its end: less and less often, and no more after
// ten minutes. Reorgs are shallow, and many transactions may be watched.
func (s *Service) pollFinal(since, now time.Time) time.Duration {
	age := now.Sub(since)
	if age > watchFor {
		return 0
	}
	return max(pollConfirmed, age/2)
}

// pollAfter says when to look again at a transaction that was sent so long ago and is in no block: every half second in
// the first 30 seconds, then after a tenth of its age, and once a minute at last.
func pollAfter(age time.Duration) time.Duration {
	if age < pollFastFor {
		return pollSent
	}
	return min(max(pollSlow, age/10), pollSlowest)
}
