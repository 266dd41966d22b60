package order

import (
	"slices"
	"strconv"
	"strings"
)

// HoldForgotten is the reason of a hold on an order from whose wallet the partner has made a transfer that no order
// here has: an older database was put back, or somebody used the wallet outside this system. It may have been the
// order's.
const HoldForgotten = "unknown_transfer"

// AttemptOf is the number of an attempt by its name at the partner: 2 of "OFR-20261121-7K3M:2"; 0 of another order's.
func AttemptOf(madeAs, reference string) int {
	number, ours := strings.CutPrefix(madeAs, reference+":")
	n, err := strconv.Atoi(number)
	if !ours || err != nil || n < 1 {
		return 0
	}
	return n
}

// made is the number of the attempt that is reserved: the next one, or that of a transfer which the partner has made.
// Numbers below it are used up at the partner.
func (s chainLeg) made(reference string, next int) int {
	if s.e.MadeAs != "" {
		s.detail["madeAs"] = s.e.MadeAs
	}
	return max(next, AttemptOf(s.e.MadeAs, reference))
}

// Owned tells whether an order has a transfer of the partner's: as its payout or refund, as an earlier attempt, or as
// one that an operator said is not its own.
func Owned(o Order, transferID string) bool {
	return o.Payout.TransferID == transferID || o.Refund != nil && o.Refund.TransferID == transferID ||
		slices.Contains(o.Disowned, transferID) ||
		slices.ContainsFunc(o.Earlier, func(e Earlier) bool { return e.TransferID == transferID })
}

// Asks tells whether an order has asked, or may have asked, the partner for a transfer by this name.
func Asks(o Order, reference string) bool {
	if n := AttemptOf(reference, o.Reference); n > 0 {
		return n <= o.Attempt
	}
	return o.Refund != nil && AttemptOf(reference, o.Refund.Reference) > 0 &&
		AttemptOf(reference, o.Refund.Reference) <= o.Refund.Attempt
}
