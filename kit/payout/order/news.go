package order

import (
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

// Step is what an order's state asks for next.
type Step string

// The steps.
const (
	Nothing    Step = ""
	Pay        Step = "pay"         // if nothing holds it
	AskPayout  Step = "ask_payout"  // the partner may or may not have it: the same again, with the same key
	PollPayout Step = "poll_payout" // look how far it is
	SendRefund Step = "send_refund"
	AskRefund  Step = "ask_refund"
	PollRefund Step = "poll_refund"
	Expire     Step = "expire"
)

// Next says what is to be done. It follows from the order alone, so that a lost
// job loses nothing.
func (o Order) Next(now time.Time) Step {
	switch o.Status {
	case Awaiting:
		if !o.ExpiresAt.IsZero() && !now.Before(o.ExpiresAt) {
			return Expire
		}
	case FundsReceived, InReview:
		if o.Paying {
			return AskPayout
		}
		if o.ready() && !o.Lost() {
			return Pay
		}
	case PaymentSubmitted:
		return PollPayout
	case Completed:
		if now.Before(o.CompletedAt.Add(returnWindow)) {
			return PollPayout
		}
	case Returned, Error:
		return o.nextOfRefund()
	}
	return Nothing
}

const (
	// returnWindow is for how long a completed payout is looked at: a bank that
	// sends it back does so within days, and the notice of it may be lost.
	returnWindow = 5 * 24 * time.Hour
	lookLate     = 6 * time.Hour   // how often then
	lookAgain    = 2 * time.Minute // after a step that a job should have done by itself
)

// Due says when somebody has to look, unless a job did before. Zero: never.
func (o Order) Due(now time.Time) time.Time {
	switch {
	case o.Status == Awaiting:
		return o.ExpiresAt
	case o.Next(now) == Nothing:
		return time.Time{}
	case o.Status == Completed:
		return now.Add(lookLate)
	}
	return now.Add(lookAgain)
}

func (o Order) nextOfRefund() Step {
	switch {
	case o.Refund == nil:
		return Nothing
	case o.Refund.Paying:
		return AskRefund
	case o.Refund.Status == RefundPending:
		return SendRefund
	case o.Refund.Status == RefundSubmitted:
		return PollRefund
	}
	return Nothing
}

// PayoutKey is the idempotency key of the attempt that is reserved. It is the
// same however often it is asked for.
func (o Order) PayoutKey() string { return key(o.ID, "payout", o.Attempt) }

// RefundKey is that of the refund.
func (o Order) RefundKey() string { return key(o.ID, "refund", o.Refund.Attempt) }

// PayoutReference is what the partner has the attempt by.
func (o Order) PayoutReference() string { return o.Reference + ":" + strconv.Itoa(o.Attempt) }

// RefundReference is that of the refund.
func (o Order) RefundReference() string {
	return o.Refund.Reference + ":" + strconv.Itoa(o.Refund.Attempt)
}

func key(id, what string, attempt int) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(id+":"+what+":"+strconv.Itoa(attempt))).String()
}

// News are the events between what is known of a payout and what the partner
// says of it now, in their order: also where it skipped a state.
func (o Order) News(t fiat.Transfer, now time.Time) []Event {
	base := Event{By: Partner, At: now, OccurredAt: t.UpdatedAt, Payout: payoutOf(t)}
	var news []Event
	if !o.Paying && (o.Status != PaymentSubmitted && o.Status != Completed || o.Payout.TransferID != t.ID) {
		return nil // it is over, or of another transfer
	}
	add := func(k Kind) *Event {
		e := base
		e.Kind = k
		news = append(news, e)
		return &news[len(news)-1]
	}
	if o.Paying {
		add(FiatSubmitted)
	}
	switch t.State {
	case fiat.TransferProcessed:
		if o.Status != Completed {
			e := add(FiatReceived)
			e.Net, e.Rate = t.Destination, t.Rate
		}
	case fiat.TransferRefunded:
		e := add(PaymentReturned)
		e.Failure, e.Refunded = failureOf(t), t.Refunded
	case fiat.TransferAwaiting, fiat.TransferFunded, fiat.TransferSubmitted:
		if o.Status == PaymentSubmitted && o.Delay != "" {
			add(Delayed)
		}
	default:
		if o.Wish == GiveBack && o.Lost() && o.ReturnAddress == "" {
			break // there is nothing to give back, and nobody to give it to, until the deposit is there
		}
		if o.Wish != "" && o.Delay == string(t.State) && Stalled(t.State) {
			add(PayoutCanceled).Failure = &Failure{
				Code: string(t.State), Message: "The payment partner did not pay it out",
			}
		} else if o.Status != Completed && o.Delay != string(t.State) {
			add(Delayed).Reason = string(t.State)
		}
	}
	return news
}

// TransferLost is the state of a transfer that the partner does not know any more.
const TransferLost fiat.TransferState = "partner_lost"

// Mismatched is why something waits of which the partner says what cannot be.
const Mismatched = "partner_mismatch"

// Stands tells of a state that a transfer does not leave by itself.
func Stalled(state fiat.TransferState) bool {
	return state == fiat.TransferCanceled || state == fiat.TransferError || state == TransferLost
}

func payoutOf(t fiat.Transfer) *Payout {
	p := &Payout{TransferID: t.ID, TrackingKey: t.TrackingKey, TraceNumber: t.TraceNumber, IMAD: t.IMAD}
	if t.Source.Minor > 0 {
		p.Taken = money.Of(t.Source.Minor-t.Fee.Minor, t.Source.Currency)
	}
	return p
}

func failureOf(t fiat.Transfer) *Failure {
	f := &Failure{Code: "returned", Message: t.ReturnReason, ReturnCode: t.ReturnCode}
	if f.Message == "" {
		f.Message = "The bank sent the payment back"
	}
	return f
}

// RefundNews is News of a refund.
func (o Order) RefundNews(t fiat.Transfer, now time.Time) []Event {
	if o.Refund == nil || o.Status != Returned && o.Status != Error ||
		!o.Refund.Paying && (o.Refund.Status != RefundSubmitted || o.Refund.TransferID != t.ID) {
		return nil // there is none, it is over, or it is of another transfer
	}
	base := Event{By: Partner, At: now, OccurredAt: t.UpdatedAt, Refund: &Refund{TransferID: t.ID, Hash: t.Hash}}
	var news []Event
	add := func(k Kind) *Event {
		e := base
		e.Kind = k
		news = append(news, e)
		return &news[len(news)-1]
	}
	if o.Refund.Paying {
		add(RefundSent)
	}
	switch t.State {
	case fiat.TransferProcessed:
		add(RefundDone)
	case fiat.TransferAwaiting, fiat.TransferFunded, fiat.TransferSubmitted:
		if o.Refund.Reason != "" {
			add(RefundStalled) // no more
		}
	case fiat.TransferRefunded:
		if t.Refunded == o.Refund.Amount {
			add(RefundFailedKind).Failure = failureOf(t)
		} else if o.Refund.waits(Mismatched) {
			add(RefundStalled).Reason = Mismatched
		}
	default:
		if r := o.Refund; r.Again && r.Reason == string(t.State) && Stalled(t.State) {
			add(RefundFailedKind).Failure = &Failure{
				Code: string(t.State), Message: "The payment partner did not send the refund",
			}
			if !o.Lost() {
				add(RefundRetried)
			}
		} else if r.waits(string(t.State)) {
			add(RefundStalled).Reason = string(t.State)
		}
	}
	return news
}

// waits tells whether it is news that a refund waits for something.
func (r *Refund) waits(reason string) bool { return r.Again || r.Reason != reason }
