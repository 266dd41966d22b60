package order

import (
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/money"
)

// returnRequested: an operator asks the partner to send the fiat back. The attempt's number makes the call's key.
func (s payInLeg) returnRequested() error {
	p := s.o.PayIn
	if p == nil || s.e.By != Operator || !p.came() {
		return ErrIllegal
	}
	if p.Status == PayInFailed || p.Status == PayInReturning {
		p.Status = PayInHeld
	}
	p.RequestedAt = s.e.At
	p.ReturnAttempt++
	s.advance()
	return nil
}

// AskReturn tells whether an operator wants the fiat back, and the partner has not said that it sends it.
func (p *PayIn) AskReturn() bool {
	return p.ReturnAttempt > 0 && (p.Status == PayInReceived || p.Status == PayInHeld)
}

// PayInReturnKey is the idempotency key of the call that asks the partner to return a pay-in.
func (o Order) PayInReturnKey() string { return key(o.ID, "return", o.PayIn.ReturnAttempt) }

// payInExpired: a bank transfer that the partner expected did not come. Nothing was booked for it.
func (s payInLeg) payInExpired() error {
	if s.o.PayIn == nil || s.o.PayIn.Status != PayInScheduled {
		return ErrIllegal
	}
	s.o.PayIn.Status = PayInReturned
	s.o.Failure = &Failure{Code: "not_received", Message: "The bank transfer that was announced did not come"}
	s.toBank().tellFailure()
	return nil
}

// returnStarted: the partner, or the depositor's bank, sends the fiat back.
func (s payInLeg) returnStarted() error {
	p := s.o.PayIn
	if p == nil {
		return ErrIllegal
	}
	if p.Status == PayInReturning || p.Status == PayInReturned {
		return ErrKnown
	}
	p.Status, p.Reason = PayInReturning, s.e.Reason
	s.detail["reason"] = s.e.Reason
	return nil
}

// returnFailed: the fiat could not be sent back, and is still at the partner.
func (s payInLeg) returnFailed() error {
	p := s.o.PayIn
	if p == nil || s.e.Failure == nil {
		return ErrIllegal
	}
	if p.Status == PayInFailed {
		return ErrKnown
	}
	p.Status, s.o.Failure = PayInFailed, s.e.Failure
	s.toBank().tellFailure()
	return nil
}

// payInReturned: the depositor has the fiat again. Before the coins were sent that undoes the pay-in. Afterwards the
// coins are gone, and what the bank took is a receivable: somebody owes it to the operator.
//
// Say that 5,000.00 MXN became 268.52 USDC in a wallet, and the bank takes the pesos back. The ledger then has
// bank:spei +5,000.00 MXN and receivable -5,000.00 MXN, until an operator has settled it.
func (s payInLeg) payInReturned() error {
	p, back := s.o.PayIn, s.e.Refunded
	switch {
	case p == nil:
		return ErrIllegal
	case back.Minor <= 0 || back.Currency != p.Amount.Currency || back.Minor > p.Amount.Minor-p.Returned.Minor:
		return ErrMismatch
	}
	from := ledger.Order(s.o.ID)
	switch p.Status {
	case PayInReturned: // the rest of it: from what the partner kept, or of what is owed already
		from = ledger.Partner
		if !p.Receivable.IsZero() {
			from, p.Receivable = ledger.Receivable, money.Of(p.Receivable.Minor+back.Minor, back.Currency)
		}
	case PayInSubmitted, PayInSettled, PayInWrittenOff:
		from, p.Receivable = ledger.Receivable, money.Of(p.Receivable.Minor+back.Minor, back.Currency)
		s.label(Recalled)
	}
	if p.came() {
		if err := s.bookReturn(from, back); err != nil {
			return err
		}
	}
	p.Status, p.Reason, s.o.Hold, s.o.Delay = PayInReturned, s.e.Reason, "", ""
	p.Returned = money.Of(p.Returned.Minor+back.Minor, back.Currency)
	s.o.Failure = s.e.Failure
	s.detail["amount"], s.detail["currency"] = back.String(), string(back.Currency)
	s.toBank().tellFailure()
	return nil
}

// bookReturn sends fiat back to the bank. What the partner kept of it stays on the partner's account.
func (s payInLeg) bookReturn(from ledger.Account, back money.Amount) error {
	p := s.o.PayIn
	taken, kept := back, money.Of(0, back.Currency)
	if from == ledger.Order(s.o.ID) {
		var err error
		if kept, err = p.Amount.Sub(back); err != nil {
			return err
		}
		taken = p.Amount
	}
	s.record("payin_return",
		ledger.Entry{Account: from, Amount: taken.Neg()},
		ledger.Entry{Account: ledger.Bank(string(p.Rail)), Amount: back},
		ledger.Entry{Account: ledger.Partner, Amount: kept})
	if !kept.IsZero() {
		s.detail["kept"] = kept.String()
	}
	return nil
}

// receivableSettled: an operator was paid what the bank took, or gives it up; outside this system, so that suspense
// has the amount from now on.
func (s payInLeg) receivableSettled() error {
	p := s.o.PayIn
	if p == nil || s.e.By != Operator || p.Receivable.IsZero() {
		return ErrIllegal
	}
	s.record("receivable",
		ledger.Entry{Account: ledger.Receivable, Amount: p.Receivable},
		ledger.Entry{Account: ledger.Suspense, Amount: p.Receivable.Neg()})
	s.detail["amount"], s.detail["currency"] = p.Receivable.String(), string(p.Receivable.Currency)
	p.Receivable = money.Amount{}
	return nil
}
