package app

import (
	"context"
	"errors"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/depositaccount"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/store/signing"
)

// proofs tells the payout kit where the platform's own wallets are, as far as the signer has proved it.
type proofs struct {
	signing.Store
	key string // of the signer, pinned
	env chain.Environment
}

// Proved finds a wallet's address on a chain, and checks the signer's proof of it. Of several it is the one that was
// made for the chain, else the oldest of the chain's family.
func (p proofs) Proved(
	ctx context.Context, workspaceID, walletID, slug, address string,
) (at depositaccount.Place, err error) {
	w, err := p.Wallet(ctx, workspaceID, walletID)
	if err != nil {
		return at, err
	}
	at.WalletID, at.Chain = w.ID, slug
	all, err := p.Addresses(ctx, workspaceID, w.ID)
	if err != nil || len(all) == 0 {
		return at, err
	}
	if slug == "" {
		at.Chain = all[0].Chain
	}
	found, ok := p.pick(all, at.Chain, address)
	if !ok {
		return at, nil
	}
	if err := found.Proved(w, p.key, string(p.env)); err != nil {
		return at, depositaccount.ErrUnproved.Because(err)
	}
	at.Address = found.Address
	return at, nil
}

// pick finds the address, or where none is named the wallet's first on the chain.
func (p proofs) pick(all []wallet.Address, slug, address string) (first wallet.Address, ok bool) {
	network, known := chain.BySlug(p.env, slug)
	if !known {
		return first, false
	}
	for _, a := range all {
		if a.Kind != string(network.Kind) || address != "" && families.Lookup(a.Address) != families.Lookup(address) {
			continue
		}
		if a.Chain == slug {
			return a, true
		}
		if !ok {
			first, ok = a, true
		}
	}
	return first, ok
}

// Shown is the enclave's id of a wallet, which all answers have.
func (p proofs) Shown(ctx context.Context, workspaceID, walletID string) (string, error) {
	w, err := p.Wallet(ctx, workspaceID, walletID)
	return w.EnclaveID, err
}

// With finds the wallet that has an address.
func (p proofs) With(ctx context.Context, workspaceID, address string) (walletID string, err error) {
	a, err := p.Address(ctx, workspaceID, address)
	if errors.Is(err, fault.ErrNotFound) {
		return "", fault.Missing("Wallet")
	}
	if err != nil {
		return "", err
	}
	if families.Lookup(a.Address) != families.Lookup(address) {
		return "", fault.Missing("Wallet") // its id was given in its place
	}
	return a.WalletID, nil
}
