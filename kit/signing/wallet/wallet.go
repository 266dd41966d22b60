package wallet

import (
	"time"

	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/platform/page"
)

// Wallet is a wallet. The API shows EnclaveID and takes either id.
type Wallet struct {
	WorkspaceID, ID   string
	EnclaveID         string
	SubOrganizationID string
	Name              string
	Proof             string
	CreatedAt         time.Time
	LastActivity      time.Time // zero: none
}

// Address is one derived key of a wallet.
type Address struct {
	WorkspaceID, ID string
	WalletID        string // local id
	Address         string
	Kind            string // chain.Kind
	Chain           string // slug that the caller named
	Name            string
	Path            string
	Curve           string
	AddressFormat   string
	PublicKey       string
	Proof           string
	CreatedAt       time.Time
}

// Filter selects wallets. Zero fields do not filter.
type Filter struct {
	WorkspaceID       string
	SubOrganizationID string
	Search            string // part of the name, any case
	SortBy, SortDir   string // name | created_at; asc | desc
	Page              page.Page
}

// Owner is the sub-organization whose passkeys sign with the wallet.
func (w Wallet) Owner() activity.Owner {
	return activity.Owner{WorkspaceID: w.WorkspaceID, ID: w.SubOrganizationID}
}

func (w Wallet) cursor() page.Cursor { return page.Cursor{CreatedAt: w.CreatedAt, ID: w.ID} }
