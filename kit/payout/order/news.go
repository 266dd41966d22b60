package order

import (
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

// Step is the next thing to do for an order.
type Step string

// The steps.
const (
	Nothing    Step = ""
	Pay        Step = "pay"         // price and reserve the payout, unless there is a hold
	AskPayout  Step = "ask_payout"  // ask the partner (again) for the reserved payout, under its key
	PollPayout Step = "poll_payout" // ask the partner for the payout's state
	SendRefund Step = "send_refund"
	AskRefund  Step = "ask_refund"
	PollRefund Step = "poll_refund"
	Expire     Step = "expire"
	// FollowPayIn asks the partner about the bank transfer, and looks for its coins on the chain.
	FollowPayIn Step = "follow_payin"
)

// Next is the next step of an order. It follows from the order alone, so that a lost job does no harm.
func (o Order) Next(now time.Time) Step {
	if o.followsPayIn() {
		return o.nextOfPayIn(now)
	}
	switch o.Status {
	case Awaiting:
		if !o.ExpiresAt.IsZero() && !now.Before(o.ExpiresAt) {
			return Expire
		}
	case FundsReceived, InReview:
		if o.RefundHeld() {
			return o.nextOfRefund()
		}
		if o.Paying {
			return AskPayout
		}
		if o.ready() && !o.Lost() {
			return Pay
		}
	case PaymentSubmitted:
		return PollPayout
	case Completed:
		if o.Payout.TransferID != "" && now.Before(o.CompletedAt.Add(returnWindow)) {
			return PollPayout
		}
	case Returned, Error:
		return o.nextOfRefund()
	}
	return Nothing
}

const (
	// returnWindow is how long a completed payout is polled: a bank returns a payment within days, and the
	// partner's notice of it may be lost.
	returnWindow = 5 * 24 * time.Hour
	lookLate     = 6 * time.Hour   // between two polls of a completed payout
	lookAgain    = 2 * time.Minute // after which the sweeper does a step that a job should have done
)

// Due is when the sweeper enqueues a job for the order, unless a job has changed it before. Zero: never.
func (o Order) Due(now time.Time) time.Time {
	switch {
	case o.Status == Awaiting && !o.followsPayIn():
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

// PayoutKey is the idempotency key of the reserved payout attempt. Every call for that attempt has the same key, so
// that the partner makes one transfer.
func (o Order) PayoutKey() string { return key(o.ID, "payout", o.Attempt) }

// RefundKey is the idempotency key of the reserved refund attempt.
func (o Order) RefundKey() string { return key(o.ID, "refund", o.Refund.Attempt) }

// PayoutReference is our name of a payout attempt at the partner: "OFR-...:2" is the second one.
func (o Order) PayoutReference() string {
	if o.MadeAs != "" {
		return o.MadeAs
	}
	return o.Reference + ":" + strconv.Itoa(o.Attempt)
}

// Made tells whether the reserved attempt is one that the partner had made before: it is looked up, and not asked for.
func (o Order) Made() bool {
	if o.Refund != nil {
		return o.Refund.MadeAs != ""
	}
	return o.MadeAs != ""
}

// RefundReference is our name of a refund attempt at the partner.
func (o Order) RefundReference() string {
	if o.Refund.MadeAs != "" {
		return o.Refund.MadeAs
	}
	return o.Refund.Reference + ":" + strconv.Itoa(o.Refund.Attempt)
}

func key(id, what string, attempt int) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(id+":"+what+":"+strconv.Itoa(attempt))).String()
}

// News are the events that lead from the payout as we know it to the state that the partner reports, in order. If the
// partner skipped a state there are several: a payout that we asked for, and that the bank has already received, gives
// FiatSubmitted and FiatReceived.
func (o Order) News(t fiat.Transfer, now time.Time) []Event {
	base := Event{By: Partner, At: now, OccurredAt: t.UpdatedAt, Payout: payoutOf(t)}
	var news []Event
	if !o.Paying && (o.Status != PaymentSubmitted && o.Status != Completed || o.Payout.TransferID != t.ID) {
		return nil // the payout is over, or t is another transfer
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
			break // no deposit to give back, and no address to send it to: wait until the deposit is mined again
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

// Mismatched is the reason of a delay when the partner's report does not fit our request.
const Mismatched = "partner_mismatch"

// Stalled tells whether a transfer does not leave a state by itself: the partner canceled it, reports an error, or
// does not know it any more. The money is then expected to be in the wallet.
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

// RefundNews is News for a refund.
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
			add(RefundStalled) // without a reason: under way again
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

// waits tells whether a reason differs from the one that the refund has. It always does when an operator asked for
// another attempt, since that was about the old reason.
func (r *Refund) waits(reason string) bool { return r.Again || r.Reason != reason }
