package order

import (
	"slices"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/ledger"
)

// givenUp: an operator says what is to become of a payout that stands at the partner.
// Nothing is done before the partner says so once more.
func (s *step) givenUp() error {
	wish := s.e.Wish
	switch {
	case s.e.By != Operator || !Stands(fiat.TransferState(s.o.Delay)) || wish != PayAgain && wish != GiveBack:
		return ErrIllegal
	case s.o.Wish == wish:
		return ErrKnown
	}
	s.o.Wish = wish
	s.detail["then"] = string(wish)
	s.advance()
	return nil
}

// canceled: the partner did not pay, and an operator said what then. All that was
// booked with the payout is taken back, our fees too.
func (s *step) canceled() error {
	wish := s.o.Wish
	if wish == "" || s.o.Status != PaymentSubmitted {
		return ErrIllegal
	}
	back, err := s.payout()
	if err != nil {
		return err
	}
	for i := range back {
		back[i].Amount = back[i].Amount.Neg()
	}
	s.o.Wish, s.o.Delay, s.o.Failure = "", "", s.e.Failure
	s.instead(s.o.Payout.TransferID, s.o.PayoutReference())
	s.tellFailure()
	if wish == GiveBack && !(s.o.Lost() && s.o.ReturnAddress == "") { // nobody else may have what is not there
		return s.giveBack(s.o.Terms.Gross, back[1:]...) // the first is the order's own
	}
	s.book(ledger.Record, s.ref("canceled"), "cancel", back...)
	s.o.Status, s.o.Payout = FundsReceived, Payout{}
	s.advance()
	s.stop()
	return nil
}

// instead remembers a transfer that another is made in place of.
func (s *step) instead(transferID, reference string) {
	if transferID != "" {
		s.o.Earlier = append(slices.Clone(s.o.Earlier), Earlier{TransferID: transferID, Reference: reference})
	}
}

// refundStalled: the refund stands at the partner, or waits there; without a reason
// it goes on. What an operator wanted was for what it waited for then.
func (s *step) refundStalled() error {
	r, err := s.refund(false, RefundSubmitted)
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
