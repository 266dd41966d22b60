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

// Kind is the type of an event.
type Kind string

// The kinds of events, which are also the entries of a timeline.
const (
	Created          Kind = "order.created"
	DepositDetected  Kind = "deposit.detected"
	DepositSeen      Kind = "deposit.progress" // one more confirmation
	DepositConfirmed Kind = "deposit.confirmed"
	DepositDropped   Kind = "deposit.dropped"  // a reorg removed it before it was final, or an operator gave it up
	DepositVanished  Kind = "deposit.vanished" // a reorg removed it although it was final
	DepositRestored  Kind = "deposit.restored" // the vanished deposit is mined again, and final
	DepositCovered   Kind = "deposit.covered"  // an operator takes the loss of a vanished deposit
	Funded           Kind = "order.funded"     // stablecoin that lay at the address pays for the order
	ReviewOpened     Kind = "review.opened"
	ReviewCleared    Kind = "review.cleared"
	ReviewReleased   Kind = "review.released" // an operator lets it go on although screening found something
	PayoutReserved   Kind = "payout.reserved" // money set aside, before the partner is asked
	PayoutRefused    Kind = "payout.refused"  // the partner did not take the payout
	FiatSubmitted    Kind = "fiat.submitted"
	Delayed          Kind = "payment.delayed"
	PayoutGivenUp    Kind = "payout.given_up" // an operator decides what happens to a stalled payout
	PayoutCanceled   Kind = "payout.canceled" // after that, the partner confirmed that it is stalled
	FiatReceived     Kind = "fiat.received"
	PaymentReturned  Kind = "payment.returned"
	RefundReserved   Kind = "refund.reserved"
	RefundRefused    Kind = "refund.refused"
	RefundSent       Kind = "refund.submitted"
	RefundDone       Kind = "refund.completed"
	RefundFailedKind Kind = "refund.failed"
	RefundStalled    Kind = "refund.delayed" // delayed or stalled at the partner
	RefundRetried    Kind = "refund.retried" // an operator has it sent again
	ReviewRefused    Kind = "review.refused" // an operator gives the deposit back
	PayoutFound      Kind = "payout.found"   // the partner knows the payout by another id than it had told
	RefundFound      Kind = "refund.found"
	// An operator's word about a payout or refund of which the partner's answers do not say what became of it.
	TransferAccepted   Kind = "transfer.accepted"    // it was made
	TransferWrittenOff Kind = "transfer.written_off" // it is settled with the partner outside this system
	TransferDisowned   Kind = "transfer.disowned"    // one that no order here has is not this order's
	OrderCanceled      Kind = "order.canceled"
	OrderExpired       Kind = "order.expired"
)

// Edge is one legal transition.
type Edge struct {
	From, To Status
	On       Kind
	Why      string // for the diagram
}

// Edges are all transitions of an order. Apply refuses any other.
var Edges = []Edge{
	{"", Awaiting, Created, "a quote is executed, and its address does not hold enough yet"},
	{"", FundsReceived, DepositDetected, "stablecoin arrives at a withdrawal address"},
	{"", FundsReceived, Funded, "a quote is executed, and its address holds enough"},
	{Awaiting, FundsReceived, DepositDetected, "stablecoin arrives"},
	{Awaiting, Canceled, OrderCanceled, "POST /v1/orders/{id}/cancel"},
	{Awaiting, Expired, OrderExpired, "the quote ended before a deposit"},
	{FundsReceived, FundsReceived, DepositSeen, "another block"},
	{FundsReceived, FundsReceived, DepositConfirmed, "the deposit is final"},
	{FundsReceived, Awaiting, DepositDropped, "a reorg removes the deposit, and the quote has not expired"},
	{
		FundsReceived, Expired, DepositDropped,
		"a reorg removes the deposit, and there is no quote or it has " +
			"expired",
	},
	{FundsReceived, InReview, DepositVanished, "a reorg removes a final deposit, and nothing has been paid"},
	{InReview, InReview, DepositVanished, "a reorg removes the final deposit of an order in review"},
	{
		FundsReceived, FundsReceived, DepositVanished,
		"a reorg removes a final deposit while a payout request is open at the partner",
	},
	{FundsReceived, InReview, PayoutRefused, "the partner refuses the payout, and the deposit is gone"},
	{
		PaymentSubmitted, PaymentSubmitted, DepositVanished,
		"a reorg removes a final deposit after the partner took the payout: an operator has to act",
	},
	{
		Completed, Completed, DepositVanished,
		"a reorg removes a final deposit after the bank was paid: an operator has to act",
	},
	{Returned, Returned, DepositVanished, "a reorg removes a final deposit after its refund was requested"},
	{Returned, Error, DepositVanished, "a reorg removes a final deposit before its refund was requested"},
	{Returned, Error, RefundRefused, "the partner refuses the refund for now, and the deposit is gone"},
	{Error, Error, DepositVanished, "a reorg removes the final deposit of an order in error"},
	{InReview, FundsReceived, DepositRestored, "the missing deposit is mined again and final"},
	{InReview, InReview, DepositRestored, "the missing deposit is final again; an operator had covered it"},
	{
		FundsReceived, FundsReceived, DepositRestored,
		"the missing deposit is final again while a payout request is open at the partner",
	},
	{
		PaymentSubmitted, PaymentSubmitted, DepositRestored,
		"the missing deposit is final again after the partner took the payout",
	},
	{Completed, Completed, DepositRestored, "the missing deposit is final again after the bank was paid"},
	{Returned, Returned, DepositRestored, "the missing deposit is final again after its refund was requested"},
	{Error, Returned, DepositRestored, "the missing deposit is final again: its refund is sent"},
	{Error, Error, DepositRestored, "the missing deposit is final again, and no refund waited for it"},
	{InReview, FundsReceived, DepositCovered, "an operator covers the missing deposit: the order is paid"},
	{
		FundsReceived, FundsReceived, DepositCovered,
		"an operator covers the missing deposit while a payout request is open at the partner",
	},
	{
		PaymentSubmitted, PaymentSubmitted, DepositCovered,
		"an operator covers the missing deposit after the partner took the payout",
	},
	{Completed, Completed, DepositCovered, "an operator covers the missing deposit after the bank was paid"},
	{Returned, Returned, DepositCovered, "an operator covers the missing deposit after its refund was requested"},
	{Error, Returned, DepositCovered, "an operator covers the missing deposit: its refund is sent"},
	{Error, Error, DepositCovered, "an operator covers the missing deposit, and no refund waited for it"},
	{InReview, Expired, DepositDropped, "an operator ends the order: its deposit is gone, and nothing was paid"},
	{
		Error, Expired, DepositDropped,
		"an operator ends the order: its deposit is gone, and its refund was not " +
			"sent",
	},
	{Expired, FundsReceived, DepositDetected, "the deposit that a reorg removed is mined again"},
	{
		FundsReceived, InReview, ReviewOpened,
		"a hold stops the payout: payouts are off for the workspace, the recipient is " +
			"archived, the bank account may not be paid yet, or the rate moved too far",
	},
	{InReview, InReview, ReviewOpened, "the reason of the hold changes"},
	{InReview, FundsReceived, ReviewCleared, "the hold has ended"},
	{InReview, FundsReceived, ReviewReleased, "an operator releases what screening found, or coins that came twice"},
	{InReview, InReview, ReviewReleased, "an operator releases what screening found; something else holds the order"},
	{Returned, InReview, ReviewOpened, "screening holds the refund, or could not be asked"},
	{InReview, Returned, ReviewCleared, "screening was asked about the refund and found nothing"},
	{InReview, Returned, ReviewReleased, "an operator releases what screening found: the refund is sent"},
	{InReview, Error, DepositVanished, "a reorg removes a final deposit while its refund is held"},
	{InReview, Returned, ReviewRefused, "an operator gives the deposit back"},
	{
		InReview, Error, ReviewRefused,
		"an operator gives the deposit back, and there is no return address, or its coins came twice",
	},
	{FundsReceived, FundsReceived, PayoutReserved, "the ledger reserves the money; the partner is asked next"},
	{FundsReceived, FundsReceived, PayoutRefused, "the partner refuses the payout for now: it is asked again"},
	{FundsReceived, Returned, PayoutRefused, "the partner refuses the payout for good"},
	{
		FundsReceived, Error, PayoutRefused,
		"the partner refuses the payout for good, and there is no return " +
			"address",
	},
	{FundsReceived, PaymentSubmitted, FiatSubmitted, "the partner takes the payout"},
	{
		PaymentSubmitted, PaymentSubmitted, Delayed,
		"the partner reports a delay, its end, or a state that the payout does not leave by itself",
	},
	{
		PaymentSubmitted, PaymentSubmitted, PayoutGivenUp,
		"an operator decides on a stalled payout: pay again, or give back",
	},
	{
		PaymentSubmitted, FundsReceived, PayoutCanceled,
		"the partner confirms that the payout is stalled: it is paid again",
	},
	{
		PaymentSubmitted, InReview, PayoutCanceled,
		"the partner confirms that the payout is stalled, and the deposit is gone",
	},
	{
		PaymentSubmitted, Returned, PayoutCanceled,
		"the partner confirms that the payout is stalled: it is given " +
			"back",
	},
	{
		PaymentSubmitted, Error, PayoutCanceled,
		"the partner confirms that the payout is stalled: it is given back, and there is no return address",
	},
	{PaymentSubmitted, Completed, FiatReceived, "the bank has received the money"},
	{PaymentSubmitted, Returned, PaymentReturned, "the rail or the bank returns the payment"},
	{
		PaymentSubmitted, Error, PaymentReturned,
		"the rail or the bank returns the payment, and there is no return address",
	},
	{Completed, Returned, PaymentReturned, "the bank returns the payment later"},
	{Completed, Error, PaymentReturned, "the bank returns the payment later, and there is no return address"},
	{Returned, Returned, RefundReserved, "the ledger reserves the refund; the partner is asked next"},
	{Returned, Returned, RefundRefused, "the partner refuses the refund for now: it is asked again"},
	{Returned, Returned, RefundSent, "the partner takes the refund"},
	{Returned, Returned, RefundDone, "the refund is at the return address"},
	{Returned, Error, RefundStalled, "the refund is delayed or stalled at the partner: an operator has to act"},
	{Error, Error, RefundStalled, "the refund is delayed for another reason"},
	{Error, Returned, RefundStalled, "the delayed refund is under way again"},
	{
		Returned, Returned, RefundStalled,
		"the refund is under way again, before the partner was asked for the operator's new attempt",
	},
	{Error, Returned, RefundDone, "the delayed refund is at the return address"},
	{Error, Error, RefundFailedKind, "the delayed refund came back to the wallet"},
	{Returned, Error, RefundFailedKind, "the refund failed: an operator has to act"},
	{Error, Returned, RefundRetried, "an operator has the refund sent again"},
	{PaymentSubmitted, PaymentSubmitted, PayoutFound, "the partner knows the payout by another id than it had told"},
	{Completed, Completed, PayoutFound, "the partner knows the payout by another id than it had told"},
	{Returned, Returned, RefundFound, "the partner knows the refund by another id than it had told"},
	{Error, Error, RefundFound, "the partner knows the refund by another id than it had told"},
	{FundsReceived, Completed, TransferAccepted, "an operator knows that the payout was made"},
	{InReview, Completed, TransferAccepted, "an operator knows that the payout was made"},
	{PaymentSubmitted, Completed, TransferAccepted, "an operator knows that the payout was made"},
	{Returned, Returned, TransferAccepted, "an operator knows that the refund was made"},
	{Error, Returned, TransferAccepted, "an operator knows that the refund was made"},
	{FundsReceived, Error, TransferWrittenOff, "an operator settles the payout with the partner"},
	{InReview, Error, TransferWrittenOff, "an operator settles the payout or refund with the partner"},
	{PaymentSubmitted, Error, TransferWrittenOff, "an operator settles the payout with the partner"},
	{Returned, Error, TransferWrittenOff, "an operator settles the refund with the partner"},
	{Error, Error, TransferWrittenOff, "an operator settles the refund with the partner"},
	{InReview, FundsReceived, TransferDisowned, "an operator knows that an unknown transfer is not this order's"},
	{Error, Returned, TransferDisowned, "an operator knows that an unknown transfer is not this order's refund"},
}

// GlobalEdges are the transitions that only a global payment has: it has its fiat before its coins.
var GlobalEdges = []Edge{
	{FundsReceived, FundsReceived, DepositDetected, "the coins of a global payment arrive"},
	{InReview, FundsReceived, DepositDetected, "the coins of a global payment arrive during a review of its fiat"},
	{Error, FundsReceived, DepositDetected, "coins of a global payment that were given up arrive"},
	{Returned, FundsReceived, DepositDetected, "the coins of a global payment arrive though its fiat went back"},
	{FundsReceived, FundsReceived, DepositDropped, "a reorg removes the coins of a global payment"},
}

// allows tells whether an event may move an order from one status to another.
func allows(from, to Status, on Kind) bool {
	is := func(e Edge) bool { return e.From == from && e.To == to && e.On == on }
	return slices.ContainsFunc(Edges, is) || slices.ContainsFunc(GlobalEdges, is)
}

// leads tells whether any transition starts at a status with an event.
func leads(from Status, on Kind) bool {
	return slices.ContainsFunc(Edges, func(e Edge) bool { return e.From == from && e.On == on })
}

// Ended are the statuses in which no payout is open. An order leaves them only by a late bank return, by news of its
// refund or of its deposit, or by an operator.
var Ended = []Status{Completed, Canceled, Expired, Returned, Error}

// RefundEdge is one legal transition of a refund.
type RefundEdge struct {
	From, To RefundStatus
	On       Kind
	Why      string
}

// RefundEdges are all transitions of a refund. Each happens with an event of its order.
var RefundEdges = []RefundEdge{
	{"", RefundPending, PayoutRefused, "the partner refuses the payout for good"},
	{"", RefundPending, PaymentReturned, "the rail or the bank returned the payment"},
	{"", RefundFailed, PaymentReturned, "the payment was returned, and the deposit is gone"},
	{"", RefundPending, ReviewRefused, "an operator gives the deposit back"},
	{
		"", RefundPending, PayoutCanceled,
		"the payout is stalled at the partner, and an operator gives the deposit " +
			"back",
	},
	{"", RefundFailed, PayoutCanceled, "an operator gives a stalled payout back, and the deposit is gone"},
	{RefundPending, RefundPending, RefundReserved, "the ledger reserves the refund; the partner is asked next"},
	{RefundPending, RefundPending, RefundRefused, "the partner refuses the refund for now: it is asked again"},
	{RefundPending, RefundSubmitted, RefundSent, "the partner takes the refund"},
	{RefundSubmitted, RefundCompleted, RefundDone, "the refund is at the return address"},
	{
		RefundPending, RefundFailed, RefundFailedKind,
		"the partner refuses the refund for good: an operator has to " +
			"act",
	},
	{RefundSubmitted, RefundFailed, RefundFailedKind, "the refund did not go through: an operator has to act"},
	{
		RefundSubmitted, RefundSubmitted, RefundStalled,
		"the refund is delayed or stalled at the partner, or is under way again",
	},
	{
		RefundSubmitted, RefundSubmitted, RefundRetried,
		"an operator has it sent again, once the partner confirms that it is stalled",
	},
	{RefundFailed, RefundPending, RefundRetried, "an operator has it sent again"},
	{RefundPending, RefundFailed, DepositVanished, "a reorg removes the deposit: the refund is not sent"},
	{RefundPending, RefundFailed, RefundRefused, "the partner refuses the refund for now, and the deposit is gone"},
	{RefundFailed, RefundPending, DepositRestored, "the missing deposit is final again"},
	{RefundFailed, RefundPending, DepositCovered, "an operator covers the missing deposit"},
	{RefundFailed, "", DepositDropped, "an operator ends the order: there is nothing to give back"},
	{RefundSubmitted, RefundSubmitted, RefundFound, "the partner knows the refund by another id than it had told"},
	{RefundPending, RefundCompleted, TransferAccepted, "an operator knows that the refund was made"},
	{RefundSubmitted, RefundCompleted, TransferAccepted, "an operator knows that the refund was made"},
	{RefundFailed, RefundCompleted, TransferAccepted, "an operator knows that the refund was made"},
	{RefundPending, "", TransferWrittenOff, "an operator settles the refund with the partner"},
	{RefundSubmitted, "", TransferWrittenOff, "an operator settles the refund with the partner"},
	{RefundFailed, "", TransferWrittenOff, "an operator settles the refund with the partner"},
	{RefundFailed, RefundPending, TransferDisowned, "an operator knows that an unknown transfer is not this refund"},
}
