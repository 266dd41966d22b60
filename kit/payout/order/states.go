package order

import "slices"

// Status is where an order stands, in the words of the API.
type Status string

// The statuses.
const (
	Awaiting         Status = "awaiting"
	FundsReceived    Status = "funds_received"
	InReview         Status = "in_review"
	PaymentSubmitted Status = "payment_submitted"
	Completed        Status = "completed"
	Canceled         Status = "canceled"
	Expired          Status = "expired"
	Returned         Status = "returned"
	Error            Status = "error"
)

// Kind is what an event says.
type Kind string

// The kinds of events, which are also the entries of a timeline.
const (
	Created          Kind = "order.created"
	DepositDetected  Kind = "deposit.detected"
	DepositSeen      Kind = "deposit.progress" // another block on top
	DepositConfirmed Kind = "deposit.confirmed"
	DepositDropped   Kind = "deposit.dropped"  // a reorg took it away; of a final one an operator says so
	DepositVanished  Kind = "deposit.vanished" // a reorg took it away when it was final
	DepositRestored  Kind = "deposit.restored" // and it is mined again
	DepositCovered   Kind = "deposit.covered"  // an operator has the order go on without it
	Funded           Kind = "order.funded"     // what lay at the address pays for it
	ReviewOpened     Kind = "review.opened"
	ReviewCleared    Kind = "review.cleared"
	PayoutReserved   Kind = "payout.reserved" // the partner is about to be asked
	PayoutRefused    Kind = "payout.refused"  // it did not take it
	FiatSubmitted    Kind = "fiat.submitted"
	Delayed          Kind = "payment.delayed"
	PayoutGivenUp    Kind = "payout.given_up" // an operator says what is to be done where it stands
	PayoutCanceled   Kind = "payout.canceled" // the partner says again that it stands
	FiatReceived     Kind = "fiat.received"
	PaymentReturned  Kind = "payment.returned"
	RefundReserved   Kind = "refund.reserved"
	RefundRefused    Kind = "refund.refused"
	RefundSent       Kind = "refund.submitted"
	RefundDone       Kind = "refund.completed"
	RefundFailedKind Kind = "refund.failed"
	RefundStalled    Kind = "refund.delayed" // it stands at the partner
	RefundRetried    Kind = "refund.retried" // an operator has it sent again
	ReviewRefused    Kind = "review.refused" // an operator gives the deposit back
	OrderCanceled    Kind = "order.canceled"
	OrderExpired     Kind = "order.expired"
)

// Edge is one legal step.
type Edge struct {
	From, To Status
	On       Kind
	Why      string // for the diagram
}

// Edges is the whole life of an order. What is not here cannot happen.
var Edges = []Edge{
	{"", Awaiting, Created, "a quote is executed, and its address is empty"},
	{"", FundsReceived, DepositDetected, "stablecoin arrives at a withdrawal address"},
	{"", FundsReceived, Funded, "a quote is executed, and its address holds enough"},
	{Awaiting, FundsReceived, DepositDetected, "stablecoin arrives"},
	{Awaiting, Canceled, OrderCanceled, "POST /v1/orders/{id}/cancel"},
	{Awaiting, Expired, OrderExpired, "the quote ended before a deposit"},
	{FundsReceived, FundsReceived, DepositSeen, "another block"},
	{FundsReceived, FundsReceived, DepositConfirmed, "the deposit is final"},
	{FundsReceived, Awaiting, DepositDropped, "a reorg takes the deposit away; the quote still stands"},
	{FundsReceived, Expired, DepositDropped, "a reorg takes the deposit away"},
	{FundsReceived, InReview, DepositVanished, "a reorg takes a final deposit away, and nothing has left"},
	{InReview, InReview, DepositVanished, "the same"},
	{FundsReceived, FundsReceived, DepositVanished, "the same, while the partner is asked"},
	{FundsReceived, InReview, PayoutRefused, "the partner did not take it, and the deposit is gone"},
	{PaymentSubmitted, PaymentSubmitted, DepositVanished, "the same, too late: a person has to look"},
	{Completed, Completed, DepositVanished, "the same"},
	{Returned, Returned, DepositVanished, "the same, while the refund is asked for or after"},
	{Returned, Error, DepositVanished, "a reorg takes a final deposit away, and its refund has not left"},
	{Returned, Error, RefundRefused, "the partner did not take the refund, and the deposit is gone"},
	{Error, Error, DepositVanished, "a reorg takes a final deposit away"},
	{InReview, FundsReceived, DepositRestored, "the deposit that was gone is mined again, and final"},
	{FundsReceived, FundsReceived, DepositRestored, "the same, while the partner is asked"},
	{PaymentSubmitted, PaymentSubmitted, DepositRestored, "the same, after it was paid"},
	{Completed, Completed, DepositRestored, "the same"},
	{Returned, Returned, DepositRestored, "the same"},
	{Error, Returned, DepositRestored, "the same: the refund is sent"},
	{Error, Error, DepositRestored, "the same, and there is no refund that waited for it"},
	{InReview, FundsReceived, DepositCovered, "an operator has it paid though the deposit is gone"},
	{FundsReceived, FundsReceived, DepositCovered, "the same, while the partner is asked"},
	{
		PaymentSubmitted, PaymentSubmitted, DepositCovered,
		"it was paid, and the deposit is gone: an operator takes the loss",
	},
	{Completed, Completed, DepositCovered, "the same"},
	{Returned, Returned, DepositCovered, "the same, after the refund"},
	{Error, Returned, DepositCovered, "an operator has it refunded though the deposit is gone"},
	{Error, Error, DepositCovered, "there is no refund that waited for it: an operator takes the loss"},
	{InReview, Expired, DepositDropped, "the deposit is gone: an operator ends the order"},
	{Error, Expired, DepositDropped, "the same, before its refund was sent"},
	{Expired, FundsReceived, DepositDetected, "the deposit that a reorg took away is mined again"},
	{FundsReceived, InReview, ReviewOpened, "the workspace may not pay out, the recipient is archived, the account cannot be paid yet, or a rate moved too far"},
	{InReview, InReview, ReviewOpened, "another reason"},
	{InReview, FundsReceived, ReviewCleared, "the reason is gone"},
	{InReview, Returned, ReviewRefused, "it will not be gone: an operator gives the deposit back"},
	{InReview, Error, ReviewRefused, "the same, and there is no return address"},
	{FundsReceived, FundsReceived, PayoutReserved, "the money is set aside, the partner is asked"},
	{FundsReceived, FundsReceived, PayoutRefused, "the partner could not take it now; it is asked again"},
	{FundsReceived, Returned, PayoutRefused, "the partner refuses it for good"},
	{FundsReceived, Error, PayoutRefused, "the same, and there is no return address"},
	{FundsReceived, PaymentSubmitted, FiatSubmitted, "the partner took it"},
	{PaymentSubmitted, PaymentSubmitted, Delayed, "the rail takes longer than usual"},
	{
		PaymentSubmitted, PaymentSubmitted, PayoutGivenUp,
		"it stands at the partner: an operator has it paid again, or given back",
	},
	{PaymentSubmitted, FundsReceived, PayoutCanceled, "the partner says again that it stands: it is paid again"},
	{PaymentSubmitted, InReview, PayoutCanceled, "the same, and the deposit is gone; also where it was to be given back without a return address"},
	{PaymentSubmitted, Returned, PayoutCanceled, "the partner says again that it stands: it is given back"},
	{PaymentSubmitted, Error, PayoutCanceled, "the same, and there is no return address"},
	{PaymentSubmitted, Completed, FiatReceived, "the bank has it"},
	{PaymentSubmitted, Returned, PaymentReturned, "the rail or the bank sends it back"},
	{PaymentSubmitted, Error, PaymentReturned, "the same, and there is no return address"},
	{Completed, Returned, PaymentReturned, "the bank sends it back later"},
	{Completed, Error, PaymentReturned, "the same, and there is no return address"},
	{Returned, Returned, RefundReserved, "the refund is set aside, the partner is asked"},
	{Returned, Returned, RefundRefused, "the partner could not send it now"},
	{Returned, Returned, RefundSent, "the partner sends it to the return address"},
	{Returned, Returned, RefundDone, "it is there"},
	{Returned, Error, RefundStalled, "it waits or stands at the partner: a person has to look"},
	{Error, Error, RefundStalled, "the same, for another reason"},
	{Error, Returned, RefundStalled, "it goes on there"},
	{Returned, Returned, RefundStalled, "the same, after an operator had it sent again"},
	{Error, Returned, RefundDone, "it went on there, and is done"},
	{Error, Error, RefundFailedKind, "it came back after it had stood there"},
	{Returned, Error, RefundFailedKind, "it could not be sent: a person has to look"},
	{Error, Returned, RefundRetried, "an operator has it sent again"},
}

// allows tells whether an event may come at a status, and lead to another.
func allows(from, to Status, on Kind) bool {
	return slices.ContainsFunc(Edges, func(e Edge) bool { return e.From == from && e.To == to && e.On == on })
}

// leads tells whether an event may come at a status at all.
func leads(from Status, on Kind) bool {
	return slices.ContainsFunc(Edges, func(e Edge) bool { return e.From == from && e.On == on })
}

// Ended are the statuses that nothing but a late bank return leaves.
var Ended = []Status{Completed, Canceled, Expired, Returned, Error}

// RefundEdge is one step of a refund.
type RefundEdge struct {
	From, To RefundStatus
	On       Kind
	Why      string
}

// RefundEdges is the life of a refund, within that of its order.
var RefundEdges = []RefundEdge{
	{"", RefundPending, PayoutRefused, "the partner refuses the payout for good"},
	{"", RefundPending, PaymentReturned, "the rail or the bank sent the payment back"},
	{"", RefundFailed, PaymentReturned, "the payment came back, and the deposit is gone"},
	{"", RefundPending, ReviewRefused, "an operator gives the deposit back"},
	{"", RefundPending, PayoutCanceled, "the payout stands at the partner, and an operator gives the deposit back"},
	{"", RefundFailed, PayoutCanceled, "the same, and the deposit is gone"},
	{RefundPending, RefundPending, RefundReserved, "the money is set aside, the partner is asked"},
	{RefundPending, RefundPending, RefundRefused, "the partner could not send it now; it is asked again"},
	{RefundPending, RefundSubmitted, RefundSent, "the partner sends it"},
	{RefundSubmitted, RefundCompleted, RefundDone, "it is there"},
	{RefundPending, RefundFailed, RefundFailedKind, "the partner refuses it for good: a person has to look"},
	{RefundSubmitted, RefundFailed, RefundFailedKind, "it did not go through: a person has to look"},
	{RefundSubmitted, RefundSubmitted, RefundStalled, "it waits or stands at the partner, or goes on there"},
	{
		RefundSubmitted, RefundSubmitted, RefundRetried,
		"an operator has it sent again, if the partner says that it stands",
	},
	{RefundFailed, RefundPending, RefundRetried, "an operator has it sent again"},
	{RefundPending, RefundFailed, DepositVanished, "a reorg takes the deposit away: it is not sent"},
	{RefundPending, RefundFailed, RefundRefused, "the partner could not send it now, and the deposit is gone"},
	{RefundFailed, RefundPending, DepositRestored, "the deposit is there again"},
	{RefundFailed, RefundPending, DepositCovered, "an operator has it sent all the same"},
	{RefundFailed, "", DepositDropped, "an operator ends the order: there is nothing to give back"},
}
