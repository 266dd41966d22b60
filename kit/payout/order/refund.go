package order

import (
	"fmt"

	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/money"
)

// returned: the rail or the bank returned the payment, and the partner put the amount that was converted back into the
// wallet. A settlement that was booked is booked back, with the gain or loss of its conversion; our fees stay ours.
func (s refundLeg) returned() error {
	if s.o.Status == Returned || s.o.Status == Error {
		return ErrKnown
	}
	rest, err := s.toBank().rest()
	if err != nil {
		return err
	}
	from := []ledger.Entry{{Account: ledger.Partner, Amount: rest.Neg()}}
	if s.o.Status == Completed {
		if from, err = s.unsettled(rest); err != nil {
			return err
		}
	}
	kept, err := s.kept(rest)
	if err != nil {
		return err
	}
	back := rest
	if kept.Minor > 0 {
		if back, err = rest.Sub(kept); err != nil {
			return err
		}
	}
	from = append(from, odd(kept)...)
	s.o.Failure, s.o.Delay, s.o.Wish = s.e.Failure, "", ""
	s.toBank().tellFailure()
	return s.giveBack(back, from...)
}

// unsettled are the ledger entries that undo a settlement.
func (s refundLeg) unsettled(rest money.Amount) ([]ledger.Entry, error) {
	over, err := rest.Sub(s.o.Payout.Converted)
	net := s.o.Terms.Net
	return []ledger.Entry{
		{Account: ledger.FX, Amount: s.o.Payout.Converted.Neg()}, {Account: s.o.residual(), Amount: over.Neg()},
		{Account: ledger.Bank(string(s.o.Rail)), Amount: net.Neg()}, {Account: ledger.FX, Amount: net},
	}, err
}

// kept is the amount that the partner took and did not give back. Below zero the partner gave back too much.
func (s refundLeg) kept(rest money.Amount) (money.Amount, error) {
	if s.e.Refunded.Minor <= 0 || s.e.Refunded.Currency != s.o.Source {
		return money.Amount{}, ErrMismatch
	}
	took := rest
	switch {
	case !s.o.Payout.Taken.IsZero():
		took = s.o.Payout.Taken
	case s.o.Terms.Quoted && s.o.Status == Completed:
		took = s.o.Payout.Converted
	case s.o.Terms.Quoted: // the partner never said how much it took
		took = s.e.Refunded
	}
	kept, err := took.Sub(s.e.Refunded)
	if err == nil && !kept.IsZero() {
		s.detail["kept"] = kept.String()
	}
	return kept, err
}

// odd are the ledger entries of such a difference. What the partner kept stays on its account. What it gave back too
// much goes to suspense, until an operator has looked.
func odd(kept money.Amount) []ledger.Entry {
	at := []ledger.Entry{{Account: ledger.Partner, Amount: kept}}
	if kept.Minor < 0 {
		at = append(at, ledger.Entry{Account: ledger.Suspense, Amount: kept.Neg()})
	}
	return at
}

// giveBack opens a refund to the return address. Without a return address the amount goes back to the withdrawal
// address in the ledger, and can pay for the next quote.
func (s refundLeg) giveBack(a money.Amount, from ...ledger.Entry) error {
	if a.Minor <= 0 {
		return ErrMismatch
	}
	if s.o.ReturnAddress == "" {
		s.o.Status = Error
		s.book(
			ledger.Record, s.toBank().ref("release"), s.back("release"),
			append(from, ledger.Entry{Account: ledger.Held(s.o.WithdrawAddressID), Amount: a})...,
		)
		return nil
	}
	if s.e.Refund == nil || s.e.Refund.ID == "" || s.e.Refund.Reference == "" {
		return ErrIllegal
	}
	s.o.Status = Returned
	s.o.Refund = &Refund{
		ID: s.e.Refund.ID, Reference: s.e.Refund.Reference, Status: RefundPending, Amount: a,
		Address: s.o.ReturnAddress, Attempt: s.o.Refunds,
	}
	if from[0].Account != ledger.Order(s.o.ID) { // else nothing had left, and the money is still the order's
		s.book(
			ledger.Record, s.toBank().ref("return"), s.back("return"),
			append(from, ledger.Entry{Account: ledger.Order(s.o.ID), Amount: a})...,
		)
	}
	s.detail["refund"], s.detail["amount"] = s.o.Refund.Reference, a.String()
	s.advance()
	s.onChain().stop()
	return nil
}

// back is the kind of the ledger transaction when money comes back. A stalled payout was never paid, so that no gain
// or loss of its rate is in the wallet: its kind is "cancel", and the sum of what a wallet should hold leaves it out.
func (s refundLeg) back(kind string) string {
	if s.e.Kind == PayoutCanceled {
		return "cancel"
	}
	return kind
}

// refund returns a copy of the order's refund, if it has one of these statuses.
func (s refundLeg) refund(paying bool, status ...RefundStatus) (*Refund, error) {
	if s.o.Refund == nil || s.o.Refund.Paying != paying {
		return nil, ErrIllegal
	}
	for _, st := range status {
		if s.o.Refund.Status == st {
			r := *s.o.Refund
			return &r, nil
		}
	}
	return nil, ErrIllegal
}

// sending are the ledger entries of a refund attempt, and their reference.
func (s refundLeg) sending(r *Refund) (ref string, entries []ledger.Entry) {
	return fmt.Sprintf("%s:refund:%d", s.o.ID, r.Attempt), []ledger.Entry{
		{Account: ledger.Order(s.o.ID), Amount: r.Amount.Neg()}, {Account: ledger.Chain(s.o.Chain), Amount: r.Amount},
	}
}

func (s refundLeg) refundReserved() error {
	r, err := s.refund(false, RefundPending)
	if err != nil || s.o.Lost() || len(s.o.Hits()) > 0 {
		return ErrIllegal
	}
	r.Attempt, r.MadeAs = s.onChain().made(r.Reference, r.Attempt+1), s.e.MadeAs
	r.Paying, r.ReservedAt = true, s.e.At
	s.o.Refund = r
	ref, entries := s.sending(r)
	s.book(ledger.Pend, ref, "refund", entries...)
	return nil
}

func (s refundLeg) refundRefused() error {
	r, err := s.refund(true, RefundPending)
	if err != nil {
		return err
	}
	r.Paying, r.MadeAs = false, ""
	s.o.Refund = r
	ref, entries := s.sending(r)
	s.book(ledger.Void, ref, "refund", entries...)
	s.onChain().stop()
	return nil
}

// refundSent: the partner took the refund. It is posted in the ledger when it is completed.
func (s refundLeg) refundSent() error {
	if s.o.Refund != nil && (s.o.Refund.Status == RefundSubmitted || s.o.Refund.Status == RefundCompleted) {
		return ErrKnown
	}
	r, err := s.refund(true, RefundPending)
	if err != nil || s.e.Refund == nil || s.e.Refund.TransferID == "" {
		return ErrIllegal
	}
	r.Paying, r.Status, r.TransferID, r.Hash = false, RefundSubmitted, s.e.Refund.TransferID, s.e.Refund.Hash
	s.o.Refund = r
	return nil
}

func (s refundLeg) refundDone() error {
	if s.o.Refund != nil && s.o.Refund.Status == RefundCompleted {
		return ErrKnown
	}
	r, err := s.refund(false, RefundSubmitted)
	if err != nil || s.e.Refund == nil {
		return ErrIllegal
	}
	r.Status, r.Hash, r.Again, r.Reason = RefundCompleted, s.e.Refund.Hash, false, ""
	s.o.Refund, s.o.Status = r, Returned
	ref, entries := s.sending(r)
	s.book(ledger.Post, ref, "refund", entries...)
	s.detail["hash"], s.detail["amount"] = r.Hash, r.Amount.String()
	return nil
}

// refundFailed: the money stays the order's, and an operator has to act.
func (s refundLeg) refundFailed() error {
	if s.o.Refund == nil || s.e.Failure == nil {
		return ErrIllegal
	}
	r, err := s.refund(s.o.Refund.Paying, RefundPending, RefundSubmitted)
	if err != nil {
		return err
	}
	if r.Paying || r.Status == RefundSubmitted {
		ref, entries := s.sending(r)
		s.book(ledger.Void, ref, "refund", entries...)
	}
	r.Paying, r.Status, r.Reason = false, RefundFailed, s.e.Failure.Code
	s.o.Refund, s.o.Status = r, Error
	s.detail["code"], s.detail["message"] = s.e.Failure.Code, s.e.Failure.Message
	return nil
}

// refundRetried: an operator has the refund sent again. If the last attempt failed, it moved nothing, and the next one
// gets a new key. If it is stalled at the partner, the partner is asked once more before there is a new attempt.
func (s refundLeg) refundRetried() error {
	r, err := s.refund(false, RefundFailed, RefundSubmitted)
	if err != nil || s.o.Lost() || s.o.Status != Error {
		return ErrIllegal
	}
	if r.Status == RefundSubmitted {
		r.Again = true
	} else {
		s.onChain().instead(r.TransferID, s.o.RefundReference())
		r.Status, r.TransferID, r.Hash, r.Reason, r.Again = RefundPending, "", "", "", false
	}
	s.o.Refund, s.o.Status = r, Returned
	s.detail["refund"], s.detail["amount"] = r.Reference, r.Amount.String()
	s.advance()
	return nil
}

// reviewRefused: an operator gives the deposit of an order in review back. Nothing of it was paid.
func (s refundLeg) reviewRefused() error {
	if s.o.Status != InReview || s.o.Paying || !s.o.ready() || s.o.Lost() || s.o.RefundHeld() {
		return ErrIllegal
	}
	if len(s.o.Earlier) > 0 && s.o.ReturnAddress == "" && (s.o.Hold == HoldEarlier || s.o.Hold == HoldFunds) {
		return ErrIllegal // the next quote would be paid with missing money
	}
	if s.o.SentTwice() {
		s.keepForPartner()
		return nil
	}
	s.o.Failure = &Failure{Code: s.o.Hold, Message: "The payout was held for review and not released"}
	s.o.Hold = ""
	s.toBank().forget()
	s.toBank().tellFailure()
	return s.giveBack(s.o.Terms.Gross, ledger.Entry{Account: ledger.Order(s.o.ID), Amount: s.o.Terms.Gross.Neg()})
}
