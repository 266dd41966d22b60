package order

import "github.com/railkit/railkit/kit/payout/ledger"

// Reasons of a hold on an order whose money may be missing.
const (
	HoldVanished = "deposit_vanished" // the final deposit is not on its chain any more
	HoldEarlier  = "earlier_payout"   // the partner continues a payout that an operator had given up
	HoldFunds    = "partner_balance"  // the wallet at the partner has less than the order needs
)

// known returns a copy of the order's deposit, if it was final and the event is about it.
func (s chainLeg) known() (*Deposit, error) {
	if s.o.Deposit == nil ||
		!s.o.Deposit.Final || s.e.Deposit != nil && s.e.Deposit.TransferID != s.o.Deposit.TransferID {
		return nil, ErrIllegal
	}
	d := *s.o.Deposit
	s.detail["hash"], s.detail["amount"] = d.Hash, d.Amount.String()
	return &d, nil
}

// vanished: a reorg removed a final deposit. Its ledger entries stay, since the transfer may be mined again; until
// then the order pays nothing out. A request to the partner that is already open is followed to its end, since the
// partner may have paid it.
func (s chainLeg) vanished() error {
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

// stop holds the payout or the refund of an order whose deposit is gone.
func (s chainLeg) stop() {
	r := s.o.Refund
	switch {
	case !s.o.Lost():
	case (s.o.Status == Returned || s.o.RefundHeld()) && r.Status == RefundPending && !r.Paying:
		stopped := *r
		stopped.Status, stopped.Reason = RefundFailed, HoldVanished
		s.o.Refund, s.o.Status, s.o.Hold = &stopped, Error, ""
	case (s.o.Status == FundsReceived || s.o.Status == InReview) && !s.o.Paying:
		s.o.Status, s.o.Hold = InReview, HoldVanished
	}
}

// goOn releases the payout or refund that stop has held.
func (s chainLeg) goOn() {
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

// restored: the deposit is mined again, and final. If an operator had covered it, the cover is booked back.
func (s chainLeg) restored() error {
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

// covered: an operator takes the loss of a vanished deposit, and the order continues. The amount is booked from
// suspense in place of the chain, and stays there until the operator has settled it outside this system.
func (s chainLeg) covered() error {
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

// forgone: an operator ends an order whose deposit is gone and of which nothing was paid. If the deposit is mined
// again, the order starts again with it.
func (s chainLeg) forgone() error {
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
		return ErrIllegal // part of it was paid out and returned, so that part exists
	}
	s.record("gone",
		ledger.Entry{
			Account: ledger.Order(s.o.ID), Amount: owed.Neg(),
		}, ledger.Entry{Account: ledger.Chain(s.o.Chain), Amount: owed})
	if err := s.fromBank().unjoin(); err != nil {
		return err
	}
	s.without(d)
	if s.o.Refund != nil {
		s.o.Refunds = s.o.Refund.Attempt
	}
	s.o.Status, s.o.Hold, s.o.Failure, s.o.Refund, s.o.Screening = Expired, "", nil, nil, nil
	return nil
}
