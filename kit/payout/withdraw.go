package payout

import (
	"context"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/auth"
)

// AddressStatus is how far a withdrawal address, or a virtual account, is.
type AddressStatus string

// The statuses. Both are there for ever once they are active.
const (
	Provisioning  AddressStatus = "provisioning" // the partner is being asked
	AddressActive AddressStatus = "active"
)

// Provision is what a row that the partner has to make remembers of asking it:
// the key is written before the call, and one caller at a time asks.
type Provision struct {
	Status  AddressStatus
	Key     string
	KeyedAt time.Time // a key is good for a day
	TriedAt time.Time // when somebody began to ask; zero: nobody does
}

// WithdrawAddress is where stablecoins arrive that go to a bank account.
type WithdrawAddress struct {
	WorkspaceID, ID, Reference string
	RecipientID, BankAccountID string
	Chain                      string
	Currency                   money.Currency
	Destination                money.Currency
	Rail                       fiat.Rail
	WalletID, ReturnAddress    string // refunds go there; empty: they cannot go anywhere
	Next                       ReturnChange
	Provision
	CustomerID, PartnerWalletID, PartnerID string
	Address                                string // empty while it is made
	CreatedAt, UpdatedAt                   time.Time
}

// WithdrawStore reads withdrawal addresses.
type WithdrawStore interface {
	WithdrawAddress(ctx context.Context, workspaceID, id string) (WithdrawAddress, error)
	WithdrawAddressOf(ctx context.Context, workspaceID, bankAccountID, chain string, c money.Currency) (WithdrawAddress, error)
	WithdrawAddressByPartner(ctx context.Context, partnerID string) (WithdrawAddress, error)
	// WithdrawAddressesOf lists those of a bank account, oldest first.
	WithdrawAddressesOf(ctx context.Context, workspaceID, bankAccountID string) ([]WithdrawAddress, error)
	// WaitingWithdrawAddresses lists those of every workspace that are not made and that nobody has asked about since.
	WaitingWithdrawAddresses(ctx context.Context, before time.Time, limit int) ([]WithdrawAddress, error)
}

// WithdrawTx writes them. A row that is another's by now is work.ErrStale.
type WithdrawTx interface {
	InsertWithdrawAddress(context.Context, WithdrawAddress) error
	TakeWithdrawAddress(ctx context.Context, a WithdrawAddress, was time.Time) error
	LeaveWithdrawAddress(context.Context, WithdrawAddress) error
	FinishWithdrawAddress(context.Context, WithdrawAddress) error // and has it watched
	// SetReturnAddress writes where refunds go, and will go, if both are still as in was.
	SetReturnAddress(ctx context.Context, a, was WithdrawAddress) error
}

// Wallets tells where the platform's own wallets are. A wallet that is not there
// is fault.Missing, one without an address on the chain has "".
type Wallets interface {
	AddressOn(ctx context.Context, workspaceID, walletID, chain string) (id, address string, err error)
}

// LiquidationInput asks for a withdrawal address.
type LiquidationInput struct {
	BeneficiaryID        string         `json:"beneficiaryId" minLength:"1" maxLength:"64"`
	BeneficiaryAccountID string         `json:"beneficiaryAccountId" minLength:"1" maxLength:"64"`
	Chain                string         `json:"chain" enum:"base,polygon,arbitrum,solana"`
	Currency             money.Currency `json:"currency" enum:"usdc,usdt"`
}

// WithdrawInput is LiquidationInput of the off-ramp.
type WithdrawInput struct {
	BeneficiaryID        string         `json:"beneficiaryId,omitempty" maxLength:"64" doc:"May be left out: a bank account is of one recipient"`
	BeneficiaryAccountID string         `json:"beneficiaryAccountId" minLength:"1" maxLength:"64"`
	WalletID             string         `json:"walletId,omitempty" maxLength:"64" doc:"Its address on the chain is where refunds go; without one they cannot be sent. Where the withdrawal address is there already with another wallet, or with none, the answer is 409"`
	Chain                string         `json:"chain,omitempty" enum:"base,polygon,arbitrum,solana" default:"base"`
	Currency             money.Currency `json:"currency,omitempty" enum:"usdc,usdt" default:"usdc"`
}

// LiquidationView is a withdrawal address in few words.
type LiquidationView struct {
	ID       string         `json:"id" format:"uuid"`
	Address  string         `json:"address"`
	Chain    string         `json:"chain"`
	Currency money.Currency `json:"currency"`
}

// WithdrawView is a withdrawal address as the API shows it.
type WithdrawView struct {
	ID                     string         `json:"id" format:"uuid"`
	Reference              string         `json:"reference"`
	IntegratorID           string         `json:"integratorId"`
	BeneficiaryID          string         `json:"beneficiaryId"`
	BeneficiaryAccountID   string         `json:"beneficiaryAccountId"`
	Chain                  string         `json:"chain"`
	Currency               money.Currency `json:"currency"`
	Address                string         `json:"address" doc:"Empty while the partner is being asked for it"`
	WalletID               string         `json:"walletId,omitempty"`
	ReturnAddress          string         `json:"returnAddress,omitempty" doc:"Where refunds go"`
	PendingReturn          *ReturnView    `json:"pendingReturn,omitempty" doc:"A change of where refunds go that has not taken effect"`
	DestinationCurrency    money.Currency `json:"destinationCurrency"`
	DestinationPaymentRail fiat.Rail      `json:"destinationPaymentRail"`
	LiquidationAddressID   string         `json:"liquidationAddressId,omitempty" doc:"The partner's"`
	Status                 AddressStatus  `json:"status" enum:"provisioning,active"`
	CreatedAt              string         `json:"createdAt" format:"date-time"`
	UpdatedAt              string         `json:"updatedAt" format:"date-time"`
}

// View is the address as the off-ramp shows it at an instant.
func (a WithdrawAddress) View(now time.Time) WithdrawView {
	a = a.on(now)
	v := WithdrawView{
		ID: a.ID, Reference: a.Reference, IntegratorID: a.WorkspaceID, BeneficiaryID: a.RecipientID, BeneficiaryAccountID: a.BankAccountID,
		Chain: a.Chain, Currency: a.Currency, Address: a.Address, WalletID: a.WalletID, ReturnAddress: a.ReturnAddress,
		DestinationCurrency: a.Destination, DestinationPaymentRail: a.Rail, LiquidationAddressID: a.PartnerID, Status: a.Status,
		CreatedAt: clock.ISO(a.CreatedAt), UpdatedAt: clock.ISO(a.UpdatedAt),
	}
	if a.Next.Address != "" {
		v.PendingReturn = &ReturnView{WalletID: a.Next.WalletID, ReturnAddress: a.Next.Address, EffectiveAt: clock.ISO(a.Next.At)}
	}
	return v
}

// Short is the address as the setup shows it.
func (a WithdrawAddress) Short() LiquidationView {
	return LiquidationView{ID: a.ID, Address: a.Address, Chain: a.Chain, Currency: a.Currency}
}

// WithdrawAddress finds one.
func (s *Service) WithdrawAddress(ctx context.Context, p auth.Principal, id string) (WithdrawView, error) {
	a, err := s.store.WithdrawAddress(ctx, p.WorkspaceID, id)
	return a.View(s.clock.Now()), err
}
