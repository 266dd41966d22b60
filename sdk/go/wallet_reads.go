package railkit

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/railkit/railkit/enclave/wire"
)

// GetWallet reads one wallet by its id.
func (c *Client) GetWallet(ctx context.Context, walletID string) (*Wallet, error) {
	return c.wallet(ctx, "/v1/signing/wallets/", walletID)
}

// GetWalletDetail is GetWallet by the path that was there before 2.0.
func (c *Client) GetWalletDetail(ctx context.Context, walletID string) (*Wallet, error) {
	return c.wallet(ctx, "/v1/wallets/", walletID)
}

func (c *Client) wallet(ctx context.Context, path, walletID string) (*Wallet, error) {
	r, err := send[Wallet](ctx, c, request{method: http.MethodGet, path: path + url.PathEscape(walletID)})
	if err != nil {
		return nil, err
	}
	if c.verify != nil && !strings.EqualFold(r.Data.WalletID, walletID) {
		return nil, tampered(ReasonResult, "the answer is another wallet than was asked for")
	}
	return checked(&r.Data, c.checkWallet(&r.Data))
}

// GetWalletFresh reads one wallet and has the enclave say now what it is: every
// address and every owner.
func (c *Client) GetWalletFresh(ctx context.Context, walletID string) (*Wallet, error) {
	r, err := send[Wallet](ctx, c, request{
		method: http.MethodGet, path: "/v1/signing/wallets/" + url.PathEscape(walletID), query: url.Values{"proof": {"fresh"}},
	})
	if err != nil {
		return nil, err
	}
	if c.verify == nil {
		return &r.Data, nil
	}
	st, err := c.verify.fresh(r.Data.Proof, r.Floor)
	if err != nil {
		return nil, err
	}
	if owners, ok := c.KnownOwners(st.OrganizationID); ok {
		if err := owners.match(st.State.Owners); err != nil {
			return nil, err
		}
	}
	return checked(&r.Data, matchState(&r.Data, st, walletID))
}

func matchState(w *Wallet, st *opened, walletID string) error {
	is := st.State.Wallet
	if is == nil || is.ID != w.WalletID || !strings.EqualFold(is.ID, walletID) || is.Name != w.WalletName || st.OrganizationID != w.SubOrganizationID {
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

// ListWallets reads one page of wallets.
func (c *Client) ListWallets(ctx context.Context, o WalletListOptions) (*Page[Wallet], error) {
	q := o.query()
	for name, value := range map[string]string{
		"subOrganizationId": o.SubOrganizationID, "search": o.Search, "sortBy": o.SortBy, "sortDir": o.SortDir,
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	r, err := send[[]Wallet](ctx, c, request{method: http.MethodGet, path: "/v1/signing/wallets", query: q})
	if err != nil {
		return nil, err
	}
	for i := range r.Data {
		if err := c.checkWallet(&r.Data[i]); err != nil {
			return nil, err
		}
	}
	return &Page[Wallet]{Items: r.Data, Meta: r.Meta}, nil
}

// AllWallets walks all pages.
func (c *Client) AllWallets(ctx context.Context, o WalletListOptions) iter.Seq2[Wallet, error] {
	return each(o.ListOptions, func(page ListOptions) (*Page[Wallet], error) {
		o.ListOptions = page
		return c.ListWallets(ctx, o)
	})
}

// checkWallet holds a wallet against the proof of its making, which may be old.
func (c *Client) checkWallet(w *Wallet) error {
	if c.verify == nil {
		return nil
	}
	st, err := c.verify.open(w.Proof, wire.KindResult)
	if err != nil {
		return err
	}
	if st.Activity != wire.CreateWallet || st.Result == nil || st.Result.Wallet == nil {
		return tampered(ReasonKind, "the proof is not of a wallet")
	}
	made := st.Result.Wallet
	if made.ID != w.WalletID || made.Name != w.WalletName || st.OrganizationID != w.SubOrganizationID {
		return tampered(ReasonResult, "the wallet is not the one that the enclave made")
	}
	for i, a := range w.Addresses {
		w.Addresses[i].Proven = proven(a, st.Result.Accounts)
	}
	return c.checkStoredOwners(st, st.Result.Owners)
}

// checkStoredOwners looks for strangers where the client knows the owners.
func (c *Client) checkStoredOwners(st *opened, stated *wire.Owners) error {
	owners, ok := c.KnownOwners(st.OrganizationID)
	if !ok {
		return nil
	}
	return owners.noStranger(stated)
}
