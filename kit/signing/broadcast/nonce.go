package broadcast

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/record"
)

const (
	lookSlowest = 10 * time.Minute
	lookBatch   = 200 // transactions of one sweep
)

// sender is an address on a network.
type sender struct{ chain, from string }

// nonceCache is one sweep over unsent transactions. A node is asked once for all transactions of an address, and not
// again once it has failed.
type nonceCache struct {
	mined  map[sender]uint64
	failed map[string]bool // by network
}

// SweepNonces looks on the chain for transactions that are signed and that this server has not sent. Others may have
// sent them: the caller got the bytes in an answer, and a node may have kept what it refused. It goes on until the
// nonce is used.
func (s *Service) SweepNonces(ctx context.Context) error {
	rows, err := s.c.Store.UnsentDue(ctx, s.c.Clock.Now(), lookBatch)
	if err != nil {
		return err
	}
	l := nonceCache{mined: map[sender]uint64{}, failed: map[string]bool{}}
	return record.Each(rows, func(t transaction.Transaction) error { return s.checkNonce(ctx, l, t) })
}

// checkNonce asks whether the nonce of a transaction is used, and if so, by which transaction.
func (s *Service) checkNonce(ctx context.Context, l nonceCache, t transaction.Transaction) error {
	if x, ok := s.expires(t); ok {
		return x.look(ctx)
	}
	n, err := s.c.Nodes.Numbered(t.Chain)
	if err != nil || l.failed[t.Chain] {
		return s.scheduleNextCheck(ctx, t, t.NonceUsedHead)
	}
	mined, asked := l.mined[sender{t.Chain, t.From}]
	if !asked {
		if mined, err = n.NextNonce(ctx, t.From); err != nil {
			l.failed[t.Chain] = true // an outage is no news
			return s.scheduleNextCheck(ctx, t, t.NonceUsedHead)
		}
		l.mined[sender{t.Chain, t.From}] = mined
	}
	if t.Nonce == nil || mined <= uint64(*t.Nonce) {
		return s.scheduleNextCheck(ctx, t, 0)
	}
	return s.findNonceUser(ctx, n, t)
}

// findNonceUser finds out which transaction used the nonce. It may be this one, sent by somebody else; a replacement of
// it, or one that it replaces; or a transaction that this server does not know.
func (s *Service) findNonceUser(ctx context.Context, n nodes.Numbered, t transaction.Transaction) error {
	receipt, found, err := n.Receipt(ctx, t.TxHash)
	if err != nil {
		return s.scheduleNextCheck(ctx, t, t.NonceUsedHead)
	}
	if found {
		hash, has, err := n.BlockHash(ctx, receipt.BlockNumber)
		if err != nil || !has || hash != receipt.BlockHash {
			return s.scheduleNextCheck(ctx, t, t.NonceUsedHead) // its answers contradict one another
		}
		return s.c.Rows.Move(ctx, t, []transaction.State{t.State}, transaction.Broadcast, sentChange(s.c.Clock.Now()),
			"transaction.broadcast")
	}
	if outlived, err := s.followMinedReplacement(ctx, n, t); outlived || err != nil {
		return errors.Join(err, s.scheduleNextCheck(ctx, t, 0))
	}
	return s.failNonceTaken(ctx, n, t)
}

// failNonceTaken fails a transaction whose nonce another one has taken. A node that is behind, or a short reorg, may
// say so wrongly, and a caller who is told "failed" of what is mined pays twice. So it has to be so for as many blocks
// as the network wants for a confirmation, and at two looks at least. Example: three confirmations are wanted, and the
// nonce is first seen used at head 100. At head 101 nothing happens; at head 102 the transaction is failed.
func (s *Service) failNonceTaken(ctx context.Context, n nodes.Numbered, t transaction.Transaction) error {
	head, err := n.Head(ctx)
	if err != nil {
		return s.scheduleNextCheck(ctx, t, t.NonceUsedHead)
	}
	network, _ := s.c.Nodes.BySlug(t.Chain)
	first := t.NonceUsedHead
	if first == 0 || head < first {
		return s.scheduleNextCheck(ctx, t, head)
	}
	if head-first+1 < int64(network.Confirmations) {
		return s.scheduleNextCheck(ctx, t, t.NonceUsedHead)
	}
	now, never, why := s.c.Clock.Now(), time.Time{}, nodes.Reason(node.ErrNonceUsed)
	if t.State == transaction.Failed {
		return s.c.Rows.Move(ctx, t, []transaction.State{transaction.Failed}, transaction.Failed,
			transaction.Change{Now: t.UpdatedAt, LookAt: &never}, "")
	}
	change := transaction.Change{Now: now, LookAt: &never, Reason: &why, FailedAt: &now}
	return s.c.Rows.Move(ctx, t, []transaction.State{t.State}, transaction.Failed, change, "transaction.failed")
}

// scheduleNextCheck puts off the next look by a tenth of the transaction's age: after 10 seconds at first, after 10
// minutes at last. The row counts as untouched, since the job that sends it may be lost all the same.
func (s *Service) scheduleNextCheck(ctx context.Context, t transaction.Transaction, nonceUsedHead int64) error {
	now := s.c.Clock.Now()
	next := now.Add(min(max(transaction.LookSoonest, now.Sub(t.CreatedAt)/10), lookSlowest))
	change := transaction.Change{Now: t.UpdatedAt, LookAt: &next, NonceUsedHead: &nonceUsedHead}
	return s.c.Rows.Move(ctx, t, []transaction.State{t.State}, t.State, change, "")
}
