// Package order is the state machine of an order, without a database and without the partner: Apply takes an order and
// an event, and returns the order after the event, the entries for the ledger, and whether there is a next step.
//
// Say that a deposit of 100 USDC becomes final. Apply with DepositConfirmed posts 100 USDC from the withdrawal address
// to the order and asks for the next step. Apply with PayoutReserved then sets those 100 aside, before the partner is
// asked; with FiatSubmitted they go to the partner and to our fees.
//
// Read states.go (what can happen), apply.go, then one file for each kind of event: deposit.go, payout.go, refund.go,
// stalled.go (a payout that the partner does not finish), vanished.go (a final deposit that a reorg removed) and
// repeat.go (coins that came twice).
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
	OffRamp       Type = "off_ramp"       // stablecoin to a bank account
	OnRamp        Type = "on_ramp"        // fiat to a wallet
	GlobalPayment Type = "global_payment" // fiat to a bank account, by way of stablecoin
)

// Origin tells how an order began.
type Origin string

// The origins.
const (
	FromDeposit Origin = "withdraw_address" // stablecoin arrived, and no quote waited for it
	FromQuote   Origin = "quote"            // a quote was executed
	FromAccount Origin = "deposit_account"  // fiat arrived at a deposit account
	FromVirtual Origin = "virtual_account"  // fiat arrived at a recipient's account number
)

// Label is a remark on an order. It changes no status.
type Label string

// The labels.
const (
	Under    Label = "under"    // less arrived than was quoted
	Over     Label = "over"     // more arrived than was quoted
	OffRate  Label = "off_rate" // the partner converted at another rate than it had told
	Late     Label = "late"     // the deposit arrived after its order was canceled or had expired
	Repriced Label = "repriced" // paid at the current rate instead of the quoted one
)

// Order is one payment: to a bank account, to a wallet (PayIn), or from one bank to another by way of stablecoin. Its
// row is the result of applying its events in turn.
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

	WalletID          string `json:"walletId,omitempty"` // of an on-ramp: the enclave's id of it
	WithdrawAddressID string `json:"withdrawAddressId"`
	Address           string `json:"address"`                 // where the coins arrive
	ReturnAddress     string `json:"returnAddress,omitempty"` // refunds go there, and nowhere else
	QuoteID           string `json:"quoteId,omitempty"`

	Chain       string         `json:"chain"`
	Source      money.Currency `json:"source"`
	Destination money.Currency `json:"destination"`
	Rail        fiat.Rail      `json:"rail"`

	Expected money.Amount `json:"expected"` // the quote's gross; zero where there is none
	// Number is where a global payment waits for a bank transfer of Fiat.
	Number  string       `json:"number,omitempty"`
	Fiat    money.Amount `json:"fiat,omitzero"`
	FiatFee money.Amount `json:"fiatFee,omitzero"` // of Fiat, as the quote has it; what was taken is the pay-in's
	Terms   Terms        `json:"terms"`            // the quote's, later those of the last attempt
	PayIn   *PayIn       `json:"payIn,omitempty"`
	Deposit *Deposit     `json:"deposit,omitempty"`
	Dropped string       `json:"dropped,omitempty"` // the transfer that a reorg removed
	Hold    string       `json:"hold,omitempty"`    // why it is in review
	Attempt int          `json:"attempt"`           // number of the last payout attempt; 0 before the first
	Paying  bool         `json:"paying"`            // an attempt is reserved, and its outcome unknown
	Payout  Payout       `json:"payout"`
	// MadeAs is the partner's name of the last attempt, where the partner had made it before it was reserved here.
	MadeAs string `json:"madeAs,omitempty"`
	// Disowned are transfers of the partner's that no order here has, and of which an operator says that they are not
	// this order's.
	Disowned []string `json:"disowned,omitempty"`
	// ReservedAt is when the last attempt was reserved, and its idempotency key made.
	ReservedAt time.Time `json:"reservedAt,omitzero"`

	Delay   string   `json:"delay,omitempty"` // why the partner has not paid yet, if it said so
	Wish    Wish     `json:"wish,omitempty"`  // an operator's decision on a stalled payout
	Failure *Failure `json:"failure,omitempty"`
	Refund  *Refund  `json:"refund,omitempty"`
	// Earlier are stalled transfers that a new attempt replaces. If one of them is paid after all before the new
	// attempt is made, there is no new attempt.
	Earlier []Earlier `json:"earlier,omitempty"`
	// Refunds counts the attempts of a refund that ended because its deposit vanished. Ledger and partner know
	// those numbers, so the next refund counts on from there.
	Refunds int `json:"refunds,omitempty"`
	// Repeats names the order that had just these coins before. Nothing is paid out of coins that were sent twice until
	// an operator allows it.
	Repeats       string `json:"repeats,omitempty"`
	RepeatAllowed bool   `json:"repeatAllowed,omitempty"`
	// Screening is what lists of denied names and addresses had of the order. nil: nothing.
	Screening *Screening `json:"screening,omitempty"`

	ExpiresAt   time.Time `json:"expiresAt,omitzero"` // of the quote
	CreatedAt   time.Time `json:"createdAt"`
	UpdatedAt   time.Time `json:"updatedAt"`
	CompletedAt time.Time `json:"completedAt,omitzero"`
}

// Terms are the price of an order: Gross leaves the wallet, Platform and Network are our fees, and the rest, converted
// at Rate, is Net for the bank.
//
// A quote promises Net. If the rate has moved by the time of the payout, Net costs more or less than was quoted, and
// Ours is what is left for us. Say that a quote of 100.00 USDC had fees of 1.00 and promised the worth of 99.00. If
// that costs 98.60 USDC at the time of the payout, Ours is 1.40; if it costs 99.30, Ours is 0.70.
type Terms struct {
	Gross    money.Amount `json:"gross"`
	Platform money.Amount `json:"platform"`
	Network  money.Amount `json:"network"`
	Rate     money.Rate   `json:"rate"`
	Net      money.Amount `json:"net"`
	Quoted   bool         `json:"quoted"`
	Ours     money.Amount `json:"ours"`          // no currency: equal to the fees
	Told     money.Rate   `json:"told,omitzero"` // the partner's rate, read just before it was asked to pay
}

// Fee is the sum of the quoted fees.
func (t Terms) Fee() (money.Amount, error) { return t.Platform.Add(t.Network) }

// DeveloperFee is the fee that the partner collects for us. Together with the amount that it converts it is the gross,
// so that exactly the gross leaves the wallet.
func (t Terms) DeveloperFee() (money.Amount, error) {
	if t.Ours.Currency == "" {
		return t.Fee()
	}
	return t.Ours, nil
}

// drift is our gain (or, below zero, our loss) because the rate moved since the quote: DeveloperFee less Fee.
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
	Senders       []string     `json:"senders,omitempty"` // without a From: all who paid for it together
	Amount        money.Amount `json:"amount"`
	Block         uint64       `json:"block"`
	Confirmations int          `json:"confirmations"`
	Required      int          `json:"required"`
	MinedAt       time.Time    `json:"minedAt,omitzero"` // when it came; zero in rows of older versions
	Final         bool         `json:"final"`
	Gone          bool         `json:"gone,omitempty"`    // it was final, and a reorg took it away
	Covered       bool         `json:"covered,omitempty"` // an operator has the order go on without it
}

// Lost tells whether the order's final deposit is not on its chain any more, and no operator has covered it.
func (o Order) Lost() bool { return o.Deposit != nil && o.Deposit.Gone && !o.Deposit.Covered }

// Wish is an operator's decision on a payout that is stalled at the partner.
type Wish string

// The decisions.
const (
	PayAgain Wish = "pay_again"
	GiveBack Wish = "give_back"
)

// Payout is what the partner reported of the last attempt.
type Payout struct {
	TransferID  string       `json:"transferId,omitempty"` // the partner's
	Taken       money.Amount `json:"taken,omitzero"`       // left the wallet, without fees, if the partner said so
	Converted   money.Amount `json:"converted,omitzero"`   // source currency that Net cost, without fees
	Residue     money.Amount `json:"residue,omitzero"`     // source currency worth less than the smallest unit of Net
	TrackingKey string       `json:"trackingKey,omitempty"`
	TraceNumber string       `json:"traceNumber,omitempty"`
	IMAD        string       `json:"imad,omitempty"`
}

// Earlier is the transfer of an attempt that an operator gave up.
type Earlier struct {
	TransferID string `json:"transferId"`
	Reference  string `json:"reference"`
}

// Failure is the reason why money did not arrive.
type Failure struct {
	Code       string `json:"code"`
	Message    string `json:"message"`
	ReturnCode string `json:"returnCode,omitempty"` // the rail's
}

// RefundStatus is the state of a refund.
type RefundStatus string

// The statuses of a refund.
const (
	RefundPending   RefundStatus = "pending"   // not taken by the partner yet
	RefundSubmitted RefundStatus = "submitted" // the partner sends it
	RefundCompleted RefundStatus = "completed"
	RefundFailed    RefundStatus = "failed" // an operator has to act
)

// Refund sends the money of an order that could not be paid to the return address. RefundEdges are its states.
type Refund struct {
	ID         string       `json:"id"`
	Reference  string       `json:"reference"`
	Status     RefundStatus `json:"status"`
	Amount     money.Amount `json:"amount"`
	Address    string       `json:"address,omitempty"` // on the order's chain
	Attempt    int          `json:"attempt"`
	Paying     bool         `json:"paying"`
	Again      bool         `json:"again,omitempty"`      // an operator wants another attempt if this one is stalled
	TransferID string       `json:"transferId,omitempty"` // the partner's
	Hash       string       `json:"hash,omitempty"`
	Reason     string       `json:"reason,omitempty"` // of a failure
	ReservedAt time.Time    `json:"reservedAt,omitzero"`
	MadeAs     string       `json:"madeAs,omitempty"` // as Order.MadeAs
}

// Reserved is when the current attempt was reserved. Rows of older versions do not store that: there it is the time of
// the last change, and since the reservation only events of the deposit can have changed them.
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
