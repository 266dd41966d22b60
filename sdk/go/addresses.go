package railkit

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/rest"
)

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
