package wallet

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/platform/page"
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
	address, missing := s.c.Store.Address(ctx, workspaceID, signWith)
	if missing != nil && !errors.Is(missing, fault.ErrNotFound) {
		return Sender{}, missing
	}
	if missing == nil {
		from, family, ok := families.ParseAddress(address.Address)
		if !ok {
			return Sender{}, fmt.Errorf("the address %s is of no family of networks", address.ID)
		}
		w, err := s.c.Store.Wallet(ctx, workspaceID, address.WalletID)
		return Sender{From: from, Family: family, Wallet: w}, err
	}
	from, family, ok := families.ParseAddress(signWith)
	if !ok {
		return Sender{}, missing
	}
	owned, err := s.c.Store.AddressOwned(ctx, string(family.Kind()), from)
	if err != nil {
		return Sender{}, err
	}
	if owned {
		return Sender{}, missing
	}
	return Sender{From: from, Family: family, External: true}, nil
}

// Own is Sender for what only a wallet of the workspace can do.
func (s *Service) Own(ctx context.Context, workspaceID, signWith string) (Sender, error) {
	sender, err := s.Sender(ctx, workspaceID, signWith)
	if err == nil && sender.External {
		err = fault.Field("signWith", "must be an address of one of the workspace's wallets")
	}
	return sender, err
}

// OwnerAddress finds the address from which a sub-organization pays an agent where the call names none: the only one of
// its wallets of that kind of network, agents' wallets left out.
func (s *Service) OwnerAddress(ctx context.Context, o activity.Owner, kind chain.Kind) (string, bool, error) {
	rows, total, err := s.c.Store.Wallets(ctx, Filter{
		WorkspaceID: o.WorkspaceID, SubOrganizationID: o.ID, Page: page.Page{Limit: 200},
	})
	if err != nil || total > len(rows) {
		return "", false, err
	}
	var ids []string
	for _, w := range rows {
		if !w.ofAgent() {
			ids = append(ids, w.ID)
		}
	}
	all, err := s.c.Store.AddressesOf(ctx, o.WorkspaceID, ids)
	all = slices.DeleteFunc(all, func(a Address) bool { return a.Kind != string(kind) })
	if err != nil || len(all) != 1 {
		return "", false, err
	}
	return all[0].Address, true, nil
}
