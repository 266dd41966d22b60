package order

import (
	"slices"
	"time"

	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/money"
)

// coinsSubmitted: the partner says that it converted the fiat and sent the coins. Told again with another transaction
// or amount, before coins were seen, only the difference is booked.
func (s payInLeg) coinsSubmitted() error {
	p, told := s.o.PayIn, s.e.PayIn
	if p == nil || !p.came() || told == nil || told.Coins.Minor <= 0 || told.Coins.Currency != s.o.Coin() {
		return ErrIllegal
	}
	if p.Status == PayInSubmitted || p.Status == PayInReturned && !p.Coins.IsZero() {
		return s.resubmitted(told)
	}
	if p.Status == PayInSettled || s.e.By == Operator {
		return s.knownOrRefused()
	}
	fee := told.Fee
	if fee.Currency == "" {
		fee = money.Of(0, p.Amount.Currency)
	}
	rest, err := p.Amount.Sub(fee)
	if err != nil || fee.Minor < 0 || rest.Minor <= 0 {
		return ErrMismatch
	}
	network := money.Of(min(max(s.e.Network.Minor, 0), fee.Minor), fee.Currency)
	platform, err := fee.Sub(network)
	if err != nil {
		return err
	}
	p.Fee, p.Coins, p.Hash, p.Reason, s.o.Delay = fee, told.Coins, told.Hash, "", ""
	from := ledger.Order(s.o.ID)
	if p.Status == PayInReturned { // the depositor has the fiat again, and the coins are on their way: it is owed
		from, p.Receivable = ledger.Receivable, p.Amount
		s.label(Recalled)
	} else {
		p.Status = PayInSubmitted
	}
	s.label(s.e.Labels...)
	s.record("convert",
		ledger.Entry{Account: from, Amount: p.Amount.Neg()},
		ledger.Entry{Account: ledger.FeesPlatform, Amount: platform},
		ledger.Entry{Account: ledger.FeesNetwork, Amount: network}, ledger.Entry{Account: ledger.FX, Amount: rest},
		ledger.Entry{Account: ledger.FX, Amount: p.Coins.Neg()}, ledger.Entry{Account: ledger.Partner, Amount: p.Coins})
	s.detail["coins"], s.detail["hash"] = p.Coins.String(), p.Hash
	s.advance()
	return s.priced(platform, network, rest)
}

// priced notes at which rate the partner converted. Of a global payment the terms are those of its payout.
func (s payInLeg) priced(platform, network, rest money.Amount) error {
	p := s.o.PayIn
	rate, err := money.RateOf(rest, p.Coins)
	if err == nil {
		s.detail["rate"] = rate.String()
	}
	if s.o.Type == OnRamp {
		s.o.Terms = Terms{Gross: p.Amount, Platform: platform, Network: network, Rate: rate, Net: p.Coins}
	}
	return err
}

// Coin is the order's stablecoin: what an on-ramp order buys, and what every other order pays from.
func (o Order) Coin() money.Currency {
	if o.Type == OnRamp {
		return o.Destination
	}
	return o.Source
}

// Fiats is the currency of the fiat that an order takes or pays.
func (o Order) Fiats() money.Currency {
	if o.PayIn != nil {
		return o.PayIn.Amount.Currency
	}
	return o.Destination
}

func (s payInLeg) resubmitted(told *PayIn) error {
	p := s.o.PayIn
	if told.Hash == p.Hash && told.Coins == p.Coins || p.GivenUp || p.Named && s.e.By != Operator {
		return s.knownOrRefused()
	}
	if p.Transfer != nil {
		if p.Transfer.Final || p.Transfer.Amount == p.Coins {
			return s.knownOrRefused() // what is on the chain counts, not what is said about it now
		}
		s.freed, p.Transfer = p.Transfer.TransferID, nil // it is somebody else's
	}
	more, err := told.Coins.Sub(p.Coins)
	if err != nil {
		return err
	}
	if !more.IsZero() {
		s.record("convert",
			ledger.Entry{Account: ledger.FX, Amount: more.Neg()}, ledger.Entry{Account: ledger.Partner, Amount: more})
	}
	p.Hash, p.Coins, p.Named, s.o.Delay = told.Hash, told.Coins, s.e.By == Operator, ""
	s.detail["coins"], s.detail["hash"] = p.Coins.String(), p.Hash
	s.advance()
	rest, err := p.Amount.Sub(p.Fee)
	if err != nil {
		return err
	}
	return s.priced(s.o.Terms.Platform, s.o.Terms.Network, rest)
}

// knownOrRefused is the error for an event that changes nothing. An operator has to hear that it did nothing.
func (s payInLeg) knownOrRefused() error {
	if s.e.By == Operator {
		return ErrIllegal
	}
	return ErrKnown
}

// coinsDetected: the transfer that the partner told of is in a block, at the address where it belongs.
func (s payInLeg) coinsDetected() error {
	p, d := s.o.PayIn, s.e.Deposit
	switch {
	case p == nil || d == nil || d.Amount.Minor <= 0 || d.Amount.Currency != s.o.Coin() || p.Coins.IsZero():
		return ErrIllegal
	case p.Transfer != nil && p.Transfer.TransferID == d.TransferID:
		return ErrKnown
	case p.Transfer != nil:
		return ErrIllegal
	}
	s.regain(p)
	seen := *d
	seen.Final, seen.Ref = false, ""
	p.Transfer, s.o.Delay = &seen, ""
	s.showTransfer()
	return nil
}

// regain takes back that coins were given up: they are there.
func (s payInLeg) regain(p *PayIn) {
	if !p.GivenUp {
		return
	}
	s.record("found",
		ledger.Entry{Account: ledger.Suspense, Amount: p.Coins.Neg()},
		ledger.Entry{Account: ledger.Partner, Amount: p.Coins})
	p.GivenUp = false
	if p.Status == PayInWrittenOff {
		p.Status = PayInSubmitted
	}
}

// coinsOf returns a copy of the pay-in's transfer with the event's block, if the event is about that transfer.
func (s payInLeg) coinsOf() (*Deposit, error) {
	p, d := s.o.PayIn, s.e.Deposit
	switch {
	case p == nil || p.Transfer == nil || d == nil || d.TransferID != p.Transfer.TransferID:
		return nil, ErrIllegal
	case p.Transfer.Final && s.e.Kind != CoinsDropped:
		return nil, ErrKnown
	case d.Amount != p.Transfer.Amount:
		return nil, ErrIllegal
	}
	now := *p.Transfer
	now.Block, now.Hash, now.Confirmations = d.Block, d.Hash, d.Confirmations
	return &now, nil
}

func (s payInLeg) coinsSeen() error {
	d, err := s.coinsOf()
	if err != nil {
		return err
	}
	if d.Confirmations == s.o.PayIn.Transfer.Confirmations {
		return ErrKnown
	}
	s.o.PayIn.Transfer = d
	s.showTransfer()
	return nil
}

// coinsConfirmed: the coins are final at the address, and as many as the partner told.
func (s payInLeg) coinsConfirmed() error {
	d, err := s.coinsOf()
	if err != nil {
		return err
	}
	if d.Amount != s.o.PayIn.Coins {
		return ErrMismatch
	}
	return s.delivered(d)
}

// coinsAccepted: an operator takes the amount that came instead of the one that the partner told. The difference stays
// in suspense until it is settled with the partner outside this system.
func (s payInLeg) coinsAccepted() error {
	p := s.o.PayIn
	if p == nil || s.e.By != Operator || p.Coins.IsZero() {
		return ErrIllegal
	}
	came := p.Transfer
	if s.o.Type == GlobalPayment && came == nil {
		came = s.o.Deposit
	}
	if came == nil || came.Amount == p.Coins || p.Transfer != nil && p.Transfer.Final || !came.deep() {
		return ErrIllegal
	}
	d := *came
	s.advance()
	return s.delivered(&d)
}

// delivered: the coins are final, and the wallet has them.
func (s payInLeg) delivered(d *Deposit) error {
	d.Final, d.Confirmations = true, max(d.Confirmations, d.Required)
	if err := s.deliver(d); err != nil {
		return err
	}
	s.o.Delay = ""
	if s.o.Type == OnRamp {
		s.o.Terms.Net = d.Amount
	}
	s.showTransfer()
	return nil
}

// deliver books the coins of a transfer out of the partner's account. The pay-in is its own copy.
func (s payInLeg) deliver(d *Deposit) error {
	entries, err := s.delivery(d.Amount)
	if err != nil {
		return err
	}
	s.record("deliver", entries...)
	p := s.o.PayIn
	p.Transfer = d
	if p.Status == PayInSubmitted {
		p.Status = PayInSettled
	}
	return nil
}

// undeliver takes a delivery back: the partner owes the coins again. The pay-in is its own copy.
func (s payInLeg) undeliver() error {
	p := s.o.PayIn
	entries, err := s.delivery(p.Transfer.Amount)
	if err != nil {
		return err
	}
	s.record("undeliver", ledger.Reversed(entries)...)
	p.Transfer = nil
	if p.Status == PayInSettled {
		p.Status = PayInSubmitted
	}
	return nil
}

// delivery are the ledger entries of coins that left the partner, with the difference to what the partner told.
func (s payInLeg) delivery(came money.Amount) ([]ledger.Entry, error) {
	told := s.o.PayIn.Coins
	short, err := told.Sub(came)
	return []ledger.Entry{
		{Account: ledger.Partner, Amount: told.Neg()}, {Account: ledger.Chain(s.o.Chain), Amount: came},
		{Account: ledger.Suspense, Amount: short},
	}, err
}

// coinsDropped: a reorg removed the coins, final or not. The partner's transaction is mostly mined again.
func (s payInLeg) coinsDropped() error {
	p := s.o.PayIn
	if p == nil || p.Transfer == nil || s.e.Deposit == nil || s.e.Deposit.TransferID != p.Transfer.TransferID {
		return ErrIllegal
	}
	s.showTransfer()
	s.freed = p.Transfer.TransferID
	s.advance()
	if p.Transfer.Final {
		s.o.CompletedAt = time.Time{}
		return s.undeliver()
	}
	p.Transfer = nil
	return nil
}

// coinsDelayed: the coins are late, or what is on the chain is not what the partner told.
func (s payInLeg) coinsDelayed() error {
	if s.o.PayIn == nil || s.e.Reason == "" {
		return ErrIllegal
	}
	if s.o.Delay != "" { // one is enough for a person to look
		return ErrKnown
	}
	s.o.Delay = s.e.Reason
	s.detail["reason"] = s.e.Reason
	return nil
}

// coinsRepeated: the partner says that it sent the coins a second time. Nothing is booked: whether a second transfer
// came is for an operator and the partner to clear.
func (s payInLeg) coinsRepeated() error {
	if s.o.PayIn == nil || s.e.PayIn == nil {
		return ErrIllegal
	}
	if slices.Contains(s.o.Labels, PaidTwice) {
		return ErrKnown
	}
	s.label(PaidTwice)
	s.detail["hash"] = s.e.PayIn.Hash
	return nil
}

// coinsWrittenOff: an operator gives up on coins that the partner says it sent. The amount stays in suspense until it
// is settled with the partner outside this system.
func (s payInLeg) coinsWrittenOff() error {
	p := s.o.PayIn
	if p == nil || s.e.By != Operator || p.Coins.IsZero() || p.GivenUp || p.Transfer != nil ||
		s.o.Delay == "" {
		return ErrIllegal
	}
	s.record("give_up",
		ledger.Entry{Account: ledger.Partner, Amount: p.Coins.Neg()},
		ledger.Entry{Account: ledger.Suspense, Amount: p.Coins})
	p.Status, p.GivenUp = PayInWrittenOff, true
	s.o.Failure = &Failure{Code: s.o.Delay, Message: "The coins that the partner said it sent never came"}
	s.toBank().tellFailure()
	return nil
}

// deep tells whether a transfer is as deep in its chain as it has to be.
func (d *Deposit) deep() bool { return d.Final || d.Confirmations >= d.Required }

// AwaitsCoins tells whether the order is a global payment that has its fiat, and waits for the coins at its address.
func (o Order) AwaitsCoins() bool {
	return o.Type == GlobalPayment && o.PayIn != nil && o.PayIn.came() && o.Deposit == nil
}

// join books the delivery of a global payment's coins: once the partner has told that it sent them, and its deposit at
// the withdrawal address is final, whichever of the two comes last. Another amount than told waits for an operator.
func (s payInLeg) join() error {
	d, p := s.o.Deposit, s.o.PayIn
	if p == nil || p.Coins.IsZero() || p.Transfer != nil || d == nil || !d.Final {
		return nil
	}
	settled, came := *p, *d
	p = &settled
	s.o.PayIn = p
	s.regain(p)
	if p.Status != PayInSubmitted && p.Status != PayInReturned {
		return nil
	}
	if d.Amount != p.Coins {
		s.o.Delay, s.detail["reason"] = DelayAmount, DelayAmount
		return nil
	}
	return s.deliver(&came)
}

// unjoin takes the delivery back: the deposit of a global payment is given up.
func (s payInLeg) unjoin() error {
	p := s.o.PayIn
	if s.o.Type != GlobalPayment || p == nil || p.Transfer == nil {
		return nil
	}
	again := *p
	s.o.PayIn = &again
	return s.undeliver()
}
