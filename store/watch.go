package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/watch"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
)

// Watch is the store as the watcher sees it, and who reads what that wrote.
type Watch struct{ *Store }

// Watch returns it.
func (s *Store) Watch() Watch { return Watch{s} }

var (
	_ watch.Store  = Watch{}
	_ watch.Reader = Watch{}
)

// Cursor is how far a chain was read.
func (s Watch) Cursor(ctx context.Context, chain string) (watch.Cursor, bool, error) {
	row, err := s.read.WatchCursor(ctx, chain)
	if none(err) {
		return watch.Cursor{}, false, nil
	}
	return watch.Cursor(row), err == nil, doing("reading a chain's cursor", postgres.Tell(err))
}

// Head is Cursor: confirmations count from there.
func (s Watch) Head(ctx context.Context, chain string) (watch.Cursor, bool, error) {
	return s.Cursor(ctx, chain)
}

// Blocks are those that are remembered of a chain, the highest first.
func (s Watch) Blocks(ctx context.Context, chain string) ([]node.Header, error) {
	rows, err := s.read.WatchBlocks(ctx, chain)
	return many(rows, err, func(r db.WatchBlock) (node.Header, error) {
		return node.Header{Number: r.Number, Hash: r.Hash}, nil
	})
}

// mostLookups is how many addresses one query looks for.
const mostLookups = 500

// Owners tells whose addresses are, on any EVM network.
func (s Watch) Owners(ctx context.Context, addresses []string) (map[string]watch.Owner, error) {
	owners := map[string]watch.Owner{}
	for some := range slices.Chunk(addresses, mostLookups) {
		wallets, err := db.New(s.query(1).in("d.lookup", some)).ListWalletOwners(ctx, "evm")
		if err != nil {
			return nil, doing("looking for wallets", postgres.Tell(err))
		}
		for _, w := range wallets {
			owners[w.Lookup] = watch.Owner{Kind: watch.Wallet, WorkspaceID: w.WorkspaceID, ID: w.OwnerID}
		}
		withdraw, err := db.New(s.query(0).in("lookup", some)).ListWithdrawOwners(ctx)
		if err != nil {
			return nil, doing("looking for withdrawal addresses", postgres.Tell(err))
		}
		for _, w := range withdraw {
			owners[w.Lookup] = watch.Owner{Kind: watch.Withdraw, WorkspaceID: w.WorkspaceID, ID: w.OwnerID}
		}
	}
	return owners, nil
}

// Standing lists the transfers of a range of blocks that are not dropped.
func (s Watch) Standing(ctx context.Context, chain string, from, to int64) ([]watch.Transfer, error) {
	rows, err := s.read.StandingTransfers(ctx, chain, from, to)
	return many(rows, err, transferRow)
}

// Rescans lists the addresses that a chain is still to be looked through for.
func (s Watch) Rescans(ctx context.Context, chain string, limit int) ([]watch.Rescan, error) {
	rows, err := s.read.Rescans(ctx, chain, int32(limit))
	return many(rows, err, func(r db.WatchRescan) (watch.Rescan, error) {
		return watch.Rescan{ID: r.ID, Chain: r.Chain, Address: r.Lookup}, nil
	})
}

// Write runs fn in one transaction.
func (s Watch) Write(ctx context.Context, fn func(context.Context, watch.Tx) error) error {
	err := s.transact(ctx, func(tx *tx) error {
		err := fn(ctx, watchTx{tx})
		crash.At("watch", "before-commit")
		return err
	})
	if err == nil {
		crash.At("watch", "after-commit")
	}
	return err
}

// Transfer finds one.
func (s Watch) Transfer(ctx context.Context, workspaceID, id string) (watch.Transfer, error) {
	row, err := s.read.Transfer(ctx, workspaceID, id)
	return one("Transfer", row, err, transferRow)
}

// TransfersOf lists a page of what came to an owner, newest first, and counts all.
func (s Watch) TransfersOf(ctx context.Context, workspaceID, ownerID string, p page.Page) ([]watch.Transfer, int, error) {
	total, err := s.read.CountTransfers(ctx, workspaceID, ownerID)
	if err != nil {
		return nil, 0, doing("counting transfers", postgres.Tell(err))
	}
	rows, err := db.New(s.query(2).page("created_at", directions["desc"], p)).ListTransfers(ctx, workspaceID, ownerID)
	all, err := many(rows, err, transferRow)
	return all, int(total), err
}

// TransfersSince lists what changed after a moment in any workspace, the longest
// ago first.
func (s Watch) TransfersSince(ctx context.Context, kind watch.OwnerKind, after page.Cursor, limit int) ([]watch.Transfer, error) {
	q := s.query(1).after("updated_at", " > ", after).add(" ORDER BY updated_at, id LIMIT ?", limit)
	rows, err := db.New(q).ListChangedTransfers(ctx, string(kind))
	return many(rows, err, transferRow)
}

// watchTx is the writing half as the watcher sees it.
type watchTx struct{ *tx }

func (t watchTx) Begin(ctx context.Context, c watch.Cursor) error {
	n, err := t.q.BeginWatch(ctx, c.Chain, c.Number, c.Hash)
	return first("beginning a chain's cursor", n, err)
}

func (t watchTx) Move(ctx context.Context, old watch.Cursor, number int64, hash string) error {
	n, err := t.q.MoveWatch(ctx, db.MoveWatchParams{Chain: old.Chain, Version: old.Version, Number: number, Hash: hash})
	return first("moving a chain's cursor", n, err)
}

// first is ErrStale where a compare-and-swap met no row.
func first(what string, rows int64, err error) error {
	if err == nil && rows == 0 {
		return watch.ErrStale
	}
	return doing(what, err)
}

func (t watchTx) Remember(ctx context.Context, chain string, blocks []node.Header, below int64) error {
	for _, b := range blocks {
		if err := t.q.RememberBlock(ctx, chain, b.Number, b.Hash); err != nil {
			return doing("remembering a block", err)
		}
	}
	return doing("forgetting old blocks", t.q.ForgetBlocksBelow(ctx, chain, below))
}

func (t watchTx) Forget(ctx context.Context, chain string, above int64) error {
	return doing("forgetting blocks", t.q.ForgetBlocksAbove(ctx, chain, above))
}

func (t watchTx) See(ctx context.Context, x watch.Transfer) (changes []watch.Transfer, err error) {
	gone, err := t.q.DropElsewhere(ctx, db.DropElsewhereParams{
		Now: micros(x.SeenAt), WorkspaceID: x.WorkspaceID, Chain: x.Chain, TxHash: x.Tx, Token: x.Token, ToAddress: x.To, Ordinal: x.Ordinal,
		BlockHash: x.BlockHash,
	})
	if changes, err = changed(changes, gone, err); err != nil {
		return nil, fmt.Errorf("dropping a transfer from another block: %w", err)
	}
	seen, err := t.q.SeeTransfer(ctx, db.SeeTransferParams{
		WorkspaceID: x.WorkspaceID, ID: x.ID, OwnerKind: string(x.Owner), OwnerID: x.OwnerID, Chain: x.Chain, TxHash: x.Tx,
		Ordinal: x.Ordinal, LogIndex: x.LogIndex, Token: x.Token, TokenSymbol: x.Symbol, Decimals: int64(x.Decimals),
		FromAddress: x.From, ToAddress: x.To, Amount: x.Amount, Units: x.Units(),
		BlockNumber: x.BlockNumber, BlockHash: x.BlockHash, CreatedAt: micros(x.SeenAt),
	})
	if changes, err = changed(changes, seen, err); err != nil {
		return nil, fmt.Errorf("writing a transfer: %w", err)
	}
	return changes, nil
}

// changed adds the row that a statement changed, if it changed one.
func changed(all []watch.Transfer, row db.Transfer, err error) ([]watch.Transfer, error) {
	if none(err) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	t, err := transferRow(row)
	return append(all, t), err
}

func (t watchTx) Settle(ctx context.Context, chain string, upTo int64, now time.Time) ([]watch.Transfer, error) {
	rows, err := t.q.SettleTransfers(ctx, micros(now), chain, upTo)
	return inOrder(rows, err)
}

func (t watchTx) Undo(ctx context.Context, chain string, above int64, now time.Time) ([]watch.Transfer, error) {
	rows, err := t.q.UndoTransfers(ctx, micros(now), chain, above)
	return inOrder(rows, err)
}

// inOrder sorts what an UPDATE gave back, which it does in any order.
func inOrder(rows []db.Transfer, err error) ([]watch.Transfer, error) {
	all, err := many(rows, err, transferRow)
	slices.SortFunc(all, func(a, b watch.Transfer) int {
		return cmp.Or(cmp.Compare(a.BlockNumber, b.BlockNumber), cmp.Compare(a.LogIndex, b.LogIndex))
	})
	return all, err
}

func (t watchTx) Drop(ctx context.Context, x watch.Transfer, now time.Time) (watch.Transfer, error) {
	row, err := t.q.DropTransfer(ctx, micros(now), x.WorkspaceID, x.ID)
	if none(err) {
		return watch.Transfer{}, watch.ErrStale
	}
	if err != nil {
		return watch.Transfer{}, fmt.Errorf("dropping a transfer: %w", err)
	}
	return transferRow(row)
}

func (t watchTx) EndRescans(ctx context.Context, ids []string) error {
	for _, id := range ids {
		if err := t.q.EndRescan(ctx, id); err != nil {
			return doing("ending a look back", err)
		}
	}
	return nil
}

// errTakenAddress says that a withdrawal address is another's already.
var errTakenAddress = errors.New("the withdrawal address belongs to another bank account")

// ListWithdrawAddress has an EVM address be watched on every network, also for
// what came to it in the blocks before. The same again is harmless.
func (t *tx) ListWithdrawAddress(ctx context.Context, address, workspaceID, withdrawAddressID string) error {
	key := lookup(address)
	if err := t.q.ClaimWithdrawAddress(ctx, key, workspaceID, withdrawAddressID); err != nil {
		return doing("listing a withdrawal address", err)
	}
	row, err := t.q.WithdrawOwner(ctx, key)
	if err != nil {
		return doing("listing a withdrawal address", err)
	}
	if row.WorkspaceID != workspaceID || row.WithdrawAddressID != withdrawAddressID {
		return errTakenAddress
	}
	return t.lookBack(ctx, key)
}

// lookBack has the last blocks of every watched chain be looked through for an
// EVM address.
func (t *tx) lookBack(ctx context.Context, key string) error {
	return doing("asking for a look back", t.q.AskRescan(ctx, key))
}

func transferRow(r db.Transfer) (watch.Transfer, error) {
	return watch.Transfer{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Owner: watch.OwnerKind(r.OwnerKind), OwnerID: r.OwnerID, Chain: r.Chain, Tx: r.TxHash,
		Ordinal: r.Ordinal, LogIndex: r.LogIndex, Token: r.Token, Symbol: r.TokenSymbol, Decimals: int(r.Decimals),
		From: r.FromAddress, To: r.ToAddress, Amount: r.Amount, State: watch.State(r.State),
		BlockNumber: r.BlockNumber, BlockHash: r.BlockHash,
		SeenAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt), FinalAt: instant(r.FinalAt),
	}, nil
}
