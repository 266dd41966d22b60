package order

import (
	"regexp"
	"strings"
)

// ClaimKind is what an order can have for itself.
type ClaimKind string

// The kinds of claims.
const (
	ClaimReference ClaimKind = "reference" // of ours: OFR-, RFD-
	ClaimPayout    ClaimKind = "payout"    // a transfer of the partner's, also of a refund
	ClaimDeposit   ClaimKind = "deposit"   // a transfer on chain
)

// Claim is something in the world that pays for, or is paid by, one order only.
type Claim struct {
	Kind ClaimKind
	ID   string
	Free bool // given up: another order may have it now
}

// Claims are what a change takes for its order, or gives up.
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
	case FiatSubmitted:
		claim(ClaimPayout, o.Payout.TransferID)
	case PayoutRefused, PayoutCanceled, PaymentReturned, ReviewRefused:
		if o.Refund != nil {
			claim(ClaimReference, o.Refund.Reference)
		}
	case RefundSent:
		claim(ClaimPayout, o.Refund.TransferID)
	}
	return all
}

// References are the names that a change makes its order known by.
func (c Change) References() []string {
	o, all := c.Order, []string{}
	if o.Version == 1 {
		all = append(all, o.Reference, o.QuoteID)
	}
	switch c.Entry.Kind {
	case DepositDetected, DepositSeen, DepositConfirmed:
		all = append(all, o.Deposit.Hash)
	case FiatSubmitted, FiatReceived, PaymentReturned:
		all = append(all, o.Payout.TransferID, o.Payout.TrackingKey, o.Payout.TraceNumber, o.Payout.IMAD)
	}
	if o.Refund != nil {
		all = append(all, o.Refund.Reference, o.Refund.TransferID, o.Refund.Hash)
	}
	return folded(all)
}

// folded drops what is empty or there twice, and what differs only in case.
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

// ID is an order's id, in whichever way it is written.
func ID(text string) string { return prefixes.ReplaceAllString(strings.ToLower(text), "") }

// Folded is the one spelling that a reference is found by.
func Folded(reference string) string { return strings.ToLower(strings.TrimSpace(reference)) }

// Pair is what becomes what, as the API writes it: "USDC/MXN".
func (o Order) Pair() string { return o.Source.Upper() + "/" + o.Destination.Upper() }

// Gross is what the order is about, also before it has come.
func (o Order) Gross() int64 {
	if o.Terms.Gross.Minor != 0 {
		return o.Terms.Gross.Minor
	}
	return o.Expected.Minor
}

// Owns is what an order has for itself in the ledger, and how much of that is
// set aside for a call to the partner. It follows from where the order stands.
func (o Order) Owns() (posted, reserved int64) {
	switch {
	case (o.Status == FundsReceived || o.Status == InReview) && o.ready():
		posted = o.Terms.Gross.Minor
		if o.Paying {
			reserved = posted
		}
	case o.Status == Returned && o.Refund.Status != RefundCompleted:
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

// Paid is what the bank has of it.
func (o Order) Paid() int64 {
	if o.Status == Completed {
		return o.Terms.Net.Minor
	}
	return 0
}

// Pending is how many transactions of the ledger are open for it.
func (o Order) Pending() (n int64) {
	if o.Deposit != nil && !o.Deposit.Final {
		n++
	}
	if _, reserved := o.Owns(); reserved > 0 {
		n++
	}
	return n
}
