package order

import (
	"time"

	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/money"
)

// Party is the source of an event.
type Party string

// The parties.
const (
	System  Party = "system"
	Partner Party = "partner"
	OnChain Party = "chain"
	User    Party = "user"

	Operator Party = "operator" // a person with a shell on the server
)

// Event is something that happened to an order. The comments tell which kinds of events use a field.
type Event struct {
	Kind       Kind
	By         Party
	At         time.Time // recorded here
	OccurredAt time.Time // by the clock of its source; zero: At
	Shared     time.Time // by the database's clock, which decides when quotes expire; zero: At

	Deposit  *Deposit     // deposit.*
	Labels   []Label      // of a detected deposit, fiat.received
	Repeats  string       // of a detected deposit: the order that had just these coins before
	Wish     Wish         // payout.given_up
	Terms    *Terms       // payout.reserved
	MadeAs   string       // payout.reserved, refund.reserved: the name of a transfer that the partner has made already
	Payout   *Payout      // fiat.*, payout.found; transfer.disowned: which
	Net      money.Amount // fiat.received: the amount that the bank received
	Rate     money.Rate   // fiat.received: the rate of the partner's conversion
	Reason   string       // review.opened, payment.delayed, payin.received of a hold
	Hits     []Hit        // review.opened by screening
	Failure  *Failure     // refused, returned, refund.failed
	Final    bool         // payout.refused: the partner refuses for good
	Refunded money.Amount // payment.returned, payin.returned: the amount that came or went back
	PayIn    *PayIn       // payin.scheduled, payin.received, crypto.submitted: as the partner tells it
	Network  money.Amount // crypto.submitted: the network fee's share of our fee
	// Of an event that opens a refund: id and reference of that refund. Of refund.*: transfer and hash.
	Refund *Refund
}

// ended tells whether a quote had expired when the event was recorded.
func (e Event) ended(at time.Time) bool {
	now := e.Shared
	if now.IsZero() {
		now = e.At
	}
	return !now.Before(at)
}

// Entry is a line of an order's timeline.
type Entry struct {
	Seq        int64 // the version that the event made
	Kind       Kind
	Status     Status // after it
	By         Party
	At         time.Time
	OccurredAt time.Time
	Detail     map[string]string
}

// Todo asks for a job after an event. Losing it does no harm: the sweeper finds the next step from the order itself.
type Todo string

// The one job.
const (
	Advance Todo = "advance" // do the order's next step now, if there is one
)

// Change is the result of an event.
type Change struct {
	Order  Order
	Was    Status // "" of a new one
	Entry  Entry
	Ledger []ledger.Op
	Todo   []Todo
	Freed  string // the transfer on chain that the order gives up
	Wrong  string // the partner's transfer that is not the order's after all
}
