package order

import (
	"slices"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/ledger"
)

// givenUp: an operator decides what happens to a payout that is stalled at the partner. Nothing is done before the
// partner, asked once more, confirms that it is stalled.
func (s chainLeg) givenUp() error {
	wish := s.e.Wish
	switch {
	case s.e.By != Operator || !Stalled(fiat.TransferState(s.o.Delay)) || wish != PayAgain && wish != GiveBack:
		return ErrIllegal
	case s.o.Wish == wish:
		return ErrKnown
	}
	s.o.Wish = wish
	s.detail["then"] = string(wish)
	s.advance()
	return nil
}

// canceled: the partner confirmed that the payout is stalled, after an operator had decided what to do then. The
// ledger takes back all entries of the payout, our fees too.
func (s chainLeg) canceled() error {
	wish := s.o.Wish
	if wish == "" || s.o.Status != PaymentSubmitted {
		return ErrIllegal
	}
	paid, err := s.toBank().payout()
	if err != nil {
		return err
	}
	back := ledger.Reversed(paid)
	s.o.Wish, s.o.Delay, s.o.Failure = "", "", s.e.Failure
	s.instead(s.o.Payout.TransferID, s.o.PayoutReference())
	s.toBank().tellFailure()
	if wish == GiveBack && !(s.o.Lost() && s.o.ReturnAddress == "") { // a deposit that is gone funds nothing else
		return s.toSender().giveBack(s.o.Terms.Gross, back[1:]...) // the first is the order's own
	}
	s.book(ledger.Record, s.toBank().ref("canceled"), "cancel", back...)
	s.o.Status, s.o.Payout = FundsReceived, Payout{}
	s.advance()
	s.stop()
	return nil
}

// instead remembers the transfer that a new attempt replaces. Should the partner pay it after all, the new attempt is
// not made.
func (s chainLeg) instead(transferID, reference string) {
	if transferID != "" {
		s.o.Earlier = append(slices.Clone(s.o.Earlier), Earlier{TransferID: transferID, Reference: reference})
	}
}

// refundStalled: the partner reports a new reason why the refund is not done; no reason means that it is under way
// again. An operator's request for another attempt was about the old reason, and is dropped.
func (s chainLeg) refundStalled() error {
	r, err := s.toSender().refund(false, RefundSubmitted)
	if err != nil {
		return ErrIllegal
	}
	if !r.waits(s.e.Reason) {
		return ErrKnown
	}
	r.Reason, r.Again = s.e.Reason, false
	s.o.Refund, s.o.Status = r, Error
	if r.Reason == "" {
		s.o.Status = Returned
	}
	s.detail["reason"] = s.e.Reason
	return nil
}
