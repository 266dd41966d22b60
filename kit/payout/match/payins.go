package match

import (
	"fmt"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/watch"
)

// Account are the records of one account number at the partner's bank: our orders, the bank transfers that the partner
// tells, and the coins that the chain has.
type Account struct {
	Since      time.Time          // older bank transfers are not reported on their own
	Orders     []order.Order      // ours, with their pay-ins
	Activities []fiat.Activity    // the partner's
	Coins      map[string]Deposit // the transfers on chain to wallets of which the orders know, by id
}

// bankTransfer is what the partner tells of one bank transfer: the newest activity of each type.
type bankTransfer struct {
	began  time.Time
	newest fiat.Activity
	last   map[fiat.ActivityType]fiat.Activity
}

// transfers are the bank transfers that the partner tells, by its ids.
func (a Account) transfers() map[string]bankTransfer {
	all := map[string]bankTransfer{}
	for _, said := range a.Activities {
		if said.DepositID == "" || said.Type == fiat.Microdeposit {
			continue
		}
		b, known := all[said.DepositID]
		if !known {
			b = bankTransfer{said.At, said, map[fiat.ActivityType]fiat.Activity{}}
		}
		if said.At.Before(b.began) {
			b.began = said.At
		}
		if said.At.After(b.newest.At) {
			b.newest = said
		}
		if said.At.After(b.last[said.Type].At) {
			b.last[said.Type] = said
		}
		all[said.DepositID] = b
	}
	return all
}

// amount is the fiat that the depositor sent, as the partner tells it. A later type knows it better.
func (b bankTransfer) amount() (said fiat.Activity) {
	for _, t := range []fiat.ActivityType{
		fiat.RefundInFlight, fiat.FundsScheduled, fiat.FundsInReview, fiat.FundsReceived,
	} {
		if a, told := b.last[t]; told && a.Amount.Minor > 0 {
			said = a
		}
	}
	return said
}

// coins are those that the partner says it sent.
func (b bankTransfer) coins() fiat.Activity {
	if a, sent := b.last[fiat.PaymentProcessed]; sent {
		return a
	}
	return b.last[fiat.PaymentSubmitted]
}

// CompareAccount compares the records of an account number and lists their differences, sorted.
func CompareAccount(a Account, now time.Time) Result {
	l := look{now: now}
	told, known := a.transfers(), map[string]bool{}
	for _, o := range a.Orders {
		known[o.PayIn.DepositID] = true
		b, found := told[o.PayIn.DepositID]
		if !found {
			l.differs(o.CreatedAt, "payin", aboutPayIn(o), o.PayIn.Amount.Display(), "nothing")
		} else {
			l.fiat(o, b)
			l.sent(o, b)
			l.returned(o, b)
		}
		l.delivered(o, a.Coins)
	}
	l.unreadable(a)
	for id, b := range told {
		if !known[id] && !b.began.Before(a.Since) {
			l.unknownTransfer(id, b)
		}
	}
	return l.sorted()
}

// unreadable reports what the partner tells and nobody understands.
func (l *look) unreadable(a Account) {
	for _, said := range a.Activities {
		if said.Type != fiat.Unreadable || !said.At.IsZero() && said.At.Before(a.Since) {
			continue
		}
		about := "activity " + said.ID
		if said.DepositID != "" {
			about += ", bank transfer " + said.DepositID
		}
		l.differs(said.At, "payin", about, "an activity that makes sense", said.Reason)
	}
}

func aboutPayIn(o order.Order) string { return o.Reference + ", bank transfer " + o.PayIn.DepositID }

// unknownTransfer reports a bank transfer that the partner tells and that no order has.
func (l *look) unknownTransfer(id string, b bankTransfer) {
	l.differs(b.began, "payin", "bank transfer "+id, "nothing",
		shown(b.amount().Amount)+", "+string(b.newest.Type))
}

// fiat compares what the depositor sent.
func (l *look) fiat(o order.Order, b bankTransfer) {
	if said := b.amount(); !said.Amount.IsZero() && said.Amount != o.PayIn.Amount {
		l.differs(said.At, "payin", aboutPayIn(o), o.PayIn.Amount.Display(), said.Amount.Display())
	}
}

// sent compares the coins that the order has been told of with those that the partner tells now.
func (l *look) sent(o order.Order, b bankTransfer) {
	said := b.coins()
	if said.Amount != o.PayIn.Coins && (said.Amount.Minor != 0 || o.PayIn.Coins.Minor != 0) {
		l.differs(later(o.UpdatedAt, said.At), "payin", aboutPayIn(o)+", coins", shown(o.PayIn.Coins),
			shown(said.Amount))
	}
}

// returned compares whether the depositor has the fiat again.
func (l *look) returned(o order.Order, b bankTransfer) {
	_, back := b.last[fiat.Refunded]
	if ours := o.PayIn.Status == order.PayInReturned; ours != back {
		l.differs(later(o.UpdatedAt, b.newest.At), "payin", aboutPayIn(o)+", "+string(o.Status),
			string(o.PayIn.Status), string(b.newest.Type))
	}
}

// delivered reports an order whose coins were final, and are not on the chain. The coins of a global payment are a
// deposit at a withdrawal address, and compared as one.
func (l *look) delivered(o order.Order, coins map[string]Deposit) {
	t := o.PayIn.Transfer
	if o.Type != order.OnRamp || t == nil || !t.Final {
		return
	}
	about := o.Reference + ", coins " + t.Hash
	d, known := coins[t.TransferID]
	switch {
	case !known || d.State == watch.Dropped:
		l.wrong("chain", about, t.Amount.Display(), "nothing: no block has it")
	case d.Gone:
		l.wrong("chain", about, fmt.Sprintf("in block %d", d.BlockNumber), "not on the node's chain")
	}
}

// shown is an amount as text, also one that is not there.
func shown(a money.Amount) string {
	if a.IsZero() {
		return "nothing"
	}
	return a.Display()
}
