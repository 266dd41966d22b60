// Package account keeps the bank accounts that recipients are paid at, and registers
// them with the payment partner.
//
// An account is provisioning while the partner is asked for the first time, then
// pending until the partner knows, and active, rejected or closed from then on. It is
// paid only while it is active, not archived, not frozen, and once it has cooled down:
// a new, changed or restored account is not paid for some hours, unless a member confirms it. So is one whose recipient
// was restored.
//
// The row is written before the partner is asked, with the idempotency key of that call. After a crash the next caller
// or the sweeper asks again with the same key, and gets the same account.
//
// Read account.go (the row, and why nothing may be paid to it), input.go, register.go
// (how it comes about), change.go, confirm.go and freeze.go (what members and the
// links of alerts do), sweep.go (what callers left), list.go and paid.go (what the API
// shows), payee.go (what orders ask).
package account

import (
	"context"
	"log/slog"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/alert"
	"github.com/railkit/railkit/kit/payout/customer"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/vault"
)

// Registration is the state of a bank account at the partner.
type Registration string

// The states. The API shows provisioning as pending.
const (
	Provisioning Registration = "provisioning" // the partner is being asked
	Pending      Registration = Registration(fiat.AccountPending)
	Active       Registration = Registration(fiat.AccountActive)
	Rejected     Registration = Registration(fiat.AccountRejected)
	Closed       Registration = Registration(fiat.AccountClosed)
)

// Account is a bank account at which a recipient is paid.
type Account struct {
	WorkspaceID, ID, RecipientID string
	Currency                     money.Currency
	Rail                         fiat.Rail
	Country, BankName            string
	Address                      fiat.Address // of the holder, as the bank has it
	Shown                        Shown
	Sealed                       string // fiat.Details
	Fingerprint                  string
	Wanted                       string // sealed: a change that the partner has yet to take; "" mostly
	Registration                 Registration
	Reason                       string // of a rejection
	Active                       bool   // not archived
	Origin                       string // of the call that asked for it
	PartnerKey                   string // of the call to the partner
	KeyedAt                      time.Time
	PartnerID                    string    // "" until the partner has it
	TriedAt                      time.Time // when the partner was last asked; zero: nobody is asking
	PayableAt                    time.Time
	ConfirmedBy                  string // member
	FrozenAt                     time.Time
	Version                      int64 // +1 with each change
	CreatedAt, UpdatedAt         time.Time
}

// Shown is the part of the details that the API shows.
type Shown struct {
	LastFour      string `json:"lastFour"`
	RoutingNumber string `json:"routingNumber,omitempty"`
	AccountType   string `json:"accountType,omitempty"`
	SortCode      string `json:"sortCode,omitempty"`
	BIC           string `json:"bic,omitempty"`
	LegalName     string `json:"legalName,omitempty"`
}

// Hold is the reason why nothing is paid to a bank account now.
type Hold string

// The holds, as the reason of an order tells them.
const (
	NoHold         Hold = ""
	HoldFrozen     Hold = "bank_account_frozen"
	HoldPending    Hold = "bank_account_pending"
	HoldRejected   Hold = "bank_account_rejected"
	HoldClosed     Hold = "bank_account_closed"
	HoldArchived   Hold = "bank_account_archived"
	HoldCooling    Hold = "bank_account_cooling"
	HoldRecipient  Hold = "recipient_archived"
	HoldBeingMoved Hold = "bank_account_changing"
)

// Payable tells whether the account may be paid at an instant, and why not.
func (a Account) Payable(now time.Time) Hold {
	switch {
	case !a.FrozenAt.IsZero():
		return HoldFrozen
	case !a.Active:
		return HoldArchived
	case a.Registration == Rejected:
		return HoldRejected
	case a.Registration == Closed:
		return HoldClosed
	case a.Registration != Active || a.PartnerID == "":
		return HoldPending
	case a.Wanted != "":
		return HoldBeingMoved
	case now.Before(a.PayableAt):
		return HoldCooling
	}
	return NoHold
}

// Usable is nil if a withdrawal address or a quote can be made for the account, else the error for the caller. A
// cooling period does not matter here: it delays the payout only.
func (a Account) Usable() error {
	switch {
	case !a.Active:
		return ErrNotUsable.Msg("it is archived")
	case a.Registration == Rejected, a.Registration == Closed:
		return ErrNotUsable.Msg("its registration was " + string(a.Registration))
	case a.Registration != Active || a.PartnerID == "":
		return ErrNotUsable.Msg("its registration is pending")
	}
	return nil
}

// InUse tells whether the account is neither archived nor refused by the partner. A request that names no account
// means the only one in use.
func (a Account) InUse() bool {
	return a.Active && a.Registration != Rejected && a.Registration != Closed
}

// Filter selects bank accounts, newest first. Zero fields do not filter.
type Filter struct {
	WorkspaceID  string
	RecipientIDs []string
	Archived     bool // those too
	Page         page.Page
}

// Store keeps bank accounts.
type Store interface {
	record.Writer[Tx]
	BankAccount(ctx context.Context, workspaceID, id string) (Account, error)
	BankAccounts(ctx context.Context, f Filter) ([]Account, int, error)
	// BankAccountByFingerprint finds one that was not rejected.
	BankAccountByFingerprint(ctx context.Context, workspaceID, recipientID, fingerprint string) (Account, error)
	BankAccountByPartner(ctx context.Context, partnerID string) (Account, error)
	// WaitingBankAccounts lists those of every workspace that wait for the partner
	// and about which it was not asked since, longest first.
	WaitingBankAccounts(ctx context.Context, before time.Time, limit int) ([]Account, error)
	Recipient(ctx context.Context, workspaceID, id string) (recipient.Recipient, error)
	Recipients(ctx context.Context, f recipient.Filter) ([]recipient.Recipient, int, error)
	// PaidTo sums the completed payments since an instant, by recipient. Returned payments do not count.
	PaidTo(ctx context.Context, workspaceID string, recipientIDs []string, since time.Time) (map[string]Paid, error)
}

// Tx writes them.
type Tx interface {
	// InsertBankAccount is record.ErrStale where the recipient has the number.
	InsertBankAccount(context.Context, Account) error
	// HoldBankAccount reads an account and locks its row until the transaction ends.
	HoldBankAccount(ctx context.Context, workspaceID, id string) (Account, error)
	// UpdateBankAccount writes an account if its version has not changed, and increments the version. It also indexes
	// the partner's id, by which a notice names the account.
	UpdateBankAccount(context.Context, Account) error
	DeleteBankAccount(context.Context, Account) error // of the version
	// CountUsable counts a recipient's accounts that are neither archived nor refused.
	CountUsable(ctx context.Context, workspaceID, recipientID string) (int, error)
	HoldRecipient(ctx context.Context, workspaceID, id string) (recipient.Recipient, error)
	// UseAlerts uses a mail's link for an account, and is record.ErrStale where it was used.
	UseAlerts(ctx context.Context, workspaceID, mailID, accountID string, now time.Time) error
	// DropReturnChanges drops the changes of an account's return addresses that wait.
	DropReturnChanges(ctx context.Context, workspaceID, accountID string, now time.Time) error
	alert.RaiseTx
}

// Service is the bank accounts of every workspace.
type Service struct {
	sealer
	store     Store
	partner   fiat.Partner
	customers *customer.Service
	alerts    *alert.Service
	waiting   recipient.Waiting
	cooling   time.Duration
	clock     clock.Clock
	log       *slog.Logger
}

// Config wires a Service.
type Config struct {
	Store     Store
	Partner   fiat.Partner // nil: no account can be registered
	Customers *customer.Service
	Alerts    *alert.Service
	Waiting   recipient.Waiting // orders, by the account that they wait for
	Vault     *vault.Vault      // seals the numbers
	Cooling   time.Duration     // for which a new or changed account is not paid
	Clock     clock.Clock
	Log       *slog.Logger
}

// New makes it.
func New(c Config) *Service {
	return &Service{
		sealer{c.Vault}, c.Store, c.Partner, c.Customers, c.Alerts, c.Waiting, c.Cooling, c.Clock, c.Log,
	}
}
