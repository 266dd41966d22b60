package railkit

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/rest"
)

// WalletsService makes and reads wallets.
type WalletsService struct{ c *Client }

// What the calls send and answer: see package rest for the fields.
type (
	WalletTransaction    = rest.WalletTransaction
	PrepareWalletRequest = rest.PrepareWalletRequest
)

// ReturnTo is where the passkey page leads back to once a link has ended: a part of each request that is answered with
// a CeremonyURL.
type ReturnTo = rest.ReturnTo

// bodyOf is the body of a call that takes nothing else; without one there is none.
func bodyOf(back []ReturnTo) any {
	if len(back) == 0 {
		return nil
	}
	return back[0]
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
	// that were added later are proven by Addresses.List and Addresses.Get.
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

// Create prepares, verifies, stamps and confirms a wallet.
func (s *WalletsService) Create(ctx context.Context, pk Passkey, req PrepareWalletRequest) (*CreatedWallet, error) {
	p, err := s.Prepare(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("preparing a wallet: %w", err)
	}
	signed, err := stamp(pk, p.Prepared)
	if err != nil {
		return nil, err
	}
	return s.Confirm(withoutKey(ctx), ConfirmWalletRequest{WalletRequestID: p.WalletRequestID, SignedActivity: signed})
}

// Prepare asks for the body of a new wallet and checks that it is what was asked for.
func (s *WalletsService) Prepare(ctx context.Context, req PrepareWalletRequest) (*PreparedWallet, error) {
	ask := request{method: http.MethodPost, path: "/v1/signing/wallets/prepare", body: req}
	return prepare[PreparedWallet](ctx, s.c, ask, wire.CreateWallet, func(body *wire.Body, shown *Preview) error {
		return matchWalletAsked(req, body, shown)
	})
}

func matchWalletAsked(req PrepareWalletRequest, body *wire.Body, shown *Preview) error {
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

// Confirm hands in the stamp and checks that the wallet is what the
// enclave made of the stamped body.
func (s *WalletsService) Confirm(ctx context.Context, req ConfirmWalletRequest) (*CreatedWallet, error) {
	var params wire.CreateWalletParams
	owners, err := s.c.SubOrganizations.beforeConfirm(req.SignedActivity, &params)
	if err != nil {
		return nil, err
	}
	r, err := send[CreatedWallet](ctx, s.c, request{
		method: http.MethodPost, path: "/v1/signing/wallets/confirm", body: req,
	})
	if err != nil {
		return nil, err
	}
	if s.c.verify == nil {
		return &r.Data, nil
	}
	st, err := s.c.verify.ownedBy(owners, r.Data.Proof, req.SignedActivity.Body, wire.CreateWallet)
	if err != nil {
		return nil, err
	}
	return checked(&r.Data, matchCreated(&r.Data, st, params.WalletName))
}

func matchCreated(w *CreatedWallet, st *opened, name string) error {
	made := st.Result.Wallet
	if made == nil || made.ID != w.WalletID || made.Name != name || w.Name != name || w.WalletName != name ||
		w.SubOrganizationID != st.OrganizationID {
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

// Get reads one wallet by its id.
func (s *WalletsService) Get(ctx context.Context, walletID string) (*Wallet, error) {
	return s.get(ctx, "/v1/signing/wallets/", walletID)
}

// GetDetail is Get by the path that was there before 2.0.
func (s *WalletsService) GetDetail(ctx context.Context, walletID string) (*Wallet, error) {
	return s.get(ctx, "/v1/wallets/", walletID)
}

func (s *WalletsService) get(ctx context.Context, path, walletID string) (*Wallet, error) {
	r, err := send[Wallet](ctx, s.c, request{method: http.MethodGet, path: path + url.PathEscape(walletID)})
	if err != nil {
		return nil, err
	}
	if s.c.verify != nil && !strings.EqualFold(r.Data.WalletID, walletID) {
		return nil, tampered(ReasonResult, "the answer is another wallet than was asked for")
	}
	return checked(&r.Data, s.check(&r.Data))
}

// GetFresh reads one wallet and has the enclave say now what it is: every
// address and every owner.
func (s *WalletsService) GetFresh(ctx context.Context, walletID string) (*Wallet, error) {
	r, err := send[Wallet](ctx, s.c, request{
		method: http.MethodGet, path: "/v1/signing/wallets/" + url.PathEscape(walletID),
		query: url.Values{"proof": {"fresh"}},
	})
	if err != nil {
		return nil, err
	}
	if s.c.verify == nil {
		return &r.Data, nil
	}
	st, err := s.c.SubOrganizations.fresh(r.Data.Proof, r.Floor)
	if err != nil {
		return nil, err
	}
	return checked(&r.Data, matchState(&r.Data, st, walletID))
}

func matchState(w *Wallet, st *opened, walletID string) error {
	is := st.State.Wallet
	if is == nil || is.ID != w.WalletID || !strings.EqualFold(is.ID, walletID) || is.Name != w.WalletName ||
		st.OrganizationID != w.SubOrganizationID {
		return tampered(ReasonResult, "the wallet is not the one that the enclave holds")
	}
	if len(w.Addresses) != len(st.State.Accounts) {
		return tampered(ReasonResult, "the wallet has other addresses than the enclave holds")
	}
	for i, a := range w.Addresses {
		if !proven(a, st.State.Accounts) {
			return tampered(ReasonResult, "the wallet has an address that the enclave does not hold")
		}
		w.Addresses[i].Proven = true
	}
	return nil
}

// List reads one page of wallets.
func (s *WalletsService) List(ctx context.Context, o WalletListOptions) (*Page[Wallet], error) {
	q := filtered(o.query(), map[string]string{
		"subOrganizationId": o.SubOrganizationID, "search": o.Search, "sortBy": o.SortBy, "sortDir": o.SortDir,
	})
	return list(ctx, s.c, "/v1/signing/wallets", q, s.check)
}

// All walks all pages.
func (s *WalletsService) All(ctx context.Context, o WalletListOptions) iter.Seq2[Wallet, error] {
	return each(o.ListOptions, func(page ListOptions) (*Page[Wallet], error) {
		o.ListOptions = page
		return s.List(ctx, o)
	})
}

// check holds a wallet against the proof of its making, which may be old.
func (s *WalletsService) check(w *Wallet) error {
	if s.c.verify == nil {
		return nil
	}
	st, err := s.c.verify.open(w.Proof, wire.KindResult)
	if err != nil {
		return err
	}
	made := st.Activity == wire.CreateWallet || st.Activity == wire.CreateAgent || st.Activity == wire.AgentWallet
	if !made || st.Result == nil || st.Result.Wallet == nil {
		return tampered(ReasonKind, "the proof is not of a wallet")
	}
	is := st.Result.Wallet
	if is.ID != w.WalletID || is.Name != w.WalletName || st.OrganizationID != w.SubOrganizationID {
		return tampered(ReasonResult, "the wallet is not the one that the enclave made")
	}
	for i, a := range w.Addresses {
		w.Addresses[i].Proven = proven(a, st.Result.Accounts)
	}
	return s.c.SubOrganizations.checkOwners(st, st.Result.Owners)
}

// ListTransactions reads one page of a wallet's history, newest first:
// what it signed, and which tokens came to it.
func (s *WalletsService) ListTransactions(
	ctx context.Context, walletID string, o ListOptions,
) (*Page[WalletTransaction], error) {
	path := "/v1/signing/wallets/" + url.PathEscape(walletID) + "/transactions"
	return list[WalletTransaction](ctx, s.c, path, o.query(), nil)
}

// AddressesService derives further addresses of a wallet, and reads them.
type AddressesService struct{ c *Client }

// PrepareAccountRequest is a body of the API: see package rest for its fields.
type PrepareAccountRequest = rest.PrepareAccountRequest

// PreparedAccount waits for its stamp.
type PreparedAccount struct {
	WalletAccountRequestID string `json:"walletAccountRequestId"`
	PrepareSkipsActivity   bool   `json:"prepareSkipsActivity"` // always false here
	Prepared
}

// ConfirmAccountRequest hands in the stamp.
type ConfirmAccountRequest struct {
	WalletAccountRequestID string         `json:"walletAccountRequestId"`
	SignedActivity         SignedActivity `json:"signedActivity"`
}

// Address is one derived key of a wallet.
type Address struct {
	AddressID       string `json:"addressId"`
	WalletAccountID string `json:"walletAccountId"`
	WalletID        string `json:"walletId"`
	Address         string `json:"address"`
	Path            string `json:"path"`
	AddressFormat   string `json:"addressFormat"`
	Chain           string `json:"chain"`
	PublicKey       string `json:"publicKey"`
	Name            string `json:"name,omitempty"`
	CreatedAt       string `json:"createdAt,omitempty"`
	Proof           *Proof `json:"proof"`
}

// Create prepares, verifies, stamps and confirms a further address.
func (s *AddressesService) Create(ctx context.Context, pk Passkey, req PrepareAccountRequest) (*Address, error) {
	p, err := s.Prepare(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("preparing an address: %w", err)
	}
	signed, err := stamp(pk, p.Prepared)
	if err != nil {
		return nil, err
	}
	return s.Confirm(withoutKey(ctx), ConfirmAccountRequest{
		WalletAccountRequestID: p.WalletAccountRequestID, SignedActivity: signed,
	})
}

// Prepare asks for the body of a new address and checks that it is what was asked for.
func (s *AddressesService) Prepare(ctx context.Context, req PrepareAccountRequest) (*PreparedAccount, error) {
	ask := request{method: http.MethodPost, path: "/v1/signing/wallets/accounts/prepare", body: req}
	return prepare[PreparedAccount](ctx, s.c, ask, wire.CreateWalletAccounts, func(
		body *wire.Body, shown *Preview,
	) error {
		return matchAddressAsked(req, body, shown)
	})
}

func matchAddressAsked(req PrepareAccountRequest, body *wire.Body, shown *Preview) error {
	var params wire.CreateWalletAccountsParams
	if err := readParams(body, &params); err != nil {
		return err
	}
	if !strings.EqualFold(params.WalletID, req.WalletID) || len(params.Accounts) != 1 {
		return tampered(ReasonBody, "the body is not for one address of the wallet that was asked for")
	}
	if req.Path != "" && params.Accounts[0].Path != req.Path {
		return tampered(ReasonBody, "the body is for another derivation path than was asked for")
	}
	if shown.WalletID != params.WalletID {
		return tampered(ReasonPreview, "the enclave shows another wallet")
	}
	return matchAccountPlan(shown.Accounts, params.Accounts)
}

// matchAccountPlan compares what the enclave shows of new addresses with what the body asks for.
func matchAccountPlan(shown []wire.Account, asked []wire.AccountParams) error {
	if len(shown) != 0 && len(shown) != len(asked) {
		return tampered(ReasonPreview, "the enclave shows another number of addresses")
	}
	for i, s := range shown {
		if s.Path != asked[i].Path || s.Curve != asked[i].Curve || s.AddressFormat != asked[i].AddressFormat {
			return tampered(ReasonPreview, "the enclave shows another derivation path")
		}
	}
	return nil
}

// Confirm hands in the stamp and checks that the address is the
// enclave's, and owned by the known passkeys and nobody else.
func (s *AddressesService) Confirm(ctx context.Context, req ConfirmAccountRequest) (*Address, error) {
	var params wire.CreateWalletAccountsParams
	owners, err := s.c.SubOrganizations.beforeConfirm(req.SignedActivity, &params)
	if err != nil {
		return nil, err
	}
	r, err := send[Address](ctx, s.c, request{
		method: http.MethodPost, path: "/v1/signing/wallets/accounts/confirm", body: req,
	})
	if err != nil {
		return nil, err
	}
	if s.c.verify == nil {
		return &r.Data, nil
	}
	st, err := s.c.verify.ownedBy(owners, r.Data.Proof, req.SignedActivity.Body, wire.CreateWalletAccounts)
	if err != nil {
		return nil, err
	}
	return checked(&r.Data, matchAddress(&r.Data, st.Result, params.WalletID))
}

// matchAddress holds an address against what the enclave says of it.
func matchAddress(a *Address, made *wire.Result, walletID string) error {
	for _, m := range made.Accounts {
		if m.Address != a.Address {
			continue
		}
		if m.Path != a.Path || m.AddressFormat != a.AddressFormat || m.PublicKey != a.PublicKey ||
			m.WalletID != a.WalletID || !strings.EqualFold(m.WalletID, walletID) {
			return tampered(ReasonResult, "path, key or wallet of the address are not the enclave's")
		}
		return nil
	}
	return tampered(ReasonResult, "the address is not one that the enclave made")
}

// List lists the addresses of a wallet, oldest first, each held
// against its own proof.
func (s *AddressesService) List(ctx context.Context, walletID string) ([]Address, error) {
	r, err := send[[]Address](ctx, s.c, request{
		method: http.MethodGet, path: "/v1/signing/wallets/" + url.PathEscape(walletID) + "/addresses",
	})
	if err != nil {
		return nil, err
	}
	for i := range r.Data {
		if err := s.check(&r.Data[i], walletID); err != nil {
			return nil, err
		}
	}
	return r.Data, nil
}

// Get reads one address, by its id or by itself, with the proof of its making.
func (s *AddressesService) Get(ctx context.Context, walletID, addressID string) (*Address, error) {
	r, err := send[Address](ctx, s.c, addressRequest(walletID, addressID, nil))
	if err != nil {
		return nil, err
	}
	if s.c.verify == nil {
		return &r.Data, nil
	}
	if err := matchAsked(&r.Data, addressID); err != nil {
		return nil, err
	}
	return checked(&r.Data, s.check(&r.Data, walletID))
}

// GetFresh reads one address and has the enclave say now who owns it.
func (s *AddressesService) GetFresh(ctx context.Context, walletID, addressID string) (*Address, error) {
	r, err := send[Address](ctx, s.c, addressRequest(walletID, addressID, url.Values{"proof": {"fresh"}}))
	if err != nil {
		return nil, err
	}
	if s.c.verify == nil {
		return &r.Data, nil
	}
	if err := matchAsked(&r.Data, addressID); err != nil {
		return nil, err
	}
	st, err := s.c.SubOrganizations.fresh(r.Data.Proof, r.Floor)
	if err != nil {
		return nil, err
	}
	return checked(&r.Data, matchAddress(&r.Data, st.State, walletID))
}

func addressRequest(walletID, addressID string, q url.Values) request {
	path := "/v1/signing/wallets/" + url.PathEscape(walletID) + "/addresses/" + url.PathEscape(addressID)
	return request{method: http.MethodGet, path: path, query: q}
}

func matchAsked(a *Address, asked string) error {
	if asked != a.AddressID && asked != a.WalletAccountID && !sameAddress(asked, a.Address) {
		return tampered(ReasonResult, "the answer is another address than was asked for")
	}
	return nil
}

// check holds an address against the stored proof of its making.
func (s *AddressesService) check(a *Address, walletID string) error {
	if s.c.verify == nil {
		return nil
	}
	st, err := s.c.verify.open(a.Proof, wire.KindResult)
	if err != nil {
		return err
	}
	if st.Result == nil {
		return tampered(ReasonResult, "the enclave's statement has no result")
	}
	if err := s.c.SubOrganizations.checkOwners(st, st.Result.Owners); err != nil {
		return err
	}
	return matchAddress(a, st.Result, walletID)
}
