package order

import (
	"time"

	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/money"
)

// Party is who brought an event.
type Party string

// The parties.
const (
	System  Party = "system"
	Partner Party = "partner"
	OnChain Party = "chain"
	User    Party = "user"

	Operator Party = "operator" // whoever has a shell on the server
)

// Event is something that happened to an order. Which fields count depends on
// its kind.
type Event struct {
	Kind       Kind
	By         Party
	At         time.Time // recorded here
	OccurredAt time.Time // by the clock of who brought it; zero: At
	Shared     time.Time // by the database's clock, which quotes end by; zero: At

	Deposit  *Deposit     // deposit.*
	Labels   []Label      // of a detected deposit, fiat.received
	Wish     Wish         // payout.given_up
	Terms    *Terms       // payout.reserved: what it is paid at
	Payout   *Payout      // fiat.*
	Net      money.Amount // fiat.received: what the bank got
	Rate     money.Rate   // fiat.received: what the partner converted at
	Reason   string       // review.opened, payment.delayed
	Failure  *Failure     // refused, returned, refund.failed
	Final    bool         // payout.refused: for good
	Refunded money.Amount // payment.returned: what the partner gave back
	// payout.refused for good, payment.returned: id and reference of the refund to be; refund.*: transfer and hash
	Refund *Refund
}

// ended tells whether a quote's time was over.
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

// Todo is what an event asks for that nobody is at yet: whoever brings the others
// goes on by itself. Losing one changes nothing, since it follows from the order.
type Todo string

// What there can be to do.
const (
	Advance Todo = "advance" // look whether there is a next step, now
)

// Change is what an event does.
type Change struct {
	Order  Order
	Was    Status // "" of a new one
	Entry  Entry
	Ledger []ledger.Op
	Todo   []Todo
}
