package sqldb

import (
	"context"
	"errors"
	"strings"
)

// Lookup writes an address in one way: hexadecimal ones differ in case only by
// their checksum, base58 ones differ by case.
func Lookup(address string) string {
	if strings.HasPrefix(address, "0x") || strings.HasPrefix(address, "0X") {
		return strings.ToLower(address)
	}
	return address
}

// errTakenAddress says that a withdrawal address is another's already.
var errTakenAddress = errors.New("the withdrawal address belongs to another bank account")

// ListWithdrawAddress has an EVM address be watched on every network, also for
// what came to it in the blocks before. The same again is harmless.
func (t *Tx) ListWithdrawAddress(ctx context.Context, address, workspaceID, withdrawAddressID string) error {
	key := Lookup(address)
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
// EVM address.
func (t *Tx) LookBack(ctx context.Context, key string) error {
	return Doing("asking for a look back", t.Q.AskRescan(ctx, key))
}
