package order

import (
	"regexp"
	"strings"
)

// ClaimKind is a kind of thing that belongs to one order only.
type ClaimKind string

// The kinds of claims.
const (
	ClaimReference ClaimKind = "reference" // of ours: OFR-, RFD-
	ClaimPayout    ClaimKind = "payout"    // a transfer of the partner's, also of a refund
	ClaimDeposit   ClaimKind = "deposit"   // a transfer on chain
	ClaimPayIn     ClaimKind = "payin"     // a bank transfer to an account number of ours, by the partner's id
)

// Claim ties a reference, a partner's transfer or a deposit to one order. The database refuses a second order's claim
// to the same thing, so that no deposit pays for two orders.
type Claim struct {
	Kind ClaimKind
	ID   string
	Free bool // given up: another order may have it now
}

// Claims are the claims that a change makes for its order, or gives up.
func (c Change) Claims() []Claim {
	o, all := c.Order, []Claim{}
	claim := func(kind ClaimKind, id string) {
		if id != "" {
			all = append(all, Claim{Kind: kind, ID: id})
		}
	}
	if o.Version == 1 {
		claim(ClaimReference, o.Reference)
	}
	switch c.Entry.Kind {
	case DepositDetected:
		claim(ClaimDeposit, o.Deposit.TransferID)
	case DepositDropped:
		all = append(all, Claim{Kind: ClaimDeposit, ID: o.Dropped, Free: true})
	case FiatSubmitted, PayoutFound:
		claim(ClaimPayout, o.Payout.TransferID)
	case PayoutRefused, PayoutCanceled, PaymentReturned, ReviewRefused:
		if o.Refund != nil {
			claim(ClaimReference, o.Refund.Reference)
		}
	case RefundSent, RefundFound:
		claim(ClaimPayout, o.Refund.TransferID)
	case FiatScheduled, FiatArrived:
		claim(ClaimPayIn, PayInID(o.PayIn.PartnerAccountID, o.PayIn.DepositID))
	case CoinsDetected:
		claim(ClaimDeposit, o.PayIn.Transfer.TransferID)
	}
	if c.Freed != "" {
		all = append(all, Claim{Kind: ClaimDeposit, ID: c.Freed, Free: true})
	}
	if c.Wrong != "" {
		all = append(all, Claim{Kind: ClaimPayout, ID: c.Wrong, Free: true})
	}
	return all
}

// PayInID names a bank transfer among all accounts: the partner's ids of the account and of the bank transfer.
func PayInID(partnerAccountID, depositID string) string { return partnerAccountID + ":" + depositID }

var ours = regexp.MustCompile(`^[a-z]{3}-\d{8}-`)

// Ours reports whether a name has the form of our own references.
func Ours(name string) bool { return ours.MatchString(Folded(name)) }

// References are the names by which a change makes its order findable.
func (c Change) References() []string {
	o, all := c.Order, []string{}
	if o.Version == 1 {
		all = append(all, o.Reference, o.QuoteID)
	}
	switch c.Entry.Kind {
	case DepositDetected, DepositSeen, DepositConfirmed:
		all = append(all, o.Deposit.Hash)
	case FiatSubmitted, PayoutFound, FiatReceived, PaymentReturned:
		all = append(all, o.Payout.TransferID, o.Payout.TrackingKey, o.Payout.TraceNumber, o.Payout.IMAD)
	case FiatScheduled, FiatArrived:
		all = append(all, o.PayIn.AccountReference, o.PayIn.DepositID)
		if !Ours(o.PayIn.Trace) { // a depositor chooses it, and could take the name of another order
			all = append(all, o.PayIn.Trace)
		}
	case CoinsSubmitted:
		all = append(all, o.PayIn.Hash)
	case CoinsDetected:
		all = append(all, o.PayIn.Transfer.Hash)
	}
	if o.Refund != nil {
		all = append(all, o.Refund.Reference, o.Refund.TransferID, o.Refund.Hash)
	}
	return folded(all)
}

// folded drops empty names and doubles, which may differ in case.
func folded(all []string) []string {
	known, kept := map[string]bool{"": true}, []string{}
	for _, text := range all {
		if f := Folded(text); !known[f] {
			known[f] = true
			kept = append(kept, f)
		}
	}
	return kept
}

// prefixes are what older clients write before an id.
var prefixes = regexp.MustCompile(`^(?:offramp|onramp|payment)_`)

// ID is the id of an order without the prefix that older clients write.
func ID(text string) string { return prefixes.ReplaceAllString(strings.ToLower(text), "") }

// Folded is the spelling of a reference that is stored and searched for.
func Folded(reference string) string { return strings.ToLower(strings.TrimSpace(reference)) }

// Pair is the source and destination currency, as the API writes them: "USDC/MXN". Of a global payment the source is
// the depositor's currency.
func (o Order) Pair() string {
	from := o.Source
	switch {
	case o.Type == GlobalPayment && o.PayIn != nil:
		from = o.PayIn.Amount.Currency
	case !o.Fiat.IsZero():
		from = o.Fiat.Currency
	}
	return from.Upper() + "/" + o.Destination.Upper()
}

// Gross is the amount of the order in its source currency. Before the deposit arrives it is the quoted amount.
func (o Order) Gross() int64 {
	if o.Terms.Gross.Minor != 0 {
		return o.Terms.Gross.Minor
	}
	return o.Expected.Minor
}

// Owns is the balance that an order should have in the ledger, and how much of it should be reserved for a call to the
// partner. Both follow from the order's status, so that package reconcile can compare them with the ledger.
func (o Order) Owns() (posted, reserved int64) {
	if o.Type == OnRamp {
		return 0, 0 // its coins never are on our accounts
	}
	switch {
	case o.RefundHeld():
		posted = o.Refund.Amount.Minor
	case (o.Status == FundsReceived || o.Status == InReview) && o.ready():
		posted = o.Terms.Gross.Minor
		if o.Paying {
			reserved = posted
		}
	case o.Status == Returned && o.Refund != nil && o.Refund.Status != RefundCompleted:
		posted = o.Refund.Amount.Minor
		if o.Refund.Paying || o.Refund.Status == RefundSubmitted {
			reserved = posted
		}
	case o.Status == Error && o.Refund != nil:
		posted = o.Refund.Amount.Minor
		if o.Refund.Status == RefundSubmitted {
			reserved = posted
		}
	}
	return posted, reserved
}

// OwnsFiat is the fiat balance that an order should have in the ledger: that of a pay-in which is not converted yet.
func (o Order) OwnsFiat() int64 {
	p := o.PayIn
	if p == nil || !p.came() {
		return 0
	}
	switch p.Status {
	case PayInReceived, PayInHeld, PayInReturning, PayInFailed:
		return p.Amount.Minor
	}
	return 0
}

// Paid is what the order moved to banks, in its destination's currency: what the recipient's bank has received, less
// what a depositor in the same currency has sent.
func (o Order) Paid() (sum int64) {
	if o.Type != OnRamp && o.Status == Completed {
		sum = o.Terms.Net.Minor
	}
	if p := o.PayIn; p != nil && p.came() && p.Amount.Currency == o.Destination {
		sum += p.Returned.Minor - p.Amount.Minor
	}
	return sum
}

// Pending is the number of ledger transactions that should be pending for the order.
func (o Order) Pending() (n int64) {
	if o.Deposit != nil && !o.Deposit.Final {
		n++
	}
	if _, reserved := o.Owns(); reserved > 0 {
		n++
	}
	return n
}
