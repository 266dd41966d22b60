package wallet

import (
	"context"
	"errors"
	"fmt"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/fault"
)

// Sender is who signs a transaction or a message.
type Sender struct {
	From     string // an address, in its canonical spelling
	Family   chain.Family
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
		from, family, ok := families.ParseAddress(address.Address)
		if !ok {
			return Sender{}, fmt.Errorf("the address %s is of no family of networks", address.ID)
		}
		w, err := s.store.Wallet(ctx, workspaceID, address.WalletID)
		return Sender{From: from, Family: family, Wallet: w}, err
	}
	from, family, ok := families.ParseAddress(signWith)
	if !ok {
		return Sender{}, missing
	}
	owned, err := s.store.AddressOwned(ctx, string(family.Kind()), from)
	if err != nil {
		return Sender{}, err
	}
	if owned {
		return Sender{}, missing
	}
	return Sender{From: from, Family: family, External: true}, nil
}
