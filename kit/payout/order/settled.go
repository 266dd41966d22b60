package order

import (
	"slices"

	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/money"
)

// payoutFound: the partner does not know the payout by the id that it had told, and knows it by our reference.
func (s bankLeg) payoutFound() error {
	is := s.e.Payout
	switch {
	case is == nil || is.TransferID == "" || s.o.Payout.TransferID == "":
		return ErrIllegal
	case is.TransferID == s.o.Payout.TransferID:
		return ErrKnown
	}
	s.wrong = s.o.Payout.TransferID
	s.o.Payout.TransferID = is.TransferID
	s.detail["transferId"], s.detail["instead"] = is.TransferID, s.wrong
	s.advance()
	return nil
}

// refundFound is payoutFound of a refund.
func (s bankLeg) refundFound() error {
	r, err := s.toSender().refund(false, RefundSubmitted)
	switch is := s.e.Refund; {
	case err != nil || is == nil || is.TransferID == "":
		return ErrIllegal
	case is.TransferID == r.TransferID:
		return ErrKnown
	default:
		s.wrong, r.TransferID = r.TransferID, is.TransferID
		s.detail["transferId"], s.detail["instead"] = is.TransferID, s.wrong
	}
	s.o.Refund = r
	s.advance()
	return nil
}

// inDoubt tells whether the partner may have made the payout of an order: it was asked for it, or something left the
// wallet that our books do not explain.
func inDoubt(o Order) bool {
	switch o.Status {
	case PaymentSubmitted:
		return true
	case InReview:
		return o.Paying || !o.RefundHeld() && slices.Contains([]string{HoldEarlier, HoldForgotten, HoldFunds}, o.Hold)
	}
	return o.Status == FundsReceived && o.Paying
}

// transferAccepted: an operator knows that the open payout or refund was made, though the partner's answers do not say
// so. It is booked with the amounts that it was asked for; what the partner took or paid besides is between the two.
func (s bankLeg) transferAccepted() error {
	switch {
	case s.e.By != Operator:
		return ErrIllegal
	case s.o.Refund != nil:
		return s.refundAccepted()
	case !inDoubt(s.o) || !s.o.ready():
		return ErrIllegal
	}
	if err := s.bookAccepted(); err != nil {
		return err
	}
	s.o.Status, s.o.CompletedAt, s.o.Paying = Completed, s.e.At, false
	s.o.Hold, s.o.Delay, s.o.Wish, s.o.Failure = "", "", "", nil
	s.forget()
	s.detail["amount"] = s.o.Terms.Net.String()
	return nil
}

// bookAccepted books a payout, as far as it is not booked yet, and its settlement. An order that was never priced here
// has no such amounts: what it had is in suspense then.
func (s bankLeg) bookAccepted() error {
	gross := s.o.Terms.Gross
	if s.o.Terms.Net.Minor <= 0 || s.o.Terms.Rate.IsZero() || s.o.Attempt == 0 {
		s.o.Terms.Net = money.Of(0, s.o.Destination)
		s.suspend("accepted", ledger.Entry{Account: ledger.Order(s.o.ID), Amount: gross.Neg()})
		return nil
	}
	entries, err := s.payout()
	switch {
	case err != nil:
		return err
	case s.o.Paying:
		s.book(ledger.Post, s.ref("payout"), "payout", entries...)
	case s.o.Status != PaymentSubmitted:
		s.record("payout", entries...)
	}
	s.e.Payout, s.e.Net, s.e.Rate, s.o.Payout.Taken = nil, s.o.Terms.Net, s.o.Terms.Rate, money.Amount{}
	settled, err := s.settlement()
	s.record("settle", settled...)
	return err
}

// suspend books what entries take from other accounts to suspense.
func (s bankLeg) suspend(kind string, from ...ledger.Entry) {
	s.record(kind, append(from, ledger.Entry{Account: ledger.Suspense, Amount: s.o.Terms.Gross})...)
}

// openRefund is the order's refund, unless it waits for nothing that an operator knows.
func (s bankLeg) openRefund() (*Refund, error) {
	if s.o.Refund == nil || s.o.Refund.Status == RefundCompleted ||
		s.o.Refund.Status == RefundPending && !s.o.Refund.Paying {
		return nil, ErrIllegal
	}
	r := *s.o.Refund
	return &r, nil
}

func (s bankLeg) refundAccepted() error {
	r, err := s.openRefund()
	if err != nil {
		return err
	}
	ref, entries := s.toSender().sending(r)
	if r.Status == RefundFailed {
		s.record("refund", entries...)
	} else {
		s.book(ledger.Post, ref, "refund", entries...)
	}
	r.Status, r.Paying, r.Reason, r.Again = RefundCompleted, false, "", false
	s.o.Refund, s.o.Status, s.o.Hold = r, Returned, ""
	s.detail["amount"] = r.Amount.String()
	return nil
}

// transferWrittenOff: an operator settles the open payout or refund with the partner outside this system. The order
// ends, and its amount is in suspense until that is done.
func (s bankLeg) transferWrittenOff() error {
	switch {
	case s.e.By != Operator:
		return ErrIllegal
	case s.o.Refund != nil:
		return s.refundWrittenOff()
	case !inDoubt(s.o) || !s.o.ready():
		return ErrIllegal
	}
	gross := s.o.Terms.Gross
	from := []ledger.Entry{{Account: ledger.Order(s.o.ID), Amount: gross.Neg()}}
	if s.o.Paying || s.o.Status == PaymentSubmitted {
		entries, err := s.payout()
		if err != nil {
			return err
		}
		if s.o.Paying {
			s.book(ledger.Void, s.ref("payout"), "payout", entries...)
		} else {
			from = ledger.Reversed(entries)[1:]
		}
	}
	s.suspend(writtenOff, from...)
	s.o.Paying, s.o.Wish, s.o.Delay = false, "", ""
	s.endWrittenOff()
	return nil
}

// writtenOff is the code of an order that ended so, and the kind of its ledger transaction.
const writtenOff = "written_off"

func (s bankLeg) refundWrittenOff() error {
	r, err := s.openRefund()
	if err != nil {
		return err
	}
	if ref, entries := s.toSender().sending(r); r.Status != RefundFailed {
		s.book(ledger.Void, ref, "refund", entries...)
	}
	s.record(writtenOff, ledger.Entry{Account: ledger.Order(s.o.ID), Amount: r.Amount.Neg()},
		ledger.Entry{Account: ledger.Suspense, Amount: r.Amount})
	s.onChain().instead(r.TransferID, s.o.RefundReference())
	s.o.Refund, s.o.Refunds = nil, r.Attempt
	s.endWrittenOff()
	return nil
}

func (s bankLeg) endWrittenOff() {
	s.o.Status, s.o.Hold = Error, ""
	s.o.Failure = &Failure{Code: writtenOff, Message: "It is settled with the payment partner outside this system"}
	s.forget()
	s.tellFailure()
}

// transferDisowned: an operator knows that a transfer which no order here has is not this order's: it goes on.
func (s bankLeg) transferDisowned() error {
	if s.e.By != Operator || s.e.Payout == nil || s.e.Payout.TransferID == "" {
		return ErrIllegal
	}
	if r := s.o.Refund; r != nil {
		if s.o.Status != Error || r.Status != RefundFailed || r.Reason != HoldForgotten || s.o.Lost() {
			return ErrIllegal
		}
		again := *r
		again.Status, again.Reason = RefundPending, ""
		s.o.Refund, s.o.Status = &again, Returned
	} else if s.o.Status != InReview || s.o.Hold != HoldForgotten {
		return ErrIllegal
	} else {
		s.resume()
	}
	s.o.Disowned = append(slices.Clone(s.o.Disowned), s.e.Payout.TransferID)
	s.detail["transferId"] = s.e.Payout.TransferID
	s.advance()
	return nil
}
