package watch

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/platform/page"
)

// ErrStale is the error of a write after another server moved the cursor. The caller reads the cursor again.
var ErrStale = errors.New("watch: another server has moved the cursor")

// Cursor is the newest block of a chain that the watcher has read.
type Cursor struct {
	Chain   string
	Number  int64
	Hash    string
	Version int64 // grows with each write
}

// Rescan asks the watcher to read earlier blocks again, for transfers to an address that was not known then.
type Rescan struct{ ID, Chain, Address string }

// Store is the part of the database that the watcher uses. It compares addresses byte by byte: those of a Token, of a
// node's answer and of a row have one spelling.
type Store interface {
	Cursor(ctx context.Context, chain string) (c Cursor, found bool, err error)
	// Blocks lists the remembered blocks, the highest first.
	Blocks(ctx context.Context, chain string) ([]node.Header, error)
	// Owners finds the owners of addresses. Its answer has no entry for an unknown address.
	Owners(ctx context.Context, addresses []string) (map[string]Owner, error)
	// Standing lists the transfers of a range of blocks that are not dropped.
	Standing(ctx context.Context, chain string, from, to int64) ([]Transfer, error)
	// Unsettled lists the tokens of which there are seen transfers in blocks up to a number.
	Unsettled(ctx context.Context, chain string, upTo int64) (tokens []string, err error)
	Rescans(ctx context.Context, chain string, limit int) ([]Rescan, error)
	// Write runs fn in one transaction. If the transaction fails to commit, fn may run again in a new one.
	Write(ctx context.Context, fn func(context.Context, Tx) error) error
}

// Tx is the transaction of Store.Write, and writes its changes.
type Tx interface {
	Jobs
	// Begin makes the chain's cursor. If the chain has one, it returns ErrStale.
	Begin(ctx context.Context, c Cursor) error
	// Move sets the cursor to a block. If the cursor no longer has the version of old, it returns ErrStale.
	Move(ctx context.Context, old Cursor, number int64, hash string) error
	// Remember keeps the hashes of blocks, and forgets those below a number.
	Remember(ctx context.Context, chain string, blocks []node.Header, below int64) error
	// Forget drops the hashes of blocks above a number.
	Forget(ctx context.Context, chain string, above int64) error
	// See writes a transfer that the node reports in a block, and returns the changes. A dropped transfer becomes seen
	// again and keeps its id. One stored in this block already is no change. One stored in another block, say 110
	// when it is in 112 now, is dropped in 110 and then seen in 112: two changes.
	See(ctx context.Context, t Transfer) (changes []Transfer, err error)
	// Settle makes the seen transfers in blocks up to a number final, but for those of tokens that are held.
	Settle(ctx context.Context, chain string, upTo int64, held []string, now time.Time) ([]Transfer, error)
	// Undo drops the transfers in blocks above a number.
	Undo(ctx context.Context, chain string, above int64, now time.Time) ([]Transfer, error)
	// Drop drops one transfer that is not dropped yet.
	Drop(ctx context.Context, t Transfer, now time.Time) (Transfer, error)
	EndRescans(ctx context.Context, ids []string) error
}

// Reader reads stored transfers, for the API and the kits.
type Reader interface {
	Transfer(ctx context.Context, workspaceID, id string) (Transfer, error)
	// TransfersOfTx lists the transfers of a transaction to addresses of a workspace, in their order.
	TransfersOfTx(ctx context.Context, workspaceID, chain, tx string) ([]Transfer, error)
	// TransfersOf lists one page of an owner's transfers, newest first, and counts all of them.
	TransfersOf(ctx context.Context, workspaceID, ownerID string, p page.Page) ([]Transfer, int, error)
	// TransfersSince lists, for a sweeper, the transfers of every workspace that changed after a moment, the earliest
	// change first. The cursor's time is that of the change. A change becomes visible a moment after its time, so the
	// caller starts somewhat before the last change it has read.
	TransfersSince(ctx context.Context, kind OwnerKind, after page.Cursor, limit int) ([]Transfer, error)
	// Head is the newest block of a chain that was read. Confirmations count from it.
	Head(ctx context.Context, chain string) (Cursor, bool, error)
}
