package order

import "github.com/railkit/railkit/kit/payout/ledger"

// Why an order waits that is about money which is not there.
const (
	HoldVanished = "deposit_vanished" // its final deposit is not on its chain any more
	HoldEarlier  = "earlier_payout"   // a payout that was given up goes on at the partner after all
	HoldFunds    = "partner_balance"  // the partner has not what arrived
)

// known makes a copy of a deposit that was final, to be changed.
func (s *step) known() (*Deposit, error) {
	if s.o.Deposit == nil ||
		!s.o.Deposit.Final || s.e.Deposit != nil && s.e.Deposit.TransferID != s.o.Deposit.TransferID {
		return nil, ErrIllegal
	}
	d := *s.o.Deposit
	s.detail["hash"], s.detail["amount"] = d.Hash, d.Amount.String()
	return &d, nil
}

// vanished: what was final is gone. What is booked stays, since it may come again;
// nothing leaves until then. What the partner is being asked for, it may have sent.
func (s *step) vanished() error {
	d, err := s.known()
	if err != nil {
		return err
	}
	if d.Gone {
		return ErrKnown
	}
	d.Gone = true
	s.o.Deposit = d
	s.stop()
	return nil
}

// stop keeps money from leaving for a deposit that is gone.
func (s *step) stop() {
	r := s.o.Refund
	switch {
	case !s.o.Lost():
	case (s.o.Status == FundsReceived || s.o.Status == InReview) && !s.o.Paying:
		s.o.Status, s.o.Hold = InReview, HoldVanished
	case s.o.Status == Returned && r.Status == RefundPending && !r.Paying:
		stopped := *r
		stopped.Status, stopped.Reason = RefundFailed, HoldVanished
		s.o.Refund, s.o.Status = &stopped, Error
	}
}

// goOn does what stop has stopped.
func (s *step) goOn() {
	r := s.o.Refund
	switch {
	case s.o.Status == InReview && s.o.Hold == HoldVanished:
		s.o.Status, s.o.Hold = FundsReceived, ""
	case s.o.Status == Error && r != nil && r.Status == RefundFailed && r.Reason == HoldVanished:
		again := *r
		again.Status, again.Reason = RefundPending, ""
		s.o.Refund, s.o.Status = &again, Returned
	default:
		return
	}
	s.advance()
}

// restored: it is mined again, and final. Whoever covered it has their money back.
func (s *step) restored() error {
	d, err := s.known()
	switch {
	case err != nil:
		return err
	case !d.Gone:
		return ErrKnown
	case s.e.Deposit == nil || s.e.Deposit.Amount != d.Amount:
		return ErrIllegal
	}
	if d.Covered {
		s.record("uncover",
			ledger.Entry{
				Account: ledger.Chain(s.o.Chain), Amount: d.Amount.Neg(),
			}, ledger.Entry{Account: ledger.Suspense, Amount: d.Amount})
	}
	d.Gone, d.Covered, d.Block, d.Hash = false, false, s.e.Deposit.Block, s.e.Deposit.Hash
	s.o.Deposit = d
	s.goOn()
	return nil
}

// covered: an operator takes the loss. The chain gave nothing; who pays for it is
// open until it is settled outside.
func (s *step) covered() error {
	d, err := s.known()
	if err != nil || s.e.By != Operator || !s.o.Lost() {
		return ErrIllegal
	}
	d.Covered = true
	s.o.Deposit = d
	s.record("cover",
		ledger.Entry{
			Account: ledger.Chain(s.o.Chain), Amount: d.Amount,
		}, ledger.Entry{Account: ledger.Suspense, Amount: d.Amount.Neg()})
	s.goOn()
	return nil
}

// forgone: an operator ends an order whose deposit is gone, and for which nothing
// has left. Mined again, the deposit begins anew.
func (s *step) forgone() error {
	d, err := s.known()
	if err != nil || !s.o.Lost() {
		return ErrIllegal
	}
	owed := s.o.Terms.Gross
	if r := s.o.Refund; s.o.Status == Error && r != nil && r.Status == RefundFailed {
		owed = r.Amount
	} else if s.o.Status != InReview {
		return ErrIllegal
	}
	if owed != d.Amount {
		return ErrIllegal // part of it was paid out and came back: that is there
	}
	s.record("gone",
		ledger.Entry{
			Account: ledger.Order(s.o.ID), Amount: owed.Neg(),
		}, ledger.Entry{Account: ledger.Chain(s.o.Chain), Amount: owed})
	s.without(d)
	if s.o.Refund != nil {
		s.o.Refunds = s.o.Refund.Attempt
	}
	s.o.Status, s.o.Hold, s.o.Failure, s.o.Refund = Expired, "", nil, nil
	return nil
}
