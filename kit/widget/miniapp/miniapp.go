// Package miniapp is the list of mini apps that the operator vouches for. A mini app is a widget with an address of its
// own: anybody reads it and its metadata, and a page that meets a widget's URL asks the directory whether to trust it.
// Only the operator lists one, by railkit admin miniapp, and its metadata are checked then.
package miniapp

import (
	"context"
	"net/url"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/widget/action"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// MiniApp is one that was listed.
type MiniApp struct {
	ID, Environment  string
	Operator         string // who runs it
	Type, Protocol   string
	Wallet, Contract string // addresses; Contract may be ""
	ChainID          uint64
	DestinationID    uint64 // 0: it stays on one network
	Metadata         action.Metadata
	Active           bool // else the operator has switched it off
	CreatedAt        time.Time
	UpdatedAt        time.Time
}

// Cursor is its place in a list.
func (m MiniApp) Cursor() page.Cursor { return page.Cursor{CreatedAt: m.CreatedAt, ID: m.ID} }

// Host is that of its URL.
func (m MiniApp) Host() string {
	u, err := url.Parse(m.Metadata.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

// Store keeps them.
type Store interface {
	record.Writer[Tx]
	MiniApp(ctx context.Context, environment, id string) (MiniApp, error)
	MiniApps(ctx context.Context, environment string, p page.Page) ([]MiniApp, int, error) // newest first
}

// Tx is what they need of a transaction of the database.
type Tx interface {
	InsertMiniApp(context.Context, MiniApp) error
	// SwitchMiniApp has one active or not; fault.ErrNotFound where there is none.
	SwitchMiniApp(ctx context.Context, environment, id string, active bool, now time.Time) error
}

// MiniAppView is a mini app as the specification shows it, where every field is there and many may be null.
type MiniAppView struct {
	ID                string          `json:"id" format:"uuid"`
	UserID            *string         `json:"id_user" doc:"Null: the operator has listed it"`
	IntegratorID      *string         `json:"integrator_id" doc:"Always null: no integrator is known"`
	Description       string          `json:"description"`
	WalletAddress     string          `json:"wallet_address" doc:"Who earns its fees"`
	Metadata          action.Metadata `json:"metadata"`
	ContractAddress   *string         `json:"contract_address"`
	BlockchainNetwork uint64          `json:"blockchain_network" doc:"Chain id of the network, such as 8453"`
	Destination       *uint64         `json:"blockchain_network_destination" doc:"Chain id, of one that crosses networks"`
	Type              *string         `json:"type"`
	Protocol          *string         `json:"protocol"`
	TxHash            *string         `json:"tx_hash"`
	Source            *string         `json:"source" doc:"curated: the operator has listed it"`
	IsActive          *bool           `json:"is_active" doc:"false: the operator has switched it off; do not render it"`
	CreatedAt         *string         `json:"created_at" format:"date-time"`
	UpdatedAt         *string         `json:"updated_at" format:"date-time"`
}

// View shows it.
func (m MiniApp) View() MiniAppView {
	v := MiniAppView{
		ID: m.ID, Description: m.Metadata.Description, WalletAddress: m.Wallet, Metadata: m.Metadata,
		ContractAddress: orNull(m.Contract), BlockchainNetwork: m.ChainID, Type: orNull(m.Type),
		Protocol: orNull(m.Protocol), Source: new("curated"), IsActive: &m.Active,
		CreatedAt: new(clock.ISO(m.CreatedAt)), UpdatedAt: new(clock.ISO(m.UpdatedAt)),
	}
	if m.DestinationID != 0 {
		v.Destination = &m.DestinationID
	}
	return v
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// entry shows it in the directory.
func (m MiniApp) entry() rest.DirectoryEntry {
	e := rest.DirectoryEntry{
		ID: m.ID, Name: m.Metadata.Title, Type: m.Type, Description: m.Metadata.Description, Operator: m.Operator,
		URL: m.Metadata.URL, Host: m.Host(), SecurityState: "denied",
	}
	if m.Active {
		e.SecurityState = "trusted"
	}
	return e
}
