package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/railkit/railkit/money"
	railkit "github.com/railkit/railkit/sdk/go"
)

// statement is what the wallet paid through its withdrawal address and got by its account number,
// from the orders alone. The node has the last word on what is left.
type statement struct {
	before, after money.Amount
	lines         []line
	sums          sums
}

// line is one movement, or one that did not come to be.
type line struct {
	at        time.Time
	reference string
	what      string
	amount    money.Amount // below zero it left the wallet
	balance   money.Amount // after it
	note      string
}

// sums say where all that was sent is: Sent = Fees + Rounding + Changed + Back.
type sums struct {
	sent, fees, rounding, changed, back money.Amount
	arrived                             money.Amount // at the bank

	came, taken, spent, given money.Amount // Came = Taken (fees) + Spent (on coins) + Given (back to the bank)
	bought                    money.Amount
}

// balance writes the statement, and wants to see it add up to what the node says.
func (s *story) balance(ctx context.Context) (string, error) {
	st := &statement{before: s.out.before, sums: noSums()}
	all, err := s.ordersOf(ctx)
	if err != nil {
		return "", err
	}
	for _, o := range all {
		if err := st.enter(o); err != nil {
			return "", err
		}
	}
	if all, err = s.payInOrders(ctx); err != nil {
		return "", err
	}
	for _, o := range all {
		if err := st.enterIn(o); err != nil {
			return "", err
		}
	}
	if err := st.carry(); err != nil {
		return "", err
	}
	has, err := s.usdc(ctx)
	if err != nil {
		return "", err
	}
	if has != st.after {
		return "", fmt.Errorf("by the statement the wallet has %s, by the node %s", st.after.Display(), has.Display())
	}
	s.out.statement = st
	return has.String() + " " + token + " on chain", nil
}

// ordersOf are all orders of the withdrawal address, with their timelines.
func (s *story) ordersOf(ctx context.Context) ([]*railkit.OrderDetail, error) {
	if s.out.address == nil { // a test's own world has no bank
		return nil, nil
	}
	return s.whole(ctx, railkit.OrderListOptions{WithdrawAddressID: s.out.address.ID})
}

// whole reads the orders that the options select, each with its timeline.
func (s *story) whole(ctx context.Context, which railkit.OrderListOptions) (all []*railkit.OrderDetail, err error) {
	for o, err := range s.client.Orders.All(ctx, which) {
		if err != nil {
			return nil, err
		}
		whole, err := s.client.Orders.Get(ctx, o.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, whole)
	}
	return all, nil
}

// usdc is what the node says that the wallet has.
func (s *story) usdc(ctx context.Context) (money.Amount, error) {
	has, err := s.node().tokenBalance(ctx, s.facts.Tokens[token], s.account.Address)
	if err != nil {
		return money.Amount{}, err
	}
	return money.Of(has.Int64(), money.USDC), nil
}

func noSums() sums {
	coins, pesos := money.Of(0, money.USDC), money.Of(0, money.MXN)
	return sums{
		sent: coins, fees: coins, rounding: coins, changed: coins, back: coins, arrived: pesos,
		came: pesos, taken: pesos, spent: pesos, given: pesos, bought: coins,
	}
}

// enter adds the lines of an order.
func (st *statement) enter(o *railkit.OrderDetail) error {
	r := reader{}
	switch o.Status {
	case railkit.OrderCanceled:
		st.add(o, "order.canceled", o.Reference, "canceled, nothing sent", r.usdc("0"), "")
		return r.err
	case railkit.OrderCompleted, railkit.OrderReturned:
	default:
		return fmt.Errorf("%s is %s", o.Reference, o.Status)
	}
	gross, e := r.usdc(o.Source.Amount), o.Explanation
	if e == nil {
		return fmt.Errorf("%s does not say where its money is", o.Reference)
	}
	fees, mxn := r.sum(r.usdc(e.Network), r.usdc(e.Platform)), r.mxn(e.Net)
	st.add(o, "deposit.detected", o.Reference, mxn.Display()+", "+o.RecipientName, gross.Neg(), outcome(o, fees))
	st.sums.sent, st.sums.fees = r.sum(st.sums.sent, gross), r.sum(st.sums.fees, fees)
	if o.Status == railkit.OrderReturned {
		back := r.usdc(o.Refund.Amount)
		st.sums.back = r.sum(st.sums.back, back)
		st.add(o, "refund.completed", o.Refund.Reference, "refund, tx "+short(o.Refund.TxHash), back,
			"of "+o.Reference+"; the fees stay paid")
		return r.err
	}
	st.sums.changed = r.sum(st.sums.changed, r.usdc(e.Converted))
	st.sums.rounding = r.sum(st.sums.rounding, r.usdc(e.Residue), r.usdc(e.Drift))
	st.sums.arrived = r.sum(st.sums.arrived, mxn)
	return r.err
}

// outcome is what became of an order, in a line.
func outcome(o *railkit.OrderDetail, fees money.Amount) string {
	text := "completed " + clockOf(o, "fiat.received")
	if f := o.Failure; f != nil {
		return text + ", returned " + clockOf(o, "payment.returned") + " with the bank's code " + f.ReturnCode
	}
	return text + ", at " + o.Explanation.Rate + ", fees " + fees.String() + ", SPEI " + short(o.References.TrackingKey)
}

func (st *statement) add(o *railkit.OrderDetail, event, reference, what string, amount money.Amount, note string) {
	st.lines = append(st.lines, line{
		at: happened(o, event), reference: reference, what: what, amount: amount, note: note,
	})
}

// happened is when an event was recorded.
func happened(o *railkit.OrderDetail, event string) time.Time {
	for _, e := range o.Timeline {
		if e.Type == event {
			at, _ := time.Parse(time.RFC3339, e.At) // what is no time sorts first, and is seen
			return at
		}
	}
	return time.Time{}
}

const clockFormat = "15:04:05"

func clockOf(o *railkit.OrderDetail, event string) string {
	return happened(o, event).UTC().Format(clockFormat)
}

// carry runs the balance down the lines, and checks the sums.
func (st *statement) carry() error {
	slices.SortStableFunc(st.lines, func(a, b line) int { return cmp.Compare(a.at.UnixNano(), b.at.UnixNano()) })
	r := reader{}
	st.after = st.before
	for i := range st.lines {
		st.after = r.sum(st.after, st.lines[i].amount)
		st.lines[i].balance = st.after
	}
	t := st.sums
	if r.sum(t.fees, t.rounding, t.changed, t.back) != t.sent {
		return errors.New("what was sent is not what became of it")
	}
	if r.sum(t.taken, t.spent, t.given) != t.came {
		return errors.New("what came from banks is not what became of it")
	}
	return r.err
}

// reader reads amounts, and keeps the first mistake.
type reader struct{ err error }

func (r *reader) usdc(text string) money.Amount { return r.amount(text, money.USDC) }
func (r *reader) mxn(text string) money.Amount  { return r.amount(text, money.MXN) }

func (r *reader) amount(text string, c money.Currency) money.Amount {
	digits, negative := strings.CutPrefix(text, "-")
	a, err := money.Parse(digits, c)
	r.err = errors.Join(r.err, err)
	if negative {
		return a.Neg()
	}
	return a
}

func (r *reader) sum(first money.Amount, more ...money.Amount) money.Amount {
	for _, a := range more {
		next, err := first.Add(a)
		first, r.err = next, errors.Join(r.err, err)
	}
	return first
}

// Widths of the statement's columns. An amount ends where its line does.
const (
	lineWidth      = 80
	referenceWidth = 17
	entryWidth     = 24
	amountWidth    = 12
)

// payouts shows one order of each direction line by line, and the statement of all of them.
func (s screen) payouts(st *story) {
	if st.out.statement == nil { // a test's own world has no bank
		return
	}
	s.order(st.out.first, short(st.account.Address))
	s.payIn(st.in, short(st.account.Address))
	s.statement(st.out.statement, st)
}

// order shows where the money of one went, and when.
func (s screen) order(o *railkit.OrderDetail, sender string) {
	e := o.Explanation
	s.heading("One payout, to the smallest unit", o.Reference)
	s.amount(e.Gross, token, "sent by "+sender+" on "+o.Source.Chain+", tx "+short(o.References.DepositTxHash))
	s.amount("-"+e.Network, "", "network fee")
	s.amount("-"+e.Platform, "", "platform fee")
	if strings.Trim(e.Residue, "0.") != "" {
		s.amount("-"+e.Residue, "", "rounding: it buys nothing")
	}
	s.print("  %s\n", s.paint(strings.Repeat("-", amountWidth), dim))
	s.amount(e.Converted, token, "changed at "+e.Rate)
	s.amount(pesos(e.Net), fiat,
		"to "+o.RecipientName+", SPEI …"+o.Destination.AccountLast4+", "+o.References.TrackingKey)
	s.timeline(o)
}

// payIn shows a bank transfer from the bank to the block.
func (s screen) payIn(in payIns, wallet string) {
	o := in.first
	e, p := o.Explanation, o.PayIn
	s.heading("One bank transfer, from the bank to the block", o.Reference)
	s.amount(pesos(e.Gross), fiat, "from "+p.Sender+" by SPEI, "+p.Trace)
	s.amount("", "", "to the CLABE "+in.account.SourceDepositInstructions.CLABE+" of the wallet")
	s.amount(pesos("-"+e.Network), "", "network fee")
	s.amount(pesos("-"+e.Platform), "", "platform fee")
	s.print("  %s\n", s.paint(strings.Repeat("-", amountWidth), dim))
	s.amount(pesos(e.Converted), fiat, "changed at "+e.Rate)
	s.amount(e.Net, token, "to "+wallet+" on "+o.Destination.Chain+", tx "+short(p.SettlementTxHash))
	s.amount("", "", fmt.Sprintf("in block %v, %d of %d confirmations", in.block, p.Confirmations,
		p.RequiredConfirmations))
	s.print("\n")
	s.amount(in.before.String(), token, "in the wallet before, says the node")
	s.amount(in.after.String(), "", "and after")
	s.timeline(o)
}

// pesos puts the point of an amount with two places below that of one with six.
func pesos(amount string) string { return amount + "    " }

// timeline shows what happened to an order, and when.
func (s screen) timeline(o *railkit.OrderDetail) {
	s.print("\n")
	for _, t := range o.Timeline {
		s.print("  %s  %s %s %s\n", s.paint(clockOf(o, t.Type), dim), pad(t.Type, 18), pad(t.Status, 18),
			s.paint("by the "+t.Source, dim))
	}
}

// amount is a line of a sum.
func (s screen) amount(amount, currency, what string) {
	s.print("  %s %s  %s\n", left(amount, amountWidth), pad(currency, 4), s.paint(what, dim))
}

func (s screen) statement(t *statement, st *story) {
	s.heading("Statement of "+short(st.account.Address)+" in "+token, st.out.opened.UTC().Format("2 Jan 2006, UTC"))
	s.entry(s.paint, "Time", "Reference", "Entry", "Amount", "Balance")
	opened := st.out.opened.UTC().Format(clockFormat)
	s.entry(plain, opened, "", "brought forward", "", t.before.String())
	for _, l := range t.lines {
		s.entry(plain, l.at.UTC().Format(clockFormat), l.reference, l.what, signed(l.amount), l.balance.String())
		if l.note != "" {
			s.print("            %s\n", s.paint(l.note, dim))
		}
	}
	s.entry(plain, "", "", "carried forward", "", t.after.String())
	s.print("\n")
	s.amount(t.sums.sent.String(), token, "sent out, which is")
	s.amount(t.sums.changed.String(), "", "changed into the "+t.sums.arrived.Display()+" that are at the bank")
	s.amount(t.sums.fees.String(), "", "fees")
	s.amount(t.sums.rounding.String(), "", "rounding")
	s.amount(t.sums.back.String(), "", "refunded")
	s.print("\n")
	s.amount(pesos(t.sums.came.String()), fiat, "came in by bank, which is")
	s.amount(pesos(t.sums.spent.String()), "", "changed into the "+t.sums.bought.Display()+" that are in the wallet")
	s.amount(pesos(t.sums.taken.String()), "", "fees")
	s.amount(pesos(t.sums.given.String()), "", "sent back to the bank")
}

func plain(text, _ string) string { return text }

func (s screen) entry(paint func(text, sgr string) string, at, reference, what, amount, balance string) {
	text := pad(at, len(clockFormat)) + "  " + pad(reference, referenceWidth) + "  " + pad(what, entryWidth) +
		left(amount, amountWidth) + left(balance, amountWidth)
	s.print("  %s\n", paint(text, dim))
}

// heading is a title, with a text at the end of its line.
func (s screen) heading(what, end string) {
	s.print("\n%s%s\n\n", s.paint(what, bold), s.paint(left(end, lineWidth-len([]rune(what))), dim))
}

// signed has a sign where something moved.
func signed(a money.Amount) string {
	if a.Minor > 0 {
		return "+" + a.String()
	}
	return a.String()
}

// left puts the text at the right end of a column.
func left(text string, width int) string {
	return strings.Repeat(" ", max(0, width-len([]rune(text)))) + text
}
