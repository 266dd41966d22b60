package demo

import (
	"fmt"
	"strings"

	"github.com/railkit/railkit/money"
	railkit "github.com/railkit/railkit/sdk/go"
)

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
