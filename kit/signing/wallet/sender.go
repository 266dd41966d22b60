package wallet

import (
	"context"
	"errors"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/fault"
)

// Sender is who signs a transaction or a message.
type Sender struct {
	From     evm.Address
	Wallet   Wallet
	External bool // From is an address of no wallet: its owner signs outside
}

// Sender finds the wallet whose address signs. A well-formed address of no
// wallet of anybody signs outside; for another workspace's address the answer is
// the one for anything unknown.
func (s *Service) Sender(ctx context.Context, workspaceID, signWith string) (Sender, error) {
	address, missing := s.store.Address(ctx, workspaceID, signWith)
	if missing != nil && !errors.Is(missing, fault.ErrNotFound) {
		return Sender{}, missing
	}
	if missing == nil {
		from, err := evm.ParseAddress(address.Address)
		if err != nil {
			return Sender{}, err
		}
		w, err := s.store.Wallet(ctx, workspaceID, address.WalletID)
		return Sender{From: from, Wallet: w}, err
	}
	from, err := evm.ParseAddress(signWith)
	if err != nil {
		return Sender{}, missing
	}
	owned, err := s.store.AddressOwned(ctx, string(chain.EVM), from.String())
	if err != nil {
		return Sender{}, err
	}
	if owned {
		return Sender{}, missing
	}
	return Sender{From: from, External: true}, nil
}
