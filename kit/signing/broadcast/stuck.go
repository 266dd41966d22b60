package broadcast

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/plan"
	"github.com/railkit/railkit/kit/signing/transaction"
)

// stuckAfter is how long a sent transaction may wait before it is asked why.
const stuckAfter = 5 * time.Minute

// lowFeeReplace is the reason that a stuck transaction shows where a replacement can help.
const lowFeeReplace = nodes.LowFee + "; replace it with type " + plan.SpeedUp

func stuckReason(t transaction.Transaction) string {
	if t.External() {
		return nodes.LowFee
	}
	return lowFeeReplace
}

// checkStuck asks the node about a transaction that has waited for more than five minutes. A node that has lost it gets
// the same bytes again. One that pays less than the network's base fee is marked as stuck, and its owner reads that a
// replacement helps.
func (s *Service) checkStuck(ctx context.Context, n nodes.Numbered, t transaction.Transaction) error {
	change := transaction.Change{Now: s.c.Clock.Now()}
	known, err := n.Known(ctx, t.TxHash)
	if err != nil {
		return nil // an outage of the node is no news
	}
	if !known {
		s.sendAgain(ctx, t)
		attempts := t.Attempts + 1
		if !t.External() { // there they count how often the nonce was seen used
			change.Attempts = &attempts
		}
	}
	low := s.paysTooLittle(ctx, n, t)
	if low != t.Stuck {
		why := ""
		if low {
			why = stuckReason(t)
			s.c.Log.WarnContext(ctx, "a transaction is stuck: "+nodes.LowFee, "transaction", t.ID, "network", t.Chain)
		}
		change.Stuck, change.Reason = &low, &why
	}
	return s.c.Rows.Move(ctx, t, []transaction.State{transaction.Broadcast}, transaction.Broadcast, change, "")
}

// paysTooLittle says that no block of today can hold the transaction: its fee per gas is below the base fee. While the
// node does not answer, the mark stays as it was.
func (s *Service) paysTooLittle(ctx context.Context, n nodes.Numbered, t transaction.Transaction) bool {
	fee, err := n.Fee(ctx)
	if err != nil {
		return t.Stuck
	}
	tx, err := transaction.SignedTx(t)
	return err == nil && tx.Fee.Max.Cmp(fee.Base) < 0
}
