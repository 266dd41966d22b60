package order

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/money"
)

// detected: a transfer to the address is in a block. Its money is the order's once it is final, not before.
func (s chainLeg) detected() error {
	d := s.e.Deposit
	switch {
	case d == nil || d.Amount.Minor <= 0 || d.Amount.Currency != s.o.Source:
		return ErrIllegal
	case s.o.Deposit != nil && s.o.Deposit.TransferID == d.TransferID:
		return ErrKnown
	case s.o.Deposit != nil, s.o.Status == Expired && s.o.Dropped != d.TransferID,
		!s.o.AwaitsCoins() && s.o.Status != "" && s.o.Status != Awaiting && s.o.Status != Expired:
		return ErrIllegal
	}
	deposit := *d
	deposit.Final = false
	// A deposit that comes again after a reorg is another transaction of the ledger.
	deposit.Ref = fmt.Sprintf("%s:deposit:%d", s.o.ID, s.o.Version+1)
	s.toSender().repeats(d)
	s.o.Deposit, s.o.Dropped, s.o.Status = &deposit, "", FundsReceived
	s.reprice()
	s.label(s.e.Labels...)
	s.book(ledger.Pend, deposit.Ref, "deposit", s.arrival()...)
	s.detail["hash"], s.detail["amount"] = d.Hash, d.Amount.String()
	s.progress()
	return nil
}

// reprice compares the deposit with the quote. If the amount differs, or the quote has expired, the order is paid at
// the current rate.
func (s chainLeg) reprice() {
	got := s.o.Deposit.Amount
	if s.o.QuoteID == "" || s.o.Type == GlobalPayment { // no price is held while a bank transfer is on its way
		s.o.Terms = Terms{Gross: got}
		return
	}
	switch {
	case got.Minor < s.o.Expected.Minor:
		s.label(Under, Repriced)
	case got.Minor > s.o.Expected.Minor:
		s.label(Over, Repriced)
	}
	if s.e.ended(s.o.ExpiresAt) {
		s.label(Late, Repriced)
	}
	s.o.Terms.Gross, s.o.Terms.Quoted = got, !slices.Contains(s.o.Labels, Repriced)
}

// arrival are the ledger entries of a deposit.
func (s chainLeg) arrival() []ledger.Entry {
	a := s.o.Deposit.Amount
	return []ledger.Entry{
		{Account: ledger.Chain(s.o.Chain), Amount: a.Neg()}, {Account: ledger.Held(s.o.WithdrawAddressID), Amount: a},
	}
}

func (s chainLeg) progress() {
	d := s.o.Deposit
	s.detail["confirmations"] = strconv.Itoa(d.Confirmations) + "/" + strconv.Itoa(d.Required)
}

// same returns a copy of the order's deposit, with the event's block, if the event is about that deposit.
func (s chainLeg) same() (*Deposit, error) {
	switch {
	case s.e.Deposit == nil || s.o.Deposit == nil || s.e.Deposit.TransferID != s.o.Deposit.TransferID:
		return nil, ErrIllegal
	case s.o.Deposit.Final:
		return nil, ErrKnown
	}
	d := *s.o.Deposit
	d.Block, d.Hash, d.Confirmations = s.e.Deposit.Block, s.e.Deposit.Hash, s.e.Deposit.Confirmations
	return &d, nil
}

// grown is same, and refuses an event whose amount is not the detected one.
func (s chainLeg) grown() (*Deposit, error) {
	d, err := s.same()
	if err == nil && s.e.Deposit.Amount != d.Amount {
		err = ErrIllegal
	}
	return d, err
}

func (s chainLeg) seen() error {
	d, err := s.grown()
	if err != nil {
		return err
	}
	if d.Confirmations == s.o.Deposit.Confirmations {
		return ErrKnown
	}
	s.o.Deposit = d
	s.progress()
	return nil
}

// confirmed: the deposit is final, and the order's.
func (s chainLeg) confirmed() error {
	d, err := s.grown()
	if err != nil {
		return err
	}
	d.Final, d.Confirmations = true, max(d.Confirmations, d.Required)
	s.o.Deposit = d
	s.book(ledger.Post, d.Ref, "deposit", s.arrival()...)
	s.claim(d.Amount)
	s.progress()
	s.advance()
	return s.fromBank().join()
}

// claim moves an amount from the withdrawal address to the order.
func (s chainLeg) claim(a money.Amount) {
	s.record("claim",
		ledger.Entry{
			Account: ledger.Held(s.o.WithdrawAddressID), Amount: a.Neg(),
		}, ledger.Entry{Account: ledger.Order(s.o.ID), Amount: a})
}

// dropped: a reorg removed the deposit before it was final, or an operator gives up a deposit that vanished.
func (s chainLeg) dropped() error {
	if s.o.Deposit == nil && s.e.Deposit != nil && s.e.Deposit.TransferID == s.o.Dropped {
		return ErrKnown
	}
	if s.e.By == Operator {
		return s.forgone()
	}
	d, err := s.same()
	if err != nil {
		return ErrIllegal // a final deposit is given up by an operator only
	}
	s.book(ledger.Void, d.Ref, "deposit", s.arrival()...)
	s.without(d)
	return nil
}

// without makes the order what it was before its deposit.
func (s chainLeg) without(d *Deposit) {
	s.o.Deposit, s.o.Dropped, s.o.Status = nil, d.TransferID, Expired
	if s.o.AwaitsCoins() {
		s.o.Status = FundsReceived // the partner has the fiat, and its coins come again
	} else if s.o.QuoteID != "" {
		s.o.Labels = nil
		s.o.Terms.Gross, s.o.Terms.Quoted = s.o.Expected, true
		if !s.e.ended(s.o.ExpiresAt) {
			s.o.Status = Awaiting
		}
	}
	s.detail["hash"] = d.Hash
}

// funded: stablecoin that already lies at the address pays for a quote.
func (s chainLeg) funded() error {
	if s.o.QuoteID == "" || s.o.Expected.Minor <= 0 || !s.o.Terms.Quoted || s.o.Terms.Gross != s.o.Expected {
		return ErrIllegal
	}
	s.o.Status = FundsReceived
	s.claim(s.o.Expected)
	s.detail["amount"] = s.o.Expected.String()
	s.advance()
	return nil
}
