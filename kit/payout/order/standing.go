package order

import "github.com/railkit/railkit/kit/payout/ledger"

// givenUp: an operator says what is to become of a payout that stands at the partner.
// Nothing is done before the partner says so once more.
func (s *step) givenUp() error {
	wish := s.e.Wish
	switch {
	case s.e.By != Operator || !stands(s.o.Delay) || wish != PayAgain && wish != GiveBack:
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
	s.tellFailure()
	if wish == GiveBack && !(s.o.Lost() && s.o.ReturnAddress == "") { // nobody else may have what is not there
		return s.giveBack(s.o.Terms.Gross, back[1:]...) // the first is the order's own
	}
	s.book(ledger.Record, s.ref("canceled"), "return", back...)
	s.o.Status, s.o.Payout = FundsReceived, Payout{}
	s.advance()
	s.stop()
	return nil
}

// refundStalled: the refund stands at the partner.
func (s *step) refundStalled() error {
	r, err := s.refund(false, RefundSubmitted)
	if err != nil || s.e.Reason == "" {
		return ErrIllegal
	}
	r.Reason = s.e.Reason
	s.o.Refund, s.o.Status = r, Error
	s.detail["reason"] = s.e.Reason
	return nil
}
