package sqldb

import (
	"context"
	"errors"

	"github.com/railkit/railkit/chain/families"
)

// errTakenAddress says that a withdrawal address is another's already.
var errTakenAddress = errors.New("the withdrawal address belongs to another bank account")

// ListWithdrawAddress has an address be watched on every network of its family, also
// for what came to it in the blocks before. The same again is harmless.
func (t *Tx) ListWithdrawAddress(ctx context.Context, address, workspaceID, withdrawAddressID string) error {
	key := families.Lookup(address)
	if err := t.Q.ClaimWithdrawAddress(ctx, key, workspaceID, withdrawAddressID); err != nil {
		return Doing("listing a withdrawal address", err)
	}
	row, err := t.Q.WithdrawOwner(ctx, key)
	if err != nil {
		return Doing("listing a withdrawal address", err)
	}
	if row.WorkspaceID != workspaceID || row.WithdrawAddressID != withdrawAddressID {
		return errTakenAddress
	}
	return t.LookBack(ctx, key)
}

// LookBack has the last blocks of every watched chain be looked through for an
// address. The watcher asks no chain for an address of another family.
func (t *Tx) LookBack(ctx context.Context, key string) error {
	return Doing("asking for a look back", t.Q.AskRescan(ctx, key))
}
