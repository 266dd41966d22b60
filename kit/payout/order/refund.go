package order

import (
	"fmt"

	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/money"
)

// returned: the rail or the bank sent it back, and the wallet has again what was to
// be converted. The sale was never made, so what a rate moved while the partner was
// asked is nobody's; what it took for us was for the work, and stays.
func (s *step) returned() error {
	if s.o.Status == Returned || s.o.Status == Error {
		return ErrKnown
	}
	rest, err := s.rest()
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
	s.tellFailure()
	return s.giveBack(back, from...)
}

// unsettled takes a settlement back.
func (s *step) unsettled(rest money.Amount) ([]ledger.Entry, error) {
	over, err := rest.Sub(s.o.Payout.Converted)
	net := s.o.Terms.Net
	return []ledger.Entry{
		{Account: ledger.FX, Amount: s.o.Payout.Converted.Neg()}, {Account: s.o.residual(), Amount: over.Neg()},
		{Account: ledger.Bank(string(s.o.Rail)), Amount: net.Neg()}, {Account: ledger.FX, Amount: net},
	}, err
}

// kept is what the partner took and did not give back; below zero it gave too much.
func (s *step) kept(rest money.Amount) (money.Amount, error) {
	if s.e.Refunded.Minor <= 0 || s.e.Refunded.Currency != s.o.Source {
		return money.Amount{}, ErrMismatch
	}
	took := rest
	switch {
	case !s.o.Payout.Taken.IsZero():
		took = s.o.Payout.Taken
	case s.o.Terms.Quoted && s.o.Status == Completed:
		took = s.o.Payout.Converted
	case s.o.Terms.Quoted: // it never said
		took = s.e.Refunded
	}
	kept, err := took.Sub(s.e.Refunded)
	if err == nil && !kept.IsZero() {
		s.detail["kept"] = kept.String()
	}
	return kept, err
}

// odd books a difference. What the partner kept is still with it; what it gave
// too much is nobody's until a person has looked.
func odd(kept money.Amount) []ledger.Entry {
	at := []ledger.Entry{{Account: ledger.Partner, Amount: kept}}
	if kept.Minor < 0 {
		at = append(at, ledger.Entry{Account: ledger.Suspense, Amount: kept.Neg()})
	}
	return at
}

// giveBack owes a refund to the return address. Without one the money lies at
// the withdrawal address again, where the next quote can use it.
func (s *step) giveBack(a money.Amount, from ...ledger.Entry) error {
	if a.Minor <= 0 {
		return ErrMismatch
	}
	if s.o.ReturnAddress == "" {
		s.o.Status = Error
		s.book(
			ledger.Record, s.ref("release"), s.back("release"),
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
	if from[0].Account != ledger.Order(s.o.ID) { // it is the order's still where nothing had left
		s.book(
			ledger.Record, s.ref("return"), s.back("return"),
			append(from, ledger.Entry{Account: ledger.Order(s.o.ID), Amount: a})...,
		)
	}
	s.detail["refund"], s.detail["amount"] = s.o.Refund.Reference, a.String()
	s.advance()
	s.stop()
	return nil
}

// back is the kind of what is booked when money comes back. Of what the partner never
// paid, nothing that a rate had moved is in the wallet, or was taken from it besides:
// what a wallet should have is summed up without that kind.
func (s *step) back(kind string) string {
	if s.e.Kind == PayoutCanceled {
		return "cancel"
	}
	return kind
}

// refund makes a copy of the order's refund, to be changed.
func (s *step) refund(paying bool, status ...RefundStatus) (*Refund, error) {
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

// sending is what a refund does to the ledger.
func (s *step) sending(r *Refund) (ref string, entries []ledger.Entry) {
	return fmt.Sprintf("%s:refund:%d", s.o.ID, r.Attempt), []ledger.Entry{
		{Account: ledger.Order(s.o.ID), Amount: r.Amount.Neg()}, {Account: ledger.Chain(s.o.Chain), Amount: r.Amount},
	}
}

func (s *step) refundReserved() error {
	r, err := s.refund(false, RefundPending)
	if err != nil || s.o.Lost() {
		return ErrIllegal
	}
	r.Attempt++
	r.Paying, r.ReservedAt = true, s.e.At
	s.o.Refund = r
	ref, entries := s.sending(r)
	s.book(ledger.Pend, ref, "refund", entries...)
	return nil
}

func (s *step) refundRefused() error {
	r, err := s.refund(true, RefundPending)
	if err != nil {
		return err
	}
	r.Paying = false
	s.o.Refund = r
	ref, entries := s.sending(r)
	s.book(ledger.Void, ref, "refund", entries...)
	s.stop()
	return nil
}

// refundSent: the partner took it. It is booked when it is there.
func (s *step) refundSent() error {
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

func (s *step) refundDone() error {
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

// refundFailed: the money stays the order's, and a person has to look.
func (s *step) refundFailed() error {
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

// refundRetried: what could not be sent is owed again. The attempt that comes next
// has another key: the one that failed moved nothing. Of one that stands the partner
// is asked once more first.
func (s *step) refundRetried() error {
	r, err := s.refund(false, RefundFailed, RefundSubmitted)
	if err != nil || s.o.Lost() || s.o.Status != Error {
		return ErrIllegal
	}
	if r.Status == RefundSubmitted {
		r.Again = true
	} else {
		s.instead(r.TransferID, s.o.RefundReference())
		r.Status, r.TransferID, r.Hash, r.Reason, r.Again = RefundPending, "", "", "", false
	}
	s.o.Refund, s.o.Status = r, Returned
	s.detail["refund"], s.detail["amount"] = r.Reference, r.Amount.String()
	s.advance()
	return nil
}

// reviewRefused: what held the payout will not go away, and nothing has left.
func (s *step) reviewRefused() error {
	if s.o.Status != InReview || s.o.Paying || s.o.Lost() {
		return ErrIllegal
	}
	if len(s.o.Earlier) > 0 && s.o.ReturnAddress == "" && (s.o.Hold == HoldEarlier || s.o.Hold == HoldFunds) {
		return ErrIllegal // the next quote would be paid with what is not there
	}
	s.o.Failure = &Failure{Code: s.o.Hold, Message: "The payout was held for review and not released"}
	s.o.Hold = ""
	s.tellFailure()
	return s.giveBack(s.o.Terms.Gross, ledger.Entry{Account: ledger.Order(s.o.ID), Amount: s.o.Terms.Gross.Neg()})
}
