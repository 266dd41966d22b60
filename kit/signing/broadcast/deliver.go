package broadcast

import (
	"context"
	"errors"
	"fmt"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/transaction"
)

// Deliver is the job of a transaction that no node has taken yet. It sends the same bytes until a node takes them, or
// says for good that it will not. The queue tries again after an error, with growing waits.
func (s *Service) Deliver(ctx context.Context, workspaceID, id string) error {
	t, err := s.c.Store.Transaction(ctx, workspaceID, id)
	if err != nil || t.State != transaction.Pending || t.Held || t.ReplacedBy != "" {
		return err
	}
	if x, ok := s.expires(t); ok {
		return x.deliver(ctx)
	}
	err = s.c.Nodes.Send(ctx, t.Chain, t.From, t.SignedTransaction)
	if err == nil {
		return s.c.Rows.Move(ctx, t, []transaction.State{transaction.Pending}, transaction.Broadcast,
			sentChange(s.c.Clock.Now()), "transaction.broadcast")
	}
	if errors.Is(err, node.ErrNonceUsed) && hasReplacements(t) {
		if outlived, err := s.lookForMinedReplacement(ctx, t); outlived || err != nil {
			return err
		}
	}
	attempts, why := 1, "not sent yet: "+nodes.Reason(err) // attempts that ended alike
	if t.Reason == why {
		attempts += t.Attempts
	}
	// A used nonce may be this very transaction's, mined and not yet indexed.
	if errors.Is(err, node.ErrRefused) || errors.Is(err, node.ErrNonceUsed) && attempts > nonceTries &&
		s.nonceMined(ctx, t) {
		now, why := s.c.Clock.Now(), nodes.Reason(err)
		return s.c.Rows.Move(ctx, t, []transaction.State{transaction.Pending}, transaction.Failed,
			transaction.Change{Now: now, Reason: &why, FailedAt: &now}, "transaction.failed")
	}
	moved := s.c.Rows.Move(ctx, t, []transaction.State{transaction.Pending}, transaction.Pending,
		transaction.Change{Now: s.c.Clock.Now(), Attempts: &attempts, Reason: &why}, "")
	return errors.Join(fmt.Errorf("sending transaction %s: %w", t.ID, err), moved)
}

// nonceTries is how often a node has to call a nonce used before another transaction counts as the one that used it:
// this very transaction may be mined and not yet indexed.
const nonceTries = 6

// nonceMined says that the chain has a transaction with the nonce. A node that
// calls a nonce used and does not count it as mined is behind, or lies.
func (s *Service) nonceMined(ctx context.Context, t transaction.Transaction) bool {
	n, err := s.c.Nodes.Numbered(t.Chain)
	if err != nil || t.Nonce == nil {
		return false
	}
	mined, err := n.NextNonce(ctx, t.From)
	return err == nil && mined > uint64(*t.Nonce)
}

// sendAgain sends the same bytes to a node that may have dropped them; that changes nothing else. A transaction that
// was replaced is not sent again: its successor has its place.
func (s *Service) sendAgain(ctx context.Context, t transaction.Transaction) {
	if t.ReplacedBy != "" {
		return
	}
	if err := s.c.Nodes.Send(ctx, t.Chain, t.From, t.SignedTransaction); err != nil {
		s.c.Log.WarnContext(ctx, "sending again failed", "transaction", t.ID, "error", err)
	}
}
