// Package order is the life of a payment, as arithmetic: Apply takes an order and
// an event and gives the order after it, what that does to the ledger, and what
// is to be done next. It knows no database and no partner.
package order

import (
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

// Type is the direction of an order.
type Type string

// The types.
const (
	OffRamp Type = "off_ramp" // stablecoin to a bank account
	OnRamp  Type = "on_ramp"  // fiat to a wallet
)

// Origin is what opened an order.
type Origin string

// The origins.
const (
	FromDeposit Origin = "withdraw_address" // stablecoin came without a quote
	FromQuote   Origin = "quote"            // a quote was executed
)

// Label is a remark that changes no status.
type Label string

// The labels.
const (
	Under    Label = "under"    // less arrived than was quoted
	Over     Label = "over"     // more arrived than was quoted
	OffRate  Label = "off_rate" // the partner converted at another rate than it had told
	Late     Label = "late"     // it arrived after its order was canceled or had expired
	Repriced Label = "repriced" // paid at the rate of the day instead of the quoted one
)

// Order is one payment. The row is the fold of its events.
type Order struct {
	WorkspaceID string `json:"workspaceId"`
	ID          string `json:"id"`
	Reference   string `json:"reference"`
	Type        Type   `json:"type"`
	Origin      Origin `json:"origin"`
	Status      Status `json:"status"`
	Version     int64  `json:"version"` // one more with each event

	Labels []Label `json:"labels,omitempty"`

	RecipientID   string `json:"recipientId"`
	RecipientName string `json:"recipientName"`
	BankAccountID string `json:"bankAccountId"`
	LastFour      string `json:"lastFour"`

	WithdrawAddressID string `json:"withdrawAddressId"`
	Address           string `json:"address"`
	ReturnAddress     string `json:"returnAddress,omitempty"` // refunds go there, and nowhere else
	QuoteID           string `json:"quoteId,omitempty"`

	Chain       string         `json:"chain"`
	Source      money.Currency `json:"source"`
	Destination money.Currency `json:"destination"`
	Rail        fiat.Rail      `json:"rail"`

	Expected money.Amount `json:"expected"` // the quote's gross; zero where there is none
	Terms    Terms        `json:"terms"`    // the quote's, then those it is paid at
	Deposit  *Deposit     `json:"deposit,omitempty"`
	Dropped  string       `json:"dropped,omitempty"` // the transfer that a reorg took away
	Hold     string       `json:"hold,omitempty"`    // why it is in review
	Attempt  int          `json:"attempt"`           // of paying; 0 before the first
	Paying   bool         `json:"paying"`            // an attempt is reserved, and its outcome unknown
	Payout   Payout       `json:"payout"`
	// ReservedAt is when the last attempt was reserved: that old is its key.
	ReservedAt time.Time `json:"reservedAt,omitzero"`

	Delay   string   `json:"delay,omitempty"` // what the payout waits for, where that was said
	Wish    Wish     `json:"wish,omitempty"`  // of an operator, for a payout that stands
	Failure *Failure `json:"failure,omitempty"`
	Refund  *Refund  `json:"refund,omitempty"`
	// Earlier are the transfers that stood at the partner, and that others were made
	// in place of, or are to be. One that goes on after all keeps them from it.
	Earlier []Earlier `json:"earlier,omitempty"`
	// Refunds are the attempts of a refund that went with its deposit. The next
	// refund counts on from there: the ledger and the partner know them.
	Refunds int `json:"refunds,omitempty"`

	ExpiresAt   time.Time `json:"expiresAt,omitzero"` // of the quote
	CreatedAt   time.Time `json:"createdAt"`
	UpdatedAt   time.Time `json:"updatedAt"`
	CompletedAt time.Time `json:"completedAt,omitzero"`
}

// Terms are what an order is paid at: Gross leaves, Platform and Network are the
// fees of it, the rest at Rate is Net. Of quoted ones Net is a promise, which
// costs more or less by the time that it is kept: then Ours is what is left.
type Terms struct {
	Gross    money.Amount `json:"gross"`
	Platform money.Amount `json:"platform"`
	Network  money.Amount `json:"network"`
	Rate     money.Rate   `json:"rate"`
	Net      money.Amount `json:"net"`
	Quoted   bool         `json:"quoted"`
	Ours     money.Amount `json:"ours"`          // no currency: the fees
	Told     money.Rate   `json:"told,omitzero"` // the partner's, just before it was asked to pay
}

// Fee is all that is taken from the gross.
func (t Terms) Fee() (money.Amount, error) { return t.Platform.Add(t.Network) }

// DeveloperFee is what the partner is told to take for us, beside what it converts:
// both are the gross, so that the wallet gives no more and no less.
func (t Terms) DeveloperFee() (money.Amount, error) {
	if t.Ours.Currency == "" {
		return t.Fee()
	}
	return t.Ours, nil
}

// drift is what a rate moved since the quote: above zero we get more than our fees.
func (t Terms) drift() (money.Amount, error) {
	ours, err := t.DeveloperFee()
	if err != nil {
		return ours, err
	}
	fee, err := t.Fee()
	if err != nil {
		return ours, err
	}
	return ours.Sub(fee)
}

// Deposit is the transfer on chain that pays for an order.
type Deposit struct {
	TransferID    string       `json:"transferId"` // the watcher's
	Ref           string       `json:"ref"`        // of its ledger transaction
	Hash          string       `json:"hash"`
	From          string       `json:"from"`
	Amount        money.Amount `json:"amount"`
	Block         uint64       `json:"block"`
	Confirmations int          `json:"confirmations"`
	Required      int          `json:"required"`
	Final         bool         `json:"final"`
	Gone          bool         `json:"gone,omitempty"`    // it was final, and a reorg took it away
	Covered       bool         `json:"covered,omitempty"` // an operator has the order go on without it
}

// Lost tells whether what pays for the order is not on its chain any more, and
// nobody has taken the loss.
func (o Order) Lost() bool { return o.Deposit != nil && o.Deposit.Gone && !o.Deposit.Covered }

// Wish is what an operator wants where the partner says again that a payout stands.
type Wish string

// The wishes.
const (
	PayAgain Wish = "pay_again"
	GiveBack Wish = "give_back"
)

// Payout is what the partner said of the last attempt.
type Payout struct {
	TransferID  string       `json:"transferId,omitempty"` // the partner's
	Taken       money.Amount `json:"taken,omitzero"`       // what left the wallet, without fees, where that was said
	Converted   money.Amount `json:"converted,omitzero"`   // of the source, without fees
	Residue     money.Amount `json:"residue,omitzero"`     // of the source: too little for the smallest unit
	TrackingKey string       `json:"trackingKey,omitempty"`
	TraceNumber string       `json:"traceNumber,omitempty"`
	IMAD        string       `json:"imad,omitempty"`
}

// Earlier is a transfer of an attempt that was given up.
type Earlier struct {
	TransferID string `json:"transferId"`
	Reference  string `json:"reference"`
}

// Failure is why money did not arrive.
type Failure struct {
	Code       string `json:"code"`
	Message    string `json:"message"`
	ReturnCode string `json:"returnCode,omitempty"` // the rail's
}

// RefundStatus is how far a refund is.
type RefundStatus string

// The statuses of a refund.
const (
	RefundPending   RefundStatus = "pending"   // owed
	RefundSubmitted RefundStatus = "submitted" // the partner sends it
	RefundCompleted RefundStatus = "completed"
	RefundFailed    RefundStatus = "failed" // a person has to look
)

// Refund gives back what could not be paid. It has a life of its own.
type Refund struct {
	ID         string       `json:"id"`
	Reference  string       `json:"reference"`
	Status     RefundStatus `json:"status"`
	Amount     money.Amount `json:"amount"`
	Address    string       `json:"address,omitempty"` // on the order's chain
	Attempt    int          `json:"attempt"`
	Paying     bool         `json:"paying"`
	Again      bool         `json:"again,omitempty"`      // an operator wants another attempt, if this one stands
	TransferID string       `json:"transferId,omitempty"` // the partner's
	Hash       string       `json:"hash,omitempty"`
	Reason     string       `json:"reason,omitempty"` // of a failure
	ReservedAt time.Time    `json:"reservedAt,omitzero"`
}

// Reserved is when the attempt was reserved that is asked for. Rows of before do
// not say so; those had no event since, but for what happened to their deposits.
func (o Order) Reserved() time.Time {
	at := o.ReservedAt
	if o.Refund != nil {
		at = o.Refund.ReservedAt
	}
	if at.IsZero() {
		return o.UpdatedAt
	}
	return at
}
