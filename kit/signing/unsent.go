package signing

import (
	"context"
	"errors"
	"time"
)

// Whoever has the bytes of a signed transaction can send them to a node, past
// this server: the caller got them in the answer, and an earlier node may have
// kept what it refused. So the chain is asked for every signed transaction that
// this server has not sent, until its nonce is used.

const (
	lookSoonest = 10 * time.Second // between two looks at one transaction
	lookSlowest = 10 * time.Minute
	lookBatch   = 200 // transactions of one sweep
)

// sender is an address on a network.
type sender struct{ chain, from string }

// looks is one sweep over what is not sent. A node is asked once for all
// transactions of an address, and not again once it has failed.
type looks struct {
	mined  map[sender]uint64
	failed map[string]bool // by network
}

// sweepUnsent looks for what is signed and not sent where its time has come.
func (s *Service) sweepUnsent(ctx context.Context) error {
	rows, err := s.store.UnsentDue(ctx, s.clock.Now(), lookBatch)
	if err != nil {
		return err
	}
	l := looks{mined: map[sender]uint64{}, failed: map[string]bool{}}
	return each(rows, func(t Transaction) error { return s.lookFor(ctx, l, t) })
}

// lookFor asks whether the nonce of a transaction is used, and by whom.
func (s *Service) lookFor(ctx context.Context, l looks, t Transaction) error {
	node, err := s.node(t.Chain)
	if err != nil || l.failed[t.Chain] {
		return s.lookLater(ctx, t, t.NonceUsedHead)
	}
	mined, asked := l.mined[sender{t.Chain, t.From}]
	if !asked {
		if mined, err = node.MinedNonce(ctx, t.From); err != nil {
			l.failed[t.Chain] = true // an outage is no news
			return s.lookLater(ctx, t, t.NonceUsedHead)
		}
		l.mined[sender{t.Chain, t.From}] = mined
	}
	if t.Nonce == nil || mined <= uint64(*t.Nonce) {
		return s.lookLater(ctx, t, 0)
	}
	return s.nonceUsed(ctx, node, t)
}

// nonceUsed finds out whose the used nonce is: its own, where somebody else has
// sent it, that of a sibling, or that of a transaction which is not known here.
func (s *Service) nonceUsed(ctx context.Context, node Node, t Transaction) error {
	receipt, found, err := node.Receipt(ctx, t.TxHash)
	if err != nil {
		return s.lookLater(ctx, t, t.NonceUsedHead)
	}
	if found {
		hash, has, err := node.BlockHash(ctx, receipt.BlockNumber)
		if err != nil || !has || hash != receipt.BlockHash {
			return s.lookLater(ctx, t, t.NonceUsedHead) // its answers contradict one another
		}
		return s.move(ctx, t, []State{t.State}, Broadcast, s.sentChange(), "transaction.broadcast")
	}
	if outlived, err := s.outlived(ctx, node, t); outlived || err != nil {
		return errors.Join(err, s.lookLater(ctx, t, 0))
	}
	return s.takenByAnother(ctx, node, t)
}

// takenByAnother ends a transaction whose nonce is another's. A node that is
// behind, or a short reorg, may say so wrongly, and whoever is told "failed" of
// what is mined pays twice: it has to be so for as many blocks as the network
// wants for a confirmation, and at two looks at least.
func (s *Service) takenByAnother(ctx context.Context, node Node, t Transaction) error {
	head, err := node.Head(ctx)
	if err != nil {
		return s.lookLater(ctx, t, t.NonceUsedHead)
	}
	network, _ := s.networkBySlug(t.Chain)
	first := uint64(t.NonceUsedHead)
	if first == 0 || head < first {
		return s.lookLater(ctx, t, int64(head))
	}
	if head-first+1 < uint64(network.Confirmations) {
		return s.lookLater(ctx, t, t.NonceUsedHead)
	}
	now, never, why := s.clock.Now(), time.Time{}, reasonOf(ErrNonceUsed)
	if t.State == Failed {
		return s.move(ctx, t, []State{Failed}, Failed, TransactionChange{Now: t.UpdatedAt, LookAt: &never}, "")
	}
	change := TransactionChange{Now: now, LookAt: &never, Reason: &why, FailedAt: &now}
	return s.move(ctx, t, []State{t.State}, Failed, change, "transaction.failed")
}

// lookLater puts off the next look, by a tenth of the transaction's age. The row
// counts as untouched: the job that sends it may be lost all the same.
func (s *Service) lookLater(ctx context.Context, t Transaction, nonceUsedHead int64) error {
	now := s.clock.Now()
	next := now.Add(min(max(lookSoonest, now.Sub(t.CreatedAt)/10), lookSlowest))
	change := TransactionChange{Now: t.UpdatedAt, LookAt: &next, NonceUsedHead: &nonceUsedHead}
	return s.move(ctx, t, []State{t.State}, t.State, change, "")
}
