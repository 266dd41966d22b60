package order

import (
	"slices"
	"strings"
)

// Reasons of a hold by screening.
const (
	HoldScreening  = "screening"             // a name or an address is on a list: an operator decides
	HoldUnscreened = "screening_unavailable" // nobody could be asked, or the answer made no sense: it is asked again
)

// Hit says that a name or an address of an order is on a list. It does not repeat the name or the address.
type Hit struct {
	Role  string `json:"role"`  // what the name or address is to the order: recipient, sender, ...
	Kind  string `json:"kind"`  // name or address
	Entry string `json:"entry"` // the list's id of its entry
	Of    string `json:"of"`    // digest of the name or address, so that a release does not clear another one
}

// Key tells hits apart. An operator releases a hit by its key.
func (h Hit) Key() string { return strings.Join([]string{h.Role, h.Kind, h.Entry, h.Of}, ":") }

// String is what the timeline and the operator's list show: "sender address: sdn-3".
func (h Hit) String() string { return h.Role + " " + h.Kind + ": " + h.Entry }

// Describe joins hits for the timeline.
func Describe(hits []Hit) string {
	all := make([]string, len(hits))
	for i, h := range hits {
		all[i] = h.String()
	}
	return strings.Join(all, ", ")
}

// Screening is what screening found for an order, and what an operator decided about it.
type Screening struct {
	Hits    []Hit    `json:"hits,omitempty"`    // wait for a decision: until then nothing leaves
	Cleared []string `json:"cleared,omitempty"` // keys of the hits that an operator released
}

// Hits are the hits of an order that wait for an operator's decision.
func (o Order) Hits() []Hit {
	if o.Screening == nil {
		return nil
	}
	return o.Screening.Hits
}

// Cleared are the keys of the hits that an operator released.
func (o Order) Cleared() (all []string) {
	if o.Screening != nil {
		all = slices.Clone(o.Screening.Cleared)
	}
	return all
}

// RefundHeld tells whether screening holds the refund of an order. Its payout is over then.
func (o Order) RefundHeld() bool { return o.Status == InReview && o.Refund != nil }

// found adds the event's hits to those that wait. Hits that an operator released do not hold an order again.
func (s bankLeg) found() error {
	if s.e.Reason != HoldScreening {
		return nil
	}
	hits := slices.Clone(s.o.Hits())
	for _, h := range s.e.Hits {
		if !slices.Contains(s.o.Cleared(), h.Key()) && !slices.Contains(hits, h) {
			hits = append(hits, h)
		}
	}
	if len(hits) == 0 {
		return ErrIllegal
	}
	now := Screening{Hits: hits}
	if s.o.Screening != nil {
		now.Cleared = s.o.Screening.Cleared
	}
	s.o.Screening = &now
	s.detail["hits"] = Describe(hits)
	return nil
}

// forget drops hits without a decision about them: the payout that they held is not made.
func (s bankLeg) forget() {
	if was := s.o.Screening; was != nil {
		s.o.Screening = nil
		if len(was.Cleared) > 0 {
			s.o.Screening = &Screening{Cleared: was.Cleared}
		}
	}
}

// releaseHits clears the hits that wait.
func (s bankLeg) releaseHits() {
	hits := s.o.Hits()
	if len(hits) == 0 {
		return
	}
	cleared := slices.Clone(s.o.Screening.Cleared)
	for _, h := range hits {
		cleared = append(cleared, h.Key())
	}
	s.o.Screening = &Screening{Cleared: cleared}
	s.detail["hits"] = Describe(hits)
}

// released: an operator lets an order go on in spite of what screening found, or of coins that were sent twice. Where
// something else holds it by now, it stays in review for that.
func (s bankLeg) released() error {
	if s.o.Status == InReview && s.e.By == Operator && s.o.Hold == HoldSentTwice {
		s.toSender().allowRepeat()
		return nil
	}
	if s.o.Status != InReview || s.e.By != Operator || len(s.o.Hits()) == 0 {
		return ErrIllegal
	}
	s.releaseHits()
	if s.o.Hold == HoldScreening {
		s.resume()
	}
	return nil
}

// resume ends a review: the payout is tried next, or the refund if it was the refund that was held.
func (s bankLeg) resume() {
	s.o.Status, s.o.Hold = FundsReceived, ""
	if s.o.Refund != nil {
		s.o.Status = Returned
	}
	s.advance()
}

// holdable tells whether an order in this state can be put into review: its payout is still to be asked for, or its
// refund is.
func (o Order) holdable() bool {
	if o.Refund != nil {
		return o.Refund.Status == RefundPending && !o.Refund.Paying
	}
	return !o.Paying && o.ready()
}
