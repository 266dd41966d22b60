// Package recipient keeps recipients: people and companies that a workspace pays. The API also calls them
// beneficiaries.
//
// A recipient is active or archived. An archived one is not paid: its orders wait in review, and continue when it is
// active again and its bank account, which package account keeps, has waited as a changed one does.
//
// Read recipient.go (the row, and what the API takes and shows), then service.go.
package recipient

import (
	"context"
	"strings"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/bank"
	"github.com/railkit/railkit/kit/payout/alert"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// OwnerType tells people from companies.
type OwnerType string

// The owner types.
const (
	Individual OwnerType = "individual"
	Business   OwnerType = "business"
)

// Status says whether a recipient can be paid.
type Status string

// The statuses.
const (
	Active   Status = "active"
	Archived Status = "archived"
)

// Recipient is a person or company that is paid. The specification also calls it a beneficiary.
type Recipient struct {
	WorkspaceID, ID      string
	Name, Email          string
	Owner                OwnerType
	Address              fiat.Address
	Self                 bool // the workspace's own bank accounts
	Status               Status
	PendingReason        string // of one that is active: what it still waits for
	CreatedAt, UpdatedAt time.Time
}

// Filter selects recipients, newest first. Zero fields do not filter.
type Filter struct {
	WorkspaceID string
	Status      Status
	Search      string // part of the name, any case
	Page        page.Page
}

// Store keeps recipients.
type Store interface {
	record.Writer[Tx]
	Recipient(ctx context.Context, workspaceID, id string) (Recipient, error)
	Recipients(ctx context.Context, f Filter) ([]Recipient, int, error)
}

// Tx writes them.
type Tx interface {
	InsertRecipient(context.Context, Recipient) error
	// HoldRecipient reads a recipient and locks its row until the transaction ends.
	HoldRecipient(ctx context.Context, workspaceID, id string) (Recipient, error)
	UpdateRecipient(context.Context, Recipient) error // name, e-mail, status and pending reason
	// CoolBankAccounts has the recipient's bank accounts that are in use wait until an instant before they are paid,
	// and returns their ids.
	CoolBankAccounts(ctx context.Context, workspaceID, recipientID string, until, now time.Time) ([]string, error)
	// EndInvite ends the link by which a recipient enters its bank account.
	EndInvite(ctx context.Context, workspaceID, recipientID string, now time.Time) error
	alert.RaiseTx
}

// View is the recipient as the API shows it.
func (r Recipient) View() rest.Recipient {
	return rest.Recipient{
		ID: r.ID, Name: r.Name, Email: r.Email, OwnerType: string(r.Owner), Address: rest.PostalAddress(r.Address),
		Status:        string(r.Status),
		PendingReason: r.PendingReason, IsSelf: r.Self, CreatedAt: clock.ISO(r.CreatedAt),
		UpdatedAt: clock.ISO(r.UpdatedAt),
	}
}

// notBlank refuses text of spaces alone, which a least length lets through.
func notBlank(field, text string) error {
	if strings.TrimSpace(text) == "" {
		return fault.Field(field, "must not be empty")
	}
	return nil
}

// ReadAddress is the address that a request gives, checked.
func ReadAddress(a rest.PostalAddressRequest) (fiat.Address, error) {
	if err := notBlank("address.street", a.Street); err != nil {
		return fiat.Address{}, err
	}
	if err := notBlank("address.city", a.City); err != nil {
		return fiat.Address{}, err
	}
	country, err := bank.Country("address.country", a.Country)
	return fiat.Address{
		Street: strings.TrimSpace(a.Street), City: strings.TrimSpace(a.City), State: strings.TrimSpace(a.State),
		PostalCode: strings.TrimSpace(a.PostalCode), Country: country,
	}, err
}
