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
	pollConfirmed = 10 * time.Second
	watchFor      = 10 * time.Minute
	resendAfter   = 20 * time.Second
	quick         = 30 * time.Second // how long the short interval lasts
)

// Broadcast is the job of a transaction that no node has taken yet. It re-sends
// the same bytes until a node takes them, or says for good that it will not.
// An error asks for another try, later and later.
func (s *Service) Broadcast(ctx context.Context, workspaceID, id string) error {
	t, err := s.store.Transaction(ctx, workspaceID, id)
	if err != nil || t.State != Pending || t.Held {
		return err
	}
	err = s.send(ctx, t.Chain, t.SignedTransaction)
	if err == nil {
		return s.move(ctx, t, From(Broadcast), Broadcast, s.sentChange(), "transaction.broadcast")
	}
	if errors.Is(err, ErrRefused) || errors.Is(err, ErrNonceUsed) {
		now, why := s.clock.Now(), reasonOf(err)
		return s.move(ctx, t, From(Failed), Failed, TransactionChange{Now: now, Reason: &why, FailedAt: &now}, "transaction.failed")
	}
	attempts, why := t.Attempts+1, "not sent yet: "+reasonOf(err)
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
		return s.unmined(ctx, t)
	}
	head, err := node.Head(ctx)
	if err != nil {
		return pollSlow, nil
	}
	return s.mined(ctx, t, receipt, head)
}

// unmined handles a transaction that is in no block: still waiting, or taken
// out of its block by a reorg.
func (s *Service) unmined(ctx context.Context, t Transaction) (time.Duration, error) {
	now := s.clock.Now()
	if !t.MinedAt.IsZero() {
		var zero int64
		none, never := "", time.Time{}
		why := "a reorg took its block away"
		return pollSent, s.move(ctx, t, []State{t.State}, Broadcast, TransactionChange{
			Now: now, BlockNumber: &zero, BlockHash: &none, Confirmations: &zero, MinedAt: &never, ConfirmedAt: &never, FailedAt: &never, Reason: &why,
		}, "transaction.reorg")
	}
	if t.State != Broadcast {
		return 0, nil
	}
	if since := now.Sub(t.UpdatedAt); since > resendAfter {
		// The node may have dropped it: the same bytes again change nothing else.
		if err := s.send(ctx, t.Chain, t.SignedTransaction); err != nil {
			s.log.Warn("sending again failed", "transaction", t.ID, "error", err)
		}
		return pollSlow, s.move(ctx, t, []State{Broadcast}, Broadcast, TransactionChange{Now: now}, "")
	}
	if now.Sub(t.BroadcastAt) < quick {
		return pollSent, nil
	}
	return pollSlow, nil
}

func (s *Service) mined(ctx context.Context, t Transaction, r Receipt, head uint64) (time.Duration, error) {
	now := s.clock.Now()
	network, _ := s.networkBySlug(t.Chain)
	depth := int64(head) - int64(r.BlockNumber) + 1
	if depth < 1 {
		return pollSent, nil // the node's answers are of two moments
	}
	final := depth >= int64(network.Confirmations)
	if t.BlockHash == r.BlockHash && final && (t.State == Confirmed || t.State == Failed) {
		return s.watch(t, now), nil
	}
	number := int64(r.BlockNumber)
	c := TransactionChange{Now: now, BlockNumber: &number, BlockHash: &r.BlockHash, Confirmations: &depth, MinedAt: &now}
	to, action, again := Broadcast, "", pollSent
	if final {
		to, action, again = Confirmed, "transaction.confirmed", pollConfirmed
		c.ConfirmedAt = &now
		if !r.Succeeded {
			why := "reverted on chain"
			to, action = Failed, "transaction.failed"
			c.ConfirmedAt, c.FailedAt, c.Reason = nil, &now, &why
		}
	} else if t.BlockHash == r.BlockHash && t.Confirmations == depth {
		return pollSlow, nil
	}
	return again, s.move(ctx, t, []State{t.State}, to, c, action)
}

// watch goes on for a while after the end.
func (s *Service) watch(t Transaction, now time.Time) time.Duration {
	if now.Sub(t.MinedAt) > watchFor {
		return 0
	}
	return pollConfirmed
}

// move changes a row for a job. Who finds the row elsewhere already has nothing to do.
func (s *Service) move(ctx context.Context, t Transaction, from []State, to State, c TransactionChange, action string) error {
	next := t
	next.apply(to, c)
	err := s.store.Work(ctx, t.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		if err := tx.MoveTransaction(ctx, t.WorkspaceID, t.ID, from, to, c); err != nil {
			return command.Audit{}, err
		}
		audit := command.Audit{Action: action, Resource: t.ID, Detail: map[string]string{"status": string(to), "txHash": t.TxHash}}
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
