package order

import "github.com/railkit/railkit/kit/payout/ledger"

// HoldSentTwice is the reason of a hold on coins that the partner seems to have sent a second time. They would pay a
// recipient twice, and the partner will want them back.
const HoldSentTwice = "sent_twice"

// SentTwice tells whether an order's coins were sent before, and no operator has allowed to pay them out.
func (o Order) SentTwice() bool { return o.Repeats != "" && !o.RepeatAllowed }

// repeats notes that a detected deposit brings coins that came before. A transfer that a reorg removed and brings again
// stays what it was.
func (s refundLeg) repeats(d *Deposit) {
	if s.e.Repeats == "" && s.o.Dropped == d.TransferID {
		return
	}
	s.o.Repeats, s.o.RepeatAllowed = s.e.Repeats, false
	if s.e.Repeats != "" {
		s.detail["repeats"] = s.e.Repeats
	}
}

// allowRepeat: an operator says that the coins are meant for the recipient after all.
func (s refundLeg) allowRepeat() {
	s.o.RepeatAllowed = true
	s.detail["repeats"] = s.o.Repeats
	s.toBank().resume()
}

// keepForPartner: an operator says that the coins are the partner's. They go to no return address, which is the
// client's, and pay for no other quote: they stay in suspense until the partner has taken them.
func (s refundLeg) keepForPartner() {
	s.o.Status, s.o.Hold = Error, ""
	s.o.Failure = &Failure{
		Code: HoldSentTwice, Message: "The coins were sent a second time, and are the payment partner's",
	}
	s.toBank().forget()
	s.toBank().tellFailure()
	s.detail["repeats"] = s.o.Repeats
	s.record("sent_twice",
		ledger.Entry{Account: ledger.Order(s.o.ID), Amount: s.o.Terms.Gross.Neg()},
		ledger.Entry{Account: ledger.Suspense, Amount: s.o.Terms.Gross})
}
