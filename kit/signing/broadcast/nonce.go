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

const lookBatch = 200 // transactions of one sweep

// sender is an address on a network.
type sender struct{ chain, from string }

// looks is one sweep over unsent transactions. A node is asked once for all transactions of an address, and not again
// once it has failed.
type looks struct {
	mined  map[sender]uint64
	failed map[string]bool // by network
	later  *[]transaction.Look
}

// again has a transaction be looked at again, later. The row counts as untouched, since the job that sends it may be
// lost all the same.
func (l looks) again(t transaction.Transaction, nonceUsedHead int64) error {
	*l.later = append(*l.later, transaction.Look{
		WorkspaceID: t.WorkspaceID, ID: t.ID, CreatedAt: t.CreatedAt, NonceUsedHead: nonceUsedHead,
	})
	return nil
}

// SweepNonces looks on the chain for transactions that are signed and that this server has not sent. Others may have
// sent them: the caller got the bytes in an answer, and a node may have kept what it refused. It goes on until the
// nonce is used.
func (s *Service) SweepNonces(ctx context.Context) error {
	rows, err := s.c.Store.UnsentDue(ctx, s.c.Clock.Now(), lookBatch)
	if err != nil {
		return err
	}
	l := looks{map[sender]uint64{}, map[string]bool{}, &[]transaction.Look{}}
	err = record.Each(rows, func(t transaction.Transaction) error { return s.checkNonce(ctx, l, t) })
	if len(*l.later) == 0 {
		return err
	}
	return errors.Join(err, s.c.Store.LookLater(ctx, s.c.Clock.Now(), *l.later))
}

// checkNonce asks whether the nonce of a transaction is used, and if so, by which transaction.
func (s *Service) checkNonce(ctx context.Context, l looks, t transaction.Transaction) error {
	if x, ok := s.expires(t); ok {
		return x.look(ctx, l)
	}
	n, err := s.c.Nodes.Numbered(t.Chain)
	if err != nil || l.failed[t.Chain] {
		return l.again(t, t.NonceUsedHead)
	}
	mined, asked := l.mined[sender{t.Chain, t.From}]
	if !asked {
		if mined, err = n.NextNonce(ctx, t.From); err != nil {
			l.failed[t.Chain] = true // an outage is no news
			return l.again(t, t.NonceUsedHead)
		}
		l.mined[sender{t.Chain, t.From}] = mined
	}
	if t.Nonce == nil || mined <= uint64(*t.Nonce) {
		return l.again(t, 0)
	}
	return s.findNonceUser(ctx, l, n, t)
}

// findNonceUser finds out which transaction used the nonce. It may be this one, sent by somebody else; a replacement of
// it, or one that it replaces; or a transaction that this server does not know.
func (s *Service) findNonceUser(ctx context.Context, l looks, n nodes.Numbered, t transaction.Transaction) error {
	receipt, found, err := n.Receipt(ctx, t.TxHash)
	if err != nil {
		return l.again(t, t.NonceUsedHead)
	}
	if found {
		hash, has, err := n.BlockHash(ctx, receipt.BlockNumber)
		if err != nil || !has || hash != receipt.BlockHash {
			return l.again(t, t.NonceUsedHead) // its answers contradict one another
		}
		return s.c.Rows.Move(ctx, t, []transaction.State{t.State}, transaction.Broadcast, sentChange(s.c.Clock.Now()),
			"transaction.broadcast")
	}
	if outlived, err := s.followMinedReplacement(ctx, n, t); outlived || err != nil {
		return errors.Join(err, l.again(t, 0))
	}
	return s.failNonceTaken(ctx, l, n, t)
}

// failNonceTaken fails a transaction whose nonce another one has taken. A node that is behind, or a short reorg, may
// say so wrongly, and a caller who is told "failed" of what is mined pays twice. So it has to be so for as many blocks
// as the network wants for a confirmation, and at two looks at least. Example: three confirmations are wanted, and the
// nonce is first seen used at head 100. At head 101 nothing happens; at head 102 the transaction is failed.
func (s *Service) failNonceTaken(ctx context.Context, l looks, n nodes.Numbered, t transaction.Transaction) error {
	head, err := n.Head(ctx)
	if err != nil {
		return l.again(t, t.NonceUsedHead)
	}
	network, _ := s.c.Nodes.BySlug(t.Chain)
	first := t.NonceUsedHead
	if first == 0 || head < first {
		return l.again(t, head)
	}
	if head-first+1 < int64(network.Confirmations) {
		return l.again(t, t.NonceUsedHead)
	}
	now, never, why := s.c.Clock.Now(), time.Time{}, nodes.Reason(node.ErrNonceUsed)
	if t.State == transaction.Failed {
		return s.c.Rows.Move(ctx, t, []transaction.State{transaction.Failed}, transaction.Failed,
			transaction.Change{Now: t.UpdatedAt, LookAt: &never}, "")
	}
	change := transaction.Change{Now: now, LookAt: &never, Reason: &why, FailedAt: &now}
	return s.c.Rows.Move(ctx, t, []transaction.State{t.State}, transaction.Failed, change, "transaction.failed")
}
