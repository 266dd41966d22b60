package match

import (
	"fmt"
	"strings"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/watch"
)

// deposits compares the deposits on chain with our orders and our ledger.
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
			continue // the order and our ledger already record that the deposit vanished
		}
		if d, known := paid[o.Deposit.TransferID]; !known || d.State == watch.Dropped {
			l.wrong(
				"chain", o.Reference+", deposit "+o.Deposit.Hash, o.Deposit.Amount.Display(),
				"nothing: no block has it",
			)
		}
	}
}

// deposit compares one final deposit with the node's chain, our ledger and the order that it pays for.
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

// arrival identifies a deposit both for us and for the partner.
type arrival struct{ address, hash, currency string }

// drains compares the deposits on chain with the drains, which are the deposits that the partner reports.
func (l *look) drains() {
	theirs := map[arrival][]fiat.Drain{}
	for _, d := range l.Drains {
		at := arrival{d.AddressID, fiat.OnChain(d.DepositHash), string(d.Amount.Currency)}
		theirs[at] = append(theirs[at], d)
	}
	for _, d := range l.Deposits {
		if o := l.Orders[d.OrderID]; d.State == watch.Dropped && (o.Deposit == nil ||
			o.Deposit.TransferID != d.ID || !o.Deposit.Covered) {
			continue
		}
		amount, counted := d.amount()
		if !counted {
			continue // the partner does not take it either, such as the network's own coin
		}
		at := arrival{d.PartnerAddressID, fiat.OnChain(d.Tx), strings.ToLower(d.Symbol)}
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

// take removes the drain with the amount from the list, or all where they have it together, or the first one. It
// returns what it removed and the rest. Several transfers of one transaction to one address are one deposit where the
// chain tells balances, as on Solana, and the partner may tell each.
func take(some []fiat.Drain, a money.Amount) (*fiat.Drain, []fiat.Drain) {
	for i, d := range some {
		if d.Amount == a {
			return &d, append(some[:i:i], some[i+1:]...)
		}
	}
	switch whole := together(some); {
	case len(some) == 0:
		return nil, nil
	case whole.Amount == a:
		return &whole, nil
	}
	return &some[0], some[1:]
}

// together are drains as one, which is credited once each of them is.
func together(some []fiat.Drain) (whole fiat.Drain) {
	for i, d := range some {
		if i == 0 {
			whole = d
			continue
		}
		whole.Amount.Minor += d.Amount.Minor
		if d.State != credited {
			whole.State = d.State
		}
	}
	return whole
}

// credited is the state of a drain that the partner has credited to the wallet.
const credited = "payment_processed"

// drain compares one deposit with its drain at the partner, nil if there is none. A missing or
// uncredited drain is a difference only if the deposit is final for us and is for an order or
// too small for one (dust): the partner need not credit other deposits that we do not pay out.
// The partner may credit a deposit before it is final for us.
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

// orderOf is the reference of the deposit's order as the start of a text, "" without an order.
func (l *look) orderOf(d Deposit) string {
	if o, known := l.Orders[d.OrderID]; known {
		return o.Reference + ", "
	}
	return ""
}

// unknownDrain reports a drain that the partner lists and for which we saw no deposit on chain.
func (l *look) unknownDrain(d fiat.Drain) {
	if !d.Amount.Currency.Stable() {
		return // a token that we do not support
	}
	if d.At.Before(l.Since) {
		return
	}
	if d.State == credited {
		l.extra[d.Amount.Currency] += d.Amount.Minor
	}
	l.differs(d.At, "drain", "deposit "+d.DepositHash, "nothing", d.Amount.Display()+", "+d.State)
}
