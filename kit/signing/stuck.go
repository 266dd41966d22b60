package signing

import (
	"context"
	"time"
)

// stuckAfter is how long a sent transaction may wait before it is asked why.
const stuckAfter = 5 * time.Minute

// What the owner of a stuck transaction is told.
const (
	lowFee        = "its fee is below what the network asks"
	lowFeeReplace = lowFee + "; replace it with type " + SpeedUp
)

// stuck says that nothing but a replacement, or a cheaper network, helps.
func (t Transaction) stuck() bool {
	return t.Stuck && t.State == Broadcast && t.MinedAt.IsZero() && t.ReplacedBy == ""
}

// lookAt asks the node about a transaction that has waited for long: one that it
// has lost gets the same bytes again, and one that pays too little is told so.
func (s *Service) lookAt(ctx context.Context, node Node, t Transaction) error {
	change := TransactionChange{Now: s.clock.Now()}
	known, err := node.Known(ctx, t.TxHash)
	if err != nil {
		return nil // an outage of the node is no news
	}
	if !known {
		s.sendAgain(ctx, t)
		attempts := t.Attempts + 1
		if !t.external() { // there they count how often the nonce was seen used
			change.Attempts = &attempts
		}
	}
	low := s.paysTooLittle(ctx, node, t)
	if low != t.Stuck {
		why := ""
		if low {
			why = t.stuckReason()
			s.log.Warn("a transaction is stuck: "+lowFee, "transaction", t.ID, "network", t.Chain)
		}
		change.Stuck, change.Reason = &low, &why
	}
	return s.move(ctx, t, []State{Broadcast}, Broadcast, change, "")
}

func (t Transaction) stuckReason() string {
	if t.external() {
		return lowFee
	}
	return lowFeeReplace
}

// paysTooLittle says that no block of today can hold the transaction. While the
// node does not answer, it is as it was.
func (s *Service) paysTooLittle(ctx context.Context, node Node, t Transaction) bool {
	fee, err := node.Fee(ctx)
	if err != nil {
		return t.Stuck
	}
	tx, err := signedTx(t)
	return err == nil && tx.GasFeeCap().Cmp(fee.Base) < 0
}
