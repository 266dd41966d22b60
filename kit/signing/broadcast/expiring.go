package broadcast

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/plan"
	"github.com/railkit/railkit/kit/signing/transaction"
)

// expiring is a transaction that names a recent block, and all nodes of its network. It is in a block soon or never: it
// is sent again every two seconds until it is in a final one, or has expired by the word of every node
// (node.Expiring.Outcome). A caller who is told "failed" of one that lands pays twice: so nothing but that word ends
// it, and one that is found later is confirmed after all.
type expiring struct {
	transaction.Transaction
	s *Service
	n nodes.Expiring
}

// expires finds the nodes of a transaction's network, where that has no nonces.
func (s *Service) expires(t transaction.Transaction) (expiring, bool) {
	n, ok := s.c.Nodes.Expiring(t.Chain)
	return expiring{t, s, n}, ok
}

const (
	resendExpiring = 2 * time.Second
	justSent       = 5 * time.Second // it is looked for, and not sent again
	foundLater     = 24 * time.Hour  // how long one that expired is looked for
)

// blockhashExpired is the reason of a transaction that no block took in time. Programs compare it.
const blockhashExpired = "blockhash_expired"

// disagree is what a transaction shows that one node has in a block and another one does not know.
const disagree = "the nodes disagree about whether it is in a block"

// outcome asks all nodes what became of it.
func (t expiring) outcome(ctx context.Context) (node.Outcome, error) {
	raw, err := chain.ParseHex(t.SignedTransaction)
	if err != nil {
		return node.Outcome{}, err
	}
	return t.n.Outcome(ctx, node.Sent{Signed: raw, Window: t.Window})
}

// move writes what it is now.
func (t expiring) move(ctx context.Context, to transaction.State, c transaction.Change, action string) error {
	return t.s.c.Rows.Move(ctx, t.Transaction, []transaction.State{t.State}, to, c, action)
}

// follow is Follow.
func (t expiring) follow(ctx context.Context) (again time.Duration, err error) {
	now := t.s.c.Clock.Now()
	o, err := t.outcome(ctx)
	if err != nil {
		return pollSlow, nil // an outage of the nodes is no news about the transaction
	}
	if ended, err := t.note(ctx, o); ended || err != nil {
		return 0, err
	}
	switch age := now.Sub(t.BroadcastAt); {
	case t.State == transaction.Failed:
		return t.s.pollFinal(t.FailedAt, now), nil
	case age < justSent:
		return pollSent, nil
	}
	t.s.sendAgain(ctx, t.Transaction)
	return resendExpiring, nil
}

// note writes down an end. Of one that is in a block by one node alone it is written that they disagree, and the
// operator is told: whichever is wrong, nobody pays or delivers by it.
func (t expiring) note(ctx context.Context, o node.Outcome) (ended bool, err error) {
	switch {
	case o.Denied:
		t.s.c.Log.ErrorContext(ctx,
			"the nodes disagree about whether a transaction is in a final block: find out which of them "+
				"is wrong, and take it out of --rpc", "transaction", t.ID, "network", t.Chain, "txHash", t.TxHash)
		return false, t.noteReason(ctx, disagree)
	case o.Landed:
		return true, t.noteLanded(ctx, o)
	case o.Expired && t.State == transaction.Failed:
		return false, nil // it is looked for until the job ends
	case o.Expired:
		now, why := t.s.c.Clock.Now(), blockhashExpired
		change := transaction.Change{Now: now, Reason: &why, FailedAt: &now}
		return true, t.move(ctx, transaction.Failed, change, "transaction.failed")
	}
	return false, nil
}

// noteLanded ends a transaction that is in a final block.
func (t expiring) noteLanded(ctx context.Context, o node.Outcome) error {
	if !t.MinedAt.IsZero() {
		return nil // it is written down
	}
	network, _ := t.s.c.Nodes.BySlug(t.Chain)
	now := t.s.c.Clock.Now()
	c := minedChange(now, o.Receipt, int64(network.Confirmations))
	if t.BroadcastAt.IsZero() {
		c.BroadcastAt = &now // somebody else sent it
	}
	if o.Succeeded {
		c.ConfirmedAt = &now
		return t.move(ctx, transaction.Confirmed, c, "transaction.confirmed")
	}
	why := "failed on chain: " + o.Failed
	if o.Paid != nil {
		why += ". It cost " + chain.FormatUnits(o.Paid, network.Native.Decimals) + " " + network.Native.Symbol
	}
	c.FailedAt, c.Reason = &now, &why
	return t.move(ctx, transaction.Failed, c, "transaction.failed")
}

func (t expiring) noteReason(ctx context.Context, why string) error {
	if t.Reason == why {
		return nil
	}
	return t.move(ctx, t.State, transaction.Change{Now: t.s.c.Clock.Now(), Reason: &why}, "")
}

// deliver is Deliver. What came into a block past this server is found first: a node refuses to take it again.
func (t expiring) deliver(ctx context.Context) error {
	o, err := t.outcome(ctx)
	if err == nil {
		if ended, err := t.note(ctx, o); ended || err != nil {
			return err
		}
	}
	err = t.s.c.Nodes.Send(ctx, t.Chain, t.From, t.SignedTransaction)
	if err == nil {
		return t.move(ctx, transaction.Broadcast, sentChange(t.s.c.Clock.Now()), "transaction.broadcast")
	}
	return errors.Join(fmt.Errorf("sending transaction %s: %w", t.ID, err),
		t.noteReason(ctx, "not sent yet: "+nodes.Reason(err)))
}

// look is for one that this server has not sent, or that has expired: others may have sent it. Bytes that lack
// somebody's signature have no id to look for.
func (t expiring) look(ctx context.Context, l looks) error {
	if t.TxHash == "" || t.State == transaction.Failed && t.s.c.Clock.Now().Sub(t.FailedAt) > foundLater {
		return t.move(ctx, t.State, transaction.Change{Now: t.UpdatedAt, LookAt: &time.Time{}}, "")
	}
	o, err := t.outcome(ctx)
	if err == nil {
		if ended, err := t.note(ctx, o); ended || err != nil {
			return err
		}
	}
	return l.again(t.Transaction, 0)
}

// refused writes down that it has expired, and says so to whoever wants it sent. Any other outcome is no reason to
// refuse.
func (t expiring) refused(ctx context.Context) error {
	o, err := t.outcome(ctx)
	if err != nil || !o.Expired {
		return nil
	}
	if _, err := t.note(ctx, o); err != nil {
		return err
	}
	return plan.ErrBlockhash
}
