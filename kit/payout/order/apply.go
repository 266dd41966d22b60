package order

import (
	"errors"
	"fmt"
	"slices"

	"github.com/railkit/railkit/kit/payout/ledger"
)

// Errors of Apply. With each of them the order stays as it is.
var (
	ErrIllegal  = errors.New("order: the event cannot happen to an order in this state")
	ErrKnown    = errors.New("order: the event is known already")
	ErrMismatch = errors.New("order: the partner reports another amount than it should")
)

// step is one call of Apply: the order as it changes, the event, and the results so far.
type step struct {
	o      Order
	e      Event
	detail map[string]string
	ops    []ledger.Op
	todo   []Todo
	freed  string // a transfer on chain
	wrong  string // a transfer of the partner's
}

// Legs of an order's way. Each has the events of one part of it, and books what they move.
type (
	chainLeg  struct{ *step } // the deposit on the chain
	bankLeg   struct{ *step } // the payment to the bank
	refundLeg struct{ *step } // what goes back to who sent it
	payInLeg  struct{ *step } // a bank transfer that becomes stablecoins
)

func (s *step) onChain() chainLeg   { return chainLeg{s} }
func (s *step) toBank() bankLeg     { return bankLeg{s} }
func (s *step) toSender() refundLeg { return refundLeg{s} }
func (s *step) fromBank() payInLeg  { return payInLeg{s} }

// by has a leg handle an event.
func by[L ~struct{ *step }](handle func(L) error) func(*step) error {
	return func(s *step) error { return handle(L{s}) }
}

// handlers has the function of each event. Apply checks the resulting transition against Edges.
var handlers = map[Kind]func(*step) error{
	Created:            (*step).created,
	Funded:             by(chainLeg.funded),
	DepositDetected:    by(chainLeg.detected),
	DepositSeen:        by(chainLeg.seen),
	DepositConfirmed:   by(chainLeg.confirmed),
	DepositDropped:     by(chainLeg.dropped),
	DepositVanished:    by(chainLeg.vanished),
	DepositRestored:    by(chainLeg.restored),
	DepositCovered:     by(chainLeg.covered),
	ReviewOpened:       by(bankLeg.reviewOpened),
	ReviewCleared:      by(bankLeg.reviewCleared),
	ReviewReleased:     by(bankLeg.released),
	PayoutReserved:     by(bankLeg.reserved),
	PayoutRefused:      by(bankLeg.refused),
	FiatSubmitted:      by(bankLeg.submitted),
	Delayed:            by(bankLeg.delayed),
	PayoutGivenUp:      by(chainLeg.givenUp),
	PayoutCanceled:     by(chainLeg.canceled),
	FiatReceived:       by(bankLeg.received),
	PaymentReturned:    by(refundLeg.returned),
	RefundReserved:     by(refundLeg.refundReserved),
	RefundRefused:      by(refundLeg.refundRefused),
	RefundSent:         by(refundLeg.refundSent),
	RefundDone:         by(refundLeg.refundDone),
	RefundFailedKind:   by(refundLeg.refundFailed),
	RefundStalled:      by(chainLeg.refundStalled),
	RefundRetried:      by(refundLeg.refundRetried),
	ReviewRefused:      by(refundLeg.reviewRefused),
	PayoutFound:        by(bankLeg.payoutFound),
	RefundFound:        by(bankLeg.refundFound),
	TransferAccepted:   by(bankLeg.transferAccepted),
	TransferWrittenOff: by(bankLeg.transferWrittenOff),
	TransferDisowned:   by(bankLeg.transferDisowned),
	OrderCanceled:      func(s *step) error { return s.end(Canceled) },
	OrderExpired:       func(s *step) error { return s.end(Expired) },
}

// Apply returns the order after an event, with the ledger operations and the entry of the timeline. It changes neither
// argument.
func Apply(o Order, e Event) (Change, error) {
	s := step{o: o, e: e, detail: map[string]string{}}
	s.o.Labels = slices.Clone(o.Labels)
	if handle, ok := payInHandlers[e.Kind]; ok && o.Type != "" {
		return applyPayIn(&s, o, handle)
	}
	handle, ok := handlers[e.Kind]
	if !ok || o.Type == OnRamp {
		return Change{}, fmt.Errorf("%w: %q", ErrIllegal, e.Kind)
	}
	if err := handle(&s); err != nil {
		if !errors.Is(err, ErrKnown) && !leads(o.Status, e.Kind) {
			err = ErrIllegal
		}
		return Change{}, fmt.Errorf("%s at %q: %w", e.Kind, o.Status, err)
	}
	if !allows(o.Status, s.o.Status, e.Kind) {
		return Change{}, fmt.Errorf("%w: %s from %q to %q", ErrIllegal, e.Kind, o.Status, s.o.Status)
	}
	return s.done(o.Status)
}

// done is the change, once the ledger's operations are in order.
func (s *step) done(was Status) (Change, error) {
	for _, op := range s.ops {
		if err := op.Check(); err != nil {
			return Change{}, fmt.Errorf("%s: %s: %w", s.e.Kind, op.Ref, err)
		}
	}
	c := s.change()
	c.Was = was
	return c, nil
}

func (s *step) change() Change {
	s.o.Version++
	s.o.UpdatedAt = s.e.At
	if s.o.Version == 1 {
		s.o.CreatedAt = s.e.At
	}
	if s.e.OccurredAt.IsZero() {
		s.e.OccurredAt = s.e.At
	}
	return Change{Order: s.o, Ledger: s.ops, Todo: s.todo, Freed: s.freed, Wrong: s.wrong, Entry: Entry{
		Seq: s.o.Version, Kind: s.e.Kind, Status: s.o.Status, By: s.e.By, At: s.e.At, OccurredAt: s.e.OccurredAt,
		Detail: s.detail,
	}}
}

// book adds an operation on the ledger.
func (s *step) book(do ledger.Do, ref, kind string, entries ...ledger.Entry) {
	s.ops = append(s.ops, ledger.Op{Do: do, Ref: ref, Kind: kind, Entries: ledger.Entries(entries...)})
}

// record adds a ledger operation that is posted at once. Its name has the order's version, so that a later event may
// book the same kind again.
func (s *step) record(kind string, entries ...ledger.Entry) {
	s.book(ledger.Record, fmt.Sprintf("%s:%s:%d", s.o.ID, kind, s.o.Version+1), kind, entries...)
}

func (s *step) advance() { s.todo = append(s.todo, Advance) }

func (s *step) label(all ...Label) {
	for _, l := range all {
		if !slices.Contains(s.o.Labels, l) {
			s.o.Labels = append(s.o.Labels, l)
		}
	}
}

// created: an order waits for the deposit of its quote, until the quote expires.
func (s *step) created() error {
	if s.o.QuoteID == "" || s.o.ExpiresAt.IsZero() {
		return ErrIllegal
	}
	s.o.Status = Awaiting
	return nil
}

// end closes an order without a deposit.
func (s *step) end(at Status) error {
	if s.o.Status == at {
		return ErrKnown
	}
	if s.o.PayIn != nil { // a bank transfer is on its way
		return ErrIllegal
	}
	s.o.Status = at
	return nil
}
