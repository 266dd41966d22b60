package order

import (
	"cmp"
	"slices"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

// Reasons why coins are delayed.
const (
	DelayNotSeen  = "not_on_chain"     // the partner says that they are sent, and they are not at the address
	DelayAmount   = "other_amount"     // another amount is on the chain than the partner told
	DelayNotTold  = "partner_silent"   // the fiat is there, and the partner neither sends coins nor returns it
	DelayMismatch = "partner_mismatch" // what the partner tells does not fit the bank transfer
)

// deposit is what the activities of a virtual account tell about one bank transfer. The partner repeats them with each
// answer, in any order, so that the newest of each type counts.
type deposit struct {
	last     map[fiat.ActivityType]fiat.Activity
	sent     []string // hashes of coins that are sent for good
	refunded int64    // fiat that went back, minor units
}

func depositOf(all []fiat.Activity) deposit {
	d := deposit{last: map[fiat.ActivityType]fiat.Activity{}}
	sorted, ids := slices.Clone(all), map[string]bool{}
	slices.SortStableFunc(sorted, func(a, b fiat.Activity) int { return a.At.Compare(b.At) })
	for _, a := range sorted {
		d.last[a.Type] = a
		if a.Type == fiat.Refunded && !ids[a.ID] {
			d.refunded += a.Amount.Minor
		}
		ids[a.ID] = true
		if a.Type == fiat.PaymentProcessed && !slices.Contains(d.sent, a.Hash) {
			d.sent = append(d.sent, a.Hash)
		}
	}
	return d
}

func (d deposit) has(t fiat.ActivityType) bool { _, ok := d.last[t]; return ok }

// coins is the newest activity about coins that were sent: processed, else submitted.
func (d deposit) coins() (fiat.Activity, bool) {
	for _, t := range []fiat.ActivityType{fiat.PaymentProcessed, fiat.PaymentSubmitted} {
		if a, ok := d.last[t]; ok {
			return a, true
		}
	}
	return fiat.Activity{}, false
}

// fiat is the newest activity that names the fiat amount and the depositor.
func (d deposit) fiat() (fiat.Activity, bool) {
	for _, t := range []fiat.ActivityType{
		fiat.FundsReceived, fiat.FundsInReview, fiat.FundsScheduled, fiat.RefundInFlight, fiat.Refunded,
	} {
		if a, ok := d.last[t]; ok && a.Amount.Minor > 0 && !a.Amount.Currency.Stable() {
			return a, true
		}
	}
	return fiat.Activity{}, false
}

// PayInNews are the events that lead from the pay-in as we know it to what the partner tells about it, in order. Of a
// new order, base is the pay-in to begin with: its account.
func (o Order) PayInNews(base PayIn, all []fiat.Activity, now time.Time) []Event {
	d := depositOf(all)
	n := news{o: o, now: now}
	said, ok := d.fiat()
	if !ok {
		said, ok = o.fiatAgain(d)
	}
	if !ok {
		return nil // an event without a bank transfer: it is asked again
	}
	base.DepositID, base.Amount, base.Rail, base.Sender, base.Trace = said.DepositID, said.Amount, said.Rail,
		said.SenderName, said.Trace
	at := o.payInStatus()
	switch came := o.PayIn != nil && o.PayIn.came(); {
	case !came && !d.takenBack() && !d.only(fiat.FundsScheduled):
		n.add(FiatArrived, said.At).PayIn = &base
		at = PayInReceived
	case at == "":
		n.add(FiatScheduled, said.At).PayIn = &base
		at = PayInScheduled
	}
	at = n.review(d, at)
	at = n.coins(d, at)
	n.returns(d, at)
	if n.differs(said) && (at == PayInReceived || at == PayInSubmitted) && o.Delay == "" {
		n.add(CoinsDelayed, said.At).Reason = DelayMismatch
	}
	return n.all
}

// fiatAgain is the fiat as the order has it. The partner's list does not reach back to it where days passed since, say
// in a review. Of a bank transfer that is only expected, coins tell that it came.
func (o Order) fiatAgain(d deposit) (fiat.Activity, bool) {
	coins, sent := d.coins()
	if o.PayIn == nil || !o.PayIn.came() && !sent {
		return fiat.Activity{}, false
	}
	p := o.PayIn
	return fiat.Activity{
		DepositID: p.DepositID, Amount: p.Amount, Rail: p.Rail, SenderName: p.Sender, Trace: p.Trace, At: coins.At,
	}, true
}

// differs tells whether the partner tells another fiat amount than before. What it returns may be less.
func (n *news) differs(said fiat.Activity) bool {
	returned := said.Type == fiat.RefundInFlight || said.Type == fiat.Refunded
	return n.o.PayIn != nil && n.o.PayIn.came() && !returned && n.o.PayIn.Amount != said.Amount
}

// only tells whether nothing but one type was told.
func (d deposit) only(t fiat.ActivityType) bool { return len(d.last) == 1 && d.has(t) }

// takenBack tells whether an expected bank transfer was taken back before the partner received it.
func (d deposit) takenBack() bool {
	for _, t := range []fiat.ActivityType{
		fiat.FundsReceived, fiat.FundsInReview, fiat.PaymentSubmitted, fiat.PaymentProcessed,
	} {
		if d.has(t) {
			return false
		}
	}
	return d.has(fiat.RefundInFlight) || d.has(fiat.Refunded)
}

// news collects events.
type news struct {
	o   Order
	now time.Time
	all []Event
}

func (n *news) add(k Kind, at time.Time) *Event {
	n.all = append(n.all, Event{Kind: k, By: Partner, At: n.now, OccurredAt: at})
	return &n.all[len(n.all)-1]
}

// review: the partner holds the fiat, and has not sent coins or begun to return it since.
func (n *news) review(d deposit, at PayInStatus) PayInStatus {
	a, held := d.last[fiat.FundsInReview]
	if at != PayInReceived || !held || d.has(fiat.Refunded) || d.has(fiat.RefundInFlight) {
		return at
	}
	if c, sent := d.coins(); sent && c.Amount.Minor > 0 {
		return at
	}
	n.add(PayInHold, a.At).Reason = cmp.Or(a.Reason, "partner_review")
	return PayInHeld
}

// coins: the partner sent them, sent them in another transaction, or sent them twice.
func (n *news) coins(d deposit, at PayInStatus) PayInStatus {
	a, sent := d.coins()
	if !sent || a.Amount.Minor <= 0 {
		return at
	}
	told := &PayIn{Coins: a.Amount, Fee: a.Fee, Hash: a.Hash}
	switch p := n.o.PayIn; at {
	case PayInReceived, PayInHeld, PayInReturning, PayInFailed:
		n.add(CoinsSubmitted, a.At).PayIn = told
		at = PayInSubmitted
	case PayInSubmitted, PayInReturned:
		if p != nil && p.news(a) {
			n.add(CoinsSubmitted, a.At).PayIn = told
		}
	case PayInSettled:
		if other := n.o.otherHash(d.sent); other != "" && !slices.Contains(n.o.Labels, PaidTwice) {
			n.add(CoinsRepeated, a.At).PayIn = &PayIn{Hash: other}
		}
	}
	return at
}

// news tells whether the partner tells another transaction or amount of coins than before. Once a transfer of the told
// amount was found that does not matter any more.
func (p *PayIn) news(a fiat.Activity) bool {
	if p.Named || p.GivenUp || p.Transfer != nil && (p.Transfer.Final || p.Transfer.Amount == p.Coins) {
		return false
	}
	return p.Hash != a.Hash || p.Coins != a.Amount
}

// otherHash is the transaction of coins that were sent besides those that settled the order. Where an operator named
// the transaction, the one that the partner told stands for it.
func (o Order) otherHash(sent []string) string {
	if o.PayIn.Named && len(sent) == 1 {
		return ""
	}
	for _, hash := range sent {
		if o.PayIn.Transfer != nil && !fiat.SameOnChain(hash, o.PayIn.Transfer.Hash) {
			return hash
		}
	}
	return ""
}

// returns: the fiat goes back, is back, or could not be sent back.
func (n *news) returns(d deposit, at PayInStatus) {
	if a, back := d.last[fiat.Refunded]; back {
		if more := d.refunded - n.o.returned(); at != PayInReturned || more > 0 && n.o.PayIn.came() {
			e := n.add(PayInReturn, a.At)
			e.Refunded, e.Reason = money.Of(more, a.Amount.Currency), cmp.Or(a.Reason, "returned")
			e.Failure = &Failure{Code: e.Reason, Message: "The bank transfer went back to the depositor"}
		}
		return
	}
	going, ok := d.last[fiat.RefundInFlight]
	failed, broke := d.last[fiat.RefundFailed]
	if p := n.o.PayIn; p != nil && p.RequestedAt.After(failed.At) {
		broke = false // it is about an earlier attempt
		ok = ok && going.At.After(p.RequestedAt)
	}
	switch {
	case ok && (!broke || failed.At.Before(going.At)):
		if at == PayInScheduled || at == PayInReceived || at == PayInHeld ||
			at == PayInFailed && going.At.After(n.o.UpdatedAt) {
			n.add(ReturnStarted, going.At).Reason = cmp.Or(going.Reason, "returning")
		}
	case broke && at != PayInFailed:
		if at != PayInReturning {
			if at != PayInReceived && at != PayInHeld && at != PayInScheduled {
				return
			}
			n.add(ReturnStarted, failed.At).Reason = cmp.Or(failed.Reason, "returning")
		}
		n.add(ReturnFailed, failed.At).Failure = &Failure{
			Code: "return_failed", Message: "The bank transfer could not be sent back",
		}
	}
}

// nextOfPayIn is the next step of an order whose pay-in is all of it, or has not brought its coins yet.
func (o Order) nextOfPayIn(now time.Time) Step {
	if o.Hold == HoldUnscreened {
		return FollowPayIn
	}
	switch p := o.PayIn; p.Status {
	case PayInSettled:
		since := o.CompletedAt
		if since.IsZero() { // held by screening
			since = p.ArrivedAt
		}
		if !now.Before(since.Add(returnWindow)) {
			return Nothing
		}
	case PayInReturned:
		if p.Coins.IsZero() || p.Transfer != nil && p.Transfer.Final ||
			p.GivenUp && !now.Before(o.UpdatedAt.Add(returnWindow)) {
			return Nothing
		}
	case PayInWrittenOff: // the coins may come after all
		if !now.Before(o.UpdatedAt.Add(returnWindow)) {
			return Nothing
		}
	}
	return FollowPayIn
}

// returned is the fiat that went back already, in minor units.
func (o Order) returned() int64 {
	if o.PayIn == nil {
		return 0
	}
	return o.PayIn.Returned.Minor
}

// followsPayIn tells whether the next step is one of the pay-in.
func (o Order) followsPayIn() bool {
	return o.PayIn != nil && (o.Type == OnRamp || o.Type == GlobalPayment && o.Deposit == nil)
}

// came tells whether the fiat was booked as received: not that of a transfer that was expected and taken back.
func (p *PayIn) came() bool { return !p.ArrivedAt.IsZero() }
