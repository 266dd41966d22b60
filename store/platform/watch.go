package platform

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/watch"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Watch is the database as the watcher sees it, and who reads what that wrote.
type Watch struct{ db *sqldb.DB }

// Watch returns it.
func (s Store) Watch() Watch { return Watch(s) }

var (
	_ watch.Store  = Watch{}
	_ watch.Reader = Watch{}
)

// Cursor is how far a chain was read.
func (s Watch) Cursor(ctx context.Context, chain string) (watch.Cursor, bool, error) {
	row, err := s.db.Read.WatchCursor(ctx, chain)
	if sqldb.None(err) {
		return watch.Cursor{}, false, nil
	}
	return watch.Cursor(row), err == nil, sqldb.Reading("reading a chain's cursor", err)
}

// Head is Cursor: confirmations count from there.
func (s Watch) Head(ctx context.Context, chain string) (watch.Cursor, bool, error) {
	return s.Cursor(ctx, chain)
}

// Blocks are those that are remembered of a chain, the highest first.
func (s Watch) Blocks(ctx context.Context, chain string) ([]node.Header, error) {
	rows, err := s.db.Read.WatchBlocks(ctx, chain)
	return sqldb.Many(rows, err, func(r db.WatchBlock) (node.Header, error) {
		return node.Header{Number: r.Number, Hash: r.Hash}, nil
	})
}

// mostLookups is how many addresses one query looks for.
const mostLookups = 500

// Owners tells whose addresses are, on any network of their family.
func (s Watch) Owners(ctx context.Context, addresses []string) (map[string]watch.Owner, error) {
	owners := map[string]watch.Owner{}
	for some := range slices.Chunk(addresses, mostLookups) {
		for _, f := range families.All() {
			wallets, err := db.New(s.db.Query(1).In("d.lookup", some)).ListWalletOwners(ctx, string(f.Kind()))
			if err != nil {
				return nil, sqldb.Reading("looking for wallets", err)
			}
			for _, w := range wallets {
				owners[w.Lookup] = watch.Owner{Kind: watch.Wallet, WorkspaceID: w.WorkspaceID, ID: w.OwnerID}
			}
		}
		withdraw, err := db.New(s.db.Query(0).In("lookup", some)).ListWithdrawOwners(ctx)
		if err != nil {
			return nil, sqldb.Reading("looking for withdrawal addresses", err)
		}
		for _, w := range withdraw {
			owners[w.Lookup] = watch.Owner{Kind: watch.Withdraw, WorkspaceID: w.WorkspaceID, ID: w.OwnerID}
		}
	}
	return owners, nil
}

// Standing lists the transfers of a range of blocks that are not dropped.
func (s Watch) Standing(ctx context.Context, chain string, from, to int64) ([]watch.Transfer, error) {
	rows, err := s.db.Read.StandingTransfers(ctx, chain, from, to)
	return sqldb.Many(rows, err, TransferRow)
}

// Unsettled lists the tokens of seen transfers in blocks up to a number.
func (s Watch) Unsettled(ctx context.Context, chain string, upTo int64) ([]string, error) {
	tokens, err := s.db.Read.UnsettledTokens(ctx, chain, upTo)
	return tokens, sqldb.Reading("looking for transfers that are not final", err)
}

// Rescans lists the addresses that a chain is still to be looked through for.
func (s Watch) Rescans(ctx context.Context, chain string, limit int) ([]watch.Rescan, error) {
	rows, err := s.db.Read.Rescans(ctx, chain, int32(limit))
	return sqldb.Many(rows, err, func(r db.WatchRescan) (watch.Rescan, error) {
		return watch.Rescan{ID: r.ID, Chain: r.Chain, Address: r.Lookup}, nil
	})
}

// Write runs fn in one transaction.
func (s Watch) Write(ctx context.Context, fn func(context.Context, watch.Tx) error) error {
	err := s.db.Transact(ctx, func(t *sqldb.Tx) error {
		err := fn(ctx, watchTx{t})
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
	row, err := s.db.Read.Transfer(ctx, workspaceID, id)
	return sqldb.One("Transfer", row, err, TransferRow)
}

// TransfersOfTx lists what a transaction brought to addresses of a workspace.
func (s Watch) TransfersOfTx(ctx context.Context, workspaceID, chain, tx string) ([]watch.Transfer, error) {
	rows, err := s.db.Read.TransfersOfTx(ctx, workspaceID, chain, tx)
	return sqldb.Many(rows, err, TransferRow)
}

// TransfersOf lists a page of what came to an owner, newest first, and counts all.
func (s Watch) TransfersOf(
	ctx context.Context, workspaceID, ownerID string, p page.Page,
) ([]watch.Transfer, int, error) {
	total, err := s.db.Read.CountTransfers(ctx, workspaceID, ownerID)
	if err != nil {
		return nil, 0, sqldb.Reading("counting transfers", err)
	}
	rows, err := db.New(s.db.Query(2).Newest(p)).ListTransfers(ctx, workspaceID, ownerID)
	return sqldb.Listed(total, rows, err, TransferRow)
}

// TransfersSince lists what changed after a moment in any workspace, the longest
// ago first.
func (s Watch) TransfersSince(
	ctx context.Context, kind watch.OwnerKind, after page.Cursor, limit int,
) ([]watch.Transfer, error) {
	q := s.db.Query(1).After("updated_at", " > ", after).Add(" ORDER BY updated_at, id LIMIT ?", limit)
	rows, err := db.New(q).ListChangedTransfers(ctx, string(kind))
	return sqldb.Many(rows, err, TransferRow)
}

// watchTx is the writing half as the watcher sees it.
type watchTx struct{ *sqldb.Tx }

func (t watchTx) Begin(ctx context.Context, c watch.Cursor) error {
	n, err := t.Q.BeginWatch(ctx, c.Chain, c.Number, c.Hash)
	return first("beginning a chain's cursor", n, err)
}

func (t watchTx) Move(ctx context.Context, old watch.Cursor, number int64, hash string) error {
	n, err := t.Q.MoveWatch(ctx, db.MoveWatchParams{
		Chain: old.Chain, Version: old.Version, WasNumber: old.Number, WasHash: old.Hash, Number: number, Hash: hash,
	})
	return first("moving a chain's cursor", n, err)
}

// first is ErrStale where a compare-and-swap met no row.
func first(what string, rows int64, err error) error {
	if err == nil && rows == 0 {
		return watch.ErrStale
	}
	return sqldb.Doing(what, err)
}

func (t watchTx) Remember(ctx context.Context, chain string, blocks []node.Header, below int64) error {
	for _, b := range blocks {
		if err := t.Q.RememberBlock(ctx, chain, b.Number, b.Hash); err != nil {
			return sqldb.Doing("remembering a block", err)
		}
	}
	return sqldb.Doing("forgetting old blocks", t.Q.ForgetBlocksBelow(ctx, chain, below))
}

func (t watchTx) Forget(ctx context.Context, chain string, above int64) error {
	return sqldb.Doing("forgetting blocks", t.Q.ForgetBlocksAbove(ctx, chain, above))
}

func (t watchTx) See(ctx context.Context, x watch.Transfer) (changes []watch.Transfer, err error) {
	gone, err := t.Q.DropElsewhere(ctx, db.DropElsewhereParams{
		Now: sqldb.Micros(x.SeenAt), WorkspaceID: x.WorkspaceID, Chain: x.Chain, TxHash: x.Tx, Token: x.Token,
		ToAddress: x.To, Ordinal: x.Ordinal,
		BlockHash: x.BlockHash,
	})
	if changes, err = t.changed(changes, gone, err); err != nil {
		return nil, sqldb.Doing("dropping a transfer from another block", err)
	}
	seen, err := t.Q.SeeTransfer(ctx, db.SeeTransferParams{
		WorkspaceID: x.WorkspaceID, ID: x.ID, OwnerKind: string(x.Owner), OwnerID: x.OwnerID, Chain: x.Chain,
		TxHash:  x.Tx,
		Ordinal: x.Ordinal, LogIndex: x.LogIndex, Token: x.Token, TokenSymbol: x.Symbol, Decimals: int64(x.Decimals),
		FromAddress: x.From, ToAddress: x.To, Amount: x.Amount, Units: x.Units(),
		BlockNumber: x.BlockNumber, BlockHash: x.BlockHash, CreatedAt: sqldb.Micros(x.SeenAt),
		MinedAt: sqldb.Micros(x.MinedAt), Senders: strings.Join(x.Senders, " "),
	})
	if changes, err = t.changed(changes, seen, err); err != nil {
		return nil, sqldb.Doing("writing a transfer", err)
	}
	return changes, nil
}

// changed adds the row that a statement changed, if it changed one.
func (t watchTx) changed(all []watch.Transfer, row db.Transfer, err error) ([]watch.Transfer, error) {
	if sqldb.None(err) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	x, err := t.told(row)
	return append(all, x), err
}

// told is the transfer that a statement changed, and tells of it where it is a wallet's. What comes to a withdrawal
// address is told as a drain.
func (t watchTx) told(row db.Transfer) (watch.Transfer, error) {
	x, err := TransferRow(row)
	if err == nil && x.Owner == watch.Wallet {
		t.Tell(event.Change{
			Type: event.Type("transfer." + x.State), WorkspaceID: x.WorkspaceID, Object: x.ID, Data: rest.EventTransfer{
				Status: string(x.State), WalletID: x.OwnerID, Chain: x.Chain, TxHash: x.Tx, From: x.From, To: x.To,
				Amount: x.Amount, TokenSymbol: x.Symbol,
			},
		})
	}
	return x, err
}

func (t watchTx) Settle(
	ctx context.Context, chain string, upTo int64, held []string, now time.Time,
) ([]watch.Transfer, error) {
	rows, err := t.Q.SettleTransfers(ctx, db.SettleTransfersParams{
		Now: sqldb.Micros(now), Chain: chain, UpTo: upTo, Held: strings.Join(held, " "),
	})
	return t.inOrder(rows, err)
}

func (t watchTx) Undo(ctx context.Context, chain string, above int64, now time.Time) ([]watch.Transfer, error) {
	rows, err := t.Q.UndoTransfers(ctx, sqldb.Micros(now), chain, above)
	return t.inOrder(rows, err)
}

// inOrder sorts what an UPDATE gave back, which it does in any order.
func (t watchTx) inOrder(rows []db.Transfer, err error) ([]watch.Transfer, error) {
	slices.SortFunc(rows, func(a, b db.Transfer) int {
		return cmp.Or(cmp.Compare(a.BlockNumber, b.BlockNumber), cmp.Compare(a.LogIndex, b.LogIndex))
	})
	return sqldb.Many(rows, err, t.told)
}

func (t watchTx) Drop(ctx context.Context, x watch.Transfer, now time.Time) (watch.Transfer, error) {
	row, err := t.Q.DropTransfer(ctx, sqldb.Micros(now), x.WorkspaceID, x.ID)
	if sqldb.None(err) {
		return watch.Transfer{}, watch.ErrStale
	}
	if err != nil {
		return watch.Transfer{}, sqldb.Doing("dropping a transfer", err)
	}
	return t.told(row)
}

func (t watchTx) EndRescans(ctx context.Context, ids []string) error {
	for _, id := range ids {
		if err := t.Q.EndRescan(ctx, id); err != nil {
			return sqldb.Doing("ending a look back", err)
		}
	}
	return nil
}

// TransferRow is a transfer as it is stored.
func TransferRow(r db.Transfer) (watch.Transfer, error) {
	t := watch.Transfer{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Owner: watch.OwnerKind(r.OwnerKind), OwnerID: r.OwnerID, Chain: r.Chain,
		Tx:      r.TxHash,
		Ordinal: r.Ordinal, LogIndex: r.LogIndex, Token: r.Token, Symbol: r.TokenSymbol, Decimals: int(r.Decimals),
		From: r.FromAddress, To: r.ToAddress, Amount: r.Amount, State: watch.State(r.State),
		BlockNumber: r.BlockNumber, BlockHash: r.BlockHash, MinedAt: sqldb.Instant(r.MinedAt),
		SeenAt: sqldb.Instant(r.CreatedAt), UpdatedAt: sqldb.Instant(r.UpdatedAt), FinalAt: sqldb.Instant(r.FinalAt),
	}
	if r.Senders != "" {
		t.Senders = strings.Fields(r.Senders)
	}
	return t, nil
}
