package match

import (
	"fmt"
	"strings"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/watch"
)

// deposits holds what the chain brought against what our orders and books made of it.
func (l *look) deposits() {
	paid := map[string]Deposit{}
	for _, d := range l.Deposits {
		paid[d.ID] = d
		switch {
		case d.State == watch.Final:
			l.deposit(d)
		case d.State == watch.Dropped && d.Booked:
			amount, _ := d.amount()
			l.wrong("chain", "deposit "+d.Tx+", "+d.Reason, amount.Display(), "nothing: no block has it")
		}
	}
	for _, o := range l.Orders {
		if o.Deposit == nil || !o.Deposit.Final || o.Deposit.Gone {
			continue // of one that is gone the books tell
		}
		if d, known := paid[o.Deposit.TransferID]; !known || d.State == watch.Dropped {
			l.wrong(
				"chain", o.Reference+", deposit "+o.Deposit.Hash, o.Deposit.Amount.Display(),
				"nothing: no block has it",
			)
		}
	}
}

func (l *look) deposit(d Deposit) {
	about := "deposit " + d.Tx
	o, known := l.Orders[d.OrderID]
	if known {
		about = o.Reference + ", " + about
	}
	amount, counted := d.amount()
	switch {
	case d.Gone:
		l.wrong("chain", about, fmt.Sprintf("in block %d", d.BlockNumber), "not on the node's chain")
	case d.Reason != "":
		if counted && !d.Booked {
			l.differs(d.FinalAt, "deposit", about+", "+d.Reason, amount.Display()+" in the ledger", "nothing")
		}
	case !known:
		l.differs(d.FinalAt, "deposit", about, amount.Display()+" for an order", "no order")
	case o.Deposit == nil || o.Deposit.TransferID != d.ID || !o.Deposit.Final:
		l.differs(d.FinalAt, "deposit", about, amount.Display()+" for the order", "an order that has not taken it in")
	case o.Deposit.Amount != amount:
		l.wrong("deposit", about, amount.Display(), o.Deposit.Amount.Display())
	}
}

// arrival names a deposit so that both sides know it.
type arrival struct{ address, hash, currency string }

// drains holds what the chain brought against what the partner says came in.
func (l *look) drains() {
	theirs := map[arrival][]fiat.Drain{}
	for _, d := range l.Drains {
		at := arrival{d.AddressID, strings.ToLower(d.DepositHash), string(d.Amount.Currency)}
		theirs[at] = append(theirs[at], d)
	}
	for _, d := range l.Deposits {
		if o := l.Orders[d.OrderID]; d.State == watch.Dropped && (o.Deposit == nil ||
			o.Deposit.TransferID != d.ID || !o.Deposit.Covered) {
			continue
		}
		amount, _ := d.amount()
		at := arrival{d.PartnerAddressID, strings.ToLower(d.Tx), strings.ToLower(d.Symbol)}
		drain, rest := take(theirs[at], amount)
		theirs[at] = rest
		l.drain(d, amount, drain)
	}
	for _, rest := range theirs {
		for _, drain := range rest {
			l.unknownDrain(drain)
		}
	}
}

// take finds the drain of an amount, or else the first.
func take(some []fiat.Drain, a money.Amount) (*fiat.Drain, []fiat.Drain) {
	for i, d := range some {
		if d.Amount == a {
			return &d, append(some[:i:i], some[i+1:]...)
		}
	}
	if len(some) == 0 {
		return nil, nil
	}
	return &some[0], some[1:]
}

// credited is the state of a drain whose wallet has the money.
const credited = "payment_processed"

// drain holds one deposit against the partner's. What is not paid out the partner
// need not take either, and one that is not final for us may be for it.
func (l *look) drain(d Deposit, amount money.Amount, theirs *fiat.Drain) {
	ours := d.State == watch.Final && (d.Reason == "" || d.Reason == "dust") && !d.SeenAt.Before(l.Since)
	about := l.orderOf(d) + "deposit " + d.Tx
	switch {
	case theirs == nil && ours:
		l.coming[amount.Currency] += amount.Minor
		l.differs(d.FinalAt, "drain", about, amount.Display(), "nothing")
	case theirs == nil:
	case theirs.Amount != amount:
		l.wrong("drain", about, amount.Display(), theirs.Amount.Display())
	case theirs.State != credited && ours:
		l.coming[amount.Currency] += amount.Minor
		l.differs(d.FinalAt, "drain", about, amount.Display()+", "+credited, theirs.Amount.Display()+", "+theirs.State)
	case theirs.State == credited && d.State == watch.Seen:
		l.extra[amount.Currency] += amount.Minor
	}
}

func (l *look) orderOf(d Deposit) string {
	if o, known := l.Orders[d.OrderID]; known {
		return o.Reference + ", "
	}
	return ""
}

// unknownDrain came in by the partner's account alone.
func (l *look) unknownDrain(d fiat.Drain) {
	if !d.Amount.Currency.Stable() {
		return // a token that nobody here lists
	}
	if d.At.Before(l.Since) {
		return
	}
	if d.State == credited {
		l.extra[d.Amount.Currency] += d.Amount.Minor
	}
	l.differs(d.At, "drain", "deposit "+d.DepositHash, "nothing", d.Amount.Display()+", "+d.State)
}
