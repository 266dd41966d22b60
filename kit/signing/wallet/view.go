package wallet

import (
	"context"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
)

// WalletView is a wallet as the API shows it.
type WalletView struct {
	WalletID          string          `json:"walletId" doc:"The enclave's id of the wallet"`
	WalletName        string          `json:"walletName"`
	Addresses         []WalletAddress `json:"addresses"`
	SubOrganizationID string          `json:"subOrganizationId"`
	ID                string          `json:"id" doc:"Local id; accepted wherever walletId is"`
	Created           string          `json:"created_at" format:"date-time"`
	Type              string          `json:"type" enum:"master,agent,operational"`
	LastActivity      *string         `json:"lastActivity" format:"date-time"`
	Proof             wire.Proof      `json:"proof"`
}

// WalletAddress is an address inside a wallet.
type WalletAddress struct {
	Address         string `json:"address"`
	Path            string `json:"path"`
	AddressFormat   string `json:"addressFormat"`
	Chain           string `json:"chain"`
	WalletAccountID string `json:"walletAccountId"`
	PublicKey       string `json:"publicKey"`
}

// List lists wallets, with where the page after this one begins.
func (s *Service) List(ctx context.Context, f Filter) ([]WalletView, *page.Cursor, int, error) {
	rows, total, err := s.c.Store.Wallets(ctx, f)
	if err != nil {
		return nil, nil, 0, err
	}
	var ids []string
	for _, w := range rows {
		ids = append(ids, w.ID)
	}
	all, err := s.c.Store.AddressesOf(ctx, f.WorkspaceID, ids)
	if err != nil {
		return nil, nil, 0, err
	}
	addresses := map[string][]Address{}
	for _, a := range all {
		addresses[a.WalletID] = append(addresses[a.WalletID], a)
	}
	views := []WalletView{}
	for _, w := range rows {
		views = append(views, w.view(addresses[w.ID]))
	}
	return views, page.Next(f.Page, rows, total, Wallet.cursor), total, nil
}

// Get gives one wallet. With fresh the enclave states anew what it is.
func (s *Service) Get(ctx context.Context, p auth.Principal, id string, fresh bool) (WalletView, error) {
	w, addresses, err := s.WithAddresses(ctx, p, id)
	if err != nil {
		return WalletView{}, err
	}
	view := w.view(addresses)
	if fresh {
		view.Proof, err = s.c.Enclave.State(ctx,
			wire.StateRequest{OrganizationID: w.SubOrganizationID, WalletID: w.EnclaveID})
	}
	return view, err
}

// AddressView is an address as the API shows it. Its proof names everybody who
// can sign for it.
type AddressView struct {
	AddressID       string     `json:"addressId"`
	WalletAccountID string     `json:"walletAccountId" doc:"The same as addressId"`
	WalletID        string     `json:"walletId"`
	Address         string     `json:"address"`
	Path            string     `json:"path"`
	AddressFormat   string     `json:"addressFormat"`
	Chain           string     `json:"chain"`
	PublicKey       string     `json:"publicKey"`
	Name            string     `json:"name"`
	CreatedAt       string     `json:"createdAt" format:"date-time"`
	Proof           wire.Proof `json:"proof"`
}

// WithAddresses is a wallet with its addresses, oldest first.
func (s *Service) WithAddresses(ctx context.Context, p auth.Principal, id string) (Wallet, []Address, error) {
	w, err := s.c.Store.Wallet(ctx, p.WorkspaceID, id)
	if err != nil {
		return Wallet{}, nil, err
	}
	rows, err := s.c.Store.Addresses(ctx, w.WorkspaceID, w.ID)
	return w, rows, err
}

// Addresses lists a wallet's addresses, oldest first.
func (s *Service) Addresses(ctx context.Context, p auth.Principal, walletID string) ([]AddressView, error) {
	w, rows, err := s.WithAddresses(ctx, p, walletID)
	if err != nil {
		return nil, err
	}
	views := []AddressView{}
	for _, a := range rows {
		views = append(views, a.view(w.EnclaveID))
	}
	return views, nil
}

// Address gives one address, by id or by the address itself. With fresh the
// enclave states anew whose it is.
func (s *Service) Address(ctx context.Context, p auth.Principal, walletID, id string, fresh bool) (AddressView, error) {
	w, err := s.c.Store.Wallet(ctx, p.WorkspaceID, walletID)
	if err != nil {
		return AddressView{}, err
	}
	a, err := s.c.Store.Address(ctx, p.WorkspaceID, id)
	if err != nil {
		return AddressView{}, err
	}
	if a.WalletID != w.ID {
		return AddressView{}, fault.Missing("Address")
	}
	view := a.view(w.EnclaveID)
	if fresh {
		view.Proof, err = s.c.Enclave.State(ctx,
			wire.StateRequest{OrganizationID: w.SubOrganizationID, WalletID: w.EnclaveID, Address: a.Address})
	}
	return view, err
}

// ofAgent reports whether the wallet was made with an agent, or by one.
func (w Wallet) ofAgent() bool {
	made := signer.Stated(w.Proof).Activity
	return made == wire.CreateAgent || made == wire.AgentWallet
}

func (w Wallet) kind() string {
	if w.ofAgent() {
		return "agent"
	}
	return "master"
}

func (w Wallet) view(addresses []Address) WalletView {
	v := WalletView{
		WalletID: w.EnclaveID, WalletName: w.Name, SubOrganizationID: w.SubOrganizationID, ID: w.ID,
		Created: clock.ISO(w.CreatedAt),
		Type:    w.kind(), LastActivity: clock.ISOOrNil(w.LastActivity), Addresses: []WalletAddress{},
		Proof: signer.Proof(w.Proof),
	}
	for _, a := range addresses {
		v.Addresses = append(v.Addresses, WalletAddress{
			Address: a.Address, Path: a.Path, AddressFormat: a.AddressFormat, Chain: a.Chain, WalletAccountID: a.ID,
			PublicKey: a.PublicKey,
		})
	}
	return v
}

func (a Address) view(walletEnclaveID string) AddressView {
	return AddressView{
		AddressID: a.ID, WalletAccountID: a.ID, WalletID: walletEnclaveID, Address: a.Address, Path: a.Path,
		AddressFormat: a.AddressFormat,
		Chain:         a.Chain, PublicKey: a.PublicKey, Name: a.Name, CreatedAt: clock.ISO(a.CreatedAt),
		Proof: signer.Proof(a.Proof),
	}
}
