package x402pay

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

const (
	lookSoonest = 2 * time.Second  // after a payment was signed
	lookWhile   = 5 * time.Second  // while the seller can take the money
	lookLater   = 30 * time.Second // and after that, until the chain is past the end
	lastWord    = oneSend + nodes.AskTimeout
)

// Follow asks the enclave about a payment that is not signed, and the chain about one that is, until it has ended.
func (s *Service) Follow(ctx context.Context, workspaceID, id string) (again time.Duration, err error) {
	p, err := s.c.Store.X402Payment(ctx, workspaceID, id)
	if errors.Is(err, fault.ErrNotFound) {
		return 0, nil // it was refused
	}
	if err == nil && p.State == Prepared {
		p, err = s.settlePrepared(ctx, p)
	}
	if err == nil && p.State == Signed {
		p, err = s.look(ctx, p)
	}
	if err == nil && p.open() && s.unanswered(p) <= 0 {
		p.Delivery, p.Reason = Undelivered, "the seller has not answered"
		p, err = s.noted(ctx, p, p)
	}
	switch {
	case err != nil:
		return 0, err
	case p.State == Prepared:
		return lookLater, nil
	case p.open():
		return s.unanswered(p), nil
	case p.State != Signed:
		return 0, nil
	case s.c.Clock.Now().Unix() < p.ValidBefore:
		return lookWhile, nil
	}
	return lookLater, nil
}

// unanswered is how long the seller may still answer: until the last try that began before the payment's end is over,
// and the chain was asked, with whose word his answer is written down.
func (s *Service) unanswered(p Payment) time.Duration {
	return time.Unix(p.ValidBefore, 0).Add(lastWord).Sub(s.c.Clock.Now())
}

// settlePrepared asks the enclave what became of a payment's body: its approval may have let it through, or a crash may
// have kept the signature out of the database. One that can never be signed is forgotten.
func (s *Service) settlePrepared(ctx context.Context, p Payment) (Payment, error) {
	row, err := s.c.Store.Activity(ctx, p.WorkspaceID, p.ID)
	if err != nil {
		return p, err
	}
	out, err := s.c.Enclave.Outcome(ctx, row.Fingerprint)
	if err != nil {
		return p, err
	}
	switch {
	case out.State == wire.Done:
		return s.signed(ctx, row, out)
	case out.State == wire.Cancelled, row.State == activity.Expired, row.State == activity.Cancelled:
		err := record.Do(ctx, s.c.Store, p.WorkspaceID, func(ctx context.Context, tx Tx) error {
			return drop(ctx, tx, p)
		})
		p.State = Unused
		return p, record.UnlessStale(err)
	}
	return p, nil
}

// look asks the chain whether a signed transfer has moved the money, or can no more, and writes it down.
func (s *Service) look(ctx context.Context, p Payment) (Payment, error) {
	told, err := s.ask(ctx, p)
	if err != nil {
		return p, err
	}
	return s.ended(ctx, p, told)
}

// ended writes what the chain told of a payment, where that is news.
func (s *Service) ended(ctx context.Context, p, told Payment) (Payment, error) {
	if told.State == p.State {
		return p, nil
	}
	told.UpdatedAt = s.c.Clock.Now()
	var row Payment
	err := s.c.Store.Work(ctx, p.WorkspaceID, func(ctx context.Context, tx Tx) (a command.Audit, err error) {
		row, a, err = end(ctx, tx, told)
		return a, err
	})
	if errors.Is(err, record.ErrStale) {
		return s.c.Store.X402Payment(ctx, p.WorkspaceID, p.ID)
	}
	return row, err
}

// ask asks the chain about a signed payment. One that has ended is asked for no more.
func (s *Service) ask(ctx context.Context, p Payment) (Payment, error) {
	if p.State != Signed {
		return p, nil
	}
	asking, cancel := context.WithTimeout(ctx, nodes.AskTimeout)
	defer cancel()
	return s.told(asking, p)
}

// end writes what the chain told of a payment.
func end(ctx context.Context, tx Tx, told Payment) (Payment, command.Audit, error) {
	p, err := tx.EndX402Payment(ctx, told)
	return p, command.Audit{Action: "agent.x402." + outcome(p), Resource: p.ID, Detail: detail(p)}, err
}

// outcome names how a payment ended in the record: one that was paid for and not delivered is told apart.
func outcome(p Payment) string {
	if p.lost() {
		return "undelivered"
	}
	return string(p.State)
}

// lost says that a payment was made, and that its seller did not deliver.
func (p Payment) lost() bool { return p.State == Settled && p.Delivery == Undelivered }

// open says that a payment was made, and that its seller may still deliver.
func (p Payment) open() bool { return p.State == Settled && p.Delivery == Pending }

// told is the payment as the node tells of it, as deep in the chain as the network's confirmations ask for.
func (s *Service) told(ctx context.Context, p Payment) (Payment, error) {
	if p.sponsored() {
		return s.toldOfSponsored(ctx, p)
	}
	n, token, listed := s.c.Nodes.USDC(p.Network)
	t, err := p.transfer(token)
	if err != nil || !listed {
		return p, errRow
	}
	at, err := s.c.Nodes.Node(p.Network)
	if err != nil {
		return p, err
	}
	asks, ok := at.(node.SignedTransfers)
	if !ok {
		return p, nodes.ErrNoNode
	}
	head, err := at.Head(ctx)
	if err != nil {
		return p, nodes.ErrNode.Because(err)
	}
	block := head - int64(max(n.Confirmations-1, 0))
	if block < p.Since {
		return p, nil
	}
	used, now, err := asks.NonceAt(ctx, t, block)
	switch {
	case err != nil:
		return p, nodes.ErrNode.Because(err)
	case !used && now > p.ValidBefore:
		p.State, p.Reason = Unused, "the seller did not take the money in time"
		return p, nil
	case !used:
		return p, nil
	}
	found, err := moved(ctx, p, t, at, asks, block)
	switch {
	case err != nil:
		return p, nodes.ErrNode.Because(err)
	case found == nil && now <= p.ValidBefore: // a node's list of transfers may be behind its state
		return p, nil
	case found == nil:
		p.State, p.Reason = Void, "its nonce is used up, and the money did not move"
		return p, nil
	}
	p.State, p.Tx, p.Moved = Settled, found.Tx, found.Amount.Int64()
	return p, nil
}

// moved finds the movement of money by which a transfer's nonce was used up; nil where there is none.
func moved(
	ctx context.Context, p Payment, t chain.SignedTransfer, at nodes.Node, asks node.SignedTransfers, block int64,
) (*node.Transfer, error) {
	all, err := at.Transfers(ctx, node.Query{
		From: p.Since, To: block, Tokens: []string{t.Token.Address}, Receivers: []string{t.To},
	})
	if err != nil {
		return nil, err
	}
	for i, m := range all {
		if !strings.EqualFold(m.From, t.From) || m.Amount.Cmp(t.Amount) > 0 ||
			t.Facilitator == "" && m.Amount.Cmp(t.Amount) != 0 {
			continue
		}
		if carries, err := asks.Carries(ctx, m.Tx, t); err != nil || carries {
			return &all[i], err
		}
	}
	return nil, nil
}

// Sweep makes jobs of payments that nobody follows any more.
func (s *Service) Sweep(ctx context.Context) error {
	rows, err := s.c.Store.OpenX402Payments(ctx, s.c.Clock.Now().Add(-record.SweepJobs), record.SweepBatch)
	if err != nil {
		return err
	}
	return record.Each(rows, func(p Payment) error {
		return record.Do(ctx, s.c.Store, p.WorkspaceID, func(ctx context.Context, tx Tx) error {
			return tx.Enqueue(ctx, p.job(time.Time{}))
		})
	})
}
