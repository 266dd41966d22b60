package signing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/platform/command"
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
	quick         = 30 * time.Second // how long the short interval lasts
	nonceTries    = 6                // before a used nonce is believed to be another transaction's
)

// Broadcast is the job of a transaction that no node has taken yet. It re-sends
// the same bytes until a node takes them, or says for good that it will not.
// An error asks for another try, later and later.
func (s *Service) Broadcast(ctx context.Context, workspaceID, id string) error {
	t, err := s.store.Transaction(ctx, workspaceID, id)
	if err != nil || t.State != Pending || t.Held || t.ReplacedBy != "" {
		return err
	}
	err = s.send(ctx, t.Chain, t.SignedTransaction)
	if err == nil {
		return s.move(ctx, t, []State{Pending}, Broadcast, s.sentChange(), "transaction.broadcast")
	}
	if errors.Is(err, ErrNonceUsed) && t.related() {
		if outlived, err := s.outlivedAt(ctx, t); outlived || err != nil {
			return err
		}
	}
	attempts, why := 1, "not sent yet: "+reasonOf(err) // attempts that ended alike
	if t.Reason == why {
		attempts += t.Attempts
	}
	// A used nonce may be this very transaction's, mined and not yet indexed.
	if errors.Is(err, ErrRefused) || errors.Is(err, ErrNonceUsed) && attempts > nonceTries && s.nonceMined(ctx, t) {
		now, why := s.clock.Now(), reasonOf(err)
		return s.move(ctx, t, []State{Pending}, Failed, TransactionChange{Now: now, Reason: &why, FailedAt: &now}, "transaction.failed")
	}
	moved := s.move(ctx, t, []State{Pending}, Pending, TransactionChange{Now: s.clock.Now(), Attempts: &attempts, Reason: &why}, "")
	return errors.Join(fmt.Errorf("sending transaction %s: %w", t.ID, err), moved)
}

// Confirm is the job of a sent transaction: it follows it to its depth, and for
// a while beyond.
func (s *Service) Confirm(ctx context.Context, workspaceID, id string) (again time.Duration, err error) {
	t, err := s.store.Transaction(ctx, workspaceID, id)
	if err != nil || (t.State != Broadcast && t.State != Confirmed && t.State != Failed) || t.TxHash == "" {
		return 0, err
	}
	node, err := s.node(t.Chain)
	if err != nil {
		return 0, err
	}
	receipt, found, err := node.Receipt(ctx, t.TxHash)
	if err != nil {
		return pollSlow, nil // an outage of the node is no news about the transaction
	}
	if !found {
		return s.unmined(ctx, node, t)
	}
	return s.follow(ctx, node, t, receipt)
}

// follow notes how deep a mined transaction is, and ends those that it was mined
// in the place of.
func (s *Service) follow(ctx context.Context, node Node, t Transaction, r Receipt) (time.Duration, error) {
	head, err := node.Head(ctx)
	if err != nil {
		return pollSlow, nil
	}
	if !s.believable(ctx, node, t, r, head) {
		return s.lookAgain(t), nil
	}
	again, err := s.mined(ctx, t, r, head)
	if _, final := s.depth(t, r, head); err != nil || !final {
		return again, err
	}
	return again, s.endOthers(ctx, t)
}

// unmined handles a transaction that is in no block: still waiting, or taken
// out of its block by a reorg.
func (s *Service) unmined(ctx context.Context, node Node, t Transaction) (time.Duration, error) {
	now := s.clock.Now()
	if !t.MinedAt.IsZero() {
		if !s.orphaned(ctx, node, t) {
			return s.lookAgain(t), nil
		}
		why, change := "a reorg took its block away", notMined()
		change.Now, change.Reason = now, &why
		err := s.move(ctx, t, []State{t.State}, Broadcast, change, "transaction.reorg")
		s.sendAgain(ctx, t)
		return pollSent, errors.Join(err, s.revive(ctx, t))
	}
	outlived, err := s.outlived(ctx, node, t)
	if t.State != Broadcast {
		return s.watch(t.FailedAt, now), err // signed bytes stay good: somebody may still send them
	}
	if outlived || err != nil {
		return pollSlow, err
	}
	if outrun, err := s.outrun(ctx, t); outrun || err != nil {
		return pollSent, err
	}
	age := now.Sub(t.BroadcastAt)
	if age > stuckAfter && t.ReplacedBy == "" {
		return patience(age), s.lookAt(ctx, node, t)
	}
	if now.Sub(t.UpdatedAt) > resendAfter {
		s.sendAgain(ctx, t)
		return patience(age), s.move(ctx, t, []State{Broadcast}, Broadcast, TransactionChange{Now: now}, "")
	}
	return patience(age), nil
}

// sendAgain is for a transaction that the node may have dropped: the same bytes
// again change nothing else. One that was replaced has no claim to its place.
func (s *Service) sendAgain(ctx context.Context, t Transaction) {
	if t.ReplacedBy != "" {
		return
	}
	if err := s.send(ctx, t.Chain, t.SignedTransaction); err != nil {
		s.log.Warn("sending again failed", "transaction", t.ID, "error", err)
	}
}

func (s *Service) mined(ctx context.Context, t Transaction, r Receipt, head uint64) (time.Duration, error) {
	now := s.clock.Now()
	depth, final := s.depth(t, r, head)
	if depth < 1 {
		return pollSent, nil // the node's answers are of two moments
	}
	if t.settledBy(r) {
		return s.watch(t.MinedAt, now), nil // at every depth: a head that goes back is that of a node that is behind
	}
	if !final && t.BlockHash == r.BlockHash && t.Confirmations >= depth {
		return pollSlow, nil
	}
	number, never, why, no := int64(r.BlockNumber), time.Time{}, "", false
	c := TransactionChange{
		Now: now, BlockNumber: &number, BlockHash: &r.BlockHash, Confirmations: &depth, MinedAt: &now,
		ConfirmedAt: &never, FailedAt: &never, Reason: &why, Stuck: &no, // of another block, which a reorg took away
	}
	to, action, again := Broadcast, "", pollSent
	switch {
	case final && r.Succeeded:
		to, action, again = Confirmed, "transaction.confirmed", pollConfirmed
		c.ConfirmedAt = &now
	case final && t.State != Confirmed: // a confirmed one has to be seen as sent first: nobody is told the contrary at once
		to, action, again = Failed, "transaction.failed", pollConfirmed
		c.FailedAt, why = &now, "reverted on chain"
	case t.State != Broadcast:
		action = "transaction.reorg" // into another block, which is not deep enough yet
	}
	return again, s.move(ctx, t, []State{t.State}, to, c, action)
}

// watch goes on for a while after the end, less and less often: reorgs are
// shallow, and many rows may be watched.
func (s *Service) watch(since, now time.Time) time.Duration {
	age := now.Sub(since)
	if age > watchFor {
		return 0
	}
	return max(pollConfirmed, age/2)
}

// patience is how long to leave alone what was sent so long ago and is in no block.
func patience(age time.Duration) time.Duration {
	if age < quick {
		return pollSent
	}
	return min(max(pollSlow, age/10), pollSlowest)
}

// move changes a row for a job. Who finds the row elsewhere already has nothing to do.
func (s *Service) move(ctx context.Context, t Transaction, from []State, to State, c TransactionChange, action string) error {
	return s.moveWith(ctx, t, from, to, c, action, func(context.Context, Tx) error { return nil })
}

// moveWith also does what has to come before the move.
func (s *Service) moveWith(ctx context.Context, t Transaction, from []State, to State, c TransactionChange, action string,
	before func(context.Context, Tx) error,
) error {
	next := t
	next.apply(to, c)
	err := s.store.Work(ctx, t.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		if err := before(ctx, tx); err != nil {
			return command.Audit{}, err
		}
		if err := tx.MoveTransaction(ctx, t.WorkspaceID, t.ID, from, to, c); err != nil {
			return command.Audit{}, err
		}
		audit := command.Audit{Action: action, Resource: t.ID, Detail: map[string]string{"status": string(to), "txHash": next.TxHash}}
		if to == t.State {
			return audit, nil
		}
		return audit, enqueueNext(ctx, tx, next)
	})
	if errors.Is(err, ErrStale) {
		return nil
	}
	return err
}
