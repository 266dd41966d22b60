// Package fiat is the port to whoever holds stablecoins for us and pays out to
// banks. Its words are those of Bridge's public API, which fiat/bridge speaks;
// fiat/sandbox is a server of ours that answers them.
//
// The partner is not trusted with more than it must be: every amount that it
// reports is compared to what we asked for, its notices are only hints to ask
// again, and each thing that moves money has an idempotency key of ours that is
// stored before the call.
package fiat

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/money"
)

// What a call's error means. Anything else is unknown: the partner may have done
// it, so the same call is made again with the same key.
var (
	// *Refusal says why; this call did nothing
	ErrRefused      = errors.New("the partner refuses it for good")
	ErrInsufficient = errors.New("the partner's wallet has not enough")        // this call did nothing; may pass
	ErrNotFound     = errors.New("the partner does not know it")               // this call did nothing
	ErrUnavailable  = errors.New("the partner is not available")               // unknown outcome
	ErrBusy         = errors.New("the partner asks to come back later")        // *Busy says when; this call did nothing
	ErrKeyReused    = errors.New("the partner saw the key on another request") // a bug or a lie
	ErrAnswer       = errors.New("the partner's answer makes no sense")        // unknown outcome
	ErrSignature    = errors.New("the notice is not the partner's")
	ErrStale        = errors.New("the notice is too old")
)

// ErrLong comes with the newest part of a list that is too long to be read to its end.
var ErrLong = fmt.Errorf("a list that is too long: %w", ErrAnswer)

// Refusal is why the partner refuses for good.
type Refusal struct {
	Code    string // the partner's, such as "invalid_account_number"
	Message string // the partner's; for the operator, and without numbers of accounts
	Field   string // of the request, where it says so
}

func (r *Refusal) Error() string { return "the partner refuses: " + r.Code }

// Is makes every refusal ErrRefused.
func (r *Refusal) Is(target error) bool { return target == ErrRefused }

// Busy is when the partner wants to be asked again.
type Busy struct {
	After time.Duration // 0: not said
}

func (b *Busy) Error() string { return ErrBusy.Error() }

// Is makes every Busy ErrBusy.
func (b *Busy) Is(target error) bool { return target == ErrBusy }

// KeyLife is for how long a key of a call is used again. The partner remembers keys for a day.
const KeyLife = 20 * time.Hour

// Partner is what the platform asks of it. A key is ours, the same for the same
// thing; only calls that make something have one.
type Partner interface {
	CreateCustomer(ctx context.Context, key string, q CustomerRequest) (Customer, error)
	Customer(ctx context.Context, id string) (Customer, error)

	CreateAccount(ctx context.Context, key, customerID string, q AccountRequest) (Account, error)
	Account(ctx context.Context, customerID, id string) (Account, error)
	UpdateAccount(ctx context.Context, customerID, id string, q AccountChange) (Account, error)
	// SetAccountActive switches a registration off, or on again.
	SetAccountActive(ctx context.Context, key, customerID, id string, active bool) (Account, error)

	CreateWallet(ctx context.Context, key, customerID, chain string) (Wallet, error)
	WalletBalances(ctx context.Context, customerID, id string) ([]money.Amount, error)
	CreateLiquidationAddress(
		ctx context.Context, key, customerID string, q LiquidationRequest,
	) (LiquidationAddress, error)
	// Drains lists what arrived at an address since an instant, newest first.
	Drains(ctx context.Context, customerID, addressID string, since time.Time) ([]Drain, error)
	CreateVirtualAccount(ctx context.Context, key, customerID string, q VirtualAccountRequest) (VirtualAccount, error)
	VirtualAccount(ctx context.Context, customerID, id string) (VirtualAccount, error)
	// SetVirtualAccountActive switches a virtual account off, or on again. One that is off sends what arrives back.
	SetVirtualAccountActive(ctx context.Context, key, customerID, id string, active bool) (VirtualAccount, error)
	// Activities lists what happened to a virtual account since an instant, newest first. One that makes no sense is
	// Unreadable, and does not keep the others from being told. ErrLong comes with a part of the list.
	Activities(ctx context.Context, customerID, accountID string, since time.Time) ([]Activity, error)
	// ReturnDeposit asks the partner to send a deposit back that it has not converted yet. The activities of the
	// account tell whether it does.
	ReturnDeposit(ctx context.Context, key, customerID, depositID string, amount money.Amount) error

	Rate(ctx context.Context, from, to money.Currency) (Rate, error)
	CreateTransfer(ctx context.Context, key string, q TransferRequest) (Transfer, error)
	Transfer(ctx context.Context, id string) (Transfer, error)
	// TransferOf finds what was made since an instant for a reference of ours, where
	// its key is too old to be asked by.
	TransferOf(ctx context.Context, customerID, reference string, since time.Time) (Transfer, error)
	// Transfers lists those that were made for a customer since an instant, newest first.
	Transfers(ctx context.Context, customerID string, since time.Time) ([]Transfer, error)

	// ReadNotice checks who sent a notice and that it is fresh, and reads it. It
	// fails with ErrSignature, ErrStale, or ErrAnswer where a signed body is none.
	ReadNotice(signature string, body []byte, now time.Time) (Notice, error)
}

// CustomerRequest introduces a workspace.
type CustomerRequest struct{ Name, Email string }

// Customer is a workspace at the partner.
type Customer struct {
	ID     string
	Status CustomerStatus
}

// CustomerStatus is how far the partner's own check of a business is.
type CustomerStatus string

// The statuses that matter here; every other one waits.
const (
	CustomerActive   CustomerStatus = "active"
	CustomerPending  CustomerStatus = "under_review"
	CustomerRejected CustomerStatus = "rejected"
)

// Rail moves fiat.
type Rail string

// The rails, as the API writes them.
const (
	ACH            Rail = "ach"
	Wire           Rail = "wire"
	SPEI           Rail = "spei"
	SEPA           Rail = "sepa"
	FasterPayments Rail = "faster_payments"
	PIX            Rail = "pix"
)

// Details are the numbers of a bank account. Which are there depends on the
// currency. They are secrets: never logged, stored sealed.
type Details struct {
	AccountNumber, RoutingNumber, CheckingOrSavings string // usd; AccountNumber also gbp
	SortCode                                        string // gbp
	CLABE, LegalName, RFC                           string // mxn
	IBAN, BIC                                       string // eur
	PixKey, BRCode, TaxID                           string // brl
}

// Address is a postal address; Country is ISO 3166 alpha-3 on the wire to the
// partner and alpha-2 here.
type Address struct{ Street, City, State, PostalCode, Country string }

// AccountRequest registers a recipient's bank account.
type AccountRequest struct {
	Currency              money.Currency
	Rail                  Rail
	OwnerName, OwnerEmail string
	Business              bool
	BankName              string
	Address               Address
	Details               Details
}

// AccountChange is what may change. The address is always told again; of the
// rest, empty fields stay.
type AccountChange struct {
	Address                          Address
	RoutingNumber, CheckingOrSavings string
}

// AccountState is how far a registration is.
type AccountState string

// The states of a registration.
const (
	AccountPending  AccountState = "pending"
	AccountActive   AccountState = "active"
	AccountRejected AccountState = "rejected"
	AccountClosed   AccountState = "closed"
)

// Account is a bank account as the partner knows it.
type Account struct {
	ID       string
	State    AccountState
	Reason   string // of a rejection
	LastFour string
}

// Wallet holds a customer's stablecoins on a chain.
type Wallet struct{ ID, Chain, Address string }

// LiquidationRequest asks for a permanent address whose deposits go to a wallet.
type LiquidationRequest struct {
	Chain    string
	Currency money.Currency
	WalletID string
}

// LiquidationAddress is one.
type LiquidationAddress struct{ ID, Chain, Address string }

// Drain is a deposit on a liquidation address, as the partner saw it.
type Drain struct {
	ID, AddressID string
	Amount        money.Amount
	State         string // funds_received, payment_processed, in_review, ...
	DepositHash   string
	At            time.Time
}

// Rate is what the partner's desk asks at an instant.
type Rate struct {
	From, To  money.Currency
	Midmarket money.Rate
	Sell      money.Rate // what a customer gets
	At        time.Time
}

// TransferRequest moves money out of a wallet: to a bank account, or on chain.
// Either Gross is given, and the rest of it after Fee is converted, or Net, and
// the partner takes what that costs and Fee.
type TransferRequest struct {
	CustomerID, WalletID, Reference string
	Chain                           string
	Source                          money.Currency
	Gross                           money.Amount
	Fee                             money.Amount
	Net                             money.Amount
	Destination                     money.Currency
	Rail                            Rail   // to a bank
	AccountID                       string // to a bank
	ToChain, ToAddress              string // on chain
}

// TransferState is how far a transfer is. It only goes forward.
type TransferState string

// The states, Bridge's.
const (
	TransferAwaiting      TransferState = "awaiting_funds"
	TransferInReview      TransferState = "in_review"
	TransferFunded        TransferState = "funds_received"
	TransferSubmitted     TransferState = "payment_submitted"
	TransferProcessed     TransferState = "payment_processed"
	TransferUndeliverable TransferState = "undeliverable"
	TransferReturned      TransferState = "returned"
	TransferRefunded      TransferState = "refunded" // the wallet has its money back
	TransferCanceled      TransferState = "canceled"
	TransferError         TransferState = "error"
)

// Transfer is one, as the partner tells it.
type Transfer struct {
	ID, Reference, CustomerID      string
	WalletID, AccountID, ToAddress string // what it names of these

	State        TransferState
	Source       money.Amount // what left the wallet, fee included
	Fee          money.Amount // ours
	Destination  money.Amount // 0 as long as it is not known
	Rate         money.Rate   // none as long as it is not known
	TrackingKey  string       // SPEI
	TraceNumber  string       // ACH, SEPA, FPS, PIX: the rail's own reference
	IMAD         string       // wire
	Hash         string       // on chain
	ReturnCode   string       // the rail's
	ReturnReason string
	Refunded     money.Amount // what came back to the wallet
	CreatedAt    time.Time    // zero where it is not said
	UpdatedAt    time.Time
}

// Notice says that something changed. What, is asked.
type Notice struct {
	EventID, Category, Type string
	ObjectID, ObjectStatus  string
	CustomerID              string // whom it is about, where it says so
	AddressID               string // of a drain's liquidation address
	VirtualAccountID        string // of an activity's virtual account
	CreatedAt               time.Time
}

// The categories that are listened to. Bridge documents no notices about external
// accounts; the sandbox sends them, and elsewhere accounts are asked about.
const (
	NoticeTransfer = "transfer"
	NoticeDrain    = "liquidation_address.drain"
	NoticeAccount  = "external_account"
	NoticeCustomer = "customer"
	NoticeVirtual  = "virtual_account.activity"
)
