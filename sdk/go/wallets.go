package railkit

import (
	"context"
	"net/http"

	"github.com/railkit/railkit/enclave/wire"
)

// PrepareWalletRequest asks for a new wallet.
type PrepareWalletRequest struct {
	WalletName        string `json:"walletName"`
	Chain             string `json:"chain,omitempty"` // slug; also makes the first address, on this network
	SubOrganizationID string `json:"subOrganizationId,omitempty"`
}

// PreparedWallet waits for its stamp.
type PreparedWallet struct {
	WalletRequestID string `json:"walletRequestId"`
	Prepared
}

// ConfirmWalletRequest hands in the stamp.
type ConfirmWalletRequest struct {
	WalletRequestID string         `json:"walletRequestId"`
	SignedActivity  SignedActivity `json:"signedActivity"`
}

// CreatedWallet is a new wallet.
type CreatedWallet struct {
	Name      string `json:"name"`
	CreatedAt string `json:"createdAt"`
	Wallet
}

// WalletAddress is an address as it is listed inside a wallet.
type WalletAddress struct {
	Address         string `json:"address"`
	Path            string `json:"path"`
	AddressFormat   string `json:"addressFormat"`
	Chain           string `json:"chain"`
	WalletAccountID string `json:"walletAccountId"`
	PublicKey       string `json:"publicKey"`

	// Proven says that the wallet's own proof covers the address. Addresses
	// that were added later are proven by ListAddresses and GetAddress.
	Proven bool `json:"-"`
}

// Wallet is a wallet as it is read.
type Wallet struct {
	WalletID          string          `json:"walletId"`
	WalletName        string          `json:"walletName"`
	Addresses         []WalletAddress `json:"addresses"`
	SubOrganizationID string          `json:"subOrganizationId"`
	ID                string          `json:"id"` // the server's own; taken wherever WalletID is, but not verifiable
	Created           string          `json:"created_at"`
	Type              string          `json:"type"`         // master | agent | operational
	LastActivity      *string         `json:"lastActivity"` // nil: none
	Proof             *Proof          `json:"proof"`
}

// WalletListOptions select wallets.
type WalletListOptions struct {
	ListOptions
	SubOrganizationID string
	Search            string // part of the name
	SortBy, SortDir   string // name | created_at; asc | desc
}

// PrepareWallet asks for the body of a new wallet and checks that it is what was asked for.
func (c *Client) PrepareWallet(ctx context.Context, req PrepareWalletRequest) (*PreparedWallet, error) {
	r, err := send[PreparedWallet](ctx, c, request{method: http.MethodPost, path: "/v1/signing/wallets/prepare", body: req})
	if err != nil {
		return nil, err
	}
	p := &r.Data
	if c.verify == nil {
		return p, nil
	}
	body, shown, err := c.preview(ctx, &p.Prepared, wire.CreateWallet, r.Floor, r.Replayed)
	if err != nil {
		return nil, err
	}
	if err := matchWallet(body, shown, req); err != nil {
		return nil, err
	}
	p.Shown = shown
	return p, nil
}

func matchWallet(body *wire.Body, shown *Preview, req PrepareWalletRequest) error {
	var params wire.CreateWalletParams
	if err := readParams(body, &params); err != nil {
		return err
	}
	if params.WalletName != req.WalletName || !matchOrganization(body, req.SubOrganizationID) {
		return tampered(ReasonBody, "the body is for another wallet or sub-organization than was asked for")
	}
	if shown.WalletName != req.WalletName {
		return tampered(ReasonPreview, "the enclave shows another wallet name")
	}
	return matchAccountPlan(shown.Accounts, params.Accounts)
}

func matchOrganization(body *wire.Body, asked string) bool {
	return body.OrganizationID != "" && (asked == "" || body.OrganizationID == asked)
}

// ConfirmWallet hands in the stamp and checks that the wallet is what the
// enclave made of the stamped body.
func (c *Client) ConfirmWallet(ctx context.Context, req ConfirmWalletRequest) (*CreatedWallet, error) {
	var params wire.CreateWalletParams
	owners, err := c.beforeConfirm(req.SignedActivity, &params)
	if err != nil {
		return nil, err
	}
	r, err := send[CreatedWallet](ctx, c, request{method: http.MethodPost, path: "/v1/signing/wallets/confirm", body: req})
	if err != nil {
		return nil, err
	}
	if c.verify == nil {
		return &r.Data, nil
	}
	st, err := c.verify.result(r.Data.Proof, req.SignedActivity.Body, wire.CreateWallet)
	if err != nil {
		return nil, err
	}
	if err := owners.match(st.Result.Owners); err != nil {
		return nil, err
	}
	if err := matchCreated(&r.Data, st, params.WalletName); err != nil {
		return nil, err
	}
	return &r.Data, nil
}

func matchCreated(w *CreatedWallet, st *opened, name string) error {
	made := st.Result.Wallet
	if made == nil || made.ID != w.WalletID || made.Name != name || w.Name != name || w.WalletName != name || w.SubOrganizationID != st.OrganizationID {
		return tampered(ReasonResult, "the answer names another wallet than the enclave made")
	}
	for i, a := range w.Addresses {
		if !proven(a, st.Result.Accounts) {
			return tampered(ReasonResult, "the answer has an address that the enclave did not make")
		}
		w.Addresses[i].Proven = true
	}
	return nil
}

func proven(a WalletAddress, made []wire.Account) bool {
	for _, m := range made {
		if m.Address == a.Address && m.Path == a.Path {
			return true
		}
	}
	return false
}

// beforeConfirm reads the body that is handed in and finds who may own what it
// makes, before anything is made that could not be checked.
func (c *Client) beforeConfirm(signed SignedActivity, params any) (Owners, error) {
	if c.verify == nil {
		return Owners{}, nil
	}
	body, err := readBody(signed.Body)
	if err != nil {
		return Owners{}, err
	}
	if err := readParams(body, params); err != nil {
		return Owners{}, err
	}
	owners, ok := c.KnownOwners(body.OrganizationID)
	if !ok {
		return Owners{}, ErrOwnersUnknown
	}
	return owners, nil
}
