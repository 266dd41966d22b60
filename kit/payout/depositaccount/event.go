package depositaccount

import (
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// Type is what an event is to the API.
type Type string

// The types.
const (
	Received  Type = "received"
	Scheduled Type = "scheduled"
	Submitted Type = "submitted"
	Processed Type = "processed"
	Refunded  Type = "refunded"
	InReview  Type = "in_review"
	Unknown   Type = "unknown"
)

// types are those of the partner's words that the API has a word for.
var types = map[fiat.ActivityType]Type{
	fiat.FundsReceived: Received, fiat.FundsScheduled: Scheduled, fiat.PaymentSubmitted: Submitted,
	fiat.PaymentProcessed: Processed, fiat.Refunded: Refunded, fiat.FundsInReview: InReview,
}

// statuses are what an event makes of its deposit.
var statuses = map[Type]string{
	Received: "pending", Scheduled: "pending", Submitted: "pending", Processed: "completed", Refunded: "refunded",
	InReview: "in_review",
}

// TypeOf is the API's word for one of the partner's.
func TypeOf(a fiat.ActivityType) Type {
	if t, known := types[a]; known {
		return t
	}
	return Unknown
}

// Event is what the partner said that happened to a deposit, or to the account.
type Event struct {
	WorkspaceID, ID, AccountID string
	PartnerEventID             string       // unique for each account
	DepositID                  string       // the partner's; "" of what happened to the account
	Type                       Type         //
	RawType                    string       // the partner's word
	Amount                     money.Amount // without a currency: none
	OccurredAt                 time.Time    // by the partner's clock; zero: not said
	RecordedAt                 time.Time
	Body                       string // what else the partner said, for whoever looks into it later; not shown
}

// EventOf is the event of an activity of the partner's, to be inserted. The same activity gives the same event.
func EventOf(a Account, said fiat.Activity, body string, now time.Time) Event {
	return Event{
		WorkspaceID: a.WorkspaceID, ID: record.DerivedID("deposit_event", a.WorkspaceID, a.ID, said.ID),
		AccountID: a.ID, PartnerEventID: said.ID, DepositID: said.DepositID, Type: TypeOf(said.Type),
		RawType: string(said.Type), Amount: said.Amount, OccurredAt: said.At, RecordedAt: now, Body: body,
	}
}

// Place is the instant that gives the event its place in the list.
func (e Event) Place() time.Time {
	if e.OccurredAt.IsZero() {
		return e.RecordedAt
	}
	return e.OccurredAt
}

func (e Event) cursor() page.Cursor { return page.Cursor{CreatedAt: e.Place(), ID: e.ID} }

// View is the event as the API shows it.
func (e Event) View() rest.DepositEvent {
	v := rest.DepositEvent{
		ID: e.ID, DepositAccountID: e.AccountID, Type: string(e.Type), RawType: e.RawType,
		OccurredAt: clock.ISOOrNil(e.OccurredAt),
	}
	if e.DepositID != "" {
		v.PartnerDepositID = &e.DepositID
	}
	if status := statuses[e.Type]; status != "" && e.DepositID != "" {
		v.Status = &status
	}
	if c := string(e.Amount.Currency); c != "" {
		amount := e.Amount.String()
		v.Amount, v.Currency = &amount, &c
	}
	return v
}
