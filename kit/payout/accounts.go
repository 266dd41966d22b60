package payout

import (
	"context"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
)

// Registration is how far a bank account is with the partner.
type Registration string

// The registrations. Nobody outside sees that one is being provisioned: it is
// pending, too.
const (
	AccountProvisioning Registration = "provisioning" // the partner is being asked
	AccountPending      Registration = Registration(fiat.AccountPending)
	AccountActive       Registration = Registration(fiat.AccountActive)
	AccountRejected     Registration = Registration(fiat.AccountRejected)
	AccountClosed       Registration = Registration(fiat.AccountClosed)
)

// BankAccount is where a recipient is paid.
type BankAccount struct {
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

// Shown is what may be seen of the details.
type Shown struct {
	LastFour      string `json:"lastFour"`
	RoutingNumber string `json:"routingNumber,omitempty"`
	AccountType   string `json:"accountType,omitempty"`
	SortCode      string `json:"sortCode,omitempty"`
	BIC           string `json:"bic,omitempty"`
	LegalName     string `json:"legalName,omitempty"`
}

// Hold is why nothing is paid to a bank account now.
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
func (a BankAccount) Payable(now time.Time) Hold {
	switch {
	case !a.FrozenAt.IsZero():
		return HoldFrozen
	case !a.Active:
		return HoldArchived
	case a.Registration == AccountRejected:
		return HoldRejected
	case a.Registration == AccountClosed:
		return HoldClosed
	case a.Registration != AccountActive || a.PartnerID == "":
		return HoldPending
	case a.Wanted != "":
		return HoldBeingMoved
	case now.Before(a.PayableAt):
		return HoldCooling
	}
	return NoHold
}

// Usable is nil where the account's registration is done, and else the answer to
// who wants to set something up for it. That it is cooling does not matter yet.
func (a BankAccount) Usable() error {
	switch {
	case !a.Active:
		return ErrAccountNotUsable.Msg("it is archived")
	case a.Registration == AccountRejected, a.Registration == AccountClosed:
		return ErrAccountNotUsable.Msg("its registration was " + string(a.Registration))
	case a.Registration != AccountActive || a.PartnerID == "":
		return ErrAccountNotUsable.Msg("its registration is pending")
	}
	return nil
}

// BankAccountFilter selects bank accounts, newest first. Zero fields do not filter.
type BankAccountFilter struct {
	WorkspaceID  string
	RecipientIDs []string
	Archived     bool // those too
	Page         page.Page
}

// BankAccountStore reads bank accounts.
type BankAccountStore interface {
	BankAccount(ctx context.Context, workspaceID, id string) (BankAccount, error)
	BankAccounts(ctx context.Context, f BankAccountFilter) ([]BankAccount, int, error)
	// Payable finds a recipient with the bank accounts in use, newest first; no
	// recipient where there are none.
	Payable(ctx context.Context, workspaceID, recipientID string, limit int) (Recipient, []BankAccount, error)
	// BankAccountByFingerprint finds one that was not rejected.
	BankAccountByFingerprint(ctx context.Context, workspaceID, recipientID, fingerprint string) (BankAccount, error)
	BankAccountByPartner(ctx context.Context, partnerID string) (BankAccount, error)
	// WaitingBankAccounts lists those of every workspace that wait for the partner
	// and about which it was not asked since, longest first.
	WaitingBankAccounts(ctx context.Context, before time.Time, limit int) ([]BankAccount, error)
	PartnerCustomer(ctx context.Context, workspaceID string) (PartnerCustomer, error)
}

// BankAccountTx writes them.
type BankAccountTx interface {
	// InsertBankAccount is work.ErrStale where the recipient has the number.
	InsertBankAccount(context.Context, BankAccount) error
	// HoldBankAccount reads one that nobody else changes until the transaction ends.
	HoldBankAccount(ctx context.Context, workspaceID, id string) (BankAccount, error)
	// UpdateBankAccount writes one that is still of the version; it is of the next
	// then. The partner's id is also listed for who has only that.
	UpdateBankAccount(context.Context, BankAccount) error
	DeleteBankAccount(context.Context, BankAccount) error // of the version
	// CountUsable counts a recipient's accounts that are neither archived nor refused.
	CountUsable(ctx context.Context, workspaceID, recipientID string) (int, error)
	InsertPartnerCustomer(context.Context, PartnerCustomer) error // unless there is one
	// UpdatePartnerCustomer writes one that has that key, and no other customer.
	UpdatePartnerCustomer(ctx context.Context, c PartnerCustomer, key string) error
}

// BankAccountView is a bank account as the API shows it.
type BankAccountView struct {
	ID            string             `json:"id" format:"uuid"`
	RecipientID   string             `json:"recipientId" format:"uuid"`
	Currency      money.Currency     `json:"currency" enum:"usd,eur,mxn,brl,gbp"`
	Rail          fiat.Rail          `json:"rail" enum:"ach,wire,spei,sepa,faster_payments,pix"`
	Country       string             `json:"country"`
	BankName      string             `json:"bankName,omitempty"`
	LastFour      string             `json:"lastFour" doc:"The end of the account number, CLABE, IBAN or Pix key"`
	RoutingNumber string             `json:"routingNumber,omitempty"`
	AccountType   string             `json:"accountType,omitempty" enum:"checking,savings"`
	SortCode      string             `json:"sortCode,omitempty"`
	BIC           string             `json:"bic,omitempty"`
	LegalName     string             `json:"legalName,omitempty"`
	Address       *PostalAddressView `json:"address,omitempty"`
	Status        string             `json:"status" enum:"pending,active,rejected,closed" doc:"Of its registration with the payment partner"`
	Reason        string             `json:"reason,omitempty" doc:"Of a rejection"`
	IsActive      bool               `json:"isActive" doc:"false: archived"`
	PayableAt     string             `json:"payableAt" format:"date-time" doc:"Nothing is paid to it before, unless a member confirms it"`
	FrozenAt      string             `json:"frozenAt,omitempty" format:"date-time" doc:"Nothing is paid to it until a member unfreezes it; absent where it is not frozen"`
	CreatedAt     string             `json:"createdAt" format:"date-time"`
	UpdatedAt     string             `json:"updatedAt" format:"date-time"`
}

// View is the account as the API shows it.
func (a BankAccount) View() BankAccountView {
	v := BankAccountView{
		ID: a.ID, RecipientID: a.RecipientID, Currency: a.Currency, Rail: a.Rail, Country: a.Country, BankName: a.BankName,
		LastFour: a.Shown.LastFour, RoutingNumber: a.Shown.RoutingNumber, AccountType: a.Shown.AccountType, SortCode: a.Shown.SortCode,
		BIC: a.Shown.BIC, LegalName: a.Shown.LegalName, Status: string(a.Registration), Reason: a.Reason, IsActive: a.Active,
		PayableAt: clock.ISO(a.PayableAt), CreatedAt: clock.ISO(a.CreatedAt), UpdatedAt: clock.ISO(a.UpdatedAt),
	}
	if a.Registration == AccountProvisioning {
		v.Status = string(AccountPending)
	}
	if !a.FrozenAt.IsZero() {
		v.FrozenAt = clock.ISO(a.FrozenAt)
	}
	if a.Address != (fiat.Address{}) {
		address := PostalAddressView(a.Address)
		v.Address = &address
	}
	return v
}

// BankAccounts lists a recipient's bank accounts, newest first.
func (s *Service) BankAccounts(ctx context.Context, p auth.Principal, recipientID string, archived bool, at page.Page) ([]BankAccountView, *page.Cursor, int, error) {
	r, err := s.store.Recipient(ctx, p.WorkspaceID, recipientID)
	if err != nil {
		return nil, nil, 0, err
	}
	rows, total, err := s.store.BankAccounts(ctx, BankAccountFilter{
		WorkspaceID: p.WorkspaceID, RecipientIDs: []string{r.ID}, Archived: archived, Page: at,
	})
	if err != nil {
		return nil, nil, 0, err
	}
	return accountViews(rows), nextAccount(at, rows, total), total, nil
}

func accountViews(rows []BankAccount) []BankAccountView {
	views := make([]BankAccountView, len(rows))
	for i, a := range rows {
		views[i] = a.View()
	}
	return views
}

// RecipientWithAccounts is a recipient and where it is paid.
type RecipientWithAccounts struct {
	RecipientView
	Accounts []BankAccountView `json:"accounts"`
	Summary  PaidView          `json:"summary" doc:"What it was paid"`
}

// accountsOf reads all accounts of some recipients, by recipient.
func (s *Service) accountsOf(ctx context.Context, f BankAccountFilter) (map[string][]BankAccount, error) {
	of := map[string][]BankAccount{}
	for {
		rows, total, err := s.store.BankAccounts(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, a := range rows {
			of[a.RecipientID] = append(of[a.RecipientID], a)
		}
		if f.Page.After = nextAccount(f.Page, rows, total); f.Page.After == nil {
			return of, nil
		}
	}
}

func nextAccount(at page.Page, rows []BankAccount, total int) *page.Cursor {
	return page.Next(at, rows, total, func(a BankAccount) page.Cursor { return page.Cursor{CreatedAt: a.CreatedAt, ID: a.ID} })
}

// mostAccounts are read at once.
const mostAccounts = 1000

// RecipientsWithAccounts lists recipients with their bank accounts and what they were paid.
func (s *Service) RecipientsWithAccounts(ctx context.Context, p auth.Principal, f RecipientFilter, archived bool) ([]RecipientWithAccounts, *page.Cursor, int, error) {
	f.WorkspaceID = p.WorkspaceID
	rows, total, err := s.store.Recipients(ctx, f)
	if err != nil || len(rows) == 0 {
		return []RecipientWithAccounts{}, nil, total, err
	}
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	of, err := s.accountsOf(ctx, BankAccountFilter{
		WorkspaceID: p.WorkspaceID, RecipientIDs: ids, Archived: archived, Page: page.Page{Limit: mostAccounts},
	})
	if err != nil {
		return nil, nil, 0, err
	}
	paid, err := s.store.PaidTo(ctx, p.WorkspaceID, ids, year(s.clock.Now()))
	if err != nil {
		return nil, nil, 0, err
	}
	all := make([]RecipientWithAccounts, len(rows))
	for i, r := range rows {
		all[i] = RecipientWithAccounts{r.View(), accountViews(of[r.ID]), paid[r.ID].view()}
	}
	return all, nextRecipient(f.Page, rows, total), total, nil
}
