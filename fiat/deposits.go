package fiat

import (
	"time"

	"github.com/railkit/railkit/money"
)

// VirtualAccountRequest asks for an account number of the partner's bank. What arrives there becomes Currency at
// Address.
type VirtualAccountRequest struct {
	Source    money.Currency // what depositors send
	Chain     string
	Currency  money.Currency // what it becomes
	Address   string
	FeePoints int64 // our fee, in basis points of what arrives
}

// VirtualAccount is one. Address, Chain and Currency are where the partner says that the coins go.
type VirtualAccount struct {
	ID           string
	Active       bool
	Chain        string
	Currency     money.Currency
	Address      string
	FeePoints    int64
	Instructions Instructions
}

// Instructions tell a depositor where to send money. Currency is empty as long as the partner has given none.
type Instructions struct {
	Currency                           money.Currency
	Rails                              []Rail
	BankName, BankAddress, Beneficiary string
	// The numbers: CLABE | IBAN, BIC | AccountNumber, RoutingNumber | AccountNumber, SortCode | BRCode
	Details Details
}

// ActivityType is what happened to a deposit or to the account, in Bridge's words.
type ActivityType string

// The types that are known here. Others are passed on as the partner writes them.
const (
	FundsScheduled     ActivityType = "funds_scheduled"   // ACH in transit
	FundsReceived      ActivityType = "funds_received"    // Amount: what the sender sent, before fees
	FundsInReview      ActivityType = "in_review"         //
	PaymentSubmitted   ActivityType = "payment_submitted" // Amount: coins sent; Hash may still change
	PaymentProcessed   ActivityType = "payment_processed" // Amount: coins sent; Hash is final
	RefundInFlight     ActivityType = "refund_in_flight"
	Refunded           ActivityType = "refunded"
	RefundFailed       ActivityType = "refund_failed"
	AccountUpdated     ActivityType = "account_update"
	AccountActivated   ActivityType = "reactivation"
	AccountDeactivated ActivityType = "deactivation"
	Microdeposit       ActivityType = "microdeposit" // is never converted
	// Unreadable is an activity that makes no sense. Its Reason says why. ID, DepositID and At are told where they do.
	Unreadable ActivityType = "unreadable"
)

// Activity is one event of a virtual account.
type Activity struct {
	ID, AccountID string
	DepositID     string // one for each transfer of a depositor; "" for events of the account
	Type          ActivityType
	Amount        money.Amount
	Fee           money.Amount // ours, in the source currency, of payment_*; zero where it is not told
	Hash          string       // of payment_*
	Rail          Rail         // the rail that it came by
	SenderName    string
	Trace         string // the rail's own reference: tracking key, trace number, IMAD
	Reason        string // of in_review, refund_* and unreadable
	At            time.Time
}
