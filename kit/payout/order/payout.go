package order

import (
	"fmt"

	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/money"
)

// ready tells whether the order has the money for its payout: its deposit is final, or it was paid from the address.
// A global payment without a deposit still waits for the coins of its fiat.
func (o Order) ready() bool {
	if o.Deposit == nil {
		return o.Type == OffRamp
	}
	return o.Deposit.Final
}

func (s bankLeg) reviewOpened() error {
	if !s.o.holdable() || s.o.Lost() || s.e.Reason == "" {
		return ErrIllegal
	}
	if s.o.Status == InReview && s.o.Hold == s.e.Reason {
		return ErrKnown
	}
	if err := s.found(); err != nil {
		return err
	}
	s.o.Status, s.o.Hold = InReview, s.e.Reason
	s.detail["reason"] = s.e.Reason
	return nil
}

func (s bankLeg) reviewCleared() error {
	if s.o.Lost() {
		return ErrIllegal
	}
	s.resume()
	return nil
}

// reserved sets the money of an attempt aside in the ledger, before the partner is asked.
func (s bankLeg) reserved() error {
	t := s.e.Terms
	if s.o.Paying || !s.o.ready() || s.o.Lost() || s.o.SentTwice() || len(s.o.Hits()) > 0 ||
		t == nil || !s.o.takes(*t) {
		return ErrIllegal
	}
	s.o.Terms, s.o.Paying, s.o.ReservedAt = *t, true, s.e.At
	s.o.Attempt, s.o.MadeAs = s.onChain().made(s.o.Reference, s.o.Attempt+1), s.e.MadeAs
	entries, err := s.payout()
	if err != nil {
		return err
	}
	s.book(ledger.Pend, s.ref("payout"), "payout", entries...)
	s.detail["rate"], s.detail["net"] = t.Rate.String(), t.Net.String()
	return nil
}

// takes tells whether an order can be paid at these terms. They may not change what a quote promised.
func (o Order) takes(t Terms) bool {
	ours, err := t.DeveloperFee()
	if err != nil || t.Platform.Minor < 0 ||
		t.Network.Minor < 0 || ours.Minor < 0 || ours.Currency != o.Source || ours.Minor >= t.Gross.Minor {
		return false
	}
	if drift, err := t.drift(); err != nil || !t.Quoted && !drift.IsZero() {
		return false
	}
	if was := o.Terms; was.Quoted && (t.Net != was.Net || t.Platform != was.Platform || t.Network != was.Network) {
		return false
	}
	return t.Gross == o.Terms.Gross &&
		t.Quoted == o.Terms.Quoted && t.Net.Minor > 0 && t.Net.Currency == o.Destination && !t.Rate.IsZero()
}

// ref names the ledger's transaction of this attempt.
func (s bankLeg) ref(what string) string { return fmt.Sprintf("%s:%s:%d", s.o.ID, what, s.o.Attempt) }

// payout are the ledger entries of a payout attempt. The order gives the gross. The partner gets what it converts; the
// rest is ours: the fees, and the gain or loss because the rate moved since the quote.
func (s bankLeg) payout() ([]ledger.Entry, error) {
	t := s.o.Terms
	drift, err := t.drift()
	if err != nil {
		return nil, err
	}
	rest, err := s.rest()
	return []ledger.Entry{
		{Account: ledger.Order(s.o.ID), Amount: t.Gross.Neg()}, {Account: ledger.Partner, Amount: rest},
		{Account: ledger.FeesPlatform, Amount: t.Platform}, {Account: ledger.FeesNetwork, Amount: t.Network},
		{Account: ledger.FXGain, Amount: drift},
	}, err
}

// rest is the amount that the partner converts: the gross without our fee.
func (s bankLeg) rest() (money.Amount, error) {
	ours, err := s.o.Terms.DeveloperFee()
	if err != nil {
		return money.Amount{}, err
	}
	return s.o.Terms.Gross.Sub(ours)
}

// refused: the partner did not take the payout, and nothing left the wallet. After a refusal for good the money is
// given back, unless its deposit is gone.
func (s bankLeg) refused() error {
	if !s.o.Paying {
		return ErrIllegal
	}
	entries, err := s.payout()
	if err != nil {
		return err
	}
	s.book(ledger.Void, s.ref("payout"), "payout", entries...)
	s.o.Paying, s.o.MadeAs, s.o.Failure = false, "", s.e.Failure
	s.tellFailure()
	if s.e.Final && !s.o.Lost() {
		return s.toSender().giveBack(
			s.o.Terms.Gross, ledger.Entry{Account: ledger.Order(s.o.ID), Amount: s.o.Terms.Gross.Neg()},
		)
	}
	s.onChain().stop()
	return nil
}

func (s bankLeg) tellFailure() {
	if f := s.o.Failure; f != nil {
		s.detail["code"], s.detail["message"] = f.Code, f.Message
		if f.ReturnCode != "" {
			s.detail["returnCode"] = f.ReturnCode
		}
	}
}

// submitted: the partner took the payout, and has the money.
func (s bankLeg) submitted() error {
	if s.o.Status == PaymentSubmitted || s.o.Status == Completed {
		return ErrKnown
	}
	if !s.o.Paying || s.e.Payout == nil || s.e.Payout.TransferID == "" {
		return ErrIllegal
	}
	entries, err := s.payout()
	if err != nil {
		return err
	}
	s.book(ledger.Post, s.ref("payout"), "payout", entries...)
	s.o.Paying, s.o.Failure, s.o.Payout, s.o.Status = false, nil, *s.e.Payout, PaymentSubmitted
	s.references()
	return nil
}

func (s bankLeg) references() {
	for name, value := range map[string]string{
		"trackingKey": s.o.Payout.TrackingKey, "traceNumber": s.o.Payout.TraceNumber, "imad": s.o.Payout.IMAD,
	} {
		if value != "" {
			s.detail[name] = value
		}
	}
}

func (s bankLeg) delayed() error {
	if s.o.Delay == s.e.Reason {
		return ErrKnown
	}
	s.o.Delay, s.o.Wish = s.e.Reason, "" // the operator decided about the old reason
	s.detail["reason"] = s.e.Reason
	return nil
}

// received: the bank has the money. The amounts that the partner reports have to be those that it was asked for
// (settlement).
func (s bankLeg) received() error {
	if s.o.Status == Completed {
		return ErrKnown
	}
	if s.o.Status != PaymentSubmitted {
		return ErrIllegal
	}
	entries, err := s.settlement()
	if err != nil {
		return err
	}
	s.book(ledger.Record, s.ref("settle"), "settle", entries...)
	s.o.Status, s.o.CompletedAt, s.o.Delay, s.o.Wish = Completed, s.e.At, "", ""
	s.label(s.e.Labels...)
	s.references()
	s.detail["amount"], s.detail["rate"] = s.o.Terms.Net.String(), s.o.Terms.Rate.String()
	return nil
}

// settlement are the ledger entries of a completed payout: the conversion from the source currency to the bank's, each
// currency balanced by the account FX. An answer with other amounts than asked for is ErrMismatch.
func (s bankLeg) settlement() ([]ledger.Entry, error) {
	rest, err := s.rest()
	if err != nil {
		return nil, err
	}
	net := s.e.Net
	if net.Minor <= 0 {
		return nil, ErrMismatch
	}
	rate := s.rate()
	worth, err := rate.Convert(rest, s.o.Destination)
	if err != nil {
		return nil, err
	}
	if s.o.Terms.Quoted && net != s.o.Terms.Net || !s.o.Terms.Quoted && net != worth {
		return nil, ErrMismatch
	}
	converted, err := rate.Cost(net, s.o.Source)
	if err != nil {
		return nil, err
	}
	s.o.Payout = merged(s.o.Payout, s.e.Payout)
	switch taken := s.o.Payout.Taken; {
	case taken.IsZero():
	case s.o.Terms.Quoted && near(taken, converted):
		converted = taken
	case s.o.Terms.Quoted || taken != rest:
		return nil, ErrMismatch
	}
	over, err := rest.Sub(converted)
	if err != nil {
		return nil, err
	}
	s.o.Payout.Converted, s.o.Payout.Residue, s.o.Terms.Rate, s.o.Terms.Net = converted, money.Of(0,
		s.o.Source), rate, net
	if !s.o.Terms.Quoted {
		s.o.Payout.Residue = over
	}
	return []ledger.Entry{
		{Account: ledger.Partner, Amount: rest.Neg()}, {Account: ledger.FX, Amount: converted},
		{Account: s.o.residual(), Amount: over},
		{Account: ledger.FX, Amount: net.Neg()}, {Account: ledger.Bank(string(s.o.Rail)), Amount: net},
	}, nil
}

// rate is the rate of the partner's conversion. If the partner leaves it out (USDC to USD, say), it is the rate that
// the partner told before it was asked.
func (s bankLeg) rate() money.Rate {
	for _, r := range []money.Rate{s.e.Rate, s.o.Terms.Told} {
		if !r.IsZero() {
			return r
		}
	}
	return s.o.Terms.Rate
}

// near tells whether the amount taken is the cost, but for rounding: one cent, since a partner may count in cents,
// plus one basis point for the digits of its rate. Of a cost of 100.000000 USDC that is up to 0.02 USDC.
func near(taken, cost money.Amount) bool {
	most := 10_000 + cost.Minor/10_000
	apart := taken.Minor - cost.Minor
	return taken.Currency == cost.Currency && -most <= apart && apart <= most
}

// residual is the account of what a conversion leaves over. Of a quote that is our gain or loss because the rate moved
// while the partner was asked; otherwise it is less than the smallest unit of the bank's currency.
func (o Order) residual() ledger.Account {
	if o.Terms.Quoted {
		return ledger.FXGain
	}
	return ledger.Rounding
}

// merged adds the references and amounts of an event to those known; what the event leaves out stays.
func merged(known Payout, news *Payout) Payout {
	if news == nil {
		return known
	}
	for _, f := range []struct {
		to   *string
		from string
	}{
		{&known.TransferID, news.TransferID}, {&known.TrackingKey, news.TrackingKey},
		{&known.TraceNumber, news.TraceNumber}, {&known.IMAD, news.IMAD},
	} {
		if f.from != "" {
			*f.to = f.from
		}
	}
	if !news.Taken.IsZero() {
		known.Taken = news.Taken
	}
	return known
}
